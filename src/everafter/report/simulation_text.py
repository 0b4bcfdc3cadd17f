"""Showing one run of a model: at random from a seed, along a trace, or by the user's choices."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Protocol, TextIO

from everafter.execution.state import Problem, State
from everafter.execution.step import Step, initial_state, steps
from everafter.program.naming import value_name
from everafter.program.program import Program
from everafter.report.simulated_steps import RandomRun
from everafter.report.step_table import ShownStep, below, print_steps, widest
from everafter.report.text import PLAIN, Style, described, fitted
from everafter.report.text_columns import aligned
from everafter.verdict.changes import channel_name, contents, process_name
from everafter.verdict.random_run import stopping_problem
from everafter.verdict.run_rows import row_of

HOLDS, VIOLATED = 0, 1


def random_run(run: RandomRun, program: Program, out: TextIO, style: Style = PLAIN) -> int:
    """Take the steps of `run`, one of `program`, and print them to `out` in `style`, and how it ended.

    Returns 1 if something went wrong on the way, else 0.
    """
    print_steps(program, run.steps(), out, run.limit, style.width)
    print(fitted(ending(run), style), file=out)
    return HOLDS if run.problem is None else VIOLATED


def printed_run(run: RandomRun, out: TextIO) -> int:
    """Print to `out` what the steps of `run` print, and nothing else, but for what goes wrong.

    Returns 1 if something went wrong on the way, else 0.
    """
    last = print_output(run.steps(), out)
    if run.problem is None:
        return HOLDS
    print(("" if last.endswith("\n") else "\n") + ending(run), file=out)
    return VIOLATED


def print_output(steps: Iterable[ShownStep], out: TextIO) -> str:
    """Print to `out` what `steps` print, and return the last of it; a line end if there is none."""
    last = "\n"
    for text in chain.from_iterable(step.output for step in steps):
        out.write(text)
        last = text or last
    return last


class EndedRun(Protocol):
    """What is said of a run behind its last step."""

    @property
    def problem(self) -> Problem | None:
        """What went wrong at its end, if something did."""

    @property
    def ended(self) -> bool:
        """Whether no step was possible any more."""

    @property
    def taken(self) -> int:
        """How many steps were taken."""


def ending(run: EndedRun) -> str:
    """How a run ended, in words."""
    if run.problem is not None:
        return f"{run.problem.place}: {run.problem.message}"
    if run.ended:
        return "every process has ended, or may stop where it is"
    return f"stopped after {run.taken:,} steps"


def interactive_run(program: Program, lines: TextIO, out: TextIO, style: Style = PLAIN) -> int:
    """Let the user choose among the enabled steps of `program`, by `lines` read; prints to `out` in `style`.

    `u` takes the last step back, `q` ends. Returns 1 if something went wrong on the way, else 0.
    """
    history: list[State] = []
    state = initial_state(program)
    while True:
        possible = steps(program, state)
        if not possible:
            return _ended(program, state, out, style)
        offered = [
            (str(position), *described(row_of(program, state, step, position)))
            for position, step in enumerate(possible, start=1)
        ]
        print("\n".join(aligned([widest(program), *offered], style.width)[1:]), file=out)
        print(f"choose 1-{len(possible)}, u(ndo), s(tate) or q(uit): ", end="", file=out, flush=True)
        answer = lines.readline()
        match answer.strip().lower():
            case "q" | "quit" | "" if not answer or answer.strip():
                print(file=out)
                return HOLDS
            case "u" | "undo":
                state = history.pop() if history else state
            case "s" | "state":
                _print_state(program, state, out)
            case text if text.isdigit() and 1 <= int(text) <= len(possible):
                history.append(state)
                following = _taken(program, state, possible[int(text) - 1], len(history), out, style)
                if following is None:
                    return VIOLATED
                state = following
            case text:
                print(f"'{text}' is none of these", file=out)


def _taken(program: Program, state: State, step: Step, number: int, out: TextIO, style: Style) -> State | None:
    """Print a step and return the state after it; None if something is wrong with it."""
    row = row_of(program, state, step, number)
    shown = (str(number), *described(row))
    out.write(aligned([widest(program), shown], style.width)[1] + "\n" + below(row.output))
    if step.problem is not None:
        _print_problem(step.problem, out, style)
        return None
    return step.state


def _ended(program: Program, state: State, out: TextIO, style: Style) -> int:
    problem = stopping_problem(program, state)
    if problem is None:
        print("every process has ended, or may stop where it is", file=out)
        return HOLDS
    _print_problem(problem, out, style)
    return VIOLATED


def _print_problem(problem: Problem, out: TextIO, style: Style) -> None:
    print(fitted(f"{problem.place}: {problem.message}", style), file=out)


def _print_state(program: Program, state: State, out: TextIO) -> None:
    for cell, value in zip(program.memory.cells, state.memory, strict=True):
        print(f"    {cell.name} = {value_name(program, cell.variable.type, value)}", file=out)
    for number, process in enumerate(state.processes):
        kind = program.processes[process.proctype]
        line = kind.graph.nodes[process.node].place.line
        cells = ", ".join(
            f"{cell.name} = {value_name(program, cell.variable.type, value)}"
            for cell, value in zip(kind.memory.cells, process.memory, strict=True)
        )
        print(f"    {process_name(program, state, number)} at line {line}" + (f": {cells}" if cells else ""), file=out)
    for number, channel in enumerate(state.channels, start=1):
        print(f"    {channel_name(program, state, number)} = {contents(program, channel)}", file=out)
