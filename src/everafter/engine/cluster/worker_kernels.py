"""The kernels of a worker of a cluster as object code. Only this module needs Numba."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from everafter.choices import StoreKind
from everafter.engine.cluster import expansion_kernels, owned_trees
from everafter.engine.cluster.owcty_kernels import GIVEN
from everafter.engine.cluster.worker_memory import KEPT_FOR_CYCLES
from everafter.engine.code.atomics import ONE
from everafter.engine.code.compiler import Entries, function, object_code
from everafter.engine.code.intrinsics import Column, column_at
from everafter.engine.code.parts import Functions, bound, joined, replaced
from everafter.engine.columns import WIDE, WORD_BYTES
from everafter.engine.kernels.binding import bound_kernels, store_maker
from everafter.engine.kernels.single_kernels import ALONE, APART, NOTHING, expand_frame

PACKAGES: Final = ("everafter.engine.cluster.", "everafter.engine.store.")
LEVELS: Final = ("begin", "restore_table", "expand_part", "take_in")
CYCLES: Final = ("gather", "begin_reaching", "begin_removing", "note_leaving", "count_active", "begin_stem")
ENTRIES: Final = (*LEVELS, *CYCLES)
CALLED: Final = (*APART, "settle_listed", "find_listed", "follow_listed", "make_batches")
BY_STORE: Final[Mapping[StoreKind, Functions]] = MappingProxyType(
    {
        "plain": expansion_kernels.FUNCTIONS,
        "tree": replaced(expansion_kernels.FUNCTIONS, owned_trees.REPLACING),
    }
)
"""What a worker of a cluster does with each store."""


def build_cluster(store: StoreKind = "plain", replacing: Functions = NOTHING) -> bytes:
    """Return the object over a `store`, with a function for each entry.

    Functions in `replacing` take the place of others, by name: to try them.
    """
    return object_code(**cluster_entries(store, replacing))


def cluster_entries(store: StoreKind = "plain", replacing: Functions = NOTHING) -> Entries:
    """Return what `build_cluster` makes the object of, with its `store` and `replacing`."""
    texts = bound_kernels({"expand": function(expand_frame)})
    given = {
        **{name: texts[name] for name in GIVEN},
        "store_at": store_maker(KEPT_FOR_CYCLES, WIDE, store),
        "as_number": column_at(Column(8 * WIDE, WIDE)),
        "as_mask": column_at(Column(0, 8)),
        "as_colour": column_at(Column(8, 1 if store == "tree" else WORD_BYTES)),
    }
    functions = replaced(joined(ALONE[store], BY_STORE[store]), replacing)
    made = bound(functions, given, lambda text, name: function(text, name not in CALLED), PACKAGES, ONE)
    rebuild = {"rebuild": (made["rebuild"], 2)} if "rebuild" in made else {}
    return {**{name: (made[name], 5) for name in ENTRIES}, **rebuild}
