"""Who owns a state: what kernels compute, which bytes are chosen, and that another choice is noticed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.companies import Mortal
from oracles.corpus import EXAMPLES_FOLDER
from oracles.counting import count_states

from everafter.engine import block
from everafter.engine.cluster.coordinator import CompanyOutcome, CompanySearch, check_balances
from everafter.engine.cluster.errors import CompanyError, WorkerLost
from everafter.engine.cluster.partition import (
    EVERY_BYTE,
    WHOLE_ROW,
    Owning,
    PartitionChoice,
    best_choice,
    chosen_owning,
    cost,
    unevenness,
)
from everafter.engine.cluster.sample import sampled_owning
from everafter.engine.cluster.snapshots import Checkpoints, Saved
from everafter.engine.cluster.worker import Balance, Order
from everafter.engine.cluster.worker_group import InProcess
from everafter.engine.emit.module import code_of
from everafter.engine.run import row_split
from everafter.engine.run.search_outcome import SearchEnding
from everafter.program.program import Program
from everafter.seal import sealed
from everafter.user_model import load, parse

PETERSON = EXAMPLES_FOLDER / "peterson_n.pml"
MEMORY = 1 << 28
CREATES = """
byte n, m;
proctype Child(byte by) { byte left = by; do :: left > 0 -> left--; m = (m + by) % 7 :: else -> break od }
active proctype Parent() { do :: n < 3 -> n++; run Child(n) :: n == 3 -> break od; m = 0 }
"""
"""Rows become longer when a process begins, and shorter when one ends."""


class Watched(InProcess):
    """A company whose rows are looked at before they are given back."""

    def rows(self, place: int) -> list[bytes]:
        """All rows of a worker."""
        memory, found = self.members[place].memory, []
        number = int(memory.words[block.FIRST])
        while number < memory.words[block.END]:
            found.append(memory.row(number))
            number += len(found[-1]) // 8 + int(memory.words[block.COLUMN_WORDS])
        return found

    def close(self) -> None:
        self.owned = [self.rows(place) for place in range(self.workers)]
        super().close()


def order_for(program: Program, owning: Owning | None = None) -> Order:
    return Order(code_of(program), past_errors=True, parcel=256, lines=1, owning=owning)


def shares(outcome: CompanyOutcome) -> tuple[float, float]:
    """What the fullest worker owns, in even shares, and how many of all successors were sent."""
    states = [report.states for report in outcome.reports]
    sent = sum(report.sent for report in outcome.reports)
    return max(states) * len(states) / sum(states), sent / outcome.figures.transitions


@pytest.mark.parametrize("workers", [2, 3, 5])
@pytest.mark.parametrize(
    "owning",
    [
        Owning(((1, -1),)),
        Owning(((2, 0xFF00FF), (3, -(1 << 56)))),
        Owning(((1, 0xFF), (4, -1), (9, 0xFFFF))),
        Owning(((60, -1),)),
    ],
    ids=["a word", "bytes of two", "words that some rows lack", "a word that no row has"],
)
@pytest.mark.parametrize("text", [PETERSON.read_text(encoding="utf-8"), CREATES], ids=["peterson", "creates"])
def test_every_row_is_with_its_owner_and_none_is_lost(text: str, owning: Owning, workers: int) -> None:
    program = parse(text).program
    company = Watched(workers)
    outcome = CompanySearch(company, order_for(program, owning), MEMORY).run()
    expected, _ = count_states(program, engine="native")
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, expected)
    assert len({row for rows in company.owned for row in rows}) == outcome.figures.rows
    for place, rows in enumerate(company.owned):
        assert {owning.owner(row, workers) for row in rows} <= {place}


def test_the_whole_row_spreads_evenly_and_most_successors_are_sent() -> None:
    even, sent = shares(CompanySearch(InProcess(4), order_for(load(PETERSON).program, WHOLE_ROW), MEMORY).run())
    assert even < 1.05
    assert 0.7 < sent < 0.8


@pytest.mark.parametrize("workers", [2, 3, 5])
def test_what_is_chosen_keeps_most_successors_and_shares_even(workers: int) -> None:
    program = load(PETERSON).program
    even, sent = shares(CompanySearch(InProcess(workers), order_for(program), MEMORY).run())
    assert even < 1.25
    assert sent < 0.6 * (workers - 1) / workers


def test_the_choice_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the sample takes long, as on a busy machine."""
    monkeypatch.setattr(row_split, "SECONDS", math.inf)
    order = order_for(load(PETERSON).program)
    assert sampled_owning(order, 3) == sampled_owning(order, 3) != WHOLE_ROW
    assert sampled_owning(order, 1) == WHOLE_ROW
    given = Owning(((1, 255),))
    assert sampled_owning(replace(order, owning=given), 3) == given


