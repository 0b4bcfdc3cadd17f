"""The rows that a worker owns, where its store keeps them as trees: what replaces functions of `owned_rows.py`.

Rows are numbered one after the other, in segments that may end early: numbers behind the end of a segment are those of
no row. A successor is noted while the row it comes from is still the one that was rebuilt last, so that only what
differs is looked up. Whether a row is new follows from its number: new ones are given in rising order.
"""

from __future__ import annotations

from typing import Final

from everafter.engine.block import NEXT, NO_NODE, SEGMENT_SHIFT, SEGMENTS, word_of
from everafter.engine.cluster.owned_rows import PARENT, as_parent
from everafter.engine.cluster.worker_words import LISTED_BYTES
from everafter.engine.code.intrinsics import load, shifted_right, store, word
from everafter.engine.code.parts import Functions
from everafter.engine.store.arena_rows import row_words
from everafter.engine.store.single_store import NO_ROOM, as_number, hash_all, settle
from everafter.engine.store.tree.roots import LAST_IN_SEGMENT

PENDING = word_of("pending")
NO_FRAMES = -2  # `settle` makes room for two more frames than its argument says


def row_from(block: int, number: int) -> int:
    """Return the number of the first row of the `block` from `number` on, or one behind the last."""
    while number < word(block, NEXT):
        segment = shifted_right(number, SEGMENT_SHIFT)
        if number < load(word(block, SEGMENTS) + (segment << 4) + 8):
            break
        number = (number | LAST_IN_SEGMENT) + 1
    return number


def row_behind(_block: int, number: int) -> int:
    """Return a number behind `number`, that of a row, from which on the next one is."""
    return number + 1


def rows_end(block: int) -> int:
    """Return a number behind all rows of the `block`."""
    return word(block, NEXT)


def is_hashed() -> bool:
    """Return whether a row that belongs to the worker is found by its hash: not here, but by its parts."""
    return False


def bring_line(_block: int, _mixed: int) -> None:
    """Start to bring what a row with this hash is looked up in: there is nothing of that kind."""


def note_listed(block: int, listed: int, first: int, count: int) -> int:
    """Note what `count` rows of the list at `listed`, from `first` on, are found by in the `block`.

    Return how many are listed, or NO_ROOM. The row that was rebuilt last is the one they come from, or any other. Rows
    that lie one behind the other are noted together.
    """
    place = listed + first * LISTED_BYTES
    end = place + count * LISTED_BYTES
    while place < end:
        row = load(place + 8)
        behind = row
        together = 0
        while place < end and load(place + 8) == behind:
            behind += row_words(behind) << 3
            place += LISTED_BYTES
            together += 1
        if hash_all(block, row, first, together) < 0:
            return NO_ROOM
        first += together
    return first


def settle_listed(block: int, listed: int, count: int, _words: int) -> int:
    """Store those of the `count` rows at `listed`, which are noted, that are new in the `block`, with their parents.

    Return how many are listed, or NO_ROOM. Of several that are the same, the first is new.
    """
    fresh = word(block, NEXT)
    if settle(block, count, 0, 0, NO_FRAMES) < 0:
        return NO_ROOM
    pending = as_number(word(block, PENDING))
    parents = as_parent(word(block, PARENT))
    for position in range(count):
        number = pending[position]
        if number >= fresh:
            parents[number] = load(listed + position * LISTED_BYTES + 16)
            fresh = number + 1
    return count


def find_listed(block: int, listed: int, count: int) -> int:
    """Write the number in the `block` of each of `count` rows, noted, at `listed` in place of its hash.

    Return how many, or NO_ROOM. It is NO_NODE for a row that was not stored. Such a row is stored now: a search that
    meets one must not go on.
    """
    fresh = word(block, NEXT)
    if settle(block, count, 0, 0, NO_FRAMES) < 0:
        return NO_ROOM
    pending = as_number(word(block, PENDING))
    for position in range(count):
        number = pending[position]
        store(listed + position * LISTED_BYTES, number if number < fresh else NO_NODE)
    return count


def enter_restored(_block: int) -> bool:
    """Return whether all rows are in the hash table: it was read with them."""
    return True


REPLACING: Final[Functions] = {
    "bring_line": bring_line,
    "enter_restored": enter_restored,
    "find_listed": find_listed,
    "is_hashed": is_hashed,
    "note_listed": note_listed,
    "row_behind": row_behind,
    "row_from": row_from,
    "rows_end": rows_end,
    "settle_listed": settle_listed,
}
