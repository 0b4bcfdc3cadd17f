"""Rows in the arena: where the row of a state is, hashing, comparing and writing one."""

from __future__ import annotations

from everafter.engine.block import ARENA, COLUMN_WORDS, END, QUOTA, ROWS, STATES
from everafter.engine.code.intrinsics import (
    copy_line,
    folded_product,
    load,
    prefetch,
    prefetch_to_write,
    put,
    shifted_right,
    store,
    unequal,
    word,
)

COLOUR = 255
AHEAD_BYTES = 1024  # lines this far ahead of a new row are brought, since they will be written soon

# Any odd constants with about as many ones as zeros will do.
FIRST_SECRET = 0x2D358DCCAA6C78A5
SECOND_SECRET = 0x0BB8FE6A5C4D7C91
THIRD_SECRET = 0x4B33A62ED433D4A3
FOURTH_SECRET = 0x4D5A2DA51DE1AA47


def row_at(arena: int, node: int) -> int:
    """Return the address of the row of the state `node` in the arena at the address `arena`."""
    return arena + (node << 3)


def row_of(block: int, node: int) -> int:
    """Return the address of the row of the state `node` in the `block`."""
    return row_at(word(block, ARENA), node)


def row_ahead(block: int, node: int) -> int:
    """Return the address of the row of `node`, expanded next, before successors of one are stored in the `block`."""
    return row_of(block, node)


def go_ahead(_block: int) -> None:
    """Let the row that `row_ahead` has returned be that whose successors are stored."""


def bring_row(block: int, node: int) -> None:
    """Start to bring the row of the state `node` in the `block`."""
    prefetch(row_of(block, node))


def row_words(row: int) -> int:
    """Return how many words the row at the address `row` has."""
    return shifted_right(load(row), 16) & 0xFFFF


def is_state(row: int) -> bool:
    """Return whether `row` counts as a state: no process is in the middle of an atomic sequence."""
    return shifted_right(load(row), 32) & 255 == 0


def hash_row(row: int, words: int) -> int:
    """Return 64 well mixed bits that are equal for equal rows: `row` has `words` words.

    There are two chains of products, so that one need not wait for the other.
    """
    one = (load(row) & ~COLOUR) ^ FIRST_SECRET
    two = SECOND_SECRET
    place = row + 8
    left = words - 1
    while left >= 4:
        one = folded_product(load(place) ^ one, load(place + 8) ^ THIRD_SECRET)
        two = folded_product(load(place + 16) ^ two, load(place + 24) ^ FOURTH_SECRET)
        place += 32
        left -= 4
    if left >= 2:
        one = folded_product(load(place) ^ one, load(place + 8) ^ THIRD_SECRET)
        place += 16
        left -= 2
    if left > 0:
        two = folded_product(load(place) ^ two, THIRD_SECRET)
    return folded_product(one ^ THIRD_SECRET, two ^ FOURTH_SECRET)


def same_row(one: int, other: int, words: int) -> bool:
    """Return whether the rows `one` and `other`, the second of which has `words` words, are the same state."""
    different = unequal(one, other, ~COLOUR, words)
    place = 8
    while place < words:
        different |= unequal(one + (place << 3), other + (place << 3), -1, words - place)
        place += 8
    return different == 0


def write_row(block: int, row: int, words: int) -> int:
    """Copy `row`, of `words` words, to the end of the arena of the `block`, with zeros in its columns.

    Return its number; it does not count yet. Whole lines are copied: what lies behind the last row has no meaning.
    """
    number = word(block, END) + word(block, COLUMN_WORDS)
    target = row_of(block, number)
    for place in range(target - (word(block, COLUMN_WORDS) << 3), target, 8):
        store(place, 0)
    for offset in range(0, words << 3, 64):
        copy_line(target + offset, row + offset)
        prefetch_to_write(target + offset + AHEAD_BYTES)
    return number


def count_row(block: int, row: int, words: int, number: int) -> None:
    """Count `row`, of `words` words, just written under `number`, among those stored in the `block`."""
    put(block, END, number + words)
    put(block, ROWS, word(block, ROWS) + 1)
    put(block, QUOTA, word(block, QUOTA) - 1)
    if is_state(row):
        put(block, STATES, word(block, STATES) + 1)
