"""The control-flow graph of a process: from each place of control, the transitions in the order they are tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from everafter.promela.model import Basic
from everafter.record import dataclass
from everafter.source import Place


@dataclass(frozen=True, slots=True)
class Jump:
    """A goto, break or end of a choice that is a step of its own. It changes nothing."""


@dataclass(frozen=True, slots=True)
class Terminate:
    """The end of a process: possible only for the youngest one alive."""


@dataclass(frozen=True, slots=True)
class Perform:
    """Inside a d_step: execute a statement, then go on. `next` is None behind the last one."""

    statement: Basic
    next: int | None


@dataclass(frozen=True, slots=True)
class Select:
    """Inside a d_step: go to the first option whose statement is executable."""

    options: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class DeterministicStep:
    """A d_step: instructions run in one go from `start`. `guards` tell beforehand whether it may begin."""

    instructions: Mapping[int, Perform | Select]
    start: int | None
    guards: tuple[Basic, ...] | None
    place: Place


Effect = Basic | Jump | Terminate | DeterministicStep


@dataclass(frozen=True, slots=True)
class Transition:
    """One way on from a place of control. `element` is its identity within the process.

    `keeps_atomic`: the process goes on without interruption afterwards. `escape` is 0, or the place whose
    transition this is when it is an escape that goes before the others.
    """

    element: int
    effect: Effect
    target: int
    keeps_atomic: bool
    escape: int
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Node:
    """A place of control: where a process can be between two steps."""

    number: int
    transitions: tuple[Transition, ...]
    labels: frozenset[str]
    is_end: bool
    is_accepting: bool
    is_progress: bool
    place: Place


@dataclass(frozen=True, slots=True)
class ControlFlowGraph:
    """The control-flow graph of one proctype."""

    start: int
    nodes: Mapping[int, Node]
    labels: Mapping[str, int]

    def transitions(self) -> Iterator[Transition]:
        """Every transition, place by place."""
        for node in self.nodes.values():
            yield from node.transitions


NO_GRAPH = ControlFlowGraph(1, MappingProxyType({}), MappingProxyType({}))
"""In place of a graph that cannot be built."""
