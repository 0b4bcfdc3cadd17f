"""Hash tables of short slots that several workers fill: what takes the place of functions of slots.py.

A slot is entered by one compare-and-swap on the word of two slots that it is in. Slots of a line are filled from the
left and never emptied, so two workers with the same node aim at the same slot, and the second finds what the first has
entered. Where tags have a place of their own, the tag is written behind the number: until then it is 0, which is no
tag, and a worker that looks there compares with the node.
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
from everafter.engine.code.intrinsics import lowest, shifted_right
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree.slots import HALF_WORD, MOST_BITS, TAG_SLOTS, TAGS, number_in, second_line, tag_of


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


def number_at(line: int, index: int, bits: int) -> int:
    """Return the number, of `bits` bits, in the slot `index` of `line`; what it is the number of can be read."""
    return number_in(slot_in(shared(slot_word(line, index)), index), bits)


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
