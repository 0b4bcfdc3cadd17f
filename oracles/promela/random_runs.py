"""Random runs of given and of random programs, on the reference."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from everafter.execution.state import State
from everafter.execution.step import initial_state, steps
from everafter.program.program import Program
from everafter.source import InputError
from everafter.user_model import parse
from oracles.promela.random_programs import program as random_text


def programs(given: Iterable[str], seeds: Iterable[int]) -> Iterator[Program]:
    """The programs of these texts and seeds; what is no model is passed over."""
    for text in (*given, *map(random_text, seeds)):
        try:
            yield parse(text).program
        except InputError:
            continue


def states_of_run(program: Program, rng: random.Random, most: int) -> Iterator[State]:
    """The states of a random run, up to so many."""
    state: State | None = initial_state(program)
    for _ in range(most):
        if state is None:
            return
        yield state
        possible = steps(program, state)
        if not possible:
            return
        state = rng.choice(possible).state
