"""The steps of a run as data: one row for each, as a person would describe it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.program.control_flow import Jump
from everafter.program.program import Program
from everafter.source import Spot
from everafter.verdict.changes import changes, process_name


class Row(NamedTuple):
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
    is_jump: bool = False
    """Whether the process only goes on to another place: by a `goto`, a `break` or the end of a choice."""


def row_of(program: Program, state: State, step: Step, number: int) -> Row:
    """Return the row, with `number`, of `step` of `program`, taken in `state`."""
    return _with_changes(program, state, step, number, _row(program, state, step))


def rows_of(program: Program, start: State, taken: Iterable[Step], first: int = 1) -> Iterator[Row]:
    """The rows of a run, numbered from `first` on."""
    state = start
    known: dict[tuple[int, int, int | None, int], Row] = {}
    for number, step in enumerate(taken, first):
        key = (step.process, id(step.transition), step.partner, id(step.partner_transition))
        row = known.get(key)
        if row is None:
            row = known[key] = _row(program, state, step)
        yield _with_changes(program, state, step, number, row)
        if step.state is None:
            return
        state = step.state


def _row(program: Program, state: State, step: Step) -> Row:
    """What is the same in every row of this step, whenever it is taken."""
    partner, answer = step.partner, step.partner_transition
    row = Row(
        number=0,
        process=process_name(program, state, step.process),
        spot=Spot.of(step.transition.place),
        statement=step.transition.text,
        is_jump=isinstance(step.transition.effect, Jump),
    )
    if partner is None or answer is None:
        return row
    return row._replace(
        partner=process_name(program, state, partner),
        partner_spot=Spot.of(answer.place),
        partner_statement=answer.text,
    )


def _with_changes(program: Program, state: State, step: Step, number: int, row: Row) -> Row:
    """The row of a step as it is taken in a state."""
    _, process, spot, statement, _, _, partner, partner_spot, partner_statement, _, is_jump = row
    changed = tuple(changes(program, state, step.state)) if step.state is not None else ()
    problem = step.problem.message if step.problem is not None else None
    with_partner = (partner, partner_spot, partner_statement)
    return Row(number, process, spot, statement, changed, problem, *with_partner, step.output, is_jump)
