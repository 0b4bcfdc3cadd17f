"""The store that keeps rows as trees gives every row back, counts exactly, grows, and ends honestly."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from oracles.engine.models import TableModel
from oracles.engine.planted_stores import planted_store
from oracles.engine.rows import RowsModel, random_rows, row_of
from oracles.search.definitions import reachable
from tests.engine import test_native as native
from tests.engine.test_native import answer_of, big_graph, graphs, interpreted, model_of

from everafter.engine.block import AHEAD, PARENT, PARENT_WORDS, REMEMBERED, SHAPE_WORDS, WHOLE_WORDS
from everafter.engine.code.intrinsics import (
    load,
    lowest,
    ones,
    put,
    put_half,
    shifted_right,
    store_anywhere,
    unequal,
    word,
)
from everafter.engine.code.machine import Loaded
from everafter.engine.memory.search_memory import Memory
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.engine.run.search_outcome import SearchEnding
from everafter.engine.store.tree.half_memo import DIFFERENT, MOST_CHANGED
from everafter.engine.store.tree.roots import address_of, left_in, right_in
from everafter.engine.store.tree.sets import hash_node
from everafter.engine.store.tree.slots import MOST_BITS
from everafter.engine.store.tree.whole import note_shape
from everafter.search import Meter
from everafter.search.catalogue import ALONE
from everafter.search.space import TARGET


@pytest.mark.parametrize("algorithm", ALONE)
def test_searches_over_trees_and_interpreted_ones_are_the_same(algorithm: str) -> None:
    for graph in graphs(120, 30):
        model = model_of(graph, algorithm)
        outcome = model.search(algorithm, 1 << 28, kind="tree").run()
        meter = Meter()
        expected = interpreted(graph, algorithm, meter)
        answer = answer_of(outcome)
        assert (answer[-1:] if algorithm == "unordered" and isinstance(answer, tuple) else answer) == expected
        assert native.trouble(graph, algorithm, answer) is None
        if expected is None:
            assert outcome.ending == SearchEnding.COMPLETED
            assert outcome.figures.states == outcome.figures.rows == len(reachable(graph))
            assert outcome.figures.transitions == meter.transitions
            assert outcome.figures.depth == meter.depth
            assert outcome.figures.expansions == meter.expansions


@pytest.mark.parametrize("algorithm", ["unordered", "breadth-first", "depth-first"])
def test_rows_of_any_length_are_given_back_and_told_apart(algorithm: str) -> None:
    for seed in range(30):
        assert trouble(algorithm, seed) is None


def trouble(algorithm: str, seed: int, store: Loaded | None = None, bits: int = 64) -> str | None:
    """What a search over the rows of a random graph, with a random split and any rows taken for usual, does wrong."""
    rng = random.Random(seed)
    graph, starts = random_rows(rng, rng.choice([5, 60, 700]), bits=bits)
    kept: list[bytes] = []

    def keep(memory: Memory) -> None:
        assert isinstance(memory, TreeMemory)
        kept.extend(map(memory.row, memory.states()))

    model = RowsModel(graph, starts)
    search = model.search(algorithm, "tree", store=store)
    search.split = rng.choice([rng.getrandbits(64), EVERY_OTHER, 0, -1])
    search.usual_words = rng.choice([0, 2, 4, 6, 9, 70])
    outcome = search.run(lambda figures: figures.states > 2 * len(graph), conclude=keep)
    if outcome.ending != SearchEnding.COMPLETED:
        return str(outcome.ending.value)
    if outcome.figures.states != len(graph):
        return f"{outcome.figures.states} states of {len(graph)}"
    return None if sorted(kept) == sorted(graph) else "rows differ in memory"


def test_the_longest_rows_are_given_back() -> None:
    long = [0xFFFE, 0xFFFD, 4097, 4096]
    rows = [row_of([*range(length)]) for length in long]
    last = [row_of([*range(length - 1), 7]) for length in long]
    graph = dict.fromkeys([*rows, *last], last)
    model = RowsModel(graph, rows)
    outcome = model.search("depth-first", "tree").run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, len(graph))


@pytest.mark.parametrize("algorithm", ALONE)
def test_the_tables_grow_from_nothing(algorithm: str) -> None:
    model = model_of(big_graph(20_000), algorithm)
    outcome = model.search(algorithm, lines=1, kind="tree").run()
    assert outcome.ending == SearchEnding.COMPLETED
    assert (outcome.figures.states, outcome.figures.transitions) == (20_000, 60_000)


@pytest.mark.parametrize("algorithm", ALONE)
def test_the_memory_limit_ends_the_search(algorithm: str) -> None:
    model = model_of(big_graph(200_000), algorithm)
    whole = model.search(algorithm, kind="tree").run()
    assert whole.ending == SearchEnding.COMPLETED
    for share in (0.3, 0.6, 0.9):
        limit = int(share * whole.figures.bytes)
        outcome = model.search(algorithm, memory=limit, kind="tree").run()
        assert outcome.ending == SearchEnding.OUT_OF_MEMORY
        assert outcome.figures.bytes <= limit
        assert 0 < outcome.figures.states < 200_000
    assert (
        model.search(algorithm, memory=whole.figures.bytes + (1 << 21), kind="tree").run().ending
        == SearchEnding.COMPLETED
    )


def test_the_memory_limit_counts_halves_of_four_words() -> None:
    """They take twice what nodes do. All that may be added without asking again is counted, for whatever set it is."""
    rng = random.Random(1)
    rows = [row_of([rng.getrandbits(64) for _ in range(8)]) for _ in range(40_000)]
    model = RowsModel({row: rows[64 * index + 1 : 64 * index + 65] for index, row in enumerate(rows)}, rows[:1])
    for limit in range(2_400_000, 2_900_000, 60_000):
        search = model.search("unordered", "tree", memory=limit)
        search.usual_words = 9
        outcome = search.run()
        assert outcome.ending == SearchEnding.OUT_OF_MEMORY
        assert outcome.figures.bytes <= limit


def test_a_model_that_fails_ends_the_search_with_its_code() -> None:
    model = TableModel([[1], [2], []], [0], fails=(2, -77))
    outcome = model.search("unordered", kind="tree").run()
    assert (outcome.ending, outcome.code, outcome.answer) == (SearchEnding.MODEL_FAILED, -77, None)


def test_rows_that_are_no_states_are_stored_but_not_counted() -> None:
    model = TableModel([[1, 2], [2], [3], [0]], [0, 1], uncounted=frozenset({1, 3}))
    figures = model.search("depth-first", kind="tree").run().figures
    assert (figures.states, figures.rows) == (2, 4)


def test_a_tree_takes_less_than_the_rows_though_each_has_a_word_of_its_own() -> None:
    graph = big_graph(100_000)
    model = TableModel(graph.targets, graph.starts, frozenset(), TARGET)
    plain, tree = (model.search("unordered", kind=kind).run().figures.bytes for kind in ("plain", "tree"))
    assert tree < 0.6 * plain


# Mistakes


def constant_hash(low: int, high: int) -> int:
    """Every node and every root collides with every other."""
    return low * 0 + high * 0 + 5


def last_line_hash(low: int, high: int) -> int:
    """Everything belongs at the end of its table, so that all of it wraps around."""
    return low * 0 + high * 0 - 1


@cache
def store_with(*replacing: tuple[str, Callable[..., Any]]) -> Loaded:
    return planted_store(dict(replacing), "tree")


@pytest.mark.parametrize("hashing", [constant_hash, last_line_hash])
def test_nodes_that_all_collide_are_still_told_apart(hashing: Callable[..., Any]) -> None:
    store = store_with(("hash_node", hashing))
    for seed in range(3):
        assert trouble("unordered", seed, store) is None


def first_line(block: int, row: int, before: int, what: int) -> int:
    """Every change of a few words is remembered in the same line, and overwrites the one before."""
    return word(block, REMEMBERED) + (row * 0 + before * 0) if ones(what & DIFFERENT) <= MOST_CHANGED else 0


def test_changes_that_share_one_line_are_still_told_apart() -> None:
    store = store_with(("line_of_change", first_line))
    for seed in range(3):
        assert trouble("unordered", seed, store, bits=16) is None


def any_words(line: int, row: int, before: int, what: int) -> bool:
    """A change of the same words of the same half is the same change."""
    return shifted_right(load(line), 32) == before and load(line + 8) == what + row * 0


def any_half(line: int, row: int, _before: int, what: int) -> bool:
    """A change into the same words is the same change, of whichever half."""
    if load(line + 8) != what:
        return False
    different = what & DIFFERENT
    wrong = 0
    while different != 0:
        wrong |= load(row + (lowest(different) << 3)) ^ load(line + 16)
        line += 8
        different &= different - 1
    return wrong == 0


def any_node(place: int, low: int, high: int) -> bool:
    """Whatever has the tag is the node."""
    return place * 0 + low * 0 + high * 0 == 0


def any_header(root: int, segment: int, left: int, right: int, _header: int) -> bool:
    return left_in(root, segment) == left and right_in(root, segment) == right


def without_room(segment: int, left: int, right: int, header: int) -> bool:
    """Parts of a root run into each other where their numbers need more bits."""
    return segment * 0 + left * 0 + right * 0 + header * 0 == 0


def as_first_number(block: int, number: int, left: int, right: int, header: int) -> bool:
    """Whatever has the tag is the state."""
    return block * 0 + number * 0 + left * 0 + right * 0 + header * 0 == 0


def no_second_word(row: int, place: int, size: int) -> int:
    return row * 0 + place * 0 + size * 0


def some_words_only(row: int, words: int, old: int) -> int:
    """Of the words that differ, the last is forgotten."""
    different = unequal(row, old, 0, words)
    return different & (different - 1)


def nothing_above(block: int, heap: int, count: int, inner: int) -> int:
    return count + block * 0 + heap * 0 + inner * 0


def any_whole(value: int, leaves: int, first: int, second: int, third: int, fourth: int) -> bool:
    """Whatever has the tag is the half."""
    return value * 0 + leaves * 0 + first * 0 + second * 0 + third * 0 + fourth * 0 == 0


def first_leaf_only(value: int, leaves: int, first: int, second: int, third: int, fourth: int) -> bool:
    """Of a half that is kept whole, the first leaf is compared."""
    return load(value) == first and load(value + 8) == second and leaves * 0 + third * 0 + fourth * 0 == 0


def always_empty(line: int, index: int) -> int:
    """A slot that was empty is taken for empty, whatever was written into it since."""
    return line * 0 + index * 0


def only_the_row(block: int) -> None:
    """The numbers of its halves stay those of the row before."""
    before = word(block, PARENT)
    put(block, PARENT, word(block, PARENT + AHEAD))
    put(block, PARENT + AHEAD, before)


def shape_of_first(block: int) -> int:
    """Where words are is noted once, for rows as long as the first."""
    if word(block, SHAPE_WORDS) == 0:
        note_shape(block, word(block, PARENT_WORDS))
    return word(block, WHOLE_WORDS)


def words_behind(block: int, row: int, shape: int, index: int) -> int:
    """Words that the row has not are taken from behind it."""
    return load(row + word(block, shape + index))


def constant_of_two(first: int, second: int, third: int, fourth: int) -> int:
    """All halves are in one line."""
    return first * 0 + second * 0 + third * 0 + fourth * 0 + 1


def another_hash(place: int, leaves: int) -> int:
    """What is entered again is not where it is looked for."""
    return hash_node(load(place), leaves)


def over_bits_before(root: int, first: int, value: int) -> None:
    """A root is written over bits of the one before it."""
    bit = root + first
    store_anywhere(address_of(bit), value << (bit & 7))


def no_node_again(block: int, which: int, first: int, last: int) -> None:
    """Grow, and forget all nodes."""


def no_root_again(block: int) -> None:
    """Grow, and forget all roots."""


def one_inner_node_less(leaves: int) -> int:
    return leaves // 3


def wide_slots(lines: int, more: int) -> int:
    """Tags are apart from the numbers, as in large tables."""
    return MOST_BITS + lines * 0 + more * 0


def tag_of_empty(line: int, index: int, _tag: int, number: int, _bits: int) -> bool:
    """Where tags are apart, they are not written: the slot stays empty."""
    put_half(line + (index << 2), number)
    return True


@pytest.mark.parametrize("algorithm", ["unordered", "depth-first"])
def test_large_tables_have_tags_apart_from_the_numbers(algorithm: str) -> None:
    store = store_with(("bits_with", wide_slots))
    for seed in range(20):
        assert trouble(algorithm, seed, store) is None
    model = model_of(big_graph(20_000), algorithm)
    outcome = model.search(algorithm, store=store, lines=1, kind="tree").run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, 20_000)


def test_tables_whose_tags_are_apart_still_tell_colliding_nodes_apart() -> None:
    for hashing in (constant_hash, last_line_hash):
        store = store_with(("bits_with", wide_slots), ("hash_node", hashing))
        assert trouble("unordered", 1, store) is None


MISTAKES = {
    "the second word of a leaf is lost": (("second_word", no_second_word),),
    "nodes above a changed leaf stay as they were": (("change_above", nothing_above),),
    "of a node, only the tag is compared": (("same_node", any_node),),
    "of a root, the header and with it the length is not compared": (
        ("same_root", any_header),
        ("hash_node", constant_hash),
    ),
    "in a large table, tags are not written": (("bits_with", wide_slots), ("fill_empty", tag_of_empty)),
    "of a root, parts that are too large are not told apart": (("fits", without_room),),
    "of a root, only the tag is compared": (("is_root", as_first_number),),
    "a word that differs is overlooked": (("different_words", some_words_only),),
    "of a change, the words are not compared": (("is_remembered", any_words), ("line_of_change", first_line)),
    "of a change, the half before it is not compared": (("is_remembered", any_half), ("line_of_change", first_line)),
    "of a half that is kept whole, only the tag is compared": (("same_whole", any_whole),),
    "of a half that is kept whole, the second leaf is not compared": (
        ("same_whole", first_leaf_only),
        ("hash_two", constant_of_two),
    ),
    "of a half that is kept whole, a word behind the row is taken for its own": (("shaped_word", words_behind),),
    "a shape is kept for rows of another length": (("whole_words", shape_of_first),),
    "of the row that was rebuilt ahead, the numbers are not gone over to": (("go_ahead", only_the_row),),
    "a slot that has been filled since is taken for empty": (("slot_at", always_empty),),
    "a root overwrites bits of the one before": (("write_part", over_bits_before),),
    "growing enters nodes where they are not looked for": (("hash_stored", another_hash),),
    "growing forgets nodes": (("enter_part", no_node_again),),
    "growing forgets states": (("enter_all_roots", no_root_again),),
    "a node is left out of the tree": (("inner_nodes", one_inner_node_less),),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_in_the_tree_is_found(mistake: tuple[tuple[str, Callable[..., Any]], ...]) -> None:
    store = store_with(*mistake)
    assert any(trouble("unordered", seed, store, bits=16) is not None for seed in range(30))
