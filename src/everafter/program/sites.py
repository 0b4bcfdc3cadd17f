"""The statements of a program that an execution can come to, each known by its process type and its element."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate

from everafter.program.control_flow import DeterministicStep, Jump, Perform, Transition
from everafter.program.program import ProcessType, Program
from everafter.promela.model import RemoteLabel
from everafter.promela.walk import basics
from everafter.record import dataclass
from everafter.source import Place

Reached = frozenset[tuple[int, int]]
"""What was executed: the index of a process type, and the number of an element of its body."""

_UNWRITTEN = "goto"
"""The text of a jump that stands for the end of a choice, which is not in the model."""


@dataclass(frozen=True, slots=True)
class Site:
    """A statement: whose it is, its element (None where control cannot come by any values), its place and text."""

    process: int
    element: int | None
    place: Place
    text: str


def first_numbers(program: Program) -> tuple[int, ...]:
    """Elements numbered through all process types: the number of an element is that of its type and its own together.

    Behind the numbers of the types, how many there are.
    """
    return tuple(accumulate((process.elements + 1 for process in program.processes), initial=0))


class PlaceNumbers:
    """Numbers the places of control of all process types of a program through."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._first = first_numbers(program)

    def of(self, process: ProcessType, node: int) -> int:
        """Return the number of the place `node` of `process`."""
        return self._first[process.index] + node

    def labelled(self, label: RemoteLabel) -> int:
        """Return the number of the place at which a process is if `label` is true of it."""
        process = self.program.processes[self.program.by_name[label.proctype]]
        return self.of(process, process.graph.labels[label.label])

    def of_progress(self) -> Iterator[int]:
        """The numbers of the places that have progress labels."""
        for process in self.program.processes:
            yield from (self.of(process, node.number) for node in process.graph.nodes.values() if node.is_progress)


def sites(program: Program) -> Iterator[Site]:
    """Every statement of every process type, in the order of the text. A d_step is the statements inside it."""
    for process in program.processes:
        if process.role in ("process", "init"):
            known = {site.element: site for step in process.graph.transitions() for site in _of(process, step)}
            found = [*known.values(), *_dead(process)]
            yield from sorted(found, key=_order)


def _of(process: ProcessType, step: Transition) -> Iterator[Site]:
    """The statements of a transition."""
    effect = step.effect
    if isinstance(effect, DeterministicStep):
        for number, instruction in effect.instructions.items():
            if isinstance(instruction, Perform):
                yield Site(process.index, number, instruction.statement.place, instruction.statement.text)
    elif not (isinstance(effect, Jump) and step.text == _UNWRITTEN):
        yield Site(process.index, step.element, step.place, step.text)


def _dead(process: ProcessType) -> Iterator[Site]:
    """The statements that no control flow leads to."""
    alive = {id(statement) for step in process.graph.transitions() for statement in _statements(step)}
    for statement in basics(process.declaration.body):
        if id(statement) not in alive:
            yield Site(process.index, None, statement.place, statement.text)


def _statements(step: Transition) -> Iterator[object]:
    if isinstance(step.effect, DeterministicStep):
        for instruction in step.effect.instructions.values():
            if isinstance(instruction, Perform):
                yield instruction.statement
    else:
        yield step.effect


def _order(site: Site) -> tuple[bool, str, int, float]:
    """By the lines that the user sees, and on a line as control goes; the end of a process comes last."""
    seen = site.place.seen_at()
    return site.text == "-end-", seen.source.name, seen.line, math.inf if site.element is None else site.element
