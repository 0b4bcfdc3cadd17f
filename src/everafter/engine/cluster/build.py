"""The kernels of a worker of a company as object code. Only this module needs Numba."""

from __future__ import annotations

from typing import Final

from everafter.engine.cluster.levels import FUNCTIONS
from everafter.engine.code.compiler import function, object_code
from everafter.engine.code.intrinsics import Column, column_at
from everafter.engine.columns import WIDE
from everafter.engine.kernels.alone import APART, NOTHING
from everafter.engine.store.parts import Functions, bound, replaced

PACKAGES: Final = ("everafter.engine.cluster.", "everafter.engine.store.")
ENTRIES: Final = ("begin", "restore_table", "expand_part", "take_in")
CALLED: Final = (*APART, "settle_listed", "make_parcels")


def build_cluster(replacing: Functions = NOTHING) -> bytes:
    """The object, with a function for each entry. Some functions may be replaced, by name: to try others."""
    given = {
        "as_number": column_at(Column(8 * WIDE, WIDE)),
        "as_mask": column_at(Column(0, 8)),
        "as_colour": column_at(Column(8, 8)),
    }
    functions = replaced(FUNCTIONS, replacing)
    made = bound(functions, given, lambda text, name: function(text, name not in CALLED), PACKAGES)
    return object_code(**{name: (made[name], 5) for name in ENTRIES})
