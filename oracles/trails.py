"""SPIN as the judge of trails: its guided simulation follows those of everafter, and everafter those of its verifiers.

Where both follow one, they take the same steps, to the same state.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from everafter.execution.run import Choice
from everafter.execution.state import State
from everafter.program.control_flow import DeterministicStep, Jump, Terminate
from everafter.program.program import Program
from everafter.promela.model import Kind, Scalar, Variable
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample
from everafter.verdict.trail import run_of_trail, trail_of
from oracles.spin import ModelRejectedError
from oracles.truth import Row, rows

MODEL = "m.pml"
"""The name of the model in the folder that SPIN works in."""
OPTIMISATIONS = ((), ("-o1",), ("-o2",), ("-o3",), ("-o4",), ("-o5",), ("-o6",))
"""SPIN's default options, and each of its optimisations off; -o6: priorities as they once were."""


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


def replayed_by_spin(folder: Path, text: str, flags: Sequence[str] = ()) -> str:
    """What SPIN's guided simulation, with some flags, says of a trail for the model in the folder."""
    (folder / f"{MODEL}.trail").write_text(text)
    command = ["spin", *flags, "-t", "-p", "-g", "-b", MODEL]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=60).stdout


def _different_end(run: Counterexample, shown: str, claims: int = 0) -> str | None:
    """How the last state differs: global numbers, and places of control.

    SPIN's simulation, but not its verifier, counts claims among the numbers of processes that are stored; and it keeps
    what an array of bits, or a structure, has no room for, so that what is computed from it is another number, too.
    """
    last = shown[shown.index("#processes:") :]
    state = _last_state(run)
    cells = {cell.name: value for cell, value in zip(run.program.memory.cells, state.memory, strict=True)}
    wide = {cell.name for cell in run.program.memory.cells if "." in cell.name or _is_array_of_bits(cell.variable)}
    shown_values = {name: int(value) for name, value in re.findall(r"^\t+(\S+) = (-?\d+)$", last, re.MULTILINE)}
    others = {
        name: value
        for name, value in shown_values.items()
        if name in cells and cells[name] not in (value, value - claims)  # SPIN shows some locals, too
    }
    if others and not others.keys() & wide:
        name = min(others)
        return f"{name} is {others[name]} for SPIN and {cells[name]} here"
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
    start, taken, repeated, _ = run_of_trail(run.program, text)
    same = (start, tuple(taken), repeated) == (run.start, run.steps, len(run.cycle))
    if not same and (start, repeated) == (run.start, len(run.cycle)):  # a cycle up to what is never read, read twice
        same = [Choice.of(step) for step in taken] == [Choice.of(step) for step in (*run.steps, *run.cycle)]
    return None if same else "we read another run from the trail than we have written"


# Trails of SPIN's


def trail_of_spin(folder: Path, flags: Sequence[str], compiling: Sequence[str], options: Sequence[str]) -> str | None:
    """The trail that a verifier for the model in the folder leaves; None if it finds nothing wrong, or not in time.

    None also where it speaks of `xr` and `xs`, which it does even of a step that cannot be taken. `flags` are SPIN's,
    `compiling` those of the compilation, `options` the verifier's. Raises ModelRejectedError.
    """
    trail = folder / f"{MODEL}.trail"
    trail.unlink(missing_ok=True)
    for command in (
        ["spin", *flags, "-a", MODEL],
        ["tcc", "-w", "-DMEMLIM=2048", "-DVECTORSZ=8192", *compiling, "-o", "pan", "pan.c"],
    ):
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise ModelRejectedError(done.stdout + done.stderr)
    try:
        run = subprocess.run(["./pan", *options], cwd=folder, check=False, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    is_about_promises = re.search(rb"\bx[rs] (assertion|chan)", run.stdout) is not None
    return None if is_about_promises or not trail.exists() else trail.read_text()


def questions_of_truth() -> Iterator[tuple[Row, list[str], list[str]]]:
    """The rows of the table that SPIN finds violated, with what compiles and what asks its verifier."""
    for row in rows():
        if row.verdict == "violated":
            compiling = {"safety": ["-DSAFETY", "-DNOCLAIM"], "np": ["-DNP", "-DNOCLAIM"], "accept": ["-DNOCLAIM"]}
            named = ["-N", row.claim] if row.check == "ltl" else []
            asked = {"safety": [], "np": ["-l"]}.get(row.check, ["-a", *named])
            fair = ["-DNFAIR=4", "-DNOREDUCE"] if row.fair else []
            yield row, [*fair, *compiling.get(row.check, [])], [*asked, *(["-f"] if row.fair else [])]


def place_model(folder: Path, model: Path) -> None:
    """Put a model of SPIN's package into the folder, with what it may include."""
    for sibling in model.parent.iterdir():
        (folder / sibling.name).symlink_to(sibling)
    (folder / MODEL).write_bytes(model.read_bytes())


def difference_from_spin(folder: Path, program: Program, text: str, flags: Sequence[str] = ()) -> str | None:
    """Where our way along a trail of SPIN's differs from that of SPIN's simulation with these flags."""
    shown = replayed_by_spin(folder, text, flags)
    if "transition failed" in shown:
        return None  # where even SPIN cannot follow its verifier
    try:
        start, taken, repeated, ending = run_of_trail(program, text)
    except ReplayError as error:
        return str(error)
    turn = len(taken) - repeated
    run = Counterexample(program, start, tuple(taken[:turn]), tuple(taken[turn:]))
    ours, theirs = list(_moves(run)), list(_moves_of_spin(program, shown))
    failed = bool(taken) and taken[-1].problem is not None
    if repeated == 0 and ending is not None and "claims a cycle" in ending:
        return ending
    if repeated and len(ours) == len(theirs) + len(list(_moves(replace(run, prefix=())))):
        ours = ours[: len(theirs)]  # what SPIN takes for a cycle is one here the second time
    if failed and ours[:-1] == theirs and isinstance(taken[-1].transition.effect, DeterministicStep):
        return None  # SPIN shows nothing of a d_step that goes wrong
    if ours != theirs[: len(ours)] or (len(ours) < len(theirs) and not failed):
        place = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), len(ours))
        return f"step {place + 1} is {theirs[place : place + 2]} for SPIN and {ours[place : place + 2]} here"
    if failed:
        return None
    if ending is not None and "nothing is violated" in ending:
        return ending
    return _different_end(run, shown, claims=text.startswith("-2:"))


def _moves(run: Counterexample) -> Iterator[tuple[int, int]]:
    """The process and the element of every step but jumps, both of a rendezvous; no element where the process ends."""
    for step in run.steps:
        if not isinstance(step.transition.effect, Jump):
            yield step.process, 0 if isinstance(step.transition.effect, Terminate) else step.transition.element
        if step.partner is not None and step.partner_transition is not None:
            yield step.partner, step.partner_transition.element


def _moves_of_spin(program: Program, shown: str) -> Iterator[tuple[int, int]]:
    """The same of SPIN's steps, which it shows, and those inside a d_step besides."""
    known = {
        kind.name: {step.element for step in kind.graph.transitions() if not isinstance(step.effect, Jump)}
        for kind in program.processes
    }
    for line in shown.splitlines():
        if ended := re.match(r" *\d+: proc (\d+) terminates", line):
            yield int(ended[1]), 0
        elif found := re.match(r" *\d+:\tproc +(\d+) \((:\w+:|\w+)(?::\d+)?\) .*\(state (\d+)\)[^[]*\t\[", line):
            process, name, element = int(found[1]), found[2], int(found[3])
            if element in known[name]:
                yield process, element
