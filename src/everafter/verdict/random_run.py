"""One run of a model, at random from a seed: what it did, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from everafter.execution.random_words import RandomWords
from everafter.execution.state import Problem, State
from everafter.execution.step import Step, end_problem, initial_state, is_valid_end, steps
from everafter.program.program import Program
from everafter.record import dataclass, field
from everafter.verdict.run_rows import Row, rows_of


@dataclass(frozen=True, slots=True)
class Simulation:
    """A run: its steps, and how it ended. It is true if nothing went wrong."""

    program: Program = field(repr=False, compare=False)
    start: State = field(repr=False)
    steps: tuple[Step, ...] = field(repr=False)
    problem: Problem | None
    """What went wrong at its end, if something did."""
    ended: bool
    """Whether no step was possible any more; otherwise it was cut off."""
    presenter: Callable[[Simulation], str] = field(default=repr, repr=False, compare=False)
    """Shows the run to people."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The steps as data."""
        return tuple(rows_of(self.program, self.start, self.steps))

    @property
    def taken(self) -> int:
        """How many steps there are."""
        return len(self.steps)

    def __bool__(self) -> bool:
        return self.problem is None

    def __str__(self) -> str:
        return self.presenter(self)


def simulated(program: Program, seed: int = 0, limit: int = 1000) -> Simulation:
    """Return a run of at most `limit` random steps of `program`, drawn by `seed`; an error ends it."""
    return concluded(program, tuple(islice(random_steps(program, seed), limit)))


def random_steps(program: Program, seed: int = 0) -> Iterator[Step]:
    """Yield random steps of `program`, drawn by `seed`, from the initial state until it stops or fails."""
    words = RandomWords(seed)
    state: State | None = initial_state(program)
    while state is not None and (possible := steps(program, state)):
        step = possible[words.below(len(possible))]
        yield step
        state = step.state if step.problem is None else None


def concluded(program: Program, taken: tuple[Step, ...]) -> Simulation:
    """Return the run of `program` with the steps `taken`."""
    start = initial_state(program)
    last = taken[-1] if taken else None
    state = last.state if last is not None else start
    problem = last.problem if last is not None else None
    ended = problem is None and state is not None and not steps(program, state)
    if ended and state is not None:
        problem = stopping_problem(program, state)
    return Simulation(program, start, taken, problem, ended)


def stopping_problem(program: Program, state: State) -> Problem | None:
    """Return what is wrong with a system, `program`, that has stopped in `state`, if something is."""
    return None if is_valid_end(program, state) else end_problem(program, state)
