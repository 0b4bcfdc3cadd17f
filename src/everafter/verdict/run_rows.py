"""The steps of a run as data: one row for each, as a person would describe it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.program.control_flow import Jump
from everafter.program.program import Program
from everafter.source import Spot
from everafter.verdict.changes import changes, process_name
from everafter.verdict.named_state import NamedState


class Row(NamedTuple):
    """One step: who moved, where, what the statement was and what it changed."""

    number: int
    """Counted from 1."""
    process: str
    """As reports name it: `P(2)`."""
    spot: Spot
    statement: str
    before: NamedState
    """The state in which the step is taken."""
    state: NamedState | None
    """The state after it; None for a step that cannot be completed."""
    change_texts: tuple[str, ...] = ()
    """What it changed, in words: `x = 3`, `q = [red, 2]`, `P(2) starts`."""
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

    @property
    def changes(self) -> dict[str, Any]:
        """What the step changed: new values by name, `{"x": 3, "flag[1]": 1, "q": [("red", 2)], "P(2).i": 0}`.

        For a process that starts the value is the NamedProcess; for one that is gone, None.
        """
        return self.state.changes_since(self.before) if self.state is not None else {}


def row_of(program: Program, state: State, step: Step, number: int) -> Row:
    """Return the row, with `number`, of `step` of `program`, taken in `state`."""
    return RowMaker(program).row(state, step, number)


def rows_of(program: Program, start: State, taken: Iterable[Step], first: int = 1) -> Iterator[Row]:
    """The rows of a run, numbered from `first` on."""
    maker, state = RowMaker(program), start
    for number, step in enumerate(taken, first):
        yield maker.row(state, step, number)
        if step.state is None:
            return
        state = step.state


class RowMaker:
    """Makes rows of steps of `program`; what is the same whenever a step is taken is found once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[tuple[int, int, int | None, int], _Constant] = {}

    def row(self, state: State, step: Step, number: int) -> Row:
        """Return the row, with `number`, of `step`, taken in `state`."""
        program, known = self.program, self._known
        key = (step.process, id(step.transition), step.partner, id(step.partner_transition))
        if key not in known:
            known[key] = _constant(program, state, step)
        process, spot, statement, is_jump, with_partner = known[key]
        after = NamedState(program, step.state) if step.state is not None else None
        texts = tuple(changes(program, state, step.state)) if step.state is not None else ()
        problem = step.problem.message if step.problem is not None else None
        what = (NamedState(program, state), after, texts, problem, *with_partner, step.output, is_jump)
        return Row(number, process, spot, statement, *what)


class _Constant(NamedTuple):
    """What is the same in every row of a step, whenever it is taken."""

    process: str
    spot: Spot
    statement: str
    is_jump: bool
    partner: tuple[str, Spot, str] | tuple[None, None, None]


def _constant(program: Program, state: State, step: Step) -> _Constant:
    partner, answer = step.partner, step.partner_transition
    with_partner = (
        (process_name(program, state, partner), Spot.of(answer.place), answer.text)
        if partner is not None and answer is not None
        else (None, None, None)
    )
    name, transition = process_name(program, state, step.process), step.transition
    spot, is_jump = Spot.of(transition.place), isinstance(transition.effect, Jump)
    return _Constant(name, spot, transition.text, is_jump, with_partner)
