"""The store of one worker that keeps rows as trees: what takes the place of functions of the store that does not.

A state's row is rebuilt when it is expanded, in a place of its own; the numbers of its nodes stay beside it. What the
model writes is compared with it, so that only the nodes that differ are looked up.
"""

from __future__ import annotations

import sys
from typing import Final

from everafter.engine.block import (
    AHEAD,
    HEADER_SET,
    LEFT,
    LEFT_MASK,
    LEFT_PLACES,
    LEFT_SET,
    LEFT_SHAPE,
    LINES,
    PARENT,
    PARENT_HEADER,
    PARENT_WORDS,
    RIGHT,
    RIGHT_PLACES,
    RIGHT_SET,
    RIGHT_SHAPE,
    SCRATCH,
    SET_VALUES,
    SLOTS,
    SPARE,
    word_of,
)
from everafter.engine.code.intrinsics import half, load, prefetch, put, shifted_right, store, word
from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import single_store as alone
from everafter.engine.store.arena_rows import COLOUR, is_state, row_words
from everafter.engine.store.single_store import NO_ROOM, as_number, reason_of_lack, stopped
from everafter.engine.store.table import line_of
from everafter.engine.store.tree import half_memo as steps
from everafter.engine.store.tree import halves, roots, sets, slots, whole
from everafter.engine.store.tree import tree_room as room
from everafter.engine.store.tree.half_memo import MOST_WORDS, bring_change, number_behind
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
from everafter.engine.store.tree.roots import (
    COLOUR_COLUMN,
    FREE_SHIFT,
    STATE_SHIFT,
    as_colour,
    bring_candidate,
    bring_root,
    hash_root,
    header_in,
    is_root,
    left_in,
    put_root,
    right_in,
    root_at,
    segment_of,
)
from everafter.engine.store.tree.sets import node_at, number_of
from everafter.engine.store.tree.tree_room import room_for_halves, room_for_row
from everafter.engine.store.tree.whole import (
    bring_listed,
    bring_shaped,
    candidate_whole,
    is_whole,
    number_of_listed,
    number_of_shaped,
    rebuild_whole,
    whole_words,
)

PENDING = word_of("pending")
HALF_WORD = (1 << 32) - 1
EVERY_WORD = -1  # a bit for each word
BEHIND_HEADER = -2  # … but the first
ENTRY_SHIFT = 5  # for each row to be settled: its hash, its halves, its header, and with which colour it begins


def row_of(block: int, node: int) -> int:
    """Return the address of the row of the state `node` in the `block`, which is rebuilt there."""
    return rebuild(block, node)


def rebuild(block: int, node: int) -> int:
    """Write the row of `node` to its place in the `block`, and the numbers of its nodes beside it.

    Return the row's address.
    """
    return rebuild_at(block, node, 0)


def row_ahead(block: int, node: int) -> int:
    """Return the address of the row of `node`, which is expanded next, where the `block` has it rebuilt ahead.

    What is written is read only when the successors of the state before are stored, so no load waits for it.
    """
    return rebuild_at(block, node, AHEAD)


def go_ahead(block: int) -> None:
    """Let the row rebuilt ahead in the `block` be that whose successors are stored."""
    exchange(block, PARENT)
    exchange(block, LEFT)
    exchange(block, RIGHT)
    exchange(block, PARENT_WORDS)
    exchange(block, PARENT_HEADER)


def exchange(block: int, index: int) -> None:
    """Exchange two words of the `block`: that at `index`, of the row that is expanded, and that of the row ahead."""
    before = word(block, index)
    put(block, index, word(block, index + AHEAD))
    put(block, index + AHEAD, before)


def rebuild_at(block: int, node: int, ahead: int) -> int:
    """Write the row of `node` to the place that the words of the `block` at the distance `ahead` say.

    Return its address.
    """
    segment = segment_of(block, node)
    root = root_at(block, segment, node)
    row = word(block, PARENT + ahead)
    header = header_in(root, segment)
    column = as_colour(word(block, COLOUR_COLUMN))
    store(row, load(node_at(word(block, HEADER_SET + SET_VALUES), header)) | column[node])
    words = row_words(row)
    lefts = words_in_left(block, words)
    ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
    places, heap = word(block, LEFT_PLACES), word(block, LEFT + ahead)
    rebuild_side(block, LEFT_SET, row, places, heap, left_in(root, segment), ones)
    places, heap = word(block, RIGHT_PLACES), word(block, RIGHT + ahead)
    rebuild_side(block, RIGHT_SET, row, places, heap, right_in(root, segment), twos)
    put(block, PARENT_WORDS + ahead, words)
    put(block, PARENT_HEADER + ahead, header)
    return row


def rebuild_side(block: int, which: int, row: int, places: int, heap: int, number: int, leaves: int) -> None:
    """Write the half `number` of the side `which`, of `leaves` leaves, into `row`, at the `places` of its words.

    The numbers of its nodes go to `heap`. The `block` says whether the half is kept whole.
    """
    if is_whole(block, which, leaves):
        rebuild_whole(block, which, row, places, heap, number)
    else:
        rebuild_half(block, row, places, heap, number, leaves)