# Choosing


def made(words: Sequence[int]) -> bytes:
    """A row of these words behind a header."""
    return b"".join(word.to_bytes(8, "little") for word in (0, *words))


def walk(values: Sequence[int], steps: int = 3000) -> list[tuple[bytes, list[bytes]]]:
    """Steps that change one word each, of as many values as are given; the last word changes always."""
    chance, found = random.Random(0), []
    words = [0] * len(values)
    for _ in range(steps):
        before = made(words)
        for index in (chance.randrange(len(values) - 1), len(values) - 1):
            words[index] = chance.randrange(values[index])
        found.append((before, [made(words)]))
    return found


def test_words_that_seldom_change_and_have_many_values_are_chosen() -> None:
    owning = chosen_owning(walk([250, 250, 250, 250, 250, 250, 250, 250, 250]), 2)
    assert owning.words
    assert 9 not in dict(owning.words)  # it changes always
    assert len(owning.words) < 4


def test_few_values_are_not_chosen_for_many_workers() -> None:
    steps = walk([2, 2, 250, 250])
    assert chosen_owning(steps, 1000) == WHOLE_ROW
    assert chosen_owning(walk([2, 2, 2]), 2) == WHOLE_ROW


def test_a_small_sample_tells_nothing() -> None:
    assert chosen_owning(walk([250, 250, 250], 100), 2) == WHOLE_ROW
    assert chosen_owning([], 2) == WHOLE_ROW


def test_the_cost_grows_with_what_is_sent_and_with_uneven_shares() -> None:
    few, many, uneven = PartitionChoice((), 0.2, 0.001), PartitionChoice((), 0.4, 0.001), PartitionChoice((), 0.4, 0.01)
    assert cost(few, 4) < cost(many, 4) < cost(uneven, 4)
    assert best_choice([few, many, uneven], 4) == few
    assert best_choice([replace(few, alike=0.5), many], 4) == many
    assert best_choice([few], 1) == EVERY_BYTE
    assert unevenness(0.0, 1000) == 1.0
    assert unevenness(0.001, 10) < unevenness(0.001, 100)


# Another choice


def test_workers_that_choose_differently_are_told_apart() -> None:
    search = CompanySearch(InProcess(2), order_for(load(PETERSON).program), MEMORY)
    balances: list[Balance] = []

    def settled(*_: object) -> bool:
        balances[:] = search.company.exchange()
        return True

    search.run(settled)
    check_balances(balances, 2)
    with pytest.raises(CompanyError, match="in different ways"):
        check_balances([balances[0], replace(balances[1], owning="another")], 2)


class Altered(Checkpoints):
    """Checkpoints that say of the last one that owners are told in another way."""

    def latest(self) -> Saved | None:
        saved = super().latest()
        return replace(saved, owning=Owning(((1, -1),))) if saved is not None else None


def stopped_in(folder: Path, order: Order) -> None:
    with pytest.raises(WorkerLost):
        CompanySearch(Mortal(20), order, MEMORY, checkpoints=Checkpoints(str(folder), order, 0.0)).run()


def test_a_checkpoint_keeps_its_choice(tmp_path: Path) -> None:
    order = order_for(load(PETERSON).program)
    stopped_in(tmp_path, replace(order, owning=Owning(((2, -1),))))
    search = CompanySearch(InProcess(3), order, MEMORY, checkpoints=Checkpoints(str(tmp_path), order, 0.0))
    assert search.run().figures.states == count_states(load(PETERSON).program, engine="native")[0]
    assert search.order.owning == Owning(((2, -1),))


def test_a_checkpoint_with_another_choice_is_refused(tmp_path: Path) -> None:
    order = order_for(load(PETERSON).program)
    stopped_in(tmp_path, order)
    with pytest.raises(CompanyError, match="a row that another worker owns"):
        CompanySearch(InProcess(3), order, MEMORY, checkpoints=Altered(str(tmp_path), order, 0.0)).run()
    listed = tmp_path / "checkpoint.json"
    read = json.loads(listed.read_text(encoding="utf-8"))["content"]
    listed.write_bytes(sealed(json.dumps({**read, "owning": {"words": [[1, 255]]}})))
    with pytest.raises(CompanyError, match="of another model"):
        CompanySearch(InProcess(3), order, MEMORY, checkpoints=Checkpoints(str(tmp_path), order, 0.0)).run()
