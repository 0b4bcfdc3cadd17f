"""The store and the searches' own text as object code, for the address of a block of words (everafter.engine.block).

The kernels of everafter.search are taken as they are; only the names they use are bound anew: to each other compiled,
and `expand` to the store's. This module needs Numba; whoever loads the objects does not.

`build_store`: an object with `successors` and `successors_of_all` of everafter.engine.store.
`build_search`: an object with `search(block, node, depth)`. With node 0 it runs the whole search and returns its
outcome. Otherwise it writes the successors of the node into frame `depth`, and returns 1, or 0 if it could not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple, TypeGuard

from everafter.engine import store as store_text
from everafter.engine.block import FIELD, INITIAL_ROWS, NODES, SUCCESSORS, SUCCESSORS_OF_ALL, TEAM_FIELDS
from everafter.engine.columns import kinds
from everafter.engine.compiler import function, object_code
from everafter.engine.intrinsics import Column, array_at, call_four, column_at, put, word
from everafter.search.algorithm import Algorithm
from everafter.search.catalogue import ALONE
from everafter.search.framework import Search
from everafter.search.space import Store

STORE_MODULES = ("everafter.engine.store", "everafter.engine.team_store")
APART = ("settle", "grow", "make_room", "successors", "successors_of_all", "take_part", "pause")  # worth a call


class NativeStore(NamedTuple):
    """The fields of a `Store` as columns, and the address of the block."""

    block: Any
    initial: Any
    colour: Any
    stack: Any
    cursor: Any
    limit: Any
    pending: Any
    masks: Any
    wanted: Any
    found: Any
    deepest: Any
    clock: Any
    component_height: Any
    root_height: Any
    complete_components: Any
    discovery: Any
    finish: Any
    parent: Any
    member: Any
    queue: Any
    component: Any
    low: Any
    latest: Any
    root: Any
    gathered: Any
    arriving: Any


def kernel_modules(searches: Iterable[Algorithm], store: type[Any]) -> tuple[ModuleType, ...]:
    """The modules of all kernels that these searches are made of, over a store of this type."""
    found = dict.fromkeys(sys.modules[each.kernel.__module__] for each in searches)
    pending = list(found)
    while pending:
        for value in list(vars(pending.pop()).values()):
            if is_kernel(value, store) and sys.modules[value.__module__] not in found:
                found[sys.modules[value.__module__]] = None
                pending.append(sys.modules[value.__module__])
    return tuple(found)


def is_kernel(value: object, store: type[Any]) -> TypeGuard[FunctionType]:
    """Whether the value is a function over a store of this type, and not one of those that each store has its own of.

    These are defined beside the type of the store.
    """
    if not isinstance(value, FunctionType) or value.__module__ == store.__module__:
        return False
    return next(iter(value.__annotations__.values()), "") == store.__name__


def kernels(modules: Iterable[ModuleType], store: type[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every kernel that is defined in these modules, with its name."""
    for module in modules:
        for name, value in vars(module).items():
            if is_kernel(value, store) and value.__module__ == module.__name__:
                yield name, value


SEARCH_MODULES: Final = kernel_modules(ALONE.values(), Store)


def bound_kernels(
    own: dict[str, Any],
    nested: dict[str, Any] | None = None,
    compiled: Callable[[Callable[..., Any]], Any] = function,
    modules: tuple[ModuleType, ...] = SEARCH_MODULES,
    store: type[Any] = Store,
    search_type: type[Any] = Search,
) -> dict[str, Any]:
    """The kernels and the searches made of them, compiled, by name; `own` are the names given to them, as `expand`.

    The hooks are those of `nested`, if given. A search in a hook then calls other copies of the same kernels: Numba
    would take the second call of `depth_first` for recursion.
    """
    names: dict[str, Any] = {"__builtins__": __builtins__, search_type.__name__: search_type, **own}
    for module in modules:
        names |= {name: value for name, value in vars(module).items() if isinstance(value, int)}
    for name, kernel in kernels(modules, store):
        if name not in own:
            names[name] = compiled(FunctionType(kernel.__code__, names, name))
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, search_type):
                hooks = {
                    hook: (nested or names)[getattr(value, hook).__name__] for hook in ("action", "remove", "post")
                }
                names[name] = value._replace(**hooks)
    return names


