"""The store of a team and the parallel searches as object code, as `single_kernels.py` makes it for one worker.

`build_team_store`: an object with `successors`, `successors_of_all`, `pause`, `leave`, `give` and `take`; where rows
are kept as trees, also with `rebuild`.
`build_team_search`: an object with `search(block)`, which one worker runs: its outcome. The worker then has left. Where
the answer of the search is no path, also with `set_aside` and `way` of everafter.engine.kernels.path_kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from everafter.choices import LOSSY, StoreKind
from everafter.engine.block import GIVE, LEAVE, NO_NODE, OFFERED, PAUSE, TAKE
from everafter.engine.code.atomics import add, add_bits, add_to_byte, address_in, is_kept, raise_to, share
from everafter.engine.code.compiler import Entries, function, object_code
from everafter.engine.code.intrinsics import call_one, call_two, word
from everafter.engine.code.parts import Functions, replaced
from everafter.engine.kernels.binding import BY_TEAM, bound_kernels, store_maker
from everafter.engine.kernels.single_kernels import (
    NOTHING,
    compiled_store,
    entry,
    expand_frame,
    expand_frames,
    way_entries,
)
from everafter.engine.store import compact, team_bindings
from everafter.engine.store.tree import tree_team_bindings as tree
from everafter.search.algorithm import Algorithm
from everafter.search.parallel.space import MOST_RANK
from everafter.search.space import COMPLETED, STOPPED

TOGETHER: Final[Mapping[StoreKind, Functions]] = MappingProxyType(
    {
        "plain": team_bindings.FUNCTIONS,
        "tree": tree.FUNCTIONS,
        "bitstate": team_bindings.LOSSY_FUNCTIONS,
        "compact": compact.TEAM_FUNCTIONS,
    }
)
"""The stores of teams."""


def build_team_store(width: int, replacing: Functions = NOTHING, store: StoreKind = "plain") -> bytes:
    """Return the object of a `store` for numbers of `width` bytes; `replacing` has functions in place of its own."""
    return object_code(**team_store_entries(width, replacing, store))


def team_store_entries(width: int, replacing: Functions = NOTHING, store: StoreKind = "plain") -> Entries:
    """Return what `build_team_store` makes the object of, with its `width`, `replacing` and `store`."""
    made = compiled_store(replaced(TOGETHER[store], replacing), width, sets=False, store=store, colours="monotonic")
    return called_by_workers(made)


def called_by_workers(made: Mapping[str, Any]) -> Entries:
    """Return what a worker of a team calls of the compiled functions `made` of a store."""
    return {
        **({"rebuild": (made["rebuild"], 2)} if "rebuild" in made else {}),
        "successors": (made.get("shared_successors", made["successors"]), 4),
        "successors_of_all": (made["successors_of_all"], 4),
        "pause": (made["pause"], 2),
        "leave": (made["leave"], 1),
        "give": (made["give"], 2),
        "take": (made["take"], 1),
    }


def build_team_search(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> bytes:
    """Return the object of `algorithm` over a `store` in which numbers of states have `width` bytes."""
    return object_code(**team_search_entries(algorithm, width, store))


def team_search_entries(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> Entries:
    """Return what `build_team_search` makes the object of `algorithm` of, with its `width` and `store`."""
    own = {
        "expand": function(expand_frame),
        "expand_all": function(expand_frames),
        **{each.__name__: function(each) for each in _ATOMIC},
    }
    names = bound_kernels(own, bound_kernels(own, of=BY_TEAM), of=BY_TEAM)
    given = {
        "store_at": store_maker(algorithm, width, store),
        "kernel": names[algorithm.kernel.__name__],
        "call_one": call_one,
        "word": word,
        "LEAVE": LEAVE,
    }
    if store in LOSSY:
        again = {"TAKE": TAKE, "COMPLETED": COMPLETED, "STOPPED": STOPPED}
        return {"search": (entry(search_by_turns, names, given | again), 1)}
    return {"search": (entry(search, names, given), 1), **way_entries(algorithm, names, given)}


def search(block: int) -> int:
    """Run the search of the worker with this `block`, let the worker leave the team, and return the outcome."""
    outcome = kernel(store_at(block))  # type: ignore[name-defined] # noqa: F821
    call_one(word(block, LEAVE), block)
    return outcome  # type: ignore[no-any-return]


def search_by_turns(block: int) -> int:
    """Do as `search`, again and again: behind each path that the worker with this `block` takes over from another."""
    outcome = kernel(store_at(block))  # type: ignore[name-defined] # noqa: F821
    taken = 1
    while outcome == COMPLETED and taken > 0:
        taken = call_one(word(block, TAKE), block)
        if taken > 0:
            outcome = kernel(store_at(block))  # type: ignore[name-defined] # noqa: F821
        elif taken < 0:
            outcome = STOPPED
    call_one(word(block, LEAVE), block)
    return outcome  # type: ignore[no-any-return]


# What everafter.search.parallel.space names, on the native store


def colour_shared(space: Any, node: int, bits: int) -> int:
    """Add `bits` to the colour of `node` in `space`; return the colour before."""
    return add_bits(address_in(space.colour, node), bits)


def add_shared(space: Any, node: int, amount: int) -> int:
    """Add `amount`, 1 or -1, to the count of `node` in `space`; return the count before."""
    return add_to_byte(address_in(space.count, node), amount)


def raise_abort(space: Any) -> None:
    """Tell all workers that share `space` to stop."""
    space.abort[0] = 1


def draw_rank(space: Any) -> int:
    """Return a rank higher than all that were drawn in `space` before."""
    if is_kept(space.below) == 0:
        return 0
    return add(address_in(space.draws, 0), 1) + 1


def give_rank(space: Any, node: int, rank: int) -> None:
    """Give `node` this `rank` in `space`, unless it has a lower one."""
    raise_to(space.below, node, MOST_RANK - rank)


def pause(space: Any, turn: int) -> bool:
    """Wait a moment in `space`, longer as `turn` grows; false when the search is to stop."""
    return bool(call_two(word(space.block, PAUSE), space.block, turn) != 0)


def give(space: Any, height: int) -> int:
    """Give idle workers half of the `height` nodes that wait in `space`, if there are enough; how many are left."""
    return call_two(word(space.block, GIVE), space.block, height)


def take(space: Any) -> int:
    """Wait for nodes, into `pending` of `space`; return how many, 0 when every worker waits, negative to stop."""
    return call_one(word(space.block, TAKE), space.block)


def offer(space: Any, node: int) -> None:
    """Let workers that wait for nodes search from `node` in `space`."""
    share(space.block + (OFFERED << 3), node)


def withdraw(space: Any) -> None:
    """End the offer in `space`: the search that was offered is over."""
    share(space.block + (OFFERED << 3), NO_NODE)


_ATOMIC = (colour_shared, add_shared, raise_abort, draw_rank, give_rank, pause, give, take, offer, withdraw)
