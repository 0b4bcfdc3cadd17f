"""A random run as rows, one by one: by the reference at first, then on machine code, which takes the same steps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal

from everafter.execution.packing import Packer
from everafter.execution.random_words import RandomWords
from everafter.execution.state import Problem, State
from everafter.execution.step import Step, initial_state, steps
from everafter.program.layout import StateTooLargeError
from everafter.program.program import Program
from everafter.verdict.random_run import stopping_problem
from everafter.verdict.run_rows import Row, row_of, rows_of

Simulator = Literal["reference", "native"]

_REFERENCE_SECONDS = 0.3
"""About as long as it takes to have machine code; most runs are over before."""


class RandomRun:
    """A run of `program` of at most `limit` random steps, drawn by `seed`; what is said of it is true behind its rows.

    With `only_printed`, only steps that print are rows, and a run on machine code does not stop at others. `simulator`
    takes all steps; without one, the reference takes them for a while, and then machine code.
    """

    def __init__(
        self, program: Program, seed: int, limit: int, only_printed: bool = False, simulator: Simulator | None = None
    ) -> None:
        self.program = program
        self.taken = 0
        """How many steps were taken."""
        self.problem: Problem | None = None
        """What went wrong at its end, if something did."""
        self.ended = False
        """Whether no step was possible any more."""
        self._words = RandomWords(seed)
        self.limit = limit
        self._only_printed = only_printed
        self._simulator = simulator
        self._state: State | None = initial_state(program)
        """Where the run is; None once it is over."""

    def rows(self) -> Iterator[Row]:
        """The steps as data, each when it is taken. The states of a row are to be read before the next row is."""
        return (row for row in self._every_row() if row.output or not self._only_printed)

    def _every_row(self) -> Iterator[Row]:
        """The same, with steps that need not be shown."""
        if self._simulator != "native":
            yield from self._by_reference(_REFERENCE_SECONDS if self._simulator is None else None)
        if self._state is not None and self.taken < self.limit and not self._hides:
            with suppress(StateTooLargeError):  # the reference goes on
                yield from self._natively(self._state)
        yield from self._by_reference(None)
        if self._state is not None and not steps(self.program, self._state):
            self._end(self._state)

    @property
    def _hides(self) -> bool:
        """Whether a row of machine code would not show all that changes."""
        return not self._only_printed and any(cell.hidden for cell in self.program.memory.cells)

    def _end(self, state: State) -> None:
        """The run ends in `state`, where no step is possible."""
        self.ended, self.problem, self._state = True, stopping_problem(self.program, state), None

    # By the reference

    def _by_reference(self, seconds: float | None) -> Iterator[Row]:
        """The steps that the reference takes, within `seconds` if they are given."""
        if self._state is not None:
            yield from rows_of(self.program, self._state, self._steps(seconds), self.taken + 1)

    def _steps(self, seconds: float | None) -> Iterator[Step]:
        until = time.process_time() + seconds if seconds is not None else None
        while self._state is not None and self.taken < self.limit and (until is None or time.process_time() < until):
            step = self._step_from(self._state)
            if step is None:
                return
            yield step

    def _step_from(self, state: State) -> Step | None:
        """Take a step from `state`, if there is one."""
        possible = steps(self.program, state)
        if not possible:
            self._end(state)
            return None
        step = possible[self._words.below(len(possible))]
        self.taken += 1
        self.problem = step.problem
        self._state = step.state if step.problem is None else None
        return step

    # On machine code

    def _natively(self, start: State) -> Iterator[Row]:
        from everafter.report.walk_rows import WalkRows  # noqa: PLC0415 # most runs are over before

        walk = WalkRows(self.program, self._words, Packer(self.program))
        walk.place(start)
        while self.taken < self.limit:
            self.taken, row = walk.next(self.taken, self.limit if self._only_printed else self.taken + 1)
            if row is not None:
                yield row
                continue
            state = walk.state
            step = self._step_from(state)
            if step is not None:
                yield row_of(self.program, state, step, self.taken)
            if self._state is None:
                return
            walk.place(self._state)
        self._state = walk.state
