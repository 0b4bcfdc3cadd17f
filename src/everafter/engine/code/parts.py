"""The functions that a store is made of, by name, and how some are replaced by others.

A function of a store calls others by name. When it is compiled, the name means what a table says, and each table is
checked: it replaces only what is there, with the same parameters. No table can be changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

Functions = Mapping[str, Callable[..., Any]]
_PACKAGE = "everafter.engine.store."
NO_STEPS: Mapping[str, Any] = MappingProxyType({})


def functions_of(*modules: ModuleType) -> Functions:
    """Return the functions that `modules` define, by name; no two may have the same."""
    found: dict[str, Callable[..., Any]] = {}
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                if name in found:
                    raise TypeError(f"{name} is defined in {module.__name__} and in {found[name].__module__}")
                found[name] = value
    return MappingProxyType(found)


def replaced(functions: Functions, replacing: Functions) -> Functions:
    """Return `functions`, those that `replacing` names replaced by what it gives."""
    for name, function in replacing.items():
        if name not in functions:
            raise TypeError(f"there is no function {name} to replace")
        if _parameters(function) != _parameters(functions[name]):
            raise TypeError(f"{function.__name__} has other parameters than {name}, which it replaces")
    return MappingProxyType({**functions, **replacing})


def extended(functions: Functions, replacing: Functions, defined: Functions) -> Functions:
    """Return `functions` with some replaced, and the others that are `defined`.

    The table `replacing` must have all of those that replace one.
    """
    forgotten = (functions.keys() & defined.keys()) - replacing.keys()
    if forgotten:
        raise TypeError(f"{min(forgotten)} is defined again and not in the table of what is replaced")
    return MappingProxyType({**defined, **replaced(functions, replacing)})


def joined(one: Functions, other: Functions) -> Functions:
    """Return the functions of the tables `one` and `other`, in which no two may have the same name."""
    twice = one.keys() & other.keys()
    if twice:
        raise TypeError(f"there are two functions {min(twice)}")
    return MappingProxyType({**one, **other})


def _parameters(function: Callable[..., Any]) -> list[str]:
    """The names of the parameters; an underscore says that one is not used."""
    return [name.lstrip("_") for name in inspect.signature(function).parameters]


def bound(
    functions: Functions,
    given: Mapping[str, Any],
    compiled: Callable[[Callable[..., Any], str], Any],
    packages: tuple[str, ...] = (_PACKAGE,),
    steps: Mapping[str, Any] = NO_STEPS,
) -> dict[str, Any]:
    """Return `functions`, `compiled`, each bound to the others, and to what is `given` for other names, as `as_number`.

    Names of functions that `packages` define mean those compiled. The `steps` take the place of others by their names.
    """
    spaces: dict[int, dict[str, Any]] = {}
    made: dict[str, Any] = {}
    for name, function in functions.items():
        assert isinstance(function, FunctionType)
        space = spaces.setdefault(id(function.__globals__), dict(function.__globals__))
        made[name] = compiled(FunctionType(function.__code__, space, name), name)
    for space in spaces.values():
        for name, value in space.items():
            if isinstance(value, FunctionType) and value.__module__.startswith(packages) and value.__name__ in made:
                space[name] = made[value.__name__]
        space.update({name: value for name, value in {**steps, **given}.items() if name in space})
    missing = given.keys() - set().union(*spaces.values())
    if missing:
        raise TypeError(f"no function asks for {min(missing)}")
    return made
