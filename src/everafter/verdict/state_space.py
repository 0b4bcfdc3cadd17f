"""The states of a model and the steps between them, as plain data for other programs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from everafter.execution.packing import Packer
from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, is_valid_end, steps
from everafter.program.program import Program
from everafter.record import dataclass, field
from everafter.source import OptionError, Spot
from everafter.verdict.changes import process_name
from everafter.verdict.named_state import NamedState


class LabelledStep(NamedTuple):
    """A step from one state to another: who moves, by which statement."""

    target: int | None
    """The number of the state that it leads to; None for a step that cannot be completed."""
    process: str
    """As reports name it: `P(2)`."""
    statement: str
    spot: Spot
    problem: str | None = None
    """What goes wrong in this step."""
    partner: str | None = None
    """Who receives, in a rendezvous."""


class ReachedState(NamedTuple):
    """A state that can be reached, and every step that is possible there."""

    number: int
    """The initial state has the number 0; others are numbered as they are met."""
    state: NamedState
    steps: list[LabelledStep]
    is_deadlock: bool
    """Whether no step is possible though a process may not stop there."""


@dataclass(frozen=True, slots=True)
class StateSpace:
    """The reachable states, breadth-first, each computed when it is wanted; at most `limit` of them if there is one.

    Every step of an atomic sequence is a step, and leads to a state of its own.
    """

    program: Program = field(repr=False)
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"limit of Model.states is a number from 1 on, not {self.limit}")

    def __iter__(self) -> Iterator[ReachedState]:
        """Begin at the initial state, each time. A step may lead to a state beyond the limit."""
        return _reached(self.program, self.limit)

    def to_networkx(self) -> Any:
        """Return a `networkx.MultiDiGraph`: nodes are numbers with their `state`, edges have the fields of their step.

        `graph["is_whole"]` tells whether all states are in it. Needs `pip install "everafter[networkx]"`.
        """
        try:
            from networkx import MultiDiGraph  # noqa: PLC0415 # an extra
        except ImportError as error:
            advice = 'pip install "everafter[networkx]"'
            raise OptionError("networkx is not installed, and to_networkx makes one of its graphs", advice) from error
        reached = list(self)
        graph = MultiDiGraph(name="states", is_whole=True)
        for each in reached:
            graph.add_node(each.number, state=each.state, is_deadlock=each.is_deadlock)
        for each in reached:
            for step in each.steps:
                if step.target is not None and step.target < len(reached):
                    graph.add_edge(each.number, step.target, **step._asdict())
                elif step.target is not None:
                    graph.graph["is_whole"] = False
        return graph


def _reached(program: Program, limit: int | None) -> Iterator[ReachedState]:
    packer = Packer(program)
    start = initial_state(program)
    numbers = {packer.pack(start): 0}
    waiting = deque([start])
    number = 0
    while waiting and number != limit:
        state = waiting.popleft()
        possible = steps(program, state)
        labelled = []
        for step in possible:
            target = None
            if step.state is not None:
                target = numbers.setdefault(packer.pack(step.state), len(numbers))
                if target == number + len(waiting) + 1:
                    waiting.append(step.state)
            labelled.append(_labelled(program, state, step, target))
        is_deadlock = not possible and not is_valid_end(program, state)
        yield ReachedState(number, NamedState(program, state), labelled, is_deadlock)
        number += 1


def _labelled(program: Program, state: State, step: Step, target: int | None) -> LabelledStep:
    who, transition = process_name(program, state, step.process), step.transition
    partner = process_name(program, state, step.partner) if step.partner is not None else None
    problem = step.problem.message if step.problem is not None else None
    return LabelledStep(target, who, transition.text, Spot.of(transition.place), problem, partner)
