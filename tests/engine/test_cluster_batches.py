"""Batches give back the rows that were put into them, and a batch that is not what was sent is noticed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from oracles.corpus import EXAMPLES_FOLDER
from oracles.counting import count_states

from everafter.choices import StoreKind
from everafter.engine.cluster import worker_words as Job  # noqa: N812 # its words are constants
from everafter.engine.cluster.coordinator import ClusterSearch
from everafter.engine.cluster.errors import ClusterError
from everafter.engine.cluster.partition import WHOLE_ROW
from everafter.engine.cluster.worker import ClusterWorker, JobDescription
from everafter.engine.cluster.worker_group import InProcess
from everafter.engine.emit.module import code_of
from everafter.engine.run.search_outcome import SearchEnding
from everafter.program.program import Program
from everafter.user_model import load, parse

MEMORY = 1 << 28
LONG_ROWS = """
byte cells[1200];
active [2] proctype writer() {
    byte at;
    do
    :: at < 6 -> cells[at * 199 + _pid] = at + 1; at++
    :: else -> break
    od
}
"""
ROWS_OF_MANY_LENGTHS = """
byte cells[500];
byte alive;
proctype child(byte depth) {
    cells[depth * 70] = depth;
    if
    :: depth < 6 -> run child(depth + 1)
    :: alive++
    fi
}
init { run child(1); run child(2) }
"""
MODELS = {"long rows": LONG_ROWS, "rows of many lengths": ROWS_OF_MANY_LENGTHS}


def order_of(program: Program, batch: int = 8 << 20, store: StoreKind = "plain") -> JobDescription:
    """Owners are told by the whole row, so that most successors are sent."""
    return JobDescription(code_of(program), past_errors=True, batch=batch, partition=WHOLE_ROW, store=store)


@pytest.mark.parametrize("store", ["plain", "tree"])
@pytest.mark.parametrize("batch", [256, 8 << 20])
@pytest.mark.parametrize("name", MODELS)
def test_rows_of_any_length_arrive(name: str, batch: int, store: StoreKind) -> None:
    program = parse(MODELS[name]).program
    expected, _ = count_states(program, engine="native")
    outcome = ClusterSearch(InProcess(3), order_of(program, batch, store), MEMORY).run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, expected)


def exchanged(program: Program) -> Iterator[tuple[ClusterWorker, ClusterWorker, Any]]:
    """Two workers and what the first sends to the second, part by part, each before the second takes it in."""
    group = InProcess(2)
    group.start(order_of(program), MEMORY, (), lambda _: None, lambda: False)
    try:
        for _ in range(40):
            sent = [worker.expand() for worker in group.members]
            if sent[0][1].size > Job.PADDING:
                yield group.members[0], group.members[1], sent[0][1].copy()
            for place, worker in enumerate(group.members):
                worker.take_in([batches[place] for batches in sent])
    finally:
        group.close()


def is_noticed(receiver: ClusterWorker, batch: Any, due: tuple[int, int]) -> bool:
    """Whether a batch is refused, or leaves the receiver with something else than was due to it."""
    before = receiver.memory.taken[:2].tolist()
    try:
        receiver.take_in([batch])
    except ClusterError:
        return True
    finally:
        after = receiver.memory.taken[:2].tolist()
        receiver.memory.taken[0], receiver.memory.taken[1] = before
    return (after[0] - before[0], (after[1] - before[1]) % (1 << 64)) != due


def due_of(sender: ClusterWorker, receiver: ClusterWorker) -> tuple[int, int]:
    """Rows that were sent and not taken in, and the sum of their marks."""
    sent, taken = sender.memory.sent[2:4].tolist(), receiver.memory.taken[:2].tolist()
    return sent[0] - taken[0], (sent[1] - taken[1]) % (1 << 64)


@pytest.mark.parametrize("name", [*MODELS, "peterson_n"])
def test_any_change_of_a_batch_is_noticed(name: str) -> None:
    program = parse(MODELS[name]).program if name in MODELS else load(EXAMPLES_FOLDER / f"{name}.pml").program
    chance = random.Random(1)
    changes = 0
    for sender, receiver, batch in exchanged(program):
        due = due_of(sender, receiver)
        assert not is_noticed(receiver, batch, due), "the batch as it was sent"
        size = batch.size - Job.PADDING
        for _ in range(20):
            flipped = batch.copy()
            flipped[chance.randrange(size)] ^= 1 << chance.randrange(8)
            assert is_noticed(receiver, flipped, due)
            cut = batch[: chance.randrange(0, size, 8) + Job.PADDING]
            assert is_noticed(receiver, cut, due)
            changes += 2
    assert changes >= 100
