"""The store of one worker that keeps rows packed, in the slots of its table alone.

The model's code comes with two functions: `pack` makes of a row its number of few bits, or says that it does not fit,
and `unpack` makes the row of it again. A row that does not fit ends the search: another store is needed.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from everafter.engine.block import BUFFER, PACK, PACKED_BITS, ROW_PLACE, SCRATCH, UNFIT, UNPACK, word_of
from everafter.engine.code.intrinsics import (
    Column,
    call_one,
    call_two,
    column_at,
    load,
    prefetch,
    shifted_right,
    store,
    word,
)
from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import single_store as alone
from everafter.engine.store.arena_rows import COLOUR, is_state, row_words
from everafter.engine.store.packed import quotient_table, scrambling
from everafter.engine.store.packed.quotient_table import grow, line_address, put_packed
from everafter.engine.store.packed.scrambling import scrambled, unscrambled
from everafter.engine.store.single_store import NO_ROOM, stopped

as_number: Any = column_at(Column(64, 8))

PENDING = word_of("pending")


def row_of(block: int, node: int) -> int:
    """Return the address of the row of the state `node` in the `block`, which is unpacked there. It has no colour."""
    bits = word(block, PACKED_BITS)
    mixed = node - 1
    packed = unscrambled(mixed, bits) if shifted_right(mixed, bits) == 0 else mixed
    call_two(word(block, UNPACK), packed, word(block, ROW_PLACE))
    return word(block, ROW_PLACE)


def bring_row(_block: int, _node: int) -> None:
    """Nothing need be brought for the row of a state."""


def bring_candidates(_block: int, _count: int) -> None:
    """There are no rows to compare with."""


def hash_all(block: int, row: int, first: int, count: int) -> int:
    """Pack the `count` rows that the model has written from `row` on, and start to bring their lines.

    The first of them is the row `first` of those to be settled in this `block`. Return where the rows end, or NO_ROOM.
    """
    bits = word(block, PACKED_BITS)
    place = word(block, SCRATCH) + (first << 3)
    for noted in range(place, place + (count << 3), 8):
        packed = call_one(word(block, PACK), row)
        if packed < 0:
            stopped(block, UNFIT)
            return NO_ROOM
        mixed = scrambled(packed, bits) if shifted_right(packed, bits) == 0 else packed
        store(noted, mixed)
        prefetch(line_address(block, mixed))
        row += row_words(row) << 3
    return row


def number_all(block: int, count: int, begin: int) -> bool:
    """Write the number of each of `count` rows the model has written into `pending` of the `block` from `begin` on.

    Return whether there was room for all.
    """
    pending = as_number(word(block, PENDING))
    row = word(block, BUFFER)
    scratch = word(block, SCRATCH)
    for index in range(count):
        mixed = load(scratch + (index << 3))
        if not put_packed(block, mixed, load(row) & COLOUR, 1 if is_state(row) else 0):
            return False
        pending[begin + index] = mixed + 1
        row += row_words(row) << 3
    return True


REPLACING: Final[Functions] = {
    "bring_candidates": bring_candidates,
    "bring_row": bring_row,
    "grow": grow,
    "hash_all": hash_all,
    "number_all": number_all,
    "row_of": row_of,
}
FUNCTIONS: Final = extended(alone.FUNCTIONS, REPLACING, functions_of(scrambling, quotient_table, sys.modules[__name__]))
"""The store of one worker that keeps rows packed."""
