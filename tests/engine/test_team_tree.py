"""A team that keeps rows as trees: the verdicts of one worker, exact counts, every row given back, honest ends,
whatever comes between; and mistakes in what its workers share are found."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from oracles.engine.models import node_of
from oracles.engine.planted_stores import planted_store
from oracles.engine.rows import RowsModel, random_rows, row_at, row_of
from oracles.engine.teams import TableTeam, waiting
from oracles.search.definitions import reachable
from tests.engine.test_team import CYCLES, big_graph, graphs
from tests.engine.test_tree import constant_hash, last_line_hash, wide_slots

from everafter.engine.block import LINES, SEGMENT_SHIFT, SEGMENTS, SET_VALUES, TEAM
from everafter.engine.code.atomics import hinted_tags, share, shared, surveyed_apart, surveyed_slots, swap_if
from everafter.engine.code.intrinsics import load, put, store, word
from everafter.engine.code.machine import Loaded
from everafter.engine.memory.search_memory import Memory
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.engine.run.search_outcome import SearchEnding
from everafter.engine.store.offsets import TEAM_LINES
from everafter.engine.store.tree.roots import enter_roots
from everafter.engine.store.tree.sets import node_at
from everafter.engine.store.tree.slots import MOST_BITS, TAGS, slot_in, slot_word
from everafter.engine.store.tree.team_sets import next_number
from everafter.search import Lasso, flaw, nested_dfs, path_flaw
from everafter.search.catalogue import TEAM as SEARCHES
from everafter.search.catalogue import names

MEMORY = 1 << 22
"""Enough for the rows of a small graph: a store that takes states for new that are not soon uses it up."""
Planted = tuple[tuple[str, Callable[..., Any]], ...]


@cache
def store_with(*replacing: tuple[str, Callable[..., Any]]) -> Loaded:
    return planted_store({"hesitate": waiting, **dict(replacing)}, "tree", team=True)


@pytest.mark.parametrize("algorithm", CYCLES)
@pytest.mark.parametrize("hesitates", [False, True])
def test_a_team_comes_to_the_verdict_of_one(algorithm: str, hesitates: bool) -> None:
    violated = 0
    for number, graph in enumerate(graphs(60, 30, algorithm)):
        given = store_with() if hesitates else None
        outcome = TableTeam(graph, algorithm, 1 + number % 5, given, lines=1, kind="tree").run()
        expected = nested_dfs(graph)
        assert outcome.ending == (SearchEnding.COMPLETED if expected is None else SearchEnding.ANSWERED)
        if expected is not None:
            violated += 1
            assert isinstance(outcome.answer, Lasso)
            lasso = Lasso(tuple(map(node_of, outcome.answer.prefix)), tuple(map(node_of, outcome.answer.cycle)))
            assert flaw(graph, lasso) is None
    assert 10 < violated < 50


@pytest.mark.parametrize("algorithm", names("reachability", "team"))
def test_a_target_is_found_if_and_only_if_it_can_be_reached(algorithm: str) -> None:
    for number, graph in enumerate(graphs(100, 30)):
        outcome = TableTeam(graph, algorithm, 1 + number % 5, lines=1, kind="tree").run()
        wanted = {node for node in reachable(graph) if graph.is_accepting(node)}
        assert outcome.ending == (SearchEnding.ANSWERED if wanted else SearchEnding.COMPLETED)
        if wanted:
            assert isinstance(outcome.answer, tuple)
            path = tuple(map(node_of, outcome.answer))
            assert path[-1] in wanted
            assert path_flaw(graph, path) is None


@pytest.mark.parametrize("hesitates", [False, True])
@pytest.mark.parametrize("workers", [1, 2, 3, 4, 16])
def test_every_state_is_counted_and_expanded_once_while_the_tables_grow_from_nothing(
    workers: int, hesitates: bool
) -> None:
    graph = big_graph(30_000)
    given = store_with() if hesitates else None
    figures = TableTeam(graph, "unordered", workers, given, lines=1, kind="tree").run().figures
    assert figures.states == figures.rows == figures.expansions == 30_000
    assert figures.transitions == sum(map(len, graph.targets))


@pytest.mark.parametrize("algorithm", CYCLES)
def test_a_large_graph_without_an_accepting_cycle(algorithm: str) -> None:
    every = range(8_000, 20_000) if algorithm == "acyclic" else range(0, 20_000, 3)
    graph = big_graph(20_000, frozenset(every))
    outcome = TableTeam(graph, algorithm, 4, store_with(), lines=1, kind="tree").run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, 20_000)


def trouble(seed: int, store: Loaded | None = None, bits: int = 16, workers: int = 0) -> str | None:
    """What a team over the rows of a random graph, with a random split, does wrong."""
    rng = random.Random(seed)
    graph, starts = random_rows(rng, rng.choice([5, 60, 700]), bits=bits)
    kept: list[bytes] = []

    def keep(memory: Memory) -> None:
        assert isinstance(memory, TreeMemory)
        kept.extend(map(memory.row, memory.states()))
        assert [row_at(place) for place in memory.rebuilt(memory.states())] == kept

    model = RowsModel(graph, starts)
    search = model.team("unordered", "tree", workers or rng.randint(1, 4), store, MEMORY)
    search.split = rng.choice([rng.getrandbits(64), EVERY_OTHER, 0, -1])
    outcome = search.run(conclude=keep)
    if outcome.ending != SearchEnding.COMPLETED:
        return str(outcome.ending.value)
    if outcome.figures.states != len(graph):
        return f"{outcome.figures.states} states of {len(graph)}"
    return None if sorted(kept) == sorted(graph) else "rows differ in memory"


@pytest.mark.parametrize("hesitates", [False, True])
def test_rows_of_any_length_are_given_back_and_told_apart(hesitates: bool) -> None:
    for seed in range(30):
        assert trouble(seed, store_with() if hesitates else None, bits=64) is None


def test_the_longest_rows_are_given_back() -> None:
    long = [0xFFFE, 0xFFFD, 4097, 4096, 3, 2, 1]
    rows = [row_of([*range(length)]) for length in long]
    last = [row_of([*range(length - 1), 7]) for length in long]
    empty = [row_of([0] * length) for length in (0, 1, 2, 3, 100, 0xFFFE)]
    graph = {row: [*last, *empty] for row in (*rows, *last, *empty)}
    model = RowsModel(graph, rows)
    outcome = model.team("unordered", "tree", 3).run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, len(graph))


@pytest.mark.parametrize("hashing", [constant_hash, last_line_hash])
@pytest.mark.parametrize("wide", [False, True])
def test_nodes_that_all_collide_are_still_told_apart(hashing: Callable[..., Any], wide: bool) -> None:
    replacing: Planted = (("hash_node", hashing), *((("bits_with", wide_slots),) if wide else ()))
    for seed in range(3):
        assert trouble(seed, store_with(*replacing)) is None


def test_large_tables_have_tags_apart_from_the_numbers() -> None:
    store = store_with(("bits_with", wide_slots))
    for seed in range(20):
        assert trouble(seed, store) is None
    for workers in (1, 2, 5):
        outcome = TableTeam(big_graph(20_000), "unordered", workers, store, lines=1, kind="tree").run()
        assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, 20_000)


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_too_little_memory_ends_honestly(algorithm: str) -> None:
    graph = big_graph(200_000)
    whole = TableTeam(graph, algorithm, 3, kind="tree").run()
    assert whole.ending == SearchEnding.COMPLETED
    for share_of_it in (0.3, 0.6):
        limit = int(share_of_it * whole.figures.bytes)
        outcome = TableTeam(graph, algorithm, 3, memory=limit, kind="tree").run()
        assert outcome.ending == SearchEnding.OUT_OF_MEMORY
        assert outcome.figures.bytes <= limit + (1 << 20)
        assert 1_000 < outcome.figures.states <= 200_000  # stacks may be what is too large


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_a_team_stops_when_it_is_told_to(algorithm: str) -> None:
    outcome = TableTeam(big_graph(200_000), algorithm, 3, kind="tree").run(lambda _: True, interval=0.001)
    assert outcome.ending in (SearchEnding.STOPPED_BY_CALLER, SearchEnding.COMPLETED)


def test_a_model_that_fails_stops_the_team() -> None:
    outcome = TableTeam(big_graph(1_000), "cndfs", 3, fails=(700, -7), kind="tree").run()
    assert (outcome.ending, outcome.code) == (SearchEnding.MODEL_FAILED, -7)


def test_a_tree_takes_less_than_the_rows_though_each_has_a_word_of_its_own() -> None:
    graph = big_graph(100_000)
    plain, tree = (TableTeam(graph, "unordered", 2, kind=kind).run().figures.bytes for kind in ("plain", "tree"))
    assert tree < 0.6 * plain


# Mistakes


def entered_first(block: int, which: int, _low: int, _high: int) -> int:
    """A node is entered, and never written."""
    return next_number(block, which)


def given_twice(block: int, which: int, low: int, high: int) -> int:
    """A node is written under the number of another, which was given before."""
    number = next_number(block, which)
    place = node_at(word(block, which + SET_VALUES), max(number - 1, 1))
    store(place, low)
    store(place + 8, high)
    return number


def all_but_the_first(block: int, number: int) -> None:
    """A segment is missed."""
    if number != 1:
        enter_roots(block, number << SEGMENT_SHIFT, load(word(block, SEGMENTS) + (number << 4) + 8))


def no_part(block: int, which: int, first: int, last: int) -> None:
    """Nodes are missed."""


def only_lines(block: int) -> None:
    """Workers learn that the table of the roots has grown, and of no other."""
    put(block, LINES, shared(word(block, TEAM) + TEAM_LINES))


def written_over(line: int, index: int, tag: int, number: int, bits: int) -> bool:
    """A slot is written, whatever has come between."""
    place = slot_word(line, index)
    pair = shared(place)
    slot = (tag << bits) | number
    share(place, pair | (slot << ((index & 1) << 5)))
    return slot_in(pair, index) * 0 == 0


def without_tag(line: int, index: int, tag: int, number: int, bits: int) -> bool:
    """Where tags are apart, they are not written, as by a worker that is slow."""
    place = slot_word(line, index)
    pair = shared(place)
    slot = (tag << bits) | number if bits < MOST_BITS else number
    return slot_in(pair, index) == 0 and swap_if(place, pair, pair | (slot << ((index & 1) << 5))) == pair


def believing_no_tag(line: int, tag: int, bits: int) -> int:
    """A tag that is 0 is taken for another tag."""
    if bits < MOST_BITS:
        return surveyed_slots(line, tag, bits)
    return surveyed_apart(line, tag) & (hinted_tags(line + TAGS, tag) | (0xFFF << 16))


def test_a_tag_that_is_not_there_yet_is_compared_in_full() -> None:
    store = store_with(("bits_with", wide_slots), ("fill_empty", without_tag))
    for seed in range(10):
        assert trouble(seed, store) is None


def test_a_store_that_does_not_swap_is_found_out() -> None:
    graph, store = big_graph(30_000), store_with(("fill_empty", written_over))
    counts = [TableTeam(graph, "unordered", 8, store, kind="tree").run().figures.states for _ in range(10)]
    assert any(count != 30_000 for count in counts)


MISTAKES: dict[str, Planted] = {
    "a node is entered and not written": (("write_node", entered_first),),
    "a number is given to two nodes": (("write_node", given_twice),),
    "growing misses a segment": (("enter_segment", all_but_the_first),),
    "growing misses nodes": (("enter_part", no_part),),
    "not all sizes are learnt": (("learn_sizes", only_lines),),
    "a tag that is not there is believed": (
        ("bits_with", wide_slots),
        ("fill_empty", without_tag),
        ("surveyed_line", believing_no_tag),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_found(mistake: Planted) -> None:
    store = store_with(*mistake)
    assert any(trouble(seed, store) is not None for seed in range(30))
