"""SPIN as the judge of trails: does its guided simulation follow one to the state where everafter says it ends?"""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

from everafter.execution.state import State
from everafter.promela.model import Kind, Scalar, Variable
from everafter.verdict.result import Counterexample
from everafter.verdict.trail import run_of_trail, trail_of

MODEL = "m.pml"
"""The name of the model in the folder that SPIN works in."""


def difference(folder: Path, found: Counterexample) -> str | None:
    """What SPIN, or our own reading, makes of the trail of a run that the run does not; None if they agree.

    A step that ends in a run-time error is left out: SPIN's simulator takes half of it, or dies.
    """
    is_broken = bool(found.steps) and found.steps[-1].state is None
    run = replace(found, prefix=found.prefix[:-1], problem=None) if is_broken else found
    text = "".join(trail_of(run))
    shown = replayed_by_spin(folder, text)
    is_assertion = run.problem is not None and run.problem.kind == "assertion"
    if ("assertion violated" in shown) != is_assertion:
        return "only one of them sees an assertion fail"
    if ("START OF CYCLE" in shown) != bool(run.cycle):
        return "only one of them sees a cycle"
    steps = text.count("\n") - bool(run.cycle)
    if f"trail ends after {steps} steps" not in shown:
        return f"SPIN does not follow the trail of {steps} steps: {shown[-200:]}"
    return _different_end(run, shown) or _read_otherwise(run, text)


def replayed_by_spin(folder: Path, text: str) -> str:
    """What SPIN's guided simulation says of a trail for the model in the folder."""
    (folder / f"{MODEL}.trail").write_text(text)
    command = ["spin", "-t", "-p", "-g", MODEL]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=60).stdout


def _different_end(run: Counterexample, shown: str) -> str | None:
    """How the last state differs: global numbers, and places of control."""
    last = shown[shown.index("#processes:") :]
    state = _last_state(run)
    ours = {
        cell.name: value
        for cell, value in zip(run.program.memory.cells, state.memory, strict=True)
        if "." not in cell.name and not _is_array_of_bits(cell.variable)
    }
    for name, value in re.findall(r"^\t+(\S+) = (-?\d+)$", last, re.MULTILINE):
        if name in ours and ours[name] != int(value):  # SPIN shows some locals, too
            return f"{name} is {value} for SPIN and {ours[name]} here"
    places = {int(number): int(place) for number, place in re.findall(r"proc +(\d+) \(.*\(state (\d+)\)", last)}
    here = {number: process.node for number, process in enumerate(state.processes)}
    if places != here:
        return f"processes are at {places} for SPIN and at {here} here"
    return None


def _is_array_of_bits(variable: Variable) -> bool:
    """Whether SPIN's simulator stores other values than its verifier, as it also does in structures."""
    return variable.length is not None and isinstance(variable.type, Scalar) and variable.type.kind is Kind.BIT


def _last_state(run: Counterexample) -> State:
    """The last state of which everything is known."""
    return [*run.states()][-1]


def _read_otherwise(run: Counterexample, text: str) -> str | None:
    start, taken, repeated = run_of_trail(run.program, text)
    same = (start, tuple(taken), repeated) == (run.start, run.steps, len(run.cycle))
    return None if same else "we read another run from the trail than we have written"
