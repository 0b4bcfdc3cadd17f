"""The store of packed rows never loses a state and takes none for another, grows, and ends honestly."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest
from oracles.engine.models import TableModel, TablePacking
from oracles.engine.planted_stores import planted_store
from oracles.engine.rows import RowsModel, row_of
from oracles.search.definitions import reachable
from tests.engine import test_native as native
from tests.engine.test_native import answer_of, big_graph, graphs, interpreted, model_of

from everafter.engine import block
from everafter.engine.block import LOOKED_AT, LOW_LINES_COPY, PACKED, QUOTA, ROWS, SLOTS
from everafter.engine.code.compiler import object_code
from everafter.engine.code.intrinsics import (
    clear,
    copy_line,
    half,
    load_anywhere,
    put,
    put_half,
    shifted_right,
    store_anywhere,
    word,
)
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import WIDE, can_be_packed
from everafter.engine.kernels.single_kernels import compiled_store
from everafter.engine.memory.packed_memory import MOST_NARROW_BITS, PackedMemory
from everafter.engine.run.row_packing import SINGLE_ROWS, Packing, PackingCode
from everafter.engine.run.search_outcome import SearchEnding
from everafter.engine.store.packed.packed_store import FUNCTIONS
from everafter.engine.store.packed.quotient_table import (
    HALF_MASK,
    LOW_LINES,
    distance_at,
    enter_line,
    grow,
    place_of,
    probed,
    put_packed,
    rest_address,
)
from everafter.engine.store.packed.scrambling import MOST_BITS, scrambled, unscrambled
from everafter.search import Meter
from everafter.search.catalogue import ALONE
from everafter.search.space import KNOWN

LOOKED_BEFORE = PACKED + 15  # a word of the block that nothing uses
PACKABLE = [name for name, algorithm in ALONE.items() if can_be_packed(algorithm)]


def test_only_searches_that_keep_nothing_but_colours_run_over_packed_rows() -> None:
    assert set(PACKABLE) == {"depth-first", "unordered", "schwoon-esparza", "holzmann", "courcoubetis"}


@pytest.mark.parametrize("bits", [1, 2, 3, 8, 11])
def test_scrambling_is_one_to_one(bits: int) -> None:
    assert sorted(scrambled(each, bits) for each in range(1 << bits)) == list(range(1 << bits))


def test_scrambling_is_undone() -> None:
    rng = random.Random(0)
    for bits in range(1, MOST_BITS + 1):
        for _ in range(20):
            packed = rng.getrandbits(bits)
            assert unscrambled(scrambled(packed, bits), bits) == packed
            assert scrambled(unscrambled(packed, bits), bits) == packed


# The table alone, beside a set


NEARLY_FULL = 22_000  # a table of rows of 36 bits grows soon


def put_row(block: int, mixed: int, colour: int) -> int:
    """Store a row as a search does: with room for it first. 0 if there is none."""
    if word(block, QUOTA) < 1 and not grow(block, word(block, ROWS) + 1):
        return 0
    return 1 if put_packed(block, mixed, colour, 1) else 0


@cache
def table_code(*replacing: tuple[str, Callable[..., Any]]) -> Loaded:
    functions = {**FUNCTIONS, **dict(replacing), "put_row": put_row}
    made = compiled_store(functions, WIDE, sets=False, store="packed")
    entries = {"put_row": 3, "colour_of": 2, "put_colour": 3}
    return Loaded(object_code(**{name: (made[name], count) for name, count in entries.items()}))


def table_trouble(rows: Iterable[int], bits: int, code: Loaded, memory: int = 1 << 28) -> str | None:
    """What a table with these scrambled rows, and others of `bits` bits, tells wrongly."""
    rng = random.Random(bits)
    kept: dict[int, int] = {}
    last: int | None = None
    with PackedMemory(ALONE["unordered"], memory, 1, 1, TablePacking(bits)) as store:
        store.words[block.COLOUR_OF], store.words[block.PUT_COLOUR] = map(code.address, ("colour_of", "put_colour"))
        put = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(code.address("put_row"))
        colour = store.field("colour")
        for mixed in rows:
            began = KNOWN | rng.randrange(256)
            if not put(store.block_area.address, mixed, began):
                return "there is no room"
            if last is not None and colour[last + 1] != kept[last]:
                return f"the colour of {last:x} is another once a row is stored"
            if colour[mixed + 1] != kept.setdefault(mixed, began):
                return f"the colour of {mixed:x} is another"
            last = mixed
            if rng.random() < 0.3:
                other = rng.choice(list(kept)) if len(kept) < 500 else mixed
                colour[other + 1] = kept[other] = KNOWN | rng.randrange(256)
                last = other
        if int(store.words[block.ROWS]) != len(kept):
            return f"{store.words[block.ROWS]} rows of {len(kept)}"
        if sorted(store.states()) != sorted(mixed + 1 for mixed in kept):
            return "other rows are in the table"
        return next((f"{mixed:x} has another colour" for mixed in kept if colour[mixed + 1] != kept[mixed]), None)


def any_rows(bits: int, count: int) -> list[int]:
    """Scattered rows, some of them twice, and rows that are not packed."""
    rng = random.Random(count)
    rows = [rng.getrandbits(bits) for _ in range(count)]
    return [*rows[:5], 1 << bits, (1 << bits) + 1, *rows, *rng.sample(rows, count // 4), 1 << bits]


def near_rows(bits: int, count: int) -> list[int]:
    """Rows side by side, at both ends and in the middle, that all belong to few lines."""
    rng = random.Random(count)
    begins = [0, (1 << bits) - count // 3, (1 << bits - 1) - 7]
    rows = [begin + each for begin in begins for each in range(count // 3)]
    return rng.sample(rows, len(rows))


@pytest.mark.parametrize("bits", [5, 9, 16, 24, 33, 41, 50, MOST_BITS])
def test_a_table_has_what_a_set_has(bits: int) -> None:
    assert table_trouble(any_rows(bits, 6_000), bits, table_code()) is None
    if bits >= 16:
        assert table_trouble(near_rows(bits, 300), bits, table_code()) is None


def test_a_large_table_has_what_a_set_has() -> None:
    """It grows by parts, and slots become shorter meanwhile."""
    assert table_trouble(any_rows(36, 150_000), 36, table_code()) is None


def test_rows_that_come_too_far_from_their_line_end_the_search() -> None:
    """So many rows side by side are none that are scrambled: larger tables do not tell them apart soon enough."""
    assert table_trouble(near_rows(60, 3_000), 60, table_code()) == "there is no room"


def test_a_table_that_may_not_grow_says_so() -> None:
    assert table_trouble(any_rows(40, 60_000), 40, table_code(), 1 << 18) == "there is no room"


def without_distance(place: int, slots: int, rest: int, content: int, colour: int) -> None:
    """A row that a full line has moved is taken for one of the line it is in."""
    put_half(place, (((content & HALF_MASK) >> 4 << 4) << 8) | colour)
    if rest != 0:
        where = rest_address(place, slots, rest)
        store_anywhere(where, load_anywhere(where) >> 8 * rest << 8 * rest | shifted_right(content, 24))


def rest_of_neighbours(place: int, slots: int, rest: int, content: int, colour: int) -> None:
    """What is left of the remainder overwrites that of the slots behind."""
    put_half(place, ((content & HALF_MASK) << 8) | colour)
    if rest != 0:
        store_anywhere(rest_address(place, slots, rest), shifted_right(content, 24))


def one_that_is_near(line: int, slots: int) -> int:
    """A row is moved, though another is nearer to its own line."""
    for place in range(line, line + (slots << 2), 4):
        if distance_at(place) < 2:
            return place
    return line


def rest_of_any(place: int, slots: int, rest: int) -> int:
    """Of what is not in a slot's half of a word, only the lowest byte counts."""
    if rest == 0:
        return 0
    return load_anywhere(rest_address(place, slots, rest)) & 255


