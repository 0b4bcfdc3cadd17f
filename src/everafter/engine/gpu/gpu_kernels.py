"""The kernels as LLVM IR, by Numba, to be joined with the code of a model. Only this module needs Numba."""

from __future__ import annotations

from typing import Final

from everafter.engine.code.compiler import function, joined_text
from everafter.engine.code.parts import bound, functions_of
from everafter.engine.code.portable_text import numbered
from everafter.engine.gpu import device_owcty, level_kernels
from everafter.engine.gpu.device_texts import CYCLE_ENTRIES, ENTRIES
from everafter.engine.store import arena_rows, table

PACKAGES: Final = ("everafter.engine.gpu.", "everafter.engine.store.")
ASKED: Final = (
    "peek",
    "peek_half",
    "differing",
    "bring_pair",
    "write_pair",
    "take",
    "least",
    "swap_if",
    "publish",
    "keep",
    "expand_row",
    "initial_row",
    "block_meets",
    "lanes",
    "is_first",
    "blocks",
    "relax",
)
"""What the machine defines."""
SHARED: Final = {
    each.__name__: each for each in (arena_rows.row_words, arena_rows.is_state, arena_rows.hash_row, table.slot_of)
}
"""What the kernels have in common with the store of the processor."""


def build_kernels() -> str:
    """Return the text of the kernels, with a function for each entry.

    Its arguments are a job, a worker, how many there are, and the two parts of the worker's room.
    """
    functions = {**SHARED, **functions_of(level_kernels), **functions_of(device_owcty)}
    made = bound(functions, {}, lambda text, _name: function(text), PACKAGES)
    entries = {name: (made[name], 5) for name in (*ENTRIES, *CYCLE_ENTRIES)}
    return numbered(joined_text(entries, ASKED), (*entries, *ASKED))  # where threads wait for each other is not known
