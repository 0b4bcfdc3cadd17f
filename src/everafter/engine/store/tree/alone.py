"""The store of one worker that keeps rows as trees: what takes the place of functions of the store that does not.

A state's row is rebuilt when its successors are asked for, in a place of its own; the numbers of its nodes stay beside
it. What the model writes is compared with it, so that only the nodes that differ are looked up.
"""

from __future__ import annotations

import sys
from typing import Final

from everafter.engine.block import (
    HEADER_SET,
    LEFT,
    LEFT_MASK,
    LEFT_PLACES,
    LINES,
    MEMORY,
    PARENT,
    PARENT_HEADER,
    PARENT_WORDS,
    RIGHT,
    RIGHT_PLACES,
    SCRATCH,
    SET_VALUES,
    SLOTS,
    SPARE,
    word_of,
)
from everafter.engine.code.intrinsics import load, prefetch, put, shifted_right, store, word
from everafter.engine.store import alone
from everafter.engine.store.alone import as_number, stopped
from everafter.engine.store.parts import Functions, extended, functions_of
from everafter.engine.store.rows import COLOUR, is_state, row_words
from everafter.engine.store.table import line_of
from everafter.engine.store.tree import halves, room, roots, sets, slots, steps
from everafter.engine.store.tree.halves import (
    change_leaves_of_long,
    different_words,
    leaves_of,
    number_above,
    number_of_half,
    rebuild_half,
    words_in_left,
)
from everafter.engine.store.tree.room import room_for_row
from everafter.engine.store.tree.roots import (
    COLOUR_COLUMN,
    as_colour,
    bring_candidate,
    find_or_put_root,
    hash_root,
    header_in,
    is_root,
    left_in,
    right_in,
    root_at,
    segment_of,
)
from everafter.engine.store.tree.sets import node_at, number_of
from everafter.engine.store.tree.steps import MOST_WORDS, bring_change, number_behind

PENDING = word_of("pending")
HALF_WORD = (1 << 32) - 1
BEHIND_HEADER = -2  # a bit for each word but the first
STATE_BIT = 256
ENTRY_SHIFT = 5  # for each row to be settled: its hash, its halves, its header, and with which colour it begins


def row_of(block: int, node: int) -> int:
    """The address of the row of a state, which is rebuilt there."""
    return rebuild(block, node)


def rebuild(block: int, node: int) -> int:
    """Write the row of a state to its place, and beside it the numbers of its nodes; its address."""
    segment = segment_of(block, node)
    root = root_at(block, segment, node)
    row = word(block, PARENT)
    header = header_in(root, segment)
    column = as_colour(word(block, COLOUR_COLUMN))
    store(row, load(node_at(word(block, HEADER_SET + SET_VALUES), header)) | column[node])
    words = row_words(row)
    lefts = words_in_left(block, words)
    rebuild_half(block, row, word(block, LEFT_PLACES), word(block, LEFT), left_in(root, segment), leaves_of(lefts))
    rights = leaves_of(words - 1 - lefts)
    rebuild_half(block, row, word(block, RIGHT_PLACES), word(block, RIGHT), right_in(root, segment), rights)
    put(block, PARENT_WORDS, words)
    put(block, PARENT_HEADER, header)
    return row


def bring_row(block: int, node: int) -> None:
    """Start to bring what the row of a state is rebuilt from."""
    prefetch(root_at(block, segment_of(block, node), node))


def header_number(block: int, row: int) -> int:
    """The number of the row's header, which is often that of the row it comes from."""
    header = load(row) & ~COLOUR
    if word(block, PARENT_WORDS) != 0 and header == load(word(block, PARENT)) & ~COLOUR:
        return word(block, PARENT_HEADER)
    return number_of(block, HEADER_SET, header, 0)


def number_long_half(block: int, row: int, words: int, places: int, heap: int, leaves: int) -> int:
    """The number of the tree of so many leaves of a row that is as long as its source, and long."""
    count = change_leaves_of_long(block, row, words, word(block, PARENT), places, heap, leaves)
    return number_above(block, heap, count, leaves)


