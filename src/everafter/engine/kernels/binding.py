"""The kernels of everafter.search, taken as they are; only the names they use are bound anew.

They are bound to each other compiled, and what each store has its own of, as `expand`, to that of a native store.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any, Final, TypeGuard

from everafter.choices import StoreKind
from everafter.engine.block import INITIAL_ROWS, TEAM_FIELDS, word_of
from everafter.engine.code.compiler import function
from everafter.engine.code.intrinsics import Column, Order, array_at, column_at, word
from everafter.engine.columns import fields_for, kinds
from everafter.record import dataclass
from everafter.search.algorithm import Algorithm
from everafter.search.catalogue import ALONE, TEAM
from everafter.search.fields import Sharing
from everafter.search.framework import Search
from everafter.search.parallel.framework import SharedSearch
from everafter.search.parallel.space import SharedStore
from everafter.search.space import Store

HOOKS: Final = ("action", "remove", "post")


@dataclass(frozen=True, slots=True)
class Family:
    """Kernels over one kind of store: the modules they are in, and the type of the searches made of them."""

    store: type[Store]
    search: type[Any]
    modules: tuple[ModuleType, ...]


def is_kernel(value: object, store: type[Store]) -> TypeGuard[FunctionType]:
    """Return whether `value` is a function over a `store` of this type that runs on every store.

    The others, which each store has its own of, are defined beside the type of the store.
    """
    return _is_over(value, store) and value.__module__ != store.__module__


def _is_over(value: object, store: type[Store]) -> TypeGuard[FunctionType]:
    return isinstance(value, FunctionType) and next(iter(value.__annotations__.values()), "") == store.__name__


def kernel_modules(searches: Iterable[Algorithm], store: type[Store]) -> tuple[ModuleType, ...]:
    """Return the modules of all kernels that `searches` are made of, over a `store` of this type."""
    found = dict.fromkeys(sys.modules[each.kernel.__module__] for each in searches)
    pending = list(found)
    while pending:
        for value in vars(pending.pop()).values():
            if is_kernel(value, store) and sys.modules[value.__module__] not in found:
                found[sys.modules[value.__module__]] = None
                pending.append(sys.modules[value.__module__])
    return tuple(found)


def family(store: type[Store], search: type[Any], searches: Iterable[Algorithm]) -> Family:
    """Return the family of kernels over `store` that `searches` are made of; `search` is its type of searches."""
    return Family(store, search, kernel_modules(searches, store))


BY_ONE: Final = family(Store, Search, ALONE.values())  # type: ignore[type-abstract] # its name and module matter
BY_TEAM: Final = family(SharedStore, SharedSearch, TEAM.values())  # type: ignore[type-abstract]


def _refuse_clashes(of: Family) -> None:
    """Kernels and searches are bound by name in one scope: two of one name would be taken for each other."""
    seen: dict[str, object] = {}
    for module in of.modules:
        for name, value in vars(module).items():
            bound = (is_kernel(value, of.store) and value.__module__ == module.__name__) or isinstance(value, of.search)
            if bound and seen.setdefault(name, value) is not value:
                raise TypeError(f"there are two kernels or searches called {name}")


def kernels(of: Family) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every kernel of the family `of`, with its name."""
    for module in of.modules:
        for name, value in vars(module).items():
            if is_kernel(value, of.store) and value.__module__ == module.__name__:
                yield name, value


def operations(of: Family) -> set[str]:
    """Return the names of the functions that each store of the family `of` has its own of."""
    return {name for name, value in vars(sys.modules[of.store.__module__]).items() if _is_over(value, of.store)}


def bound_kernels(
    own: Mapping[str, Any],
    nested: Mapping[str, Any] | None = None,
    compiled: Callable[[Callable[..., Any]], Any] = function,
    of: Family = BY_ONE,
) -> dict[str, Any]:
    """Return the kernels of the family `of`, and the searches made of them, `compiled`, by name.

    `own` are the store's own functions. The hooks are those of `nested`, if given. A search in a hook then calls other
    copies of the same kernels: Numba would take the second call of `depth_first` for recursion.
    """
    missing = operations(of) - own.keys()
    if missing:
        raise TypeError(f"the store has no {min(missing)} of its own")
    _refuse_clashes(of)
    names: dict[str, Any] = {"__builtins__": __builtins__, of.search.__name__: of.search, **own}
    for module in of.modules:
        names |= {name: value for name, value in vars(module).items() if isinstance(value, int)}
    for name, kernel in kernels(of):
        if name not in own:
            names[name] = compiled(FunctionType(kernel.__code__, names, name))
    for module in of.modules:
        for name, value in vars(module).items():
            if isinstance(value, of.search):
                hooks = {hook: (nested or names)[getattr(value, hook).__name__] for hook in HOOKS}
                names[name] = value._replace(**hooks)
    return names


ORDERS: Final[Mapping[Sharing, Order]] = {"own": "", "same": "monotonic", "shared": "seq_cst"}
"""How the workers of a team read and write a field. What all may write is read only when they have ended."""

NativeStore: Any = namedtuple("NativeStore", ("block", *TEAM_FIELDS))  # type: ignore[misc] # its fields are derived
"""The fields of a store as columns, and the address of the block. Those that only a team has are 0 for one worker."""


def store_maker(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> Any:
    """Return the function that makes of a block's address the `store` that `algorithm` runs over.

    Numbers of states have `width` bytes there.
    """
    fields = fields_for(algorithm)
    columns = {
        name: column_at(Column(*kind, order=ORDERS[fields[name].team] if algorithm.workers == "team" else ""))
        for name, kind in kinds(algorithm, width, store).items()
        if name != "initial"  # it is iterated over, so that it has a length
    }
    parts = dict.fromkeys(TEAM_FIELDS, "0")
    parts |= {name: f"{name}(word(block, {word_of(name)}))" for name in columns}
    parts["initial"] = f"array_at(word(block, {word_of('initial')}), word(block, {INITIAL_ROWS}))"
    scope = {"NativeStore": NativeStore, "array_at": array_at, "word": word, **columns}
    exec(f"def store_at(block):\n    return NativeStore(block, {', '.join(parts.values())})", scope)
    return function(scope["store_at"])
