"""Showing one run of a model: at random from a seed, or by the user's choices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TextIO

from everafter.execution.state import Problem, State
from everafter.execution.step import Step, initial_state, steps
from everafter.program.program import Program
from everafter.report.text import described
from everafter.verdict.changes import process_name
from everafter.verdict.random_run import Simulation, concluded, random_steps, stopping_problem
from everafter.verdict.run_rows import Row, row_of, rows_of

HOLDS, VIOLATED = 0, 1


def random_run(program: Program, out: TextIO, seed: int, limit: int) -> int:
    """Take at most `limit` random steps of `program`, drawn from `seed`, and print them to `out`.

    Returns 1 if something went wrong on the way, else 0.
    """
    taken: list[Step] = []

    def noted() -> Iterator[Step]:
        for step in islice(random_steps(program, seed), limit):
            taken.append(step)
            yield step

    for row in rows_of(program, initial_state(program), noted()):
        _print_row(row, out)
    run = concluded(program, tuple(taken))
    print(ending(run), file=out)
    return HOLDS if run else VIOLATED


def ending(run: Simulation) -> str:
    """How a run ended, in words."""
    if run.problem is not None:
        return f"{run.problem.place}: {run.problem.message}"
    if run.ended:
        return "every process has ended, or may stop where it is"
    return f"stopped after {len(run.steps)} steps"


def interactive_run(program: Program, lines: TextIO, out: TextIO) -> int:
    """Let the user choose among the enabled steps of `program`, by `lines` read; prints to `out`.

    `u` takes the last step back, `q` ends. Returns 1 if something went wrong on the way, else 0.
    """
    history: list[State] = []
    state = initial_state(program)
    while True:
        possible = steps(program, state)
        if not possible:
            return _ended(program, state, out)
        for position, step in enumerate(possible, start=1):
            who, line, what, effects = described(row_of(program, state, step, position))
            print(f"  {position}: {who}, line {line}: {what}" + (f"   [{effects}]" if effects else ""), file=out)
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
                following = _taken(program, state, possible[int(text) - 1], len(history), out)
                if following is None:
                    return VIOLATED
                state = following
            case text:
                print(f"'{text}' is none of these", file=out)


def _taken(program: Program, state: State, step: Step, number: int, out: TextIO) -> State | None:
    """Print a step and return the state after it; None if something is wrong with it."""
    _print_row(row_of(program, state, step, number), out)
    if step.problem is not None:
        _print_problem(step.problem, out)
        return None
    return step.state


def _print_row(row: Row, out: TextIO) -> None:
    who, line, what, effects = described(row)
    print(f"{row.number:5d}  {who:<16} {line:>5}  {what:<32} {effects}".rstrip(), file=out)
    for text in row.output:
        print("       " + text.rstrip("\n").replace("\n", "\n       "), file=out)


def _ended(program: Program, state: State, out: TextIO) -> int:
    problem = stopping_problem(program, state)
    if problem is None:
        print("every process has ended, or may stop where it is", file=out)
        return HOLDS
    _print_problem(problem, out)
    return VIOLATED


def _print_problem(problem: Problem, out: TextIO) -> None:
    print(f"{problem.place}: {problem.message}", file=out)


def _print_state(program: Program, state: State, out: TextIO) -> None:
    for cell, value in zip(program.memory.cells, state.memory, strict=True):
        print(f"    {cell.name} = {value}", file=out)
    for number, process in enumerate(state.processes):
        kind = program.processes[process.proctype]
        line = kind.graph.nodes[process.node].place.line
        cells = ", ".join(
            f"{cell.name} = {value}" for cell, value in zip(kind.memory.cells, process.memory, strict=True)
        )
        print(f"    {process_name(program, state, number)} at line {line}" + (f": {cells}" if cells else ""), file=out)
    for number, channel in enumerate(state.channels, start=1):
        print(f"    channel {number}: {list(channel.messages)}", file=out)
