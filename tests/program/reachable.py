"""Reachable states of small programs, for tests that need real ones."""

from __future__ import annotations

from pathlib import Path

from everafter.execution.state import State
from everafter.execution.step import initial_state, steps
from everafter.program.program import Program, build
from everafter.promela.parser import parse
from everafter.source import Source


def program_of(model: Path | str) -> Program:
    """The program of a file or a text."""
    text = model.read_text(errors="replace") if isinstance(model, Path) else model
    return build(parse(Source(str(model) if isinstance(model, Path) else "model.pml", text))[0])


def reachable(program: Program, most: int) -> list[State]:
    """The first reachable states, breadth first, those inside atomic sequences among them."""
    start = initial_state(program)
    found = {start: None}
    pending = [start]
    for state in pending:
        for step in steps(program, state):
            if step.state is not None and step.state not in found:
                found[step.state] = None
                pending.append(step.state)
        if len(found) >= most:
            break
    return list(found)[:most]
