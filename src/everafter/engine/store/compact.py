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

from everafter.engine.block import LINES, SLOTS
from everafter.engine.code.atomics import surveyed_slots
from everafter.engine.code.intrinsics import lowest, shifted_right, word
from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import lossy_store, team_bindings
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree import slots as half_slots
from everafter.engine.store.tree.slots import EVERY_SLOT, fill_empty

KEPT = (1 << 32) - 1
FILLED_SLOTS = 15  # of the 16 of a line, in the mean


def is_new_state(block: int, mixed: int) -> bool:
    """Keep the bits of a state with the hash `mixed` in the `block`; return whether they were new.

    Zero is an empty slot. Where several workers meet a state at once, it is new to one.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    kept = max(mixed & KEPT, 1)
    line = line_of(slots, lines, mixed)
    while True:
        seen = surveyed_slots(line, kept, 0)
        if seen & EVERY_SLOT != 0:
            return False
        if seen == 0:
            line = next_line(slots, lines, line)
        elif fill_empty(line, lowest(shifted_right(seen, 16)), 0, kept, 1):
            return True


def rows_in(lines: int) -> int:
    """Return for how many states a table of `lines` lines has slots, some empty ones left: it cannot grow."""
    return lines * FILLED_SLOTS


REPLACING: Final[Functions] = {"is_new_state": is_new_state, "rows_in": rows_in}
FUNCTIONS: Final = extended(lossy_store.FUNCTIONS, REPLACING, functions_of(sys.modules[__name__], half_slots))
"""The store of one worker that keeps bits of hashes."""
TEAM_FUNCTIONS: Final = extended(
    team_bindings.LOSSY_FUNCTIONS, REPLACING, functions_of(sys.modules[__name__], half_slots)
)
"""That of a team."""
