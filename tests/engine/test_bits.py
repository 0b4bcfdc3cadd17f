"""The store that forgets states visits nearly all of them, says how many, and has a path to what it finds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracles.engine.planted_stores import planted_store
from oracles.search.definitions import reachable
from tests.engine.test_native import answer_of, big_graph, graphs, model_of

from everafter.check import check
from everafter.engine.block import BUFFER, END, INITIAL_ROWS, LINES, SCRATCH, SLOTS
from everafter.engine.code.intrinsics import half, put, put_half, word
from everafter.engine.code.intrinsics import load as word_at
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import LOSSY, StoreKind
from everafter.engine.memory import lossy_memory as bits
from everafter.engine.memory.lossy_memory import BitMemory, CompactMemory
from everafter.engine.memory.single_memory import Memory
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures
from everafter.engine.store.arena_rows import count_row, row_words, write_row
from everafter.engine.store.compact import KEPT
from everafter.engine.store.lossy_store import PENDING, as_number, is_new_state
from everafter.engine.store.table import line_of
from everafter.questions.limits import Limits
from everafter.questions.outcome import Ending as End
from everafter.questions.outcome import Method, Outcome
from everafter.questions.request import Request
from everafter.search import path_flaw
from everafter.source import OptionError
from everafter.user_model import load

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
MEMORY = 1 << 26


def trouble(store: Loaded | None = None, kind: StoreKind = "bitstate") -> str | None:
    """What a search of small graphs, in which no two states have the same bits, does wrong."""
    for graph in graphs(120, 30):
        model = model_of(graph, "depth-first")
        outcome = model.search("depth-first", MEMORY, store=store, kind=kind).run()
        met = reachable(graph)
        answer = answer_of(outcome)
        if (answer is not None) != any(map(graph.is_accepting, met)):
            return f"answers {answer}"
        if answer is None and outcome.figures.states != len(met):
            return f"{outcome.figures.states} states of {len(met)}"
        if answer is not None and (not isinstance(answer, tuple) or path_flaw(graph, answer) is not None):
            return f"{answer} is no path"
    return None


@pytest.mark.parametrize("kind", LOSSY)
def test_small_graphs_are_searched_completely(kind: StoreKind) -> None:
    assert trouble(kind=kind) is None


def test_what_is_missed_is_about_what_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[float] = []

    def keep(memory: Memory) -> None:
        assert isinstance(memory, BitMemory)
        shares.append(memory.visited())

    model = model_of(big_graph(200_000), "depth-first")
    for parts in (2, 256):
        monkeypatch.setattr(bits, "TABLE_SHARE", parts)
        outcome = model.search("depth-first", 1 << 28, kind="bitstate").run(conclude=keep)
        assert outcome.ending is SearchEnding.COMPLETED
        shares.append(outcome.figures.states / 200_000)
    large_estimate, large, small_estimate, small = shares
    assert large_estimate > 0.999
    assert large > 0.999
    assert 0.9 < small_estimate < small < 1


def test_of_32_bits_of_each_state_next_to_none_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[float] = []

    def keep(memory: Memory) -> None:
        assert isinstance(memory, CompactMemory)
        shares.append(memory.visited())

    monkeypatch.setattr(bits, "TABLE_SHARE", 256)
    model = model_of(big_graph(200_000), "depth-first")
    outcome = model.search("depth-first", 1 << 28, kind="compact").run(conclude=keep)
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, 200_000)
    filled = 200_000 / (1 << 18) * 16
    assert filled <= (1 - shares[0]) * (1 << 32) < 2 * filled


def test_a_table_of_32_bits_of_each_state_that_is_full_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits, "TABLE_SHARE", 512)
    model = model_of(big_graph(200_000), "depth-first")
    outcome = model.search("depth-first", 1 << 28, kind="compact").run()
    assert outcome.ending is SearchEnding.OUT_OF_MEMORY
    assert 0.9 * (1 << 17) < outcome.figures.states <= 15 / 16 * (1 << 17)


@pytest.mark.parametrize("kind", LOSSY)
def test_the_memory_limit_ends_the_search(kind: StoreKind) -> None:
    model = model_of(big_graph(200_000), "depth-first")
    outcome = model.search("depth-first", 1 << 23, kind=kind).run()
    assert outcome.ending is SearchEnding.OUT_OF_MEMORY
    assert outcome.figures.bytes <= 1 << 23


# Mistakes


def never_new(block: int, mixed: int) -> bool:
    return block * 0 + mixed * 0 != 0


def always_where_rows_begin(block: int, count: int, begin: int) -> None:
    """Rows of a frame are written over those of the frame below."""
    pending = as_number(word(block, PENDING))
    row = word(block, BUFFER)
    start = word(block, END)
    for index in range(count):
        words = row_words(row)
        pending[begin + index] = 8
        if is_new_state(block, word_at(word(block, SCRATCH) + (index << 3))):
            number = write_row(block, row, words)
            count_row(block, row, words, number)
            pending[begin + index] = number
        row += words << 3
    if word(block, INITIAL_ROWS) != 0:
        put(block, END, start)


@cache
def store_with(name: str, mistake: Callable[..., Any], kind: StoreKind = "bitstate") -> Loaded:
    return planted_store({name: mistake}, kind)


@pytest.mark.parametrize(
    ("name", "mistake"),
    [("is_new_state", never_new), ("number_all", always_where_rows_begin)],
    ids=["every state was met", "rows on the path are overwritten"],
)
def test_a_mistake_is_found(name: str, mistake: Callable[..., Any]) -> None:
    assert trouble(store_with(name, mistake)) is not None


def first_slot_alone(block: int, mixed: int) -> bool:
    """What is kept in a line is overwritten by the next state that belongs there."""
    line = line_of(word(block, SLOTS), word(block, LINES), mixed)
    is_new = half(line) != mixed & KEPT
    put_half(line, mixed)
    return is_new


def test_a_slot_that_is_overwritten_is_found() -> None:
    """A state that is forgotten while it is on the path is met again, and counted again."""
    model = model_of(big_graph(2_000), "depth-first")
    store = store_with("is_new_state", first_slot_alone, "compact")
    outcome = model.search("depth-first", 1 << 20, store=store, kind="compact").run(observe_states(4_000))
    assert outcome.figures.states != 2_000


def observe_states(most: int) -> Callable[[SearchFigures], bool]:
    return lambda figures: figures.states > most


# Verdicts


@pytest.mark.parametrize("kind", LOSSY)
@pytest.mark.parametrize("name", ["mutex_broken", "peterson", "philosophers", "dekker"])
def test_the_verdict_is_violated_or_incomplete(name: str, kind: StoreKind) -> None:
    model = load(EXAMPLES / f"{name}.pml")
    request = Request(safety=True, algorithm="depth-first", reduction="none", store=kind)
    [result] = check(model, request, Limits(memory=1 << 30))
    [exact] = check(model, Request(safety=True, algorithm="depth-first", reduction="none"))
    assert result.store == kind
    if exact.verdict == "violated":
        assert (result.verdict, result.visited) == ("violated", None)
        assert result.counterexample is not None
    else:
        assert (result.verdict, result.states) == ("incomplete", exact.states)
        assert "some states may have been taken for others" in result.reason
        assert result.visited is not None
        assert 0.999 < result.visited <= 1


@pytest.mark.parametrize("kind", LOSSY)
def test_nobody_can_claim_that_such_a_search_has_decided(kind: StoreKind) -> None:
    with pytest.raises(ValueError, match="may have missed some"):
        Outcome(End.COMPLETED, Method("native", "depth-first", store=kind))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(store="bitstate", formulas=("[] true",)), "for safety alone"),
        (Request(store="bitstate", safety=True, threads=2), "by one thread"),
        (Request(store="bitstate", safety=True, algorithm="breadth-first"), "for depth-first by one thread"),
        (Request(store="bitstate", safety=True, engine="reference"), "the reference engine has no bitstate store"),
        (Request(store="compact", formulas=("[] true",)), "the compact store is for safety alone"),
    ],
    ids=["formula", "threads", "algorithm", "engine", "formula, compact"],
)
def test_what_it_cannot_is_refused(request_: Request, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check(load(EXAMPLES / "peterson.pml"), request_)
