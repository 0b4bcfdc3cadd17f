"""Hash tables of short slots: what the sets of nodes and the roots are found through.

Lines of one cache line each are filled from the left. What finds its line full goes to another, chosen by other bits of
its hash, and from there on to the lines behind: so full lines are not side by side, and few are looked at.

A slot is a number and a tag: bits of the hash. Up to 25 bits of number there are 16 slots of 32 bits in a line, with
the tag above the number, and zero is an empty slot. From then on tags would be too short, and too many nodes or roots
looked at in vain: a line then has 12 numbers of 32 bits, 12 tags of 8 bits behind them, of which zero is an empty slot,
and 4 bytes that stay empty.

A slot is entered by one compare-and-swap on the word of two slots that it is in. Slots are never emptied, so two
workers with the same node aim at the same slot, and the second finds what the first has entered. Where tags have a
place of their own, the tag is written behind the number: until then it is 0, which is no tag, and a worker that looks
there compares with the node.
"""

from __future__ import annotations

from everafter.engine.code.atomics import (
    add,
    hinted_slots,
    hinted_tags,
    shared,
    surveyed_apart,
    surveyed_slots,
    swap_if,
)
from everafter.engine.code.intrinsics import highest, lowest, shifted_right
from everafter.engine.store.arena_rows import SECOND_SECRET
from everafter.engine.store.table import line_of, next_line

HALF_WORD = (1 << 32) - 1
MOST_BITS = 31  # of a slot: a shift by 32 has no meaning. Where numbers have as many, lines have 12 slots
MOST_NUMBERS = (1 << MOST_BITS) - 1
TAGGED_BITS = 25  # of a number, above which there are tags of 7 bits and more
TAGS = 48  # bytes in a line before its tags, where these are apart
TAG_SLOTS = (1 << 12) - 1
EVERY_SLOT = (1 << 16) - 1  # a bit for each slot of a line
LAST_SLOT = 1 << 15
MOST_FILLED = 14
"""How many of 16 slots are filled in the mean before a table grows: with 15, the last to come look at many lines."""
MOST_TAGGED = 11  # … of 12 slots, where tags are apart
EVEN_LINES = 1 << 16
"""A smaller table doubles; a larger one grows by three eighths, so that less of it is empty."""


def bits_for(number: int) -> int:
    """Return how many bits `number` needs, at least one."""
    return highest(number | 1) + 1


def bits_with(lines: int, more: int) -> int:
    """Return how many bits a table of `lines` lines has for numbers, which may be `more` higher than there are."""
    bits = bits_for(lines * MOST_FILLED + more)
    return bits if bits <= TAGGED_BITS else MOST_BITS


def numbers_in(lines: int, bits: int) -> int:
    """Return how many numbers, of `bits` bits, a table of `lines` lines takes before it grows."""
    return lines * (MOST_FILLED if bits < MOST_BITS else MOST_TAGGED)


def more_lines(lines: int, needed: int) -> int:
    """Return how many lines a table larger than one of `lines` has, if it must have room for `needed` numbers."""
    larger = lines << 1 if lines < EVEN_LINES else lines + (lines >> 2) + (lines >> 3)
    return max(larger, needed // MOST_FILLED + 1)


def second_line(slots: int, lines: int, mixed: int) -> int:
    """Return the address of the line to look at where the first for `mixed` is full; the lines behind it follow.

    It is one of the `lines` from `slots` on.
    """
    return line_of(slots, lines, mixed * SECOND_SECRET)


def tag_of(mixed: int, bits: int) -> int:
    """Return the tag of the hash `mixed`, beside numbers of `bits` bits."""
    return shifted_right(mixed & HALF_WORD, bits) if bits < MOST_BITS else max(mixed & 255, 1)


def surveyed_line(line: int, tag: int, bits: int) -> int:
    """Return a bit for each slot of `line` that may have the `tag`, and 16 bits above for each that is empty.

    Numbers have `bits` bits.
    """
    return surveyed_slots(line, tag, bits) if bits < MOST_BITS else surveyed_apart(line, tag)


def slot_word(line: int, index: int) -> int:
    """Return the address of the word that the slot `index` of `line` is in."""
    return line + (shifted_right(index, 1) << 3)


def slot_in(pair: int, index: int) -> int:
    """Return the slot `index` of a line, of the word of two slots, `pair`, that it is in."""
    return shifted_right(pair, (index & 1) << 5) & HALF_WORD


def slot_at(line: int, index: int) -> int:
    """Return what is in the slot `index` of `line` besides a tag apart: 0 where it is empty."""
    return slot_in(shared(slot_word(line, index)), index)


def number_at(line: int, index: int, bits: int) -> int:
    """Return the number, of `bits` bits, in the slot `index` of `line`; what it is the number of can be read."""
    return number_in(slot_at(line, index), bits)


def hinted_number(line: int, tag: int, bits: int) -> int:
    """Return the number, of `bits` bits, in a slot of `line` that may have the `tag`, or 0. Others may be there, too.

    Which slot to look at is a hint, and may be any; what is in it is read as it must be.
    """
    matches = hinted_slots(line, tag, bits) if bits < MOST_BITS else hinted_tags(line + TAGS, tag) & TAG_SLOTS
    return number_at(line, lowest(matches), bits) if matches != 0 else 0


def fill_empty(line: int, index: int, tag: int, number: int, bits: int) -> bool:
    """Enter `number`, of `bits` bits, and its `tag` into the slot `index` of `line`, if that is still empty.

    Return whether it is entered, and no other worker has come first.
    """
    place = slot_word(line, index)
    pair = shared(place)
    if slot_in(pair, index) != 0:
        return False
    slot = (tag << bits) | number if bits < MOST_BITS else number
    if swap_if(place, pair, pair | (slot << ((index & 1) << 5))) != pair:
        return False
    if bits == MOST_BITS:
        add(line + TAGS + (index & 8), tag << ((index & 7) << 3))
    return True


def number_in(slot: int, bits: int) -> int:
    """Return the number, of `bits` bits, in the slot with the content `slot`."""
    return slot & ((1 << bits) - 1)


def enter(slots: int, lines: int, bits: int, mixed: int, number: int) -> None:
    """Enter `number`, with the hash `mixed`, which is not in the table, into it.

    The table has `lines` lines from `slots` on, and numbers of `bits` bits.
    """
    line = line_of(slots, lines, mixed)
    following = second_line(slots, lines, mixed)
    tag = tag_of(mixed, bits)
    while True:
        free = shifted_right(surveyed_line(line, tag, bits), 16)
        if free == 0:
            line = following
            following = next_line(slots, lines, line)
        elif fill_empty(line, lowest(free), tag, number, bits):
            return
