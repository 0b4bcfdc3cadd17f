"""The lossy store of bits: it keeps three bits of each state, and its row only while it waits or is on the path.

For depth-first searches (Holzmann, An analysis of bitstate hashing, 1998). The three bits of a state are in one cache
line of the table, found by its hash. A state whose bits are all set is taken for one met before: it gets the number of
a row that says so. Wrongly, if others have set them; then it is missed, and so may be what lies behind it. So such a
search shows nothing by its end; what it finds is as good as any.

A team shares the table, and each worker has rows of its own. Of workers that meet a state at once, more than one may
find that it was new, and search behind it; never none.

Rows are kept like frames of the stack: those of the successors of frame d, which are not needed when the frame is left,
are overwritten by the next that are written into frame d.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from everafter.engine.block import (
    BUFFER,
    COLUMN_WORDS,
    END,
    FRAME_BYTES,
    FRAME_ENDS,
    HIGHEST_END,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    INITIAL_ROWS,
    LINES,
    PENDING_BYTES,
    SCRATCH,
    SEEN,
    SLOTS,
    word_of,
)
from everafter.engine.code.atomics import add_bits, shared_byte
from everafter.engine.code.intrinsics import Column, column_at, load, put, shifted_right, store, word
from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import single_store as alone
from everafter.engine.store.arena_rows import count_row, row_words, write_row
from everafter.engine.store.single_store import is_enough, reason_of_lack, stopped
from everafter.engine.store.table import line_of
from everafter.engine.store.table_room import make_room
from everafter.search.space import RED, TARGET

as_number: Any = column_at(Column(64, 8))

PENDING = word_of("pending")
BIT_SHIFT = 9  # bits in a line, as a power of two
BIT_PLACES = (1 << BIT_SHIFT) - 1
MOST_ROWS = 1 << 62


def bytes_with(block: int, lines: int) -> int:
    """Return the memory in use in the `block` if the table has this many `lines`."""
    return (
        (word(block, HIGHEST_END) << 3)
        + (lines << 6)
        + word(block, HIGHEST_FRAME) * word(block, FRAME_BYTES)
        + word(block, HIGHEST_PENDING) * word(block, PENDING_BYTES)
    )


def byte_of(line: int, which: int) -> int:
    """Return the address of the byte of `line` that has the bit of the lowest bits of `which`, one of 512."""
    return line + shifted_right(which & BIT_PLACES, 3)


def has_bit(line: int, which: int) -> int:
    """Return 1 if the bit of `line` of the lowest bits of `which` is set, else 0."""
    return shifted_right(shared_byte(byte_of(line, which)), which & 7) & 1


def is_new_bit(line: int, which: int) -> bool:
    """Set the bit of `line` of the lowest bits of `which`; return whether it was not set."""
    bit = 1 << (which & 7)
    return add_bits(byte_of(line, which), bit) & bit == 0


def is_new_state(block: int, mixed: int) -> bool:
    """Set the three bits of a state with the hash `mixed` in the table of the `block`; return if one was not set.

    Where all are set, which is usual, nothing is written: other workers keep the line.
    """
    line = line_of(word(block, SLOTS), word(block, LINES), mixed)
    second = shifted_right(mixed, BIT_SHIFT)
    third = shifted_right(mixed, 2 * BIT_SHIFT)
    if has_bit(line, mixed) & has_bit(line, second) & has_bit(line, third) != 0:
        return False
    first_is_new = is_new_bit(line, mixed)
    second_is_new = is_new_bit(line, second)
    third_is_new = is_new_bit(line, third)
    return first_is_new or second_is_new or third_is_new


def rows_in(_lines: int) -> int:
    """Return how many states a table has room for: without end, since states share bits."""
    return MOST_ROWS


def bring_candidates(_block: int, _count: int) -> None:
    """There are no rows to compare with."""


def number_all(block: int, count: int, begin: int) -> bool:
    """Write the number of each of `count` rows the model has written into `pending` of the `block` from `begin` on.

    A target is new each time it is met: no violation is taken for something else. So is a row that the model has made
    red. Return that all have one.
    """
    pending = as_number(word(block, PENDING))
    row = word(block, BUFFER)
    scratch = word(block, SCRATCH)
    for index in range(count):
        words = row_words(row)
        if load(row) & (TARGET | RED) != 0 or is_new_state(block, load(scratch + (index << 3))):
            number = write_row(block, row, words)
            count_row(block, row, words, number)
            pending[begin + index] = number
        else:
            pending[begin + index] = SEEN
        row += words << 3
    return True


def settle(block: int, count: int, size: int, begin: int, depth: int) -> int:
    """Give `count` hashed rows, of `size` bytes together, their numbers, in `pending` of the `block` from `begin` on.

    Those that were written into frame `depth` before are forgotten. There will be room for frames up to one above.
    Return the end, or NO_ROOM.
    """
    ends = word(block, FRAME_ENDS)
    if word(block, INITIAL_ROWS) != 0:  # else these are the initial states, which stay
        put(block, END, load(ends + (depth << 3)))
        depth += 1
    words = shifted_right(size, 3) + count * word(block, COLUMN_WORDS)
    end = begin + count
    frames = depth + 2
    if not is_enough(block, words, count, end, frames) and not make_room(block, words, count, end, frames):
        return stopped(block, reason_of_lack(block))
    number_all(block, count, begin)
    put(block, HIGHEST_END, max(word(block, HIGHEST_END), word(block, END)))
    store(ends + (depth << 3), word(block, END))
    return end


REPLACING: Final[Functions] = {
    "bring_candidates": bring_candidates,
    "bytes_with": bytes_with,
    "number_all": number_all,
    "rows_in": rows_in,
    "settle": settle,
}
FUNCTIONS: Final = extended(alone.FUNCTIONS, REPLACING, functions_of(sys.modules[__name__]))
"""The lossy store of bits for one worker."""
