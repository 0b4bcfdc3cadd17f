"""Running a model one way: at random from a seed, or by the user's choices."""

from __future__ import annotations

import random
from typing import TextIO

from everafter.execution.state import Problem, State
from everafter.execution.step import Step, end_problem, initial_state, is_valid_end, steps
from everafter.program.program import Program
from everafter.report.text import described
from everafter.verdict.changes import process_name

HOLDS, VIOLATED = 0, 1


def random_run(program: Program, out: TextIO, seed: int, limit: int) -> int:
    """Take random steps, print them, and return 1 if something went wrong on the way, else 0."""
    generator = random.Random(seed)
    state = initial_state(program)
    for number in range(1, limit + 1):
        possible = steps(program, state)
        if not possible:
            return _ended(program, state, out)
        following = _taken(program, state, generator.choice(possible), number, out)
        if following is None:
            return VIOLATED
        state = following
    print(f"stopped after {limit} steps", file=out)
    return HOLDS


def interactive_run(program: Program, lines: TextIO, out: TextIO) -> int:
    """Let the user choose among the enabled steps; `u` takes the last one back, `q` ends."""
    history: list[State] = []
    state = initial_state(program)
    while True:
        possible = steps(program, state)
        if not possible:
            return _ended(program, state, out)
        for position, step in enumerate(possible, start=1):
            who, line, what, effects = described(program, state, step)
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
    who, line, what, effects = described(program, state, step)
    print(f"{number:5d}  {who:<16} {line:>5}  {what:<32} {effects}".rstrip(), file=out)
    for text in step.output:
        print("       " + text.rstrip("\n").replace("\n", "\n       "), file=out)
    if step.problem is not None:
        _print_problem(step.problem, out)
        return None
    return step.state


def _ended(program: Program, state: State, out: TextIO) -> int:
    if is_valid_end(program, state):
        print("every process has ended, or may stop where it is", file=out)
        return HOLDS
    _print_problem(end_problem(program, state), out)
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