def build_store(width: int, sets: bool, hash_row: Callable[[int, int], int] | None = None) -> bytes:
    """The object of the store, for numbers of states of so many bytes, with or without acceptance sets.

    Another hash may be tried.
    """
    names: dict[str, Any] = {
        **vars(store_text),
        "as_number": column_at(Column(8 * width, width)),
        "as_mask": column_at(Column(64 if sets else 0, 8)),
    }
    names |= {"hash_row": hash_row} if hash_row else {}
    compile_store(names, ("hash_row",))
    return object_code(successors=(names["successors"], 4), successors_of_all=(names["successors_of_all"], 4))


def compile_store(names: dict[str, Any], others: tuple[str, ...] = ()) -> None:
    """Compile every function of the store's modules among the names, and those of other names, bound to these names."""
    for name, value in list(names.items()):
        own = isinstance(value, FunctionType) and value.__module__ in STORE_MODULES
        if own or name in others:
            names[name] = function(FunctionType(value.__code__, names, name), name not in APART)


def build_search(name: str, width: int) -> bytes:
    """The object of the algorithm, for numbers of states of so many bytes."""
    kept = {field: column_at(Column(*kind)) for field, kind in kinds(ALONE[name], width).items()}
    store_at = function(store_maker(kept))
    expand = function(expand_frame)
    own = {"expand": expand}
    if not ALONE[name].reads_sets:  # the model writes acceptance sets for one node at a time
        own["expand_all"] = function(expand_frames)
    names = bound_kernels(own, bound_kernels(own))
    names |= {"expand": expand, "store_at": store_at, "kernel": names[ALONE[name].kernel.__name__]}
    entry = function(FunctionType(search.__code__, names, "search"), inline=False)
    return object_code(search=(entry, 3))


def expand_frame(space: Any, node: int, depth: int) -> bool:
    """The `expand` of the searches: fill frame `depth` with the successors of the node; false to stop."""
    begin = space.limit[depth - 1] if depth > 0 else 0
    end = call_four(word(space.block, SUCCESSORS), space.block, node, begin, depth)
    space.cursor[depth] = begin
    space.limit[depth] = end
    return bool(end >= 0)


def expand_frames(space: Any, nodes: Any, first: int, count: int, frame: int) -> bool:
    """The `expand_all` of the searches."""
    for offset in range(count):
        put(space.block, NODES + offset, nodes[first + offset])
    begin = space.limit[frame - 1] if frame > 0 else 0
    return bool(call_four(word(space.block, SUCCESSORS_OF_ALL), space.block, count, begin, frame) >= 0)


def search(block: int, node: int, depth: int) -> int:
    """The function of the object."""
    space = store_at(block)  # type: ignore[name-defined] # noqa: F821
    if node != 0:
        return 1 if expand(space, node, depth) else 0  # type: ignore[name-defined] # noqa: F821
    return kernel(space)  # type: ignore[name-defined,no-any-return] # noqa: F821


def store_maker(kept: dict[str, Any], made: type[Any] = NativeStore) -> Any:
    """The function that makes a store of this type of the address of a block."""
    lines = ["def store_at(block):", "    return Made(block, array_at(word(block, FIELD), word(block, ROWS)),"]
    lines += [f"        {field}(word(block, FIELD + {TEAM_FIELDS.index(field)}))," for field in kept]
    names = {"Made": made, "array_at": array_at, "word": word, "FIELD": FIELD, "ROWS": INITIAL_ROWS}
    scope = {**names, **kept}
    exec("\n".join([*lines, "    )"]), scope)
    return scope["store_at"]
