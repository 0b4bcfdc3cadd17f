"""The store that keeps 32 bits of the hash of each state: about four bytes for one.

For the same searches as the store of bits, with rows kept as there (Wolper and Leroy, Reliable hashing without
collision detection, 1993). A slot of the table is 32 bits of a state's hash; others of its bits choose the line, of 16
slots, in which it is looked for, and the next where that is full. A state with the line and the bits of another is
taken for one met before, and missed: far fewer than where three bits are kept. When nearly all slots are filled, the
search stops.
"""

from __future__ import annotations

import sys
from typing import Final

from everafter.engine.block import LINES, ROWS, SLOTS
from everafter.engine.code.intrinsics import lowest, put_half, shifted_right, surveyed_halves, word
from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import lossy_store
from everafter.engine.store.table import line_of, next_line

KEPT = (1 << 32) - 1
FILLED_SLOTS = 15  # of the 16 of a line, in the mean


def is_new_state(block: int, mixed: int) -> bool:
    """Keep the bits of a state with the hash `mixed` in the `block`; return whether they were new.

    Zero is an empty slot.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    kept = max(mixed & KEPT, 1)
    line = line_of(slots, lines, mixed)
    while True:
        seen = surveyed_halves(line, kept, 0)
        if seen & 0xFFFF != 0:
            return False
        if seen != 0:
            put_half(line + (lowest(shifted_right(seen, 16)) << 2), kept)
            return True
        line = next_line(slots, lines, line)


def has_slots(block: int, count: int) -> bool:
    """Return whether the table of the `block` has slots for `count` more states, and some empty ones left."""
    return word(block, ROWS) + count <= word(block, LINES) * FILLED_SLOTS


REPLACING: Final[Functions] = {"has_slots": has_slots, "is_new_state": is_new_state}
FUNCTIONS: Final = extended(lossy_store.FUNCTIONS, REPLACING, functions_of(sys.modules[__name__]))
"""The store of one worker that keeps bits of hashes."""
