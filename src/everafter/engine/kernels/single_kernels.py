"""The store and the searches of one worker as object code, for the address of a block (everafter.engine.block).

`build_store`: an object with `successors` and `successors_of_all` of everafter.engine.store.single_store; where rows
are kept as trees, also with `rebuild` of everafter.engine.store.tree.tree_store.
`build_search`: an object with `search(block, node, depth)`. With NO_NODE it runs the whole search and returns its
outcome. Otherwise it writes the successors of the node into frame `depth`, and returns 1, or 0 if it could not. Where
the answer of the search is no path, also with `set_aside` and `way` of everafter.engine.kernels.path_kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType
from typing import Any, Final

from everafter.choices import StoreKind
from everafter.engine.block import FIRST_QUEUED, FRAMES, MEMORY, NO_NODE, NODES, REASON, SUCCESSORS, SUCCESSORS_OF_ALL
from everafter.engine.code.atomics import ONE
from everafter.engine.code.compiler import Entries, function, object_code
from everafter.engine.code.intrinsics import Column, Order, call_four, column_at, put, word
from everafter.engine.code.parts import NO_STEPS, Functions, bound, replaced
from everafter.engine.columns import WORD_BYTES
from everafter.engine.kernels.binding import bound_kernels, store_maker
from everafter.engine.kernels.path_kernels import set_aside, way
from everafter.engine.store import compact, lossy_store
from everafter.engine.store import single_store as alone
from everafter.engine.store.packed import packed_store
from everafter.engine.store.tree import tree_store as tree
from everafter.search.algorithm import Algorithm

APART: Final = (  # worth a call
    "settle",
    "grow",
    "make_room",
    "successors",
    "successors_of_all",
    "take_part",
    "fill_together",
    "emptied",
    "take_numbers",
    "pause",
    "make_set_room",
    "rebuild",
    "number_of",
    "number_of_half",
    "number_of_changed",
    "number_long_half",
    "begin_segment",
    "note_shape",
    "number_halves",
    "number_of_whole",
    "find_or_put_root",
    "hand_over",
    "frames_taken",
    "colour_of",
    "put_colour",
)
ALONE: Final[Mapping[StoreKind, Functions]] = MappingProxyType(
    {
        "plain": alone.FUNCTIONS,
        "tree": tree.FUNCTIONS,
        "packed": packed_store.FUNCTIONS,
        "bitstate": lossy_store.FUNCTIONS,
        "compact": compact.FUNCTIONS,
    }
)
"""The stores of one worker."""
COLOUR_SCALES: Final[Mapping[StoreKind, int]] = MappingProxyType({"tree": 1, "packed": 0})
"""How many bytes colours are apart, where these are not beside rows; 0: they are looked up."""
NOTHING: Final[Functions] = MappingProxyType({})


def compiled_store(
    functions: Functions, width: int, sets: bool, store: StoreKind = "plain", colours: Order = ""
) -> dict[str, Any]:
    """Return the compiled `functions` of a `store`, by name, for numbers of states of `width` bytes.

    The model writes acceptance sets if `sets`. Colours that workers share are read and written in the order `colours`;
    without one, a single worker has all for itself, and needs no steps on shared memory.
    """
    given = {
        "as_number": column_at(Column(8 * width, width)),
        "as_mask": column_at(Column(64 if sets else 0, 8)),
        "as_colour": column_at(Column(8, COLOUR_SCALES.get(store, WORD_BYTES), order=colours)),
    }
    steps = NO_STEPS if colours else ONE
    return bound(functions, given, lambda text, name: function(text, name not in APART), steps=steps)


def build_store(width: int, sets: bool, replacing: Functions = NOTHING, store: StoreKind = "plain") -> bytes:
    """Return the object of a `store` for numbers of `width` bytes, with acceptance sets if `sets`.

    Functions in `replacing` take the place of the store's own, by name: to try others.
    """
    return object_code(**store_entries(width, sets, replacing, store))


def store_entries(width: int, sets: bool, replacing: Functions = NOTHING, store: StoreKind = "plain") -> Entries:
    """Return what `build_store` makes the object of, with its `width`, `sets`, `replacing` and `store`."""
    return called_alone(compiled_store(replaced(ALONE[store], replacing), width, sets, store))


def called_alone(made: Mapping[str, Any]) -> Entries:
    """Return what a worker alone calls of the compiled functions `made` of a store."""
    entries = {"successors": (made["successors"], 4), "successors_of_all": (made["successors_of_all"], 4)}
    own = {"rebuild": 2, "colour_of": 2, "put_colour": 3}
    return {**entries, **{name: (made[name], arguments) for name, arguments in own.items() if name in made}}


def build_search(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> bytes:
    """Return the object of `algorithm` over a `store` in which numbers of states have `width` bytes."""
    return object_code(**search_entries(algorithm, width, store))


def search_entries(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> Entries:
    """Return what `build_search` makes the object of `algorithm` of, with its `width` and `store`."""
    own = {"expand": function(expand_frame)}
    if not algorithm.reads_sets:  # the model writes acceptance sets for one node at a time
        own["expand_all"] = function(expand_frames)
    names = bound_kernels(own, bound_kernels(own))
    given = {
        "store_at": store_maker(algorithm, width, store),
        "kernel": names[algorithm.kernel.__name__],
        "NO_NODE": NO_NODE,
    }
    return {"search": (entry(search, names, given), 3), **way_entries(algorithm, names, given)}


def way_entries(algorithm: Algorithm, names: Mapping[str, Any], given: Mapping[str, Any]) -> Entries:
    """Return what finds the way to the answer, where `algorithm` gives none, compiled with `names` and `given`."""
    if algorithm.gives_path:
        return {}
    words = {"FIRST_QUEUED": FIRST_QUEUED, "FRAMES": FRAMES, "MEMORY": MEMORY, "REASON": REASON}
    scope = {**names, **words, "put": put, "word": word}
    return {"set_aside": (entry(set_aside, scope, given), 2), "way": (entry(way, scope, given), 3)}


def entry(text: Callable[..., Any], names: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Return `text` compiled as the function of an object, with the globals `names` and `given`, the latter first."""
    assert isinstance(text, FunctionType)
    return function(FunctionType(text.__code__, {**names, **given}, text.__name__), inline=False)


def expand_frame(space: Any, node: int, depth: int) -> bool:
    """Fill frame `depth` of `space` with the successors of `node`, as `expand` of the searches; false to stop."""
    begin = space.limit[depth - 1] if depth > 0 else 0
    end = call_four(word(space.block, SUCCESSORS), space.block, node, begin, depth)
    space.cursor[depth] = begin
    space.limit[depth] = end
    return bool(end >= 0)


def expand_frames(space: Any, nodes: Any, first: int, count: int, frame: int) -> bool:
    """Write the successors of `count` of `nodes`, from `first` on, into frames of `space`, from `frame` up.

    It is the `expand_all` of the searches. False to stop.
    """
    for offset in range(count):
        put(space.block, NODES + offset, nodes[first + offset])
    begin = space.limit[frame - 1] if frame > 0 else 0
    return bool(call_four(word(space.block, SUCCESSORS_OF_ALL), space.block, count, begin, frame) >= 0)


def search(block: int, node: int, depth: int) -> int:
    """Run the search of the `block`, or, where `node` is not NO_NODE, expand it into frame `depth`: see the module."""
    space = store_at(block)  # type: ignore[name-defined] # noqa: F821
    if node != NO_NODE:
        return 1 if expand(space, node, depth) else 0  # type: ignore[name-defined] # noqa: F821
    return kernel(space)  # type: ignore[name-defined,no-any-return] # noqa: F821
