"""Hash tables of 32-bit slots: what the sets of nodes and the roots are found through.

Lines of 16 slots, each one cache line, are filled from the left and probed one after the other. A slot is a number in
its lower bits and, in all others, the tag: bits of the hash. Zero is an empty slot. The more numbers there are, the
shorter the tag, and the more often a node is looked at in vain.
"""

from __future__ import annotations

from everafter.engine.code.intrinsics import highest, lowest, put_half, shifted_right, surveyed_halves
from everafter.engine.store.table import line_of, next_line

HALF_WORD = (1 << 32) - 1
MOST_BITS = 31  # of a slot: a shift by 32 has no meaning
MOST_NUMBERS = (1 << MOST_BITS) - 1
EVEN_LINES = 1 << 14
"""A smaller table doubles; a larger one grows by a quarter, so that less of it is empty."""


def bits_for(number: int) -> int:
    """How many bits a number needs, at least one."""
    return highest(number | 1) + 1


def numbers_in(lines: int) -> int:
    """How many numbers a table of so many lines takes before it grows: fifteen of sixteen slots."""
    return lines * 15


def more_lines(lines: int, needed: int) -> int:
    """How many lines the next larger table has, if it must have room for so many numbers."""
    larger = lines << 1 if lines < EVEN_LINES else lines + (lines >> 2)
    return max(larger, needed // 15 + 1)


def tag_of(mixed: int, bits: int) -> int:
    """The tag of a hash, beside numbers of so many bits."""
    return shifted_right(mixed & HALF_WORD, bits)


def number_in(slot: int, bits: int) -> int:
    """The number in a slot."""
    return slot & ((1 << bits) - 1)


def enter(slots: int, lines: int, bits: int, mixed: int, number: int) -> None:
    """Enter a number that is not in the table."""
    line = line_of(slots, lines, mixed)
    tag = tag_of(mixed, bits)
    free = shifted_right(surveyed_halves(line, tag, bits), 16)
    while free == 0:
        line = next_line(slots, lines, line)
        free = shifted_right(surveyed_halves(line, tag, bits), 16)
    put_half(line + (lowest(free) << 2), (tag << bits) | number)