def short_of_the_last(span: int) -> int:
    """The remainder has a bit more than there is room for."""
    rest = 0
    while shifted_right(span - 1, 21 + 8 * rest) != 0:
        rest += 1
    return rest


def low_lines_forgotten(block: int, lines: int, span: int, slots: int, rest: int) -> bool:
    """Only what is behind the first lines goes to new ones."""
    copy = word(block, LOW_LINES_COPY)
    line = lines - 1
    while line >= LOW_LINES:
        copy_line(copy, word(block, SLOTS) + (line << 6))
        clear(word(block, SLOTS) + (line << 6), 64)
        if not enter_line(block, copy, line, span, slots, rest):
            return False
        line -= 1
    return True


def upwards(block: int, lines: int, span: int, slots: int, rest: int) -> bool:
    """Lines are emptied from the first on: rows go to lines that are not emptied yet."""
    copy = word(block, LOW_LINES_COPY)
    for line in range(lines):
        copy_line(copy, word(block, SLOTS) + (line << 6))
        clear(word(block, SLOTS) + (line << 6), 64)
        if not enter_line(block, copy, line, span, slots, rest):
            return False
    return True


def colour_lost(block: int, number: int, colour: int) -> int:
    """A new colour overwrites what is above it."""
    place = place_of(block, number)
    put_half(place, (half(place) & ~0x1FF) | colour)
    return colour


