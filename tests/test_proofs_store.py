"""The stores of machine code do what the proved text does: the same slots, the same numbers, the same roots."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from oracles.engine.words import WORD, interpreted
from oracles.engine.words import Words as Memory
from oracles.planted import Change, control, unnoticed
from oracles.proved import packing as proved_packing
from oracles.proved import table as proved_table
from oracles.proved import tree as proved_tree
from tests.proofs_needs import NEEDS_PROVERS

from everafter.engine import block
from everafter.engine.store import arena_rows, table, table_room
from everafter.engine.store.tree import halves, roots

BLOCK, ARENA, SLOTS, BUFFER = 1 << 20, 1 << 24, 1 << 28, 1 << 30
COLUMNS = 1
WIDTH = 8
ROOM = 4000
"""The numbers that rows may get."""
Numbers = tuple[int, ...]
Hash = Callable[[list[int]], int]


def header_of(words: int, colour: int = 0) -> int:
    """The first word of a row of so many words."""
    return (words << 16) | colour


def random_row(draw: random.Random, values: int) -> list[int]:
    """A row of some words; few values make rows meet again, and colours, which are not part of a row, differ."""
    words = draw.choice([1, 2, 3, 9, 17])
    return [header_of(words, draw.randrange(256)), *(draw.randrange(values) for _ in range(words - 1))]


def without_colour(row: list[int]) -> tuple[int, ...]:
    return (row[0] & ~255, *row[1:])


HASHES: list[Hash] = [
    lambda row: hash(without_colour(row)) % WORD,
    lambda row: (sum(row[1:]) % 5) << 61,
    lambda row: sum(row[1:]) % 3,
    lambda _row: 0,
    lambda _row: WORD - 1,
]


class Running:
    """The text of the store, in a memory of its own, with a hash of ours."""

    def __init__(self, lines: int, hash_of: Hash) -> None:
        self.memory = Memory()
        self.hash_of = hash_of
        given = self.memory.intrinsics() | {"hash_row": lambda row, words: hash_of(self.read_row(row, words))}
        self.text = interpreted((arena_rows, table, table_room), given)
        for index, value in {
            block.ARENA: ARENA,
            block.SLOTS: SLOTS,
            block.LINES: lines,
            block.COLUMN_WORDS: COLUMNS,
            block.FIRST: 8,
            block.END: 8 - COLUMNS,
            block.LIMIT_BYTES: 1 << 30,
            block.SLOTS_BYTES: 1 << 20,
        }.items():
            self.memory.store(BLOCK + 8 * index, value)

    def word(self, index: int) -> int:
        return self.memory.load(BLOCK + 8 * index)

    def read_row(self, place: int, words: int) -> list[int]:
        return [self.memory.load(place + 8 * index) for index in range(words)]

    def write_buffer(self, row: list[int]) -> None:
        for index, value in enumerate(row):
            self.memory.store(BUFFER + 8 * index, value)

    def find_or_put(self, row: list[int]) -> int:
        self.write_buffer(row)
        lines = self.word(block.LINES)
        answer: int = self.text["find_or_put"](BLOCK, ARENA, SLOTS, lines, BUFFER, len(row), self.hash_of(row))
        return answer

    def slots(self) -> list[tuple[int, int]]:
        """The number and the tag in each slot."""
        words = [self.memory.load(SLOTS + 8 * index) for index in range(8 * self.word(block.LINES))]
        return [(slot & table.STATE_NUMBER, slot >> table.TAG_SHIFT) for slot in words]


@dataclass
class Proved:
    """The table of the proof: what its methods are handed, and hand back. No row is 0."""

    program: Any
    lines: int = 2
    numbers: Numbers = ()
    tags: Numbers = ()
    arena: Numbers = (0,) * ROOM
    place: Numbers = (0,) * ROOM
    stored: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.numbers = self.tags = self.program.cleared(WIDTH * self.lines)

    def find_or_put(self, row: int, fresh: int) -> int:
        number, self.numbers, self.tags, self.arena, self.stored, self.place = self.program.find_or_put(
            row, fresh, WIDTH, self.lines, self.numbers, self.tags, self.arena, self.stored, self.place
        )
        return int(number)

    def grow(self, lines: int) -> None:
        empty, order = self.program.cleared(WIDTH * lines), tuple(sorted(self.stored))
        self.numbers, self.tags, self.place = self.program.grow(
            lines, empty, order, WIDTH, self.lines, self.numbers, self.tags, self.arena, self.stored, self.place
        )
        self.lines = lines


def compare_tables(seed: int, program: Any, planted: dict[str, Callable[..., Any]] | None = None) -> None:
    """Ask both for the same rows, and let both grow whenever there is no room, or at any time."""
    draw = random.Random(seed)
    hash_of = draw.choice(HASHES)
    running = Running(2, hash_of)
    running.text |= planted or {}
    listed: list[list[int]] = [[]]
    names: dict[tuple[int, ...], int] = {}

    def value(row: list[int]) -> int:
        if without_colour(row) not in names:
            names[without_colour(row)] = len(listed)
            listed.append(row)
        return names[without_colour(row)]

    proved = Proved(
        program(anything, hash=lambda row: hash_of(listed[row]), tag=lambda row: hash_of(listed[row]) & table.TAG)
    )
    for _ in range(draw.choice([10, 100, 200])):
        row = random_row(draw, draw.choice([2, 4, 1 << 62]))
        if running.word(block.ROWS) >= table.rows_in(running.word(block.LINES)) or draw.random() < 0.01:
            assert running.text["grow"](BLOCK, running.word(block.ROWS) + 1)
            proved.grow(running.word(block.LINES))
        fresh = running.word(block.END) + COLUMNS
        assert running.find_or_put(row) == proved.find_or_put(value(row), fresh)
        assert running.slots() == list(zip(proved.numbers, proved.tags, strict=True))
    assert running.word(block.ROWS) == len(proved.stored)


def anything(_name: str) -> int:
    """A variable without a value: any will do."""
    return -12345


def compare_all_tables(program: Any, planted: dict[str, Callable[..., Any]] | None = None) -> None:
    for seed in range(120):
        compare_tables(seed, program, planted)


def test_tables_are_those_of_the_proof() -> None:
    compare_all_tables(proved_table.Program)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "any row is the same": {"same_row": lambda _one, _other, _words: True},
    "not around the table": {"next_line": lambda _slots, _lines, line: line + 64},
    "the last row is left out": {"fill": lambda _block, _number, _end: None},
    "a tag too many": {"slot_of": lambda mixed, node: table.slot_of(mixed + 1, node)},
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_running_text_is_noticed(mistake: str) -> None:
    with pytest.raises(AssertionError):
        compare_all_tables(proved_table.Program, MISTAKES[mistake])


def compare_all_halves(program: Any) -> None:
    for seed in range(200):
        compare_halves(seed, program)


def test_halves_are_those_of_the_proof() -> None:
    compare_all_halves(proved_tree.Program)


def compare_halves(seed: int, program: Any) -> None:
    """Number a half of a random row, and rebuild it, by both texts."""
    draw = random.Random(seed)
    memory = Memory()
    proved, nodes = program(anything, words_of=lambda header: header), (0,)
    values, heap, target = 1 << 32, 1 << 34, 1 << 36
    known: dict[tuple[int, int], int] = {}

    def number_of(_block: int, _which: int, low: int, high: int) -> int:
        number = known.setdefault((low, high), len(known) + 1)
        memory.store(values + 16 * number, low)
        memory.store(values + 16 * number + 8, high)
        return number

    text = interpreted((halves,), memory.intrinsics() | {"number_of": number_of})
    memory.store(BLOCK + 8 * (block.NODE_SET + block.SET_VALUES), values)
    places = 1 << 38
    for _ in range(6):
        words = [draw.choice([0, 1, draw.getrandbits(64)]) for _ in range(draw.randrange(1, 40))]
        for index in range(len(words) + 1):
            memory.store(places + 8 * index, 8 * index)
        for index, value in enumerate(words):
            memory.store(BUFFER + 8 * index, value)
        leaves = text["leaves_of"](len(words))
        top = text["number_of_half"](BLOCK, BUFFER, len(words), places, heap, leaves)
        numbers, nodes = proved.number_of_half(tuple(words), nodes)
        assert heap_at(memory, heap, len(numbers)) == numbers
        assert top == numbers[0]
        text["rebuild_half"](BLOCK, target, places, heap + 4096, top, leaves)
        given, again = proved.rebuild_half(top, leaves, nodes, tuple(words), numbers)
        assert tuple(memory.load(target + 8 * index) for index in range(2 * leaves)) == given
        assert heap_at(memory, heap + 4096, len(numbers)) == again == numbers
        assert list(given[: len(words)]) == words


def test_what_is_proved_of_rows_is_seen() -> None:
    """Whole rows are only proved: the root of each gives it back, and two have one root exactly if they are equal."""
    draw = random.Random(7)
    proved = proved_tree.Program(anything, words_of=lambda header: header >> 16)
    nodes: Numbers = (0,)
    headers: Numbers = (0,)
    mask = tuple(draw.random() < 0.5 for _ in range(20))
    roots_of: dict[Numbers, Numbers] = {}
    for _ in range(300):
        row = tuple(random_row(draw, draw.choice([2, 1 << 62])))
        left, right, *heaps, header, nodes, headers = proved.number_row(row, mask, nodes, headers)
        root = (heaps[0][0], heaps[1][0], header)
        assert roots_of.setdefault(row, root) == root
        assert proved.rebuild(*root, mask, nodes, headers, row, left, right, *heaps) == row
    assert len(set(roots_of.values())) == len(roots_of) > 100


def heap_at(memory: Memory, heap: int, positions: int) -> tuple[int, ...]:
    """The numbers at all positions."""
    return tuple(memory.bits(heap + 4 * (position + 3), 4) for position in range(positions))


def compare_roots(seed: int, program: Any) -> None:
    """Write roots beside each other, and read them, and slots, by both texts."""
    draw = random.Random(seed)
    bits = draw.randrange(1, 33), draw.randrange(1, 33), draw.randrange(1, 25)
    memory = Memory()
    text, proved = interpreted((roots,), memory.intrinsics()), program(anything)
    segment = text["segment_with"](0, *bits)
    written = []
    for index in range(6):
        parts = tuple(draw.getrandbits(count) for count in bits)
        assert text["fits"](segment, *parts)
        text["write_root"]((BUFFER << 3) + sum(bits) * index, segment, *parts)
        written.append(parts)
    for index, parts in enumerate(written):
        place = (BUFFER << 3) + sum(bits) * index
        around = memory.bits(place >> 3, 8) | memory.bits((place >> 3) + 8, 8) << 64
        root = proved.packed(*parts, *bits)
        assert (around >> (place & 7)) % (1 << sum(bits)) == root
        assert proved.write_root(draw.getrandbits(90), *parts, *bits) == root
        assert tuple(text[name](place, segment) for name in ("left_in", "right_in", "header_in")) == parts
        for other in written:
            assert text["same_root"](place, segment, *other) == (root == proved.packed(*other, *bits))
        mixed, number = draw.getrandbits(64), draw.randrange(1, 1 << table.TAG_SHIFT)
        assert table.slot_of(mixed, number) == proved.slot_of(number, mixed & table.TAG, table.TAG_SHIFT)
    for which in range(3):
        assert not text["fits"](segment, *((1 << bits[which]) * (which == index) for index in range(3)))


def compare_all_roots(program: Any) -> None:
    for seed in range(300):
        compare_roots(seed, program)


def test_roots_are_those_of_the_proof() -> None:
    compare_all_roots(proved_packing.Program)


# Mistakes planted into the proofs themselves: those that the prover must refuse, and others.

TABLE, TREE, PACKING = "store/table.vpr", "store/tree.vpr", "store/packing.vpr"
REFUSED = ("tags for rows", "later lines passed over", "filled from the right", "tag not written", "last row left out")
PLANTED: dict[str, dict[str, Change]] = {
    "table": {
        **{name: control(TABLE, name) for name in REFUSED},
        "another first line": (TABLE, "((hash(row) % WORD) * lines) \\ WORD", "hash(row) % lines"),
    },
    "tree": {
        "numbers in another order": control(TREE, "numbers in another order"),
        "a leaf the wrong way round": (TREE, "{ low + WORD * high }", "{ high + WORD * low }"),
        "nodes stored again": (TREE, "while (number < |nodes| && nodes[number] != value)", "while (number < |nodes|)"),
    },
    "packing": {
        "header over the right half": control(PACKING, "header over the right half"),
        "tag below number": (PACKING, "slot := number + power(bits) * tag", "slot := tag + power(bits) * number"),
        "header written too early": (PACKING, "(root2, lefts + rights, header)", "(root2, lefts, header)"),
    },
}
COMPARE: dict[str, Callable[[Any], None]] = {
    "table": lambda proved: compare_all_tables(proved["Program"]),
    "tree": lambda proved: compare_all_halves(proved["Program"]),
    "packing": lambda proved: compare_all_roots(proved["Program"]),
}


@NEEDS_PROVERS
def test_mistakes_of_the_proved_text_are_noticed() -> None:
    assert unnoticed(PLANTED, COMPARE) == []
