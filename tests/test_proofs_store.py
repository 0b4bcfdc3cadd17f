"""The stores of machine code do what the proved text does: the same slots, the same numbers, the same roots."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from oracles.engine.words import WORD, Words, interpreted
from proofs.transcribed_store import Table, Tree, inner_of

from everafter.engine import block
from everafter.engine.store import room, rows, table
from everafter.engine.store.tree import halves, roots

BLOCK, ARENA, SLOTS, BUFFER = 1 << 20, 1 << 24, 1 << 28, 1 << 30
COLUMNS = 1
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
        self.memory = Words()
        self.hash_of = hash_of
        given = self.memory.intrinsics() | {"hash_row": lambda row, words: hash_of(self.read_row(row, words))}
        self.text = interpreted((rows, table, room), given)
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


def compare_tables(seed: int, kind: type[Table], planted: dict[str, Callable[..., Any]] | None = None) -> None:
    """Ask both for the same rows, and let both grow whenever there is no room, or at any time."""
    draw = random.Random(seed)
    hash_of = draw.choice(HASHES)
    running = Running(2, hash_of)
    running.text |= planted or {}
    names: dict[tuple[int, ...], int] = {}
    listed: list[list[int]] = []

    def value(row: list[int]) -> int:
        if without_colour(row) not in names:
            names[without_colour(row)] = len(listed)
            listed.append(row)
        return names[without_colour(row)]

    proved = kind(8, 2, lambda row: hash_of(listed[row]), lambda row: hash_of(listed[row]) & table.TAG)
    for _ in range(draw.choice([10, 100, 200])):
        row = random_row(draw, draw.choice([2, 4, 1 << 62]))
        if running.word(block.ROWS) >= table.rows_in(running.word(block.LINES)) or draw.random() < 0.01:
            assert running.text["grow"](BLOCK, running.word(block.ROWS) + 1)
            proved.grow(running.word(block.LINES))
        fresh = running.word(block.END) + COLUMNS
        assert running.find_or_put(row) == proved.find_or_put(value(row), fresh)
        assert running.slots() == list(zip(proved.numbers, proved.tags, strict=True))
    assert running.word(block.ROWS) == len(proved.arena)


def compare_all_tables(kind: type[Table], planted: dict[str, Callable[..., Any]] | None = None) -> None:
    for seed in range(120):
        compare_tables(seed, kind, planted)


def test_tables_are_those_of_the_proof() -> None:
    compare_all_tables(Table)


class FilledFromTheRight(Table):
    def first_empty(self, line: int) -> int:
        return max((slot for slot in range(line, line + self.width) if self.numbers[slot] == 0), default=line + 8)


class TagsOnly(Table):
    def compare_line(self, row: int, line: int) -> int | None:
        matches = [slot for slot in range(line, line + 8) if self.numbers[slot] and self.tags[slot] == self.tag(row)]
        return self.numbers[matches[0]] if matches else None


class Unchanged(Table):
    def grow(self, lines: int) -> None:
        old = self.numbers, self.tags
        super().grow(lines)
        self.numbers[: len(old[0])], self.tags[: len(old[0])] = old


@pytest.mark.parametrize("kind", [FilledFromTheRight, TagsOnly, Unchanged])
def test_a_difference_between_tables_is_noticed(kind: type[Table]) -> None:
    with pytest.raises(AssertionError):
        compare_all_tables(kind)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "any row is the same": {"same_row": lambda _one, _other, _words: True},
    "not around the table": {"next_line": lambda _slots, _lines, line: line + 64},
    "the last row is left out": {"fill": lambda _block, _number, _end: None},
    "a tag too many": {"slot_of": lambda mixed, node: table.slot_of(mixed + 1, node)},
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_running_text_is_noticed(mistake: str) -> None:
    with pytest.raises(AssertionError):
        compare_all_tables(Table, MISTAKES[mistake])


def compare_all_halves(kind: type[Tree]) -> None:
    for seed in range(200):
        compare_halves(seed, kind)


def test_halves_are_those_of_the_proof() -> None:
    compare_all_halves(Tree)


def compare_halves(seed: int, kind: type[Tree]) -> None:
    """Number a half of a random row, and rebuild it, by both texts."""
    draw = random.Random(seed)
    memory = Words()
    proved = kind()
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
        numbers = proved.number_of_half(words)
        assert heap_at(memory, heap, leaves) == numbers
        assert top == numbers[0]
        text["rebuild_half"](BLOCK, target, places, heap + 4096, top, leaves)
        given, again = proved.rebuild_half(top, leaves)
        assert [memory.load(target + 8 * index) for index in range(2 * leaves)] == given
        assert heap_at(memory, heap + 4096, leaves) == again == numbers
        assert given[: len(words)] == words


def heap_at(memory: Words, heap: int, leaves: int) -> list[int]:
    """The numbers at all positions."""
    return [memory.bits(heap + 4 * (position + 3), 4) for position in range(4 * inner_of(leaves) + 1)]


class Backwards(Tree):
    def rebuild_half(self, top: int, leaves: int) -> tuple[list[int], list[int]]:
        words, heap = super().rebuild_half(top, leaves)
        return words[::-1], heap


class Forgetful(Tree):
    def number_of(self, value: int) -> int:
        self.nodes.append(value)
        return len(self.nodes) - 1


@pytest.mark.parametrize("kind", [Backwards, Forgetful])
def test_a_difference_between_halves_is_noticed(kind: type[Tree]) -> None:
    with pytest.raises(AssertionError):
        compare_all_halves(kind)


def compare_roots(seed: int, packed: Callable[..., int]) -> None:
    """Write roots beside each other, and read them, by the running text and as in store/packing.vpr."""
    draw = random.Random(seed)
    bits = draw.randrange(1, 33), draw.randrange(1, 33), draw.randrange(1, 25)
    memory = Words()
    text = interpreted((roots,), memory.intrinsics())
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
        assert (around >> (place & 7)) % (1 << sum(bits)) == packed(*parts, *bits)
        assert tuple(text[name](place, segment) for name in ("left_in", "right_in", "header_in")) == parts
        for other in written:
            assert text["same_root"](place, segment, *other) == (packed(*parts, *bits) == packed(*other, *bits))
    for which in range(3):
        assert not text["fits"](segment, *((1 << bits[which]) * (which == index) for index in range(3)))


def compare_all_roots(packed: Callable[..., int]) -> None:
    for seed in range(300):
        compare_roots(seed, packed)


def test_roots_are_those_of_the_proof() -> None:
    compare_all_roots(lambda left, right, header, lefts, rights, _: left + (right + header * 2**rights) * 2**lefts)


def test_a_difference_between_roots_is_noticed() -> None:
    with pytest.raises(AssertionError):
        compare_all_roots(lambda left, right, header, lefts, rights, _: right + (left + header * 2**lefts) * 2**rights)
