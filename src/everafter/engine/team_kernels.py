"""The store of a team and the parallel searches' own text as object code, as everafter.engine.kernels makes it for one.

`build_team_store`: an object with `successors`, `successors_of_all`, `pause`, `leave`, `give` and `take`.
`build_team_search`: an object with `search(block)`, which one worker runs: its outcome. The worker then has left.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from everafter.engine import store, team_store
from everafter.engine.atomics import add_bits, add_to_byte, address_in
from everafter.engine.block import GIVE, LEAVE, OFFERED, PAUSE, TAKE
from everafter.engine.columns import team_kinds
from everafter.engine.compiler import function, object_code
from everafter.engine.intrinsics import Column, call_one, call_two, column_at, put, word
from everafter.engine.kernels import (
    NativeStore,
    bound_kernels,
    compile_store,
    expand_frame,
    expand_frames,
    kernel_modules,
    store_maker,
)
from everafter.search.catalogue import TEAM
from everafter.search.parallel.framework import SharedSearch
from everafter.search.parallel.space import SharedStore

TEAM_MODULES: Final = kernel_modules(TEAM.values(), SharedStore)
SHARED = ("colour", "count", "abort")


TeamStore: Any = namedtuple("TeamStore", (*NativeStore._fields, "own", "count", "abort", "worker"))  # type: ignore[misc]
"""The fields of a `SharedStore` as columns, and the address of the worker's block."""


def build_team_store(width: int, **others: Callable[..., Any]) -> bytes:
    """The object of the store, for numbers of states of so many bytes. Functions may be replaced by name."""
    names: dict[str, Any] = {
        **vars(store),
        **vars(team_store),
        "as_number": column_at(Column(8 * width, width)),
        "as_mask": column_at(Column(0, 8)),
    }
    names |= others
    compile_store(names, tuple(others))
    return object_code(
        successors=(names["successors"], 4),
        successors_of_all=(names["successors_of_all"], 4),
        pause=(names["pause"], 2),
        leave=(names["leave"], 1),
        give=(names["give"], 2),
        take=(names["take"], 1),
    )


def build_team_search(name: str, width: int) -> bytes:
    """The object of the algorithm, for numbers of states of so many bytes."""
    kept = {
        field: column_at(Column(*kind, shared=field in SHARED))
        for field, kind in team_kinds(TEAM[name].columns, width).items()
    }
    own = {
        "expand": function(expand_frame),
        "expand_all": function(expand_frames),
        **{each.__name__: function(each) for each in _ATOMIC},
    }

    def bound(nested: dict[str, Any] | None = None) -> dict[str, Any]:
        return bound_kernels(own, nested, function, TEAM_MODULES, SharedStore, SharedSearch)

    names = bound(bound())
    names |= {
        "store_at": function(store_maker(kept, TeamStore)),
        "kernel": names[TEAM[name].kernel.__name__],
        "call_one": call_one,
        "word": word,
        "LEAVE": LEAVE,
    }
    return object_code(search=(function(FunctionType(search.__code__, names, "search"), inline=False), 1))


def search(block: int) -> int:
    """The function of the object."""
    outcome = kernel(store_at(block))  # type: ignore[name-defined] # noqa: F821
    call_one(word(block, LEAVE), block)
    return outcome  # type: ignore[no-any-return]


# What everafter.search.parallel.space names, on the native store


def colour_shared(space: Any, node: int, bits: int) -> int:
    """Add the bits to the colour of the node; the colour before."""
    return add_bits(address_in(space.colour, node), bits)


def add_shared(space: Any, node: int, amount: int) -> int:
    """Add 1 or -1 to the count of the node; the count before."""
    return add_to_byte(address_in(space.count, node), amount)


def raise_abort(space: Any) -> None:
    """Tell all workers to stop."""
    space.abort[0] = 1


def pause(space: Any, turn: int) -> bool:
    """Wait a moment; false when the search is to stop."""
    return bool(call_two(word(space.block, PAUSE), space.block, turn) != 0)


def give(space: Any, height: int) -> int:
    """Give nodes to workers that wait for some; how many are left."""
    return call_two(word(space.block, GIVE), space.block, height)


def take(space: Any) -> int:
    """Wait for nodes; how many there are."""
    return call_one(word(space.block, TAKE), space.block)


def offer(space: Any, node: int) -> None:
    """Let workers that wait for nodes search from this one."""
    put(space.block, OFFERED, node)


def withdraw(space: Any) -> None:
    """The search that was offered is over."""
    put(space.block, OFFERED, 0)


_ATOMIC = (colour_shared, add_shared, raise_abort, pause, give, take, offer, withdraw)
