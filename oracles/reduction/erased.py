"""Erasure as it is defined: a state and the one with zero for what is erased take the same steps, to equal rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator

from everafter.execution.packing import Packer
from everafter.execution.run import Choice
from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, steps
from everafter.product.claim import Holds
from everafter.program.program import Program
from everafter.promela.model import Expression
from everafter.record import replace


def erasure_flaws(program: Program, watched: Iterable[Expression], most: int) -> Iterator[str]:
    """Yield where one of the first `most` states of `program`, which erases, differs from its row in what can happen.

    What may differ are the choices, where they lead by their rows, what goes wrong, and what the property reads.
    """
    whole, packer = replace(program, erased=None), Packer(program)
    letters = [Holds(whole, expression) for expression in watched]
    seen = {initial_state(whole)}
    waiting = deque(seen)
    while waiting:
        state = waiting.popleft()
        left = packer.unpack(packer.pack(state))
        for name, one, other in (
            ("steps", _outcomes(packer, whole, state), _outcomes(packer, whole, left)),
            ("letters", [item(state, False) for item in letters], [item(left, False) for item in letters]),
        ):
            if one != other:
                yield f"{name} of {state}: {one}, and without what is erased {other}"
        for step in steps(whole, state):
            if step.state is not None and step.state not in seen and len(seen) < most:
                seen.add(step.state)
                waiting.append(step.state)


def rows(program: Program, most: int) -> tuple[int, int]:
    """How many states there are among the first `most`, and how many rows they have where `program` erases."""
    whole, packer = replace(program, erased=None), Packer(program)
    seen = {initial_state(whole)}
    waiting = deque(seen)
    while waiting:
        for step in steps(whole, waiting.popleft()):
            if step.state is not None and step.state not in seen and len(seen) < most:
                seen.add(step.state)
                waiting.append(step.state)
    return len(seen), len({packer.pack(state) for state in seen})


def _outcomes(packer: Packer, program: Program, state: State) -> list[Hashable]:
    return [_outcome(packer, step) for step in steps(program, state)]


def _outcome(packer: Packer, step: Step) -> Hashable:
    problem = (step.problem.kind, step.problem.place) if step.problem is not None else None
    return Choice.of(step), packer.pack(step.state) if step.state is not None else None, problem
