"""A walk along the rows of a run finds its steps again, also those inside atomic sequences."""

import random

import pytest
from oracles.promela.random_runs import programs, states_of_run

from everafter.backends.run_construction import _Walk
from everafter.execution.packing import Packer
from everafter.execution.state import NO_PROCESS
from everafter.questions.outcome import Disagreement
from everafter.user_model import parse
from everafter.verdict.replay import replay

SPECIAL = (
    "byte x; active [2] proctype P() { do :: atomic { x = 1; if :: x = 2 :: x = 3 fi; x = 4 } od }",
    "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { do :: x = 1 - x od }",
    "chan c = [0] of { byte }; active [2] proctype P() { do :: c!1 od } active [2] proctype Q() { do :: c?_ od }",
    "byte x; proctype Q() { x++ } active proctype P() { do :: run Q() :: timeout -> x = 0 od }",
)


def test_the_steps_of_a_run_are_found_again() -> None:
    for number, program in enumerate(programs(SPECIAL, range(60))):
        pack = Packer(program).pack
        rows = [
            pack(state) for state in states_of_run(program, random.Random(number), 60) if state.holder == NO_PROCESS
        ]
        walk = _Walk(program)
        parts = [walk.to(row) for row in rows[1:]]
        taken = [each for part in parts for each in part]
        start, replayed = replay(program, [choice for _, choice in taken])
        met = [pack(state) for state in (start, *(step.state for step in replayed if step.state is not None))]
        assert [row for row, _ in taken] == met[:-1]
        assert [met[0], *(met[sum(map(len, parts[: n + 1]))] for n in range(len(parts)))] == rows


def test_a_system_that_has_stopped_stays() -> None:
    program = parse("byte x; active proctype P() { end: x == 1 }").program
    walk = _Walk(program)
    assert walk.to(walk.row) == []


def test_a_row_that_no_step_leads_to_is_a_disagreement() -> None:
    program = parse("byte x; active proctype P() { x = 1; x = 2; x = 3 }").program
    last = list(states_of_run(program, random.Random(0), 60))[3]
    with pytest.raises(Disagreement):
        _Walk(program).to(Packer(program).pack(last))
