"""The rows that a worker owns, where its store keeps them as they are: text that Numba compiles.

    row_from, row_behind, rows_end               rows by their numbers, in the order in which they came
    enlist, note_listed                          list rows that belong to the worker, and note what they are found by
    settle_listed                                store those of a list that are new, with their parents
    find_listed                                  find those of a list, all of which are stored
    enter_restored                               find the rows of a checkpoint again

What takes their place where rows are kept as trees is in `owned_trees.py`.
"""

from __future__ import annotations

from typing import Any

from everafter.engine.block import (
    ARENA,
    COLUMN_WORDS,
    END,
    LINES,
    MEMORY,
    NO_NODE,
    ROWS,
    SLOTS,
    word_of,
)
from everafter.engine.cluster.worker_words import LISTED_BYTES
from everafter.engine.code.intrinsics import Column, column_at, empty, load, lowest, prefetch, store, tagged, word
from everafter.engine.store.arena_rows import row_at, row_of, row_words, same_row
from everafter.engine.store.single_store import is_enough, stopped
from everafter.engine.store.table import TAG, TAG_SHIFT, candidate, find_or_put, line_of, next_line, node_in
from everafter.engine.store.table_room import grow, make_room

as_parent: Any = column_at(Column(64, 8, 1))

PARENT = word_of("parent")


# Rows by their numbers


def row_from(_block: int, number: int) -> int:
    """Return the number of the first row from `number` on, which is itself one, or behind the last."""
    return number


def row_behind(block: int, number: int) -> int:
    """Return a number of the `block` behind that of the row `number`, from which on the next one is."""
    return number + row_words(row_of(block, number)) + word(block, COLUMN_WORDS)


def rows_end(block: int) -> int:
    """Return a number behind all rows of the `block`."""
    return word(block, END)


# Lists of rows


def enlist(listed: int, position: int, mixed: int, row: int, parent: int) -> None:
    """Write `row`, with the hash `mixed` and its `parent`, to the place `position` of the list at `listed`."""
    place = listed + position * LISTED_BYTES
    store(place, mixed)
    store(place + 8, row)
    store(place + 16, parent)


def is_hashed() -> bool:
    """Return whether a row that belongs to the worker is found by its hash."""
    return True


def bring_line(block: int, mixed: int) -> None:
    """Start to bring the line of the `block` in which a row with the hash `mixed` is looked up."""
    prefetch(line_of(word(block, SLOTS), word(block, LINES), mixed))


def note_listed(_block: int, _listed: int, first: int, count: int) -> int:
    """Note what `count` rows of a list, from `first` on, are found by; return how many are listed, or NO_ROOM.

    The row that was rebuilt last is the one they come from, or any other.
    """
    return first + count


def bring_stored(block: int, listed: int, count: int) -> None:
    """Start to bring the rows of the `block` that the `count` rows of the list at `listed` will be compared with."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    for place in range(listed, listed + count * LISTED_BYTES, LISTED_BYTES):
        mixed = load(place)
        known = candidate(line_of(slots, lines, mixed), mixed & TAG)
        if known != NO_NODE:
            stored = row_at(arena, known)
            size = row_words(load(place + 8)) << 3
            for part in range(stored, stored + size, 64):
                prefetch(part)
            prefetch(stored + size - 8)


def settle_listed(block: int, listed: int, count: int, words: int) -> int:
    """Store those of the `count` rows at `listed` that are new in the `block`, with their parents.

    Return how many are listed, or NO_ROOM. All of them together have `words` words, and are noted.
    """
    needed = words + count * word(block, COLUMN_WORDS)
    if not is_enough(block, needed, count, 0, 0) and not make_room(block, needed, count, 0, 0):
        return stopped(block, MEMORY)
    bring_stored(block, listed, count)
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    parents = as_parent(word(block, PARENT))
    for place in range(listed, listed + count * LISTED_BYTES, LISTED_BYTES):
        row = load(place + 8)
        before = word(block, ROWS)
        number = find_or_put(block, arena, slots, lines, row, row_words(row), load(place))
        if word(block, ROWS) != before:
            parents[number] = load(place + 16)
    return count


def find_listed(block: int, listed: int, count: int) -> int:
    """Write the number in the `block` of each of `count` rows, noted, at `listed` in place of its hash.

    Return how many, or NO_ROOM. The number is NO_NODE for a row that is not stored.
    """
    bring_stored(block, listed, count)
    for place in range(listed, listed + count * LISTED_BYTES, LISTED_BYTES):
        row = load(place + 8)
        store(place, find(block, row, row_words(row), load(place)))
    return count


def find(block: int, row: int, words: int, mixed: int) -> int:
    """Return the number in the `block` of `row`, of `words` words, with the hash `mixed`, or NO_NODE."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    line = line_of(slots, lines, mixed)
    while True:
        matches = tagged(line, mixed & TAG, TAG_SHIFT)
        while matches != 0:
            number = node_in(load(line + (lowest(matches) << 3)))
            if same_row(row_at(arena, number), row, words):
                return number
            matches &= matches - 1
        if empty(line) != 0:
            return NO_NODE
        line = next_line(slots, lines, line)


def enter_restored(block: int) -> bool:
    """Enter all rows of the `block`, read from a checkpoint, into its hash table; return whether there is room."""
    rows = word(block, ROWS)
    return rows == 0 or grow(block, rows)
