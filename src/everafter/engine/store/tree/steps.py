"""Halves that are known from before: what a change makes of a half is remembered, in lines that are overwritten.

Many states have the same half, and the same steps change it in the same way. A line says of one change: the number of
the half before it and behind it, which leaves differ, and what they are then. All of it is compared, so that what is
remembered is what would be found; what is forgotten is looked up again.

    word 0    the number before, 32 bits, and the number behind, 32 bits
    word 1    how many leaves the half has, 32 bits, and a bit for each that differs
    word 2 …  the words of up to three leaves that differ
"""

from __future__ import annotations

from everafter.engine.block import PARENT, REMEMBERED, REMEMBERED_LINES
from everafter.engine.code.intrinsics import (
    folded_product,
    half,
    high_product,
    load,
    lowest,
    prefetch,
    shifted_right,
    store,
    word,
)
from everafter.engine.store.rows import FIRST_SECRET, SECOND_SECRET, THIRD_SECRET
from everafter.engine.store.tree.halves import (
    different_turns,
    entry_at,
    leaf_at,
    middle_of,
    number_of_changed_half,
    second_word,
)

MOST_WORDS = 129
"""A longer row has more leaves than there are bits for."""
MOST_CHANGED = 3
HALF_WORD = (1 << 32) - 1


def all_different_turns(row: int, words: int, old: int) -> int:
    """A bit for each turn whose leaf is not as in the old row of as many words, which are not too many."""
    turns = 0
    for group in range((words + 14) >> 4):
        turns |= different_turns(row, words, old, group) << (group << 3)
    return turns


def line_of_change(block: int, row: int, words: int, first: int, before: int, what: int) -> int:
    """The line in which this change of a half, whose turns begin with the first, may be remembered; 0 if in none."""
    end = row + (words << 3)
    middle = middle_of(words)
    mixed = folded_product(before ^ FIRST_SECRET, what ^ SECOND_SECRET)
    turns = what & HALF_WORD
    for _ in range(MOST_CHANGED):
        if turns != 0:
            place = leaf_at(row, middle, first + lowest(turns))
            mixed = folded_product(load(place) ^ mixed, second_word(place, end) ^ THIRD_SECRET)
            turns &= turns - 1
    if turns != 0:
        return 0
    return word(block, REMEMBERED) + (high_product(mixed, REMEMBERED_LINES) << 6)


def is_remembered(line: int, row: int, words: int, first: int, before: int, what: int) -> bool:
    """Whether the line is about this change."""
    if shifted_right(load(line), 32) != before or load(line + 8) != what:
        return False
    end = row + (words << 3)
    middle = middle_of(words)
    turns = what & HALF_WORD
    different = 0
    while turns != 0:
        line += 16
        place = leaf_at(row, middle, first + lowest(turns))
        different |= (load(place) ^ load(line)) | (second_word(place, end) ^ load(line + 8))
        turns &= turns - 1
    return different == 0


def remember(line: int, row: int, words: int, first: int, before: int, what: int, behind: int) -> None:
    """Let the line be about this change."""
    end = row + (words << 3)
    middle = middle_of(words)
    store(line, (before << 32) | behind)
    store(line + 8, what)
    turns = what & HALF_WORD
    while turns != 0:
        line += 16
        place = leaf_at(row, middle, first + lowest(turns))
        store(line, load(place))
        store(line + 8, second_word(place, end))
        turns &= turns - 1


def bring_change(block: int, row: int, words: int, heap: int, first: int, leaves: int, turns: int) -> int:
    """Start to bring the line in which a change of a half may be remembered; its address, 0 without one."""
    if turns == 0:
        return 0
    line = line_of_change(block, row, words, first, half(entry_at(heap, 0)), (leaves << 32) | turns)
    prefetch(line)
    return line


def number_behind(block: int, row: int, words: int, heap: int, first: int, leaves: int, turns: int, line: int) -> int:
    """The number of a half, of so many leaves from a turn on, by that of the old row, and by the turns that differ."""
    before = half(entry_at(heap, 0))
    if turns == 0:
        return before
    if line == 0:
        return number_of_changed_half(block, row, words, word(block, PARENT), heap, first, leaves)
    what = (leaves << 32) | turns
    if is_remembered(line, row, words, first, before, what):
        return load(line) & HALF_WORD
    behind = number_of_changed_half(block, row, words, word(block, PARENT), heap, first, leaves)
    remember(line, row, words, first, before, what, behind)
    return behind
