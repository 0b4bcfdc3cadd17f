"""A random run as it is shown, step by step: by the reference at first, then on machine code, which takes the same."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Literal

from everafter.execution.random_words import RandomWords
from everafter.execution.state import Problem, State
from everafter.execution.step import Step, initial_state, steps
from everafter.program.layout import StateTooLargeError
from everafter.program.program import Program
from everafter.report.step_table import NOTHING, ShownStep, shown
from everafter.verdict.random_run import stopping_problem
from everafter.verdict.run_rows import rows_of

Simulator = Literal["reference", "native"]

_REFERENCE_SECONDS = 0.3
"""About as long as it takes to have machine code; most runs are over before."""


class RandomRun:
    """A run of `program` of at most `limit` random steps, drawn by `seed`; what is said of it is true behind its steps.

    With `only_printed`, only steps that print are shown, and a run on machine code does not stop at others. `simulator`
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

    def steps(self) -> Iterator[ShownStep]:
        """The steps that are shown, each when it is taken."""
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

    def _by_reference(self, seconds: float | None) -> Iterator[ShownStep]:
        """The steps that the reference takes, within `seconds` if they are given."""
        if self._state is not None:
            yield from self._shown(self._state, self._steps(seconds), self.taken + 1)

    def _shown(self, start: State, taken: Iterable[Step], first: int) -> Iterator[ShownStep]:
        """The steps `taken` from `start`, as far as they are shown."""
        if self._only_printed:
            numbered = enumerate(taken, first)
            yield from (ShownStep(number, NOTHING, step.output) for number, step in numbered if step.output)
        else:
            yield from shown(rows_of(self.program, start, taken, first))

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

    def _natively(self, start: State) -> Iterator[ShownStep]:
        from everafter.report.walk_steps import WalkSteps  # noqa: PLC0415 # most runs are over before

        walk = WalkSteps(self.program, self._words)
        walk.place(start, self.taken)
        while True:
            yield from walk.printing(self.limit) if self._only_printed else walk.all(self.limit)
            self.taken, self._state = walk.taken, walk.state
            if not walk.is_undecided:
                return
            state = self._state
            step = self._step_from(state)
            if step is not None:
                yield from self._shown(state, [step], self.taken)
            if self._state is None:
                return
            walk.place(self._state, self.taken)
