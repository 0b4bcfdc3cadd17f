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
    LEFT_SET,
    LINES,
    MEMORY,
    PARENT,
    PARENT_HEADER,
    PARENT_WORDS,
    RIGHT,
    RIGHT_PLACES,
    RIGHT_SET,
    SCRATCH,
    SET_VALUES,
    SLOTS,
    SPARE,
    word_of,
)
from everafter.engine.code.intrinsics import half, load, prefetch, put, shifted_right, store, word
from everafter.engine.store import alone
from everafter.engine.store.alone import as_number, stopped
from everafter.engine.store.parts import Functions, extended, functions_of
from everafter.engine.store.rows import COLOUR, is_state, row_words
from everafter.engine.store.table import line_of
from everafter.engine.store.tree import halves, room, roots, sets, slots, steps, whole
from everafter.engine.store.tree.halves import (
    change_leaves_of_long,
    different_words,
    entry_at,
    leaves_of,
    number_above,
    number_of_half,
    rebuild_half,
    words_in_left,
)
from everafter.engine.store.tree.room import room_for_halves, room_for_row
from everafter.engine.store.tree.roots import (
    COLOUR_COLUMN,
    as_colour,
    bring_candidate,
    bring_root,
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
from everafter.engine.store.tree.whole import bring_whole, is_whole, number_of_whole, rebuild_whole

PENDING = word_of("pending")
HALF_WORD = (1 << 32) - 1
EVERY_WORD = -1  # a bit for each word
BEHIND_HEADER = -2  # … but the first
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
    ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
    rebuild_side(block, LEFT_SET, row, word(block, LEFT_PLACES), word(block, LEFT), left_in(root, segment), ones)
    rebuild_side(block, RIGHT_SET, row, word(block, RIGHT_PLACES), word(block, RIGHT), right_in(root, segment), twos)
    put(block, PARENT_WORDS, words)
    put(block, PARENT_HEADER, header)
    return row


def rebuild_side(block: int, which: int, row: int, places: int, heap: int, number: int, leaves: int) -> None:
    """Write the half of this side and number into the row, and the numbers of its nodes."""
    if is_whole(block, which, leaves):
        rebuild_whole(block, which, row, places, heap, number)
    else:
        rebuild_half(block, row, places, heap, number, leaves)


def bring_row(block: int, node: int) -> None:
    """Start to bring what the row of a state is rebuilt from."""
    bring_root(block, node)


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
    block: int,
    which: int,
    row: int,
    words: int,
    places: int,
    heap: int,
    leaves: int,
    own: int,
    different: int,
    noted: int,
) -> int:
    """The number of a half, of so many leaves, of a row that the model has written.

    Bits say which of its own words differ from the source, all where that has another length. What `bring_half` has
    returned is noted.
    """
    if different == 0:
        return half(entry_at(heap, 0))
    if is_whole(block, which, leaves):
        return number_of_whole(block, which, row, places, words << 3, noted)
    if words != word(block, PARENT_WORDS):
        return number_of_half(block, row, words, places, word(block, SPARE), leaves)
    if words > MOST_WORDS:
        return number_long_half(block, row, words, places, heap, leaves)
    return number_behind(block, row, words, places, heap, leaves, own, different, noted)


def among(different: int, own: int) -> int:
    """Which of a half's own words differ, where these do: all if all do, as in a row of another length."""
    return different if different == EVERY_WORD else different & own


def bring_half(
    block: int, which: int, row: int, words: int, places: int, heap: int, leaves: int, different: int
) -> int:
    """Start to bring what the number of a half of a row is found by: where it is kept whole, the line it is looked up
    in; else that in which the change that these words make may be remembered. The hash, or the line, 0 without one.
    """
    if different == 0:
        return 0
    if is_whole(block, which, leaves):
        return bring_whole(block, which, row, places, words << 3)
    if words != word(block, PARENT_WORDS) or words > MOST_WORDS:
        return 0
    return bring_change(block, row, words, heap, different)


def bring_halves(block: int, row: int, entry: int, end: int) -> None:
    """Note, for each row that the model has written, in which words it differs from its source, and start to bring
    what the numbers of its halves are found by."""
    old = word(block, PARENT)
    old_words = word(block, PARENT_WORDS)
    mask = word(block, LEFT_MASK)
    places, others = word(block, LEFT_PLACES), word(block, RIGHT_PLACES)
    left, right = word(block, LEFT), word(block, RIGHT)
    while entry < end:
        words = row_words(row)
        lefts = words_in_left(block, words)
        ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
        different = EVERY_WORD
        if words == old_words and words <= MOST_WORDS:
            different = different_words(row, words, old)
        store(entry, different)
        store(entry + 8, bring_half(block, LEFT_SET, row, words, places, left, ones, among(different, mask)))
        store(entry + 16, bring_half(block, RIGHT_SET, row, words, others, right, twos, among(different, ~mask)))
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
    if not room_for_halves(block, count):
        return stopped(block, MEMORY)
    bring_halves(block, row, place, place + (count << ENTRY_SHIFT))
    for entry in range(place, place + (count << ENTRY_SHIFT), 1 << ENTRY_SHIFT):
        words = row_words(row)
        if not room_for_row(block, words):
            return stopped(block, MEMORY)
        lefts = words_in_left(block, words)
        ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
        places, heap, different = word(block, LEFT_PLACES), word(block, LEFT), among(load(entry), mask)
        left = number_half(block, LEFT_SET, row, words, places, heap, ones, mask, different, load(entry + 8))
        places, heap, different = word(block, RIGHT_PLACES), word(block, RIGHT), among(load(entry), others)
        right = number_half(block, RIGHT_SET, row, words, places, heap, twos, others, different, load(entry + 16))
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
    alone.FUNCTIONS, REPLACING, functions_of(slots, sets, halves, steps, whole, roots, room, sys.modules[__name__])
)
"""The store of one worker that keeps rows as trees."""
