"""The store that forgets states visits nearly all of them, says how many, and has a path to what it finds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracles.engine.models import node_of
from oracles.engine.planted_stores import planted_store
from oracles.engine.teams import TableTeam, hesitating_store, waiting
from oracles.search.definitions import reachable
from tests.engine.test_native import answer_of, big_graph, graphs, model_of

from everafter.check import check
from everafter.choices import LOSSY, StoreKind
from everafter.engine.block import BUFFER, END, EXPANSIONS, INITIAL_ROWS, LINES, SCRATCH, SEEN, SLOTS
from everafter.engine.code.atomics import surveyed_slots
from everafter.engine.code.intrinsics import half, lowest, put, put_half, shifted_right, word
from everafter.engine.code.intrinsics import load as word_at
from everafter.engine.code.machine import Loaded
from everafter.engine.memory import lossy_memory as bits
from everafter.engine.memory.lossy_memory import CompactMemory, LossyMemory
from everafter.engine.memory.search_memory import Memory
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures
from everafter.engine.store.arena_rows import count_row, row_words, write_row
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.compact import KEPT
from everafter.engine.store.lossy_store import PENDING, as_number, is_new_state
from everafter.engine.store.single_store import CURSOR, LIMIT
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree.slots import EVERY_SLOT
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
        assert isinstance(memory, LossyMemory)
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


def always_where_rows_begin(block: int, count: int, begin: int) -> bool:
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
    return True


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


# Teams


def team_trouble(store: Loaded | None = None, kind: StoreKind = "compact", memory: int = MEMORY) -> str | None:
    """What searches of small graphs by teams do wrong. A state of which all bits are kept is counted by one worker."""
    for number, graph in enumerate(graphs(60, 30)):
        met = reachable(graph)
        outcome = TableTeam(graph, "depth-first", 1 + number % 5, store=store, kind=kind, memory=memory).run()
        if (outcome.answer is not None) != any(map(graph.is_accepting, met)):
            return f"answers {outcome.answer!r}"
        if outcome.answer is None and outcome.figures.states != len(met) and kind == "compact":
            return f"{outcome.figures.states} states of {len(met)}"
        if isinstance(outcome.answer, tuple):
            path = tuple(map(node_of, outcome.answer))
            if path_flaw(graph, path) is not None or not graph.is_accepting(path[-1]):
                return f"{path} is no path to a target"
    return None


@pytest.mark.parametrize("kind", LOSSY)
def test_teams_search_small_graphs_completely_whatever_comes_between(kind: StoreKind) -> None:
    assert team_trouble(hesitating_store(kind), kind) is None


@pytest.mark.parametrize("kind", LOSSY)
def test_workers_share_what_waits_and_nothing_is_lost(kind: StoreKind) -> None:
    graph, shares = big_graph(30_000), []

    def keep(memory: Memory) -> None:
        assert isinstance(memory, LossyMemory)
        assert memory.visited() > 0.999
        shares.append([int(words[EXPANSIONS]) for words in memory.blocks])

    team = TableTeam(graph, "depth-first", 3, store=hesitating_store(kind), kind=kind, memory=1 << 28)
    figures = team.run(conclude=keep).figures
    assert sum(shares[0]) == figures.expansions
    assert sum(1 for share in shares[0] if share > 0) > 1
    if kind == "compact":
        assert figures.states == figures.expansions == 30_000
        assert figures.transitions == sum(map(len, graph.targets))
    else:
        assert 29_990 < figures.states < 30_100


@pytest.mark.parametrize("kind", LOSSY)
def test_the_memory_limit_ends_a_search_by_a_team(kind: StoreKind) -> None:
    outcome = TableTeam(big_graph(200_000), "depth-first", 2, kind=kind, memory=1 << 23).run()
    assert outcome.ending is SearchEnding.OUT_OF_MEMORY
    assert outcome.figures.bytes <= 1 << 23


def test_a_full_table_ends_a_search_by_a_team(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits, "TABLE_SHARE", 512)
    outcome = TableTeam(big_graph(200_000), "depth-first", 2, kind="compact", memory=1 << 28).run()
    assert outcome.ending is SearchEnding.OUT_OF_MEMORY
    assert 0.9 * (1 << 17) < outcome.figures.states <= 15 / 16 * (1 << 17)


def looked_at_and_written(block: int, mixed: int) -> bool:
    """A slot is looked at, and then written, whatever has come between."""
    slots, lines, kept = word(block, SLOTS), word(block, LINES), max(mixed & KEPT, 1)
    line = line_of(slots, lines, mixed)
    while True:
        seen = surveyed_slots(line, kept, 0)
        if seen & EVERY_SLOT != 0:
            return False
        if seen != 0:
            hesitate(block)
            put_half(line + (lowest(shifted_right(seen, 16)) << 2), kept)
            return True
        line = next_line(slots, lines, line)


def thrown_away(block: int, mail: int, depth: int) -> int:
    """What waits is given to no other worker, and waits no more."""
    pending = as_number(word(block, PENDING))
    for frame in range(depth):
        for position in range(as_number(word(block, CURSOR))[frame], as_number(word(block, LIMIT))[frame]):
            pending[position] = SEEN
    return mail * 0


@pytest.mark.parametrize(
    ("name", "mistake"),
    [("is_new_state", looked_at_and_written), ("frames_written", thrown_away)],
    ids=["a slot is not swapped", "what is to be given is lost"],
)
def test_a_mistake_of_teams_is_found(name: str, mistake: Callable[..., Any]) -> None:
    store = planted_store({"hesitate": waiting, name: mistake}, "compact", team=True)
    team = TableTeam(big_graph(30_000), "depth-first", 8, store=store, kind="compact", memory=1 << 28)
    assert any(team.run().figures.states != 30_000 for _ in range(10))


# Verdicts


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", LOSSY)
@pytest.mark.parametrize("name", ["mutex_broken", "peterson", "philosophers", "dekker"])
def test_the_verdict_is_violated_or_incomplete(name: str, kind: StoreKind, threads: int) -> None:
    model = load(EXAMPLES / f"{name}.pml")
    request = Request(safety=True, algorithm="depth-first", reduction="none", store=kind, threads=threads)
    [result] = check(model, request, Limits(memory=1 << 30))
    [exact] = check(model, Request(safety=True, algorithm="depth-first", reduction="none"))
    assert (result.store, result.threads) == (kind, threads)
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
        (Request(store="bitstate", formulas=("[] true",), threads=2), "no search for cycles by several threads"),
        (Request(store="bitstate", safety=True, algorithm="breadth-first"), "the bitstate store is for depth-first"),
        (Request(store="compact", safety=True, threads=2, algorithm="unordered"), "the compact store is for depth-f"),
        (Request(store="bitstate", safety=True, engine="reference"), "the reference engine has no bitstate store"),
        (Request(store="compact", formulas=("[] true",), fairness="weak"), "the compact store has no search for fair"),
    ],
    ids=["formula, team", "algorithm", "algorithm of a team", "engine", "fairness, compact"],
)
def test_what_it_cannot_is_refused(request_: Request, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check(load(EXAMPLES / "peterson.pml"), request_)