def moved_unnoticed(block: int, number: int) -> int:
    """Where a state was found before, it is looked for again, though rows have moved."""
    if word(block, LOOKED_BEFORE) != number:
        place = probed(block, number - 1)
        put(block, LOOKED_AT, place if place != 0 else block + (LOOKED_BEFORE << 3) + 4)
        put(block, LOOKED_BEFORE, number)
    return word(block, LOOKED_AT)


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("fill_slot", without_distance),
        ("fill_slot", rest_of_neighbours),
        ("nearest", one_that_is_near),
        ("rest_at", rest_of_any),
        ("rest_bytes", short_of_the_last),
        ("spread", low_lines_forgotten),
        ("spread", upwards),
        ("put_colour", colour_lost),
        ("place_of", moved_unnoticed),
    ],
)
def test_a_mistake_in_the_table_is_found(name: str, mistake: Callable[..., Any]) -> None:
    code = table_code((name, mistake))
    found = table_trouble(any_rows(36, NEARLY_FULL), 36, code)
    others = (
        table_trouble(rows, bits, code)
        for bits in (24, 33, 41, 50)
        for rows in (any_rows(bits, 3_000), near_rows(bits, 300))
    )
    assert found or any(others)


# Searches


@pytest.mark.parametrize("bits", [MOST_NARROW_BITS, 40], ids=["narrow", "wide"])
@pytest.mark.parametrize("algorithm", PACKABLE)
def test_searches_over_packed_rows_and_interpreted_ones_are_the_same(algorithm: str, bits: int) -> None:
    for graph in graphs(120, 30):
        model = model_of(graph, algorithm)
        outcome = model.search(algorithm, 1 << 28, kind="packed", bits=bits).run()
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


@pytest.mark.parametrize("algorithm", PACKABLE)
def test_the_table_grows_from_nothing(algorithm: str) -> None:
    model = model_of(big_graph(20_000), algorithm)
    outcome = model.search(algorithm, lines=1, kind="packed").run()
    assert outcome.ending == SearchEnding.COMPLETED
    assert (outcome.figures.states, outcome.figures.transitions) == (20_000, 60_000)


@pytest.mark.parametrize("algorithm", PACKABLE)
def test_the_memory_limit_ends_the_search(algorithm: str) -> None:
    model = model_of(big_graph(100_000), algorithm)
    whole = model.search(algorithm, kind="packed").run()
    for share in (0.3, 0.6, 0.9):
        limit = int(share * whole.figures.bytes)
        outcome = model.search(algorithm, memory=limit, kind="packed").run()
        assert outcome.ending == SearchEnding.OUT_OF_MEMORY
        assert outcome.figures.bytes <= limit
        assert 0 < outcome.figures.states < 100_000


