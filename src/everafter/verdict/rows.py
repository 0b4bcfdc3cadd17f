"""The steps of a run as data: one row for each, as a person would describe it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.program.program import Program
from everafter.source import Place
from everafter.verdict.changes import changes, process_name


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a statement stands in the text that the user sees."""

    file: str
    line: int
    column: int

    @staticmethod
    def of(place: Place) -> Spot:
        """The spot of a place: where the outermost macro or inline was called."""
        seen = place.seen_at()
        return Spot(seen.source.name, seen.line, seen.column)


@dataclass(frozen=True, slots=True)
class Row:
    """One step: who moved, where, what the statement was and what it changed."""

    number: int
    """Counted from 1."""
    process: str
    """As reports name it: `P(2)`."""
    spot: Spot
    statement: str
    changes: tuple[str, ...] = ()
    """`x = 3`, `q = [red, 2]`, `P(2) starts`."""
    problem: str | None = None
    """What goes wrong in this step."""
    partner: str | None = None
    """Who receives, in a rendezvous …"""
    partner_spot: Spot | None = None
    partner_statement: str | None = None
    """… where, and by which statement."""
    output: tuple[str, ...] = ()
    """What was printed."""


def row_of(program: Program, state: State, step: Step, number: int) -> Row:
    """The row of a step that is taken in a state."""
    partner, answer = step.partner, step.partner_transition
    met = partner is not None and answer is not None
    return Row(
        number=number,
        process=process_name(program, state, step.process),
        spot=Spot.of(step.transition.place),
        statement=step.transition.text,
        changes=tuple(changes(program, state, step.state)) if step.state is not None else (),
        problem=step.problem.message if step.problem is not None else None,
        partner=process_name(program, state, partner) if met and partner is not None else None,
        partner_spot=Spot.of(answer.place) if met and answer is not None else None,
        partner_statement=answer.text if met and answer is not None else None,
        output=step.output,
    )


def rows_of(program: Program, start: State, taken: Iterable[Step], first: int = 1) -> Iterator[Row]:
    """The rows of a run, numbered from `first` on."""
    state = start
    for number, step in enumerate(taken, first):
        yield row_of(program, state, step, number)
        if step.state is None:
            return
        state = step.state