def number_half(
    block: int, row: int, words: int, places: int, heap: int, leaves: int, own: int, different: int, line: int
) -> int:
    """The number of a half, of so many leaves, of a row that the model has written.

    Where the row is as long as its source, bits say which of the half's own words differ, and the line is where the
    change may be remembered.
    """
    if words != word(block, PARENT_WORDS):
        return number_of_half(block, row, words, places, word(block, SPARE), leaves)
    if words > MOST_WORDS:
        return number_long_half(block, row, words, places, heap, leaves)
    return number_behind(block, row, words, places, heap, leaves, own, different & own, line)


def bring_changes(block: int, row: int, entry: int, end: int) -> None:
    """Note, for each row that the model has written, in which words it differs from its source, and start to bring
    the lines in which what this makes of its halves may be remembered."""
    old = word(block, PARENT)
    old_words = word(block, PARENT_WORDS)
    mask = word(block, LEFT_MASK)
    while entry < end:
        words = row_words(row)
        if words == old_words and words <= MOST_WORDS:
            different = different_words(row, words, old)
            store(entry, different)
            store(entry + 8, bring_change(block, row, words, word(block, LEFT), different & mask))
            store(entry + 16, bring_change(block, row, words, word(block, RIGHT), different & ~mask))
        entry += 1 << ENTRY_SHIFT
        row += words << 3


def hash_all(block: int, row: int, first: int, count: int) -> int:
    """Number the parts of the rows that the model has written from `row` on, hash their roots, and start to bring
    their lines; where the rows end, or NO_ROOM. The first of them is the row `first` of those to be settled.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    mask = word(block, LEFT_MASK)
    others = ~mask & BEHIND_HEADER
    place = word(block, SCRATCH) + (first << ENTRY_SHIFT)
    bring_changes(block, row, place, place + (count << ENTRY_SHIFT))
    for entry in range(place, place + (count << ENTRY_SHIFT), 1 << ENTRY_SHIFT):
        words = row_words(row)
        if not room_for_row(block, words):
            return stopped(block, MEMORY)
        lefts = words_in_left(block, words)
        ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
        different, line, other = load(entry), load(entry + 8), load(entry + 16)
        left = number_half(block, row, words, word(block, LEFT_PLACES), word(block, LEFT), ones, mask, different, line)
        right = number_half(
            block, row, words, word(block, RIGHT_PLACES), word(block, RIGHT), twos, others, different, other
        )
        header = header_number(block, row)
        mixed = hash_root(left, right, header)
        store(entry, mixed)
        store(entry + 8, (left << 32) | right)
        store(entry + 16, header)
        store(entry + 24, (load(row) & COLOUR) | (STATE_BIT if is_state(row) else 0))
        prefetch(line_of(slots, lines, mixed))
        row += words << 3
    return row


def bring_candidates(block: int, count: int) -> None:
    """Start to bring the roots that those of the rows written by the model will be compared with, and note them."""
    place = word(block, SCRATCH)
    for entry in range(place, place + (count << ENTRY_SHIFT), 1 << ENTRY_SHIFT):
        candidate = bring_candidate(block, load(entry))
        store(entry + 16, load(entry + 16) | (candidate << 32))


def number_all(block: int, count: int, begin: int) -> None:
    """Write the number of each row that the model has written into `pending` from `begin` on."""
    pending = as_number(word(block, PENDING))
    entry = word(block, SCRATCH)
    for index in range(begin, begin + count):
        left, right = shifted_right(load(entry + 8), 32), load(entry + 8) & HALF_WORD
        candidate, header = shifted_right(load(entry + 16), 32), load(entry + 16) & HALF_WORD
        if candidate != 0 and is_root(block, candidate, left, right, header):  # as most are
            pending[index] = candidate
        else:
            start = load(entry + 24)
            pending[index] = find_or_put_root(
                block, left, right, header, load(entry), start & COLOUR, shifted_right(start, 8)
            )
        entry += 1 << ENTRY_SHIFT


REPLACING: Final[Functions] = {
    "bring_candidates": bring_candidates,
    "bring_row": bring_row,
    "hash_all": hash_all,
    "make_room": room.make_room,
    "number_all": number_all,
    "row_of": row_of,
}
FUNCTIONS: Final = extended(
    alone.FUNCTIONS, REPLACING, functions_of(slots, sets, halves, steps, roots, room, sys.modules[__name__])
)
"""The store of one worker that keeps rows as trees."""
