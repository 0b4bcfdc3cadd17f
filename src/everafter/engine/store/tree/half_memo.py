"""Halves that are known from before: what a change makes of a half is remembered, in lines that are overwritten.

Many states have the same half, and the same steps change it in the same way. A line says of one change: the number of
the half before it and behind it, which words differ, and what they are then. All of it is compared, so that what is
remembered is what would be found; what is forgotten is looked up again.

    word 0    the number before, 32 bits, and the number behind, 32 bits
    word 1    how many words the row has, 16 bits, and a bit for each that differs
    word 2 …  up to six words that differ
"""

from __future__ import annotations

from everafter.engine.block import REMEMBERED, REMEMBERED_LINES
from everafter.engine.code.intrinsics import (
    folded_product,
    half,
    high_product,
    load,
    lowest,
    ones,
    prefetch,
    shifted_right,
    store,
    word,
)
from everafter.engine.store.arena_rows import FIRST_SECRET, SECOND_SECRET, THIRD_SECRET
from everafter.engine.store.tree.halves import change_leaves, entry_at, number_above

MOST_WORDS = 48
"""A longer row has more words than there are bits for."""
MOST_CHANGED = 6
DIFFERENT = (1 << MOST_WORDS) - 1
HALF_WORD = (1 << 32) - 1


def line_of_change(block: int, row: int, before: int, what: int) -> int:
    """Return the line of the `block` in which this change of a half may be remembered; 0 if in none.

    `before` is the number of the half, `what` says which words of `row` differ, and how long it is.
    """
    different = what & DIFFERENT
    if ones(different) > MOST_CHANGED:
        return 0
    mixed = folded_product(before ^ FIRST_SECRET, what ^ SECOND_SECRET)
    while different != 0:
        mixed = folded_product(load(row + (lowest(different) << 3)) ^ mixed, THIRD_SECRET)
        different &= different - 1
    return word(block, REMEMBERED) + (high_product(mixed, word(block, REMEMBERED_LINES)) << 6)


def is_remembered(line: int, row: int, before: int, what: int) -> bool:
    """Return whether `line` is about the change of the half `before` by the words of `row` that `what` says."""
    if shifted_right(load(line), 32) != before or load(line + 8) != what:
        return False
    different = what & DIFFERENT
    wrong = 0
    while different != 0:
        wrong |= load(row + (lowest(different) << 3)) ^ load(line + 16)
        line += 8
        different &= different - 1
    return wrong == 0


def remember(line: int, row: int, before: int, what: int, behind: int) -> None:
    """Let `line` say that the half `before` becomes the half `behind` by the words of `row` that `what` says."""
    store(line, (before << 32) | behind)
    store(line + 8, what)
    different = what & DIFFERENT
    while different != 0:
        store(line + 16, load(row + (lowest(different) << 3)))
        line += 8
        different &= different - 1


def bring_change(block: int, row: int, words: int, heap: int, different: int) -> int:
    """Start to bring the line of the `block` in which a change of the half at `heap` may be remembered.

    The change is by the `different` words of `row`, which has `words`. Return the line's address, 0 without one.
    """
    line = line_of_change(block, row, half(entry_at(heap, 0)), (words << MOST_WORDS) | different)
    prefetch(line)
    return line


def number_behind(
    block: int, row: int, words: int, places: int, heap: int, leaves: int, own: int, different: int, line: int
) -> int:
    """Return the number of a half of `leaves` leaves by that of the old row, at `heap`, and by the words that differ.

    Of its `own` words, listed at `places`, these are `different`; `row` has `words` in all. The change may be
    remembered in `line`; else it is looked up in the `block`.
    """
    before = half(entry_at(heap, 0))
    what = (words << MOST_WORDS) | different
    if line != 0 and is_remembered(line, row, before, what):
        return load(line) & HALF_WORD
    behind = number_of_changed(block, row, words, places, heap, leaves, own, different)
    if line != 0:
        remember(line, row, before, what, behind)
    return behind


def number_of_changed(
    block: int, row: int, words: int, places: int, heap: int, leaves: int, own: int, different: int
) -> int:
    """Return the number of a half of `leaves` leaves in which some words of `row` differ from the old row.

    Of its `own` words, listed at `places`, these are `different`; the row has `words` in all. The old row's nodes, in
    the set of the `block`, are at `heap`, and left as they were.
    """
    return number_above(block, heap, change_leaves(block, row, words, places, heap, leaves, own, different), leaves)