def bring_row(block: int, node: int) -> None:
    """Start to bring what the row of `node` is rebuilt from in the `block`."""
    bring_root(block, node)


def header_number(block: int, row: int) -> int:
    """Return the number of the header of `row` in the `block`, which is often that of the row it comes from."""
    header = load(row) & ~COLOUR
    if word(block, PARENT_WORDS) != 0 and header == load(word(block, PARENT)) & ~COLOUR:
        return word(block, PARENT_HEADER)
    return number_of(block, HEADER_SET, header, 0)


def number_long_half(block: int, row: int, words: int, places: int, heap: int, leaves: int) -> int:
    """Return the number of the tree of `leaves` leaves of `row`, which has the `words` of its source, and is long.

    The words of the half are listed at `places`; `heap` has the numbers of the source's nodes in the `block`.
    """
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
    """Return the number of the half `which`, of `leaves` leaves, of `row`, that the model of the `block` has written.

    The row has `words` words; those of the half are listed at `places`, and its source's nodes are at `heap`. Bits say
    which of its `own` words are `different` from the source, all where that has another length. What `bring_half` has
    returned is `noted`.
    """
    if different == 0:
        return half(entry_at(heap, 0))
    if is_whole(block, which, leaves):
        return number_of_listed(block, which, row, places, words << 3, noted)
    if words != word(block, PARENT_WORDS):
        return number_of_half(block, row, words, places, word(block, SPARE), leaves)
    if words > MOST_WORDS:
        return number_long_half(block, row, words, places, heap, leaves)
    return number_behind(block, row, words, places, heap, leaves, own, different, noted)


def among(different: int, own: int) -> int:
    """Return which of a half's `own` words differ, where those in `different` do.

    All do if all of the row do, as in a row of another length.
    """
    return different if different == EVERY_WORD else different & own


def bring_half(
    block: int, which: int, row: int, words: int, places: int, heap: int, leaves: int, different: int
) -> int:
    """Start to bring what the number of the half `which`, of `leaves` leaves, of `row` is found by in the `block`.

    Where it is kept whole, that is the line it is looked up in; else that in which the change that the `different`
    words make may be remembered. The row has `words` words, those of the half at `places`; `heap` has the source's
    nodes. Return the hash, or the line, 0 without one.
    """
    if different == 0:
        return 0
    if is_whole(block, which, leaves):
        return bring_listed(block, which, row, places, words << 3)
    if words != word(block, PARENT_WORDS) or words > MOST_WORDS:
        return 0
    return bring_change(block, row, words, heap, different)


def note_halves(block: int, row: int, words: int, entry: int) -> None:
    """Note at `entry` which of the `words` of `row` differ from its source, and start to bring its halves.

    What is brought is what the `block` finds their numbers by.
    """
    mask = word(block, LEFT_MASK)
    lefts = words_in_left(block, words)
    ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
    different = EVERY_WORD
    if words == word(block, PARENT_WORDS) and words <= MOST_WORDS:
        different = different_words(row, words, word(block, PARENT))
    places, heap, own = word(block, LEFT_PLACES), word(block, LEFT), among(different, mask)
    store(entry, different)
    store(entry + 8, bring_half(block, LEFT_SET, row, words, places, heap, ones, own))
    places, heap, own = word(block, RIGHT_PLACES), word(block, RIGHT), among(different, ~mask)
    store(entry + 16, bring_half(block, RIGHT_SET, row, words, places, heap, twos, own))


def bring_halves(block: int, row: int, entry: int, end: int) -> None:
    """Note, from `entry` to `end`, in which words each row written by the model differs from its source.

    Of these the first is `row`. Start to bring what the `block` finds the numbers of their halves by.
    """
    old = word(block, PARENT)
    mask = word(block, LEFT_MASK)
    usual = whole_words(block)
    while entry < end:
        words = row_words(row)
        if words == usual:
            different = different_words(row, words, old)
            store(entry, different)
            if different & mask != 0:
                store(entry + 8, bring_shaped(block, LEFT_SET, row, LEFT_SHAPE))
            if different & ~mask != 0:
                store(entry + 16, bring_shaped(block, RIGHT_SET, row, RIGHT_SHAPE))
        else:
            note_halves(block, row, words, entry)
        entry += 1 << ENTRY_SHIFT
        row += words << 3


def bring_values(block: int, row: int, entry: int, end: int) -> None:
    """Start to bring the halves, kept whole, that those of the rows from `row` on will be compared with.

    Note them in the entries of the `block` from `entry` to `end`.
    """
    mask = word(block, LEFT_MASK)
    usual = whole_words(block)
    while entry < end:
        words = row_words(row)
        if words == usual:
            different = load(entry)
            if different & mask != 0:
                store(entry + 8, candidate_whole(block, LEFT_SET, load(entry + 8)))
            if different & ~mask != 0:
                store(entry + 16, candidate_whole(block, RIGHT_SET, load(entry + 16)))
        entry += 1 << ENTRY_SHIFT
        row += words << 3


