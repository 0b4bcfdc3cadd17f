"""Who owns a state: what kernels compute, which bytes are chosen, and that another choice is noticed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES_FOLDER
from oracles.counting import count_states
from oracles.planted_groups import Mortal

from everafter.engine import block
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch, check_counters
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.cluster.partition import (
    EVERY_BYTE,
    WHOLE_ROW,
    Partition,
    PartitionChoice,
    best_choice,
    chosen_partition,
    cost,
    unevenness,
)
from everafter.engine.cluster.sample import sampled_partition
from everafter.engine.cluster.snapshots import Checkpoints, Saved
from everafter.engine.cluster.worker import JobDescription, MessageCounters
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
    """A group whose rows are looked at before they are given back."""

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


def order_for(program: Program, partition: Partition | None = None) -> JobDescription:
    return JobDescription(code_of(program), past_errors=True, batch=256, lines=1, partition=partition)


def shares(outcome: ClusterOutcome) -> tuple[float, float]:
    """What the fullest worker owns, in even shares, and how many of all successors were sent."""
    states = [report.states for report in outcome.reports]
    sent = sum(report.sent for report in outcome.reports)
    return max(states) * len(states) / sum(states), sent / outcome.figures.transitions


@pytest.mark.parametrize("workers", [2, 3, 5])
@pytest.mark.parametrize(
    "partition",
    [
        Partition(((1, -1),)),
        Partition(((2, 0xFF00FF), (3, -(1 << 56)))),
        Partition(((1, 0xFF), (4, -1), (9, 0xFFFF))),
        Partition(((60, -1),)),
    ],
    ids=["a word", "bytes of two", "words that some rows lack", "a word that no row has"],
)
@pytest.mark.parametrize("text", [PETERSON.read_text(encoding="utf-8"), CREATES], ids=["peterson", "creates"])
def test_every_row_is_with_its_owner_and_none_is_lost(text: str, partition: Partition, workers: int) -> None:
    program = parse(text).program
    group = Watched(workers)
    outcome = ClusterSearch(group, order_for(program, partition), MEMORY).run()
    expected, _ = count_states(program, engine="native")
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, expected)
    assert len({row for rows in group.owned for row in rows}) == outcome.figures.rows
    for place, rows in enumerate(group.owned):
        assert {partition.owner(row, workers) for row in rows} <= {place}


def test_the_whole_row_spreads_evenly_and_most_successors_are_sent() -> None:
    even, sent = shares(ClusterSearch(InProcess(4), order_for(load(PETERSON).program, WHOLE_ROW), MEMORY).run())
    assert even < 1.05
    assert 0.7 < sent < 0.8


@pytest.mark.parametrize("workers", [2, 3, 5])
def test_what_is_chosen_keeps_most_successors_and_shares_even(workers: int) -> None:
    program = load(PETERSON).program
    even, sent = shares(ClusterSearch(InProcess(workers), order_for(program), MEMORY).run())
    assert even < 1.25
    assert sent < 0.6 * (workers - 1) / workers


def test_the_choice_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the sample takes long, as on a busy machine."""
    monkeypatch.setattr(row_split, "SECONDS", math.inf)
    description = order_for(load(PETERSON).program)
    assert sampled_partition(description, 3) == sampled_partition(description, 3) != WHOLE_ROW
    assert sampled_partition(description, 1) == WHOLE_ROW
    given = Partition(((1, 255),))
    assert sampled_partition(replace(description, partition=given), 3) == given


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
    partition = chosen_partition(walk([250, 250, 250, 250, 250, 250, 250, 250, 250]), 2)
    assert partition.words
    assert 9 not in dict(partition.words)  # it changes always
    assert len(partition.words) < 4


def test_few_values_are_not_chosen_for_many_workers() -> None:
    steps = walk([2, 2, 250, 250])
    assert chosen_partition(steps, 1000) == WHOLE_ROW
    assert chosen_partition(walk([2, 2, 2]), 2) == WHOLE_ROW


def test_a_small_sample_tells_nothing() -> None:
    assert chosen_partition(walk([250, 250, 250], 100), 2) == WHOLE_ROW
    assert chosen_partition([], 2) == WHOLE_ROW


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
    search = ClusterSearch(InProcess(2), order_for(load(PETERSON).program), MEMORY)
    all_counters: list[MessageCounters] = []

    def settled(*_: object) -> bool:
        all_counters[:] = search.group.exchange()
        return True

    search.run(settled)
    check_counters(all_counters, 2)
    with pytest.raises(ClusterError, match="in different ways"):
        check_counters([all_counters[0], replace(all_counters[1], partition="another")], 2)


class Altered(Checkpoints):
    """Checkpoints that say of the last one that owners are told in another way."""

    def latest(self) -> Saved | None:
        saved = super().latest()
        return replace(saved, partition=Partition(((1, -1),))) if saved is not None else None


def stopped_in(folder: Path, description: JobDescription) -> None:
    with pytest.raises(WorkerLost):
        ClusterSearch(Mortal(20), description, MEMORY, checkpoints=Checkpoints(str(folder), description, 0.0)).run()


def test_a_checkpoint_keeps_its_choice(tmp_path: Path) -> None:
    description = order_for(load(PETERSON).program)
    stopped_in(tmp_path, replace(description, partition=Partition(((2, -1),))))
    search = ClusterSearch(InProcess(3), description, MEMORY, checkpoints=Checkpoints(str(tmp_path), description, 0.0))
    assert search.run().figures.states == count_states(load(PETERSON).program, engine="native")[0]
    assert search.description.partition == Partition(((2, -1),))


def test_a_checkpoint_with_another_choice_is_refused(tmp_path: Path) -> None:
    description = order_for(load(PETERSON).program)
    stopped_in(tmp_path, description)
    with pytest.raises(ClusterError, match="a row that another worker owns"):
        ClusterSearch(InProcess(3), description, MEMORY, checkpoints=Altered(str(tmp_path), description, 0.0)).run()
    listed = tmp_path / "checkpoint.json"
    read = json.loads(listed.read_text(encoding="utf-8"))["content"]
    listed.write_bytes(sealed(json.dumps({**read, "partition": {"words": [[1, 255]]}})))
    with pytest.raises(ClusterError, match="of another model"):
        ClusterSearch(InProcess(3), description, MEMORY, checkpoints=Checkpoints(str(tmp_path), description, 0.0)).run()
