"""Halves that are kept whole: a half of few words is one value of a set, and no tree.

How many leaves such a half has at most is said for each side before the search: as many as usual rows have there, if
these are few. Where it has fewer, zeros follow. One lookup then gives its number, however many of its words differ from
those of the row it comes from, and its numbers are not mixed with those of nodes, so that they need fewer bits. A half
with more leaves is a tree. The header says how long a row is, and so which of the two a half is, and where it ends.
"""

from __future__ import annotations

from everafter.engine.block import SET_BITS, SET_COUNT, SET_LEAVES, SET_LINES, SET_SLOTS, SET_VALUES
from everafter.engine.code.intrinsics import load, lowest, prefetch, put, put_half, shifted_right, store, word
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree.halves import entry_at
from everafter.engine.store.tree.sets import hash_node
from everafter.engine.store.tree.slots import fill_slot, number_at, second_line, surveyed_line, tag_of


def is_whole(block: int, which: int, leaves: int) -> bool:
    """Whether a half of so many leaves, of this side, is kept whole."""
    return 0 < leaves <= word(block, which + SET_LEAVES)


def word_in(row: int, place: int, size: int) -> int:
    """The word listed there of a row of so many bytes: zero where that ends before it."""
    offset = load(place)
    return load(row + offset) if offset < size else 0


def end_of(block: int, which: int, places: int) -> int:
    """Where the list of the words ends that are kept of a half."""
    return places + (word(block, which + SET_LEAVES) << 4)


def hash_whole(block: int, which: int, row: int, places: int, size: int) -> int:
    """64 well mixed bits of the half of a row of so many bytes."""
    mixed = 0
    for place in range(places, end_of(block, which, places), 16):
        mixed = hash_node(word_in(row, place, size) ^ mixed, word_in(row, place + 8, size))
    return mixed


def bring_whole(block: int, which: int, row: int, places: int, size: int) -> int:
    """Start to bring the line in which the half of a row is looked up; its hash."""
    mixed = hash_whole(block, which, row, places, size)
    prefetch(line_of(word(block, which + SET_SLOTS), word(block, which + SET_LINES), mixed))
    return mixed


def whole_at(block: int, which: int, number: int) -> int:
    """The address of the half of this number."""
    return word(block, which + SET_VALUES) + number * (word(block, which + SET_LEAVES) << 4)


def same_whole(block: int, which: int, value: int, row: int, places: int, size: int) -> bool:
    """Whether the half kept at the address is that of the row of so many bytes."""
    wrong = 0
    for place in range(places, end_of(block, which, places), 16):
        wrong |= (load(value) ^ word_in(row, place, size)) | (load(value + 8) ^ word_in(row, place + 8, size))
        value += 16
    return wrong == 0


def new_whole(block: int, which: int, row: int, places: int, size: int) -> int:
    """Add the half of a row of so many bytes; its number."""
    number = word(block, which + SET_COUNT) + 1
    value = whole_at(block, which, number)
    for place in range(places, end_of(block, which, places), 16):
        store(value, word_in(row, place, size))
        store(value + 8, word_in(row, place + 8, size))
        value += 16
    put(block, which + SET_COUNT, number)
    return number


def number_of_whole(block: int, which: int, row: int, places: int, size: int, mixed: int) -> int:
    """The number of the half, with this hash, of a row of so many bytes; a new one if it was not known."""
    slots = word(block, which + SET_SLOTS)
    lines = word(block, which + SET_LINES)
    bits = word(block, which + SET_BITS)
    tag = tag_of(mixed, bits)
    line = line_of(slots, lines, mixed)
    following = second_line(slots, lines, mixed)
    while True:
        seen = surveyed_line(line, tag, bits)
        matches = seen & 0xFFFF
        while matches != 0:
            number = number_at(line, lowest(matches), bits)
            if same_whole(block, which, whole_at(block, which, number), row, places, size):
                return number
            matches &= matches - 1
        free = shifted_right(seen, 16)
        if free != 0:
            number = new_whole(block, which, row, places, size)
            fill_slot(line, lowest(free), tag, number, bits)
            return number
        line = following
        following = next_line(slots, lines, line)


def rebuild_whole(block: int, which: int, row: int, places: int, heap: int, number: int) -> None:
    """Write the half of this number into the row, and its number where that of a tree would be.

    Whole leaves are written, as by `rebuild_half`: zeros may follow behind the row.
    """
    put_half(entry_at(heap, 0), number)
    value = whole_at(block, which, number)
    for place in range(places, end_of(block, which, places), 16):
        store(row + load(place), load(value))
        store(row + load(place + 8), load(value + 8))
        value += 16