def number_halves(block: int, row: int, words: int, entry: int) -> int:
    """Return the numbers of both halves of `row`, of `words` words, whatever these are, 32 bits for each.

    What was noted of the row is at `entry`. NO_ROOM if there is no room in the `block`.
    """
    if not room_for_row(block, words):
        return NO_ROOM
    mask = word(block, LEFT_MASK)
    others = ~mask & BEHIND_HEADER
    lefts = words_in_left(block, words)
    ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
    places, heap, different = word(block, LEFT_PLACES), word(block, LEFT), among(load(entry), mask)
    left = number_half(block, LEFT_SET, row, words, places, heap, ones, mask, different, load(entry + 8))
    places, heap, different = word(block, RIGHT_PLACES), word(block, RIGHT), among(load(entry), others)
    right = number_half(block, RIGHT_SET, row, words, places, heap, twos, others, different, load(entry + 16))
    return (left << 32) | right


def number_whole_halves(block: int, row: int, entry: int) -> int:
    """Return the numbers of both halves, kept whole, of `row`, which is as long as its source in the `block`.

    They have 32 bits each. What was noted of the row is at `entry`.
    """
    mask = word(block, LEFT_MASK)
    different = load(entry)
    left, right = half(entry_at(word(block, LEFT), 0)), half(entry_at(word(block, RIGHT), 0))
    if different & mask != 0:
        left = number_of_shaped(block, LEFT_SET, row, LEFT_SHAPE, load(entry + 8))
    if different & ~mask != 0:
        right = number_of_shaped(block, RIGHT_SET, row, RIGHT_SHAPE, load(entry + 16))
    return (left << 32) | right


def hash_all(block: int, row: int, first: int, count: int) -> int:
    """Number the parts of the `count` rows that the model has written from `row` on, and hash their roots.

    Start to bring the lines of these. The first is the row `first` of those to be settled in this `block`. Return where
    the rows end, or NO_ROOM.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    place = word(block, SCRATCH) + (first << ENTRY_SHIFT)
    if not room_for_halves(block, count):
        return stopped(block, reason_of_lack(block))
    bring_halves(block, row, place, place + (count << ENTRY_SHIFT))
    bring_values(block, row, place, place + (count << ENTRY_SHIFT))
    usual = whole_words(block)
    for entry in range(place, place + (count << ENTRY_SHIFT), 1 << ENTRY_SHIFT):
        words = row_words(row)
        is_usual = words == usual
        halves = number_whole_halves(block, row, entry) if is_usual else number_halves(block, row, words, entry)
        if halves < 0:
            return stopped(block, reason_of_lack(block))
        header = header_number(block, row)
        mixed = hash_root(shifted_right(halves, 32), halves & HALF_WORD, header)
        store(entry, mixed)
        store(entry + 8, halves)
        store(entry + 16, header)
        store(entry + 24, (load(row) & COLOUR) | (is_state(row) << STATE_SHIFT))
        prefetch(line_of(slots, lines, mixed))
        row += words << 3
    return row


def bring_candidates(block: int, count: int) -> None:
    """Start to bring the roots that `count` rows, written by the model of the `block`, are compared with; note them."""
    place = word(block, SCRATCH)
    for entry in range(place, place + (count << ENTRY_SHIFT), 1 << ENTRY_SHIFT):
        candidate = bring_candidate(block, load(entry))
        store(entry + 16, load(entry + 16) | (candidate << 32))
        store(entry + 24, load(entry + 24) | (shifted_right(candidate, 32) << FREE_SHIFT))


def number_all(block: int, count: int, begin: int) -> bool:
    """Write the number of each of `count` rows the model has written into `pending` of the `block` from `begin` on.

    Return that all have one.
    """
    pending = as_number(word(block, PENDING))
    entry = word(block, SCRATCH)
    for index in range(begin, begin + count):
        left, right = shifted_right(load(entry + 8), 32), load(entry + 8) & HALF_WORD
        candidate, header = shifted_right(load(entry + 16), 32), load(entry + 16) & HALF_WORD
        if candidate != 0 and is_root(block, candidate, left, right, header):  # as most are
            pending[index] = candidate
        else:
            pending[index] = put_root(block, left, right, header, load(entry), load(entry + 24))
        entry += 1 << ENTRY_SHIFT
    return True


REPLACING: Final[Functions] = {
    "bring_candidates": bring_candidates,
    "bring_row": bring_row,
    "go_ahead": go_ahead,
    "hash_all": hash_all,
    "number_all": number_all,
    "row_ahead": row_ahead,
    "room_for_states": room.room_for_states,
    "row_of": row_of,
}
FUNCTIONS: Final = extended(
    alone.FUNCTIONS, REPLACING, functions_of(slots, sets, halves, steps, whole, roots, room, sys.modules[__name__])
)
"""The store of one worker that keeps rows as trees."""