def test_a_model_that_fails_ends_the_search_with_its_code() -> None:
    model = TableModel([[1], [2], []], [0], fails=(2, -77))
    outcome = model.search("unordered", kind="packed").run()
    assert (outcome.ending, outcome.code, outcome.answer) == (SearchEnding.MODEL_FAILED, -77, None)


def test_rows_that_are_no_states_are_stored_but_not_counted() -> None:
    model = TableModel([[1, 2], [2], [3], [0]], [0, 1], uncounted=frozenset({1, 3}))
    figures = model.search("depth-first", kind="packed").run().figures
    assert (figures.states, figures.rows) == (2, 4)


# Rows


def packed_trouble(seed: int, store: Loaded | None = None) -> str | None:
    """What a search over random rows, packed by a random packing, does wrong."""
    rng = random.Random(seed)
    count = rng.choice([5, 60, 900])
    words = rng.randrange(1, 5)
    masks = [0] * words
    for _ in range(rng.randrange(4, 50)):
        masks[rng.randrange(words)] |= 1 << rng.randrange(64)
    others = [rng.getrandbits(64) & ~mask for mask in masks]
    header = (words + 1) << 16
    packing = Packing((3 << 48, *masks), (header, *others))
    rows = [
        row_of(
            [rng.getrandbits(64) & mask | other for mask, other in zip(masks, others, strict=True)], rng.randrange(4)
        )
        for _ in range(count)
    ]
    rows += [each.to_bytes(8, "little") for each in SINGLE_ROWS]
    rows = list(dict.fromkeys(rows))
    graph = {row: [rows[0], *rng.sample(rows, 3)] for row in rows}
    graph |= {row: [*graph[row], rows[index + 1]] for index, row in enumerate(rows[:-1])}
    model = RowsModel(graph, rows[:2])
    code = PackingCode(packing)
    search = model.search("unordered", "packed", store=store if code.bits > MOST_NARROW_BITS else None, packing=code)
    kept: list[bytes] = []

    def keep(memory: Any) -> None:
        kept.extend(map(memory.row, memory.states()))

    outcome = search.run(lambda figures: figures.states > 2 * len(graph), conclude=keep)
    if outcome.ending != SearchEnding.COMPLETED:
        return str(outcome.ending.value)
    if outcome.figures.rows != len(graph):
        return f"{outcome.figures.rows} rows of {len(graph)}"
    return None if sorted(kept) == sorted(graph) else "rows differ in memory"


def test_rows_are_given_back_and_told_apart() -> None:
    for seed in range(60):
        assert packed_trouble(seed) is None, seed


def test_a_row_that_does_not_fit_ends_the_search_undecided() -> None:
    packing = Packing((0, 0xFF), (2 << 16, 0x100))
    good = row_of([0x155])
    unfit = [row_of([0x55]), row_of([0x155, 0]), row_of([0x155], 1), row_of([0x355]), row_of([])]
    for bad in unfit:
        model = RowsModel({good: [good, bad], bad: []}, [good])
        search = model.search("unordered", "packed", packing=PackingCode(packing))
        outcome = search.run()
        assert (outcome.ending, outcome.figures.rows) == (SearchEnding.UNDECIDED, 1)


def test_a_shorter_row_fits_where_lengths_may_differ() -> None:
    packing = Packing((3 << 16, 0xFF, 0xF0), (0, 0x100, 0x3))
    rows = [row_of([]), row_of([0x101]), row_of([0x1FF]), row_of([0x1FF, 0x3]), row_of([0x101, 0xF3])]
    model = RowsModel(dict.fromkeys(rows, rows), rows[:1])
    search = model.search("depth-first", "packed", packing=PackingCode(packing))
    outcome = search.run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, len(rows))


# Mistakes in the store


def some_bits(packed: int, bits: int) -> int:
    """Rows that differ in the lowest bits alone are taken for each other."""
    return (packed >> 24 << 24) & ((1 << bits) - 1)


@pytest.mark.parametrize(("name", "mistake"), [("scrambled", some_bits)])
def test_a_mistake_in_the_store_is_found(name: str, mistake: Callable[..., Any]) -> None:
    store = planted_store({name: mistake}, "packed")
    assert any(packed_trouble(seed, store) for seed in range(30))
