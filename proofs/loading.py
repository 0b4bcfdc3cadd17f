"""What Python has loaded, held against the text: every module of the running text, function for function.

A module may have been loaded from elsewhere, and whatever it defines may have been replaced since, by itself or by
another module. So all modules are loaded, and then each function must have the code that Python makes of its text, each
number, search and import must be what the text says, and nothing may be there beside.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from enum import Enum
from functools import partial
from importlib import import_module
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from proofs.running_text import (
    SOURCES,
    Class,
    Expression,
    Foreign,
    Function,
    Module,
    Record,
    bindings,
    bound,
    code_of,
    definition,
    evaluated,
    is_module,
    meaning,
    module_code,
    modules,
    path_of,
)
from proofs.task import ProofError

STRICT: Final = ("everafter.search.", "everafter.certificates.deciding")
"""Where each name must be bound once, under no condition."""
GUARDING: Final = "everafter.arguments"
"""Compares what public functions are given with their signatures."""
RECORDS: Final = Function("everafter.record", "dataclass")
"""Puts methods into the classes that it decorates, as the decorator of the library does …"""
PUT: Final = {f"__{name}__": "_later" for name in ("init", "eq", "hash")} | {
    "__repr__": "_repr",
    "__setattr__": "_refuse_to_set",
    "__delattr__": "_refuse_to_delete",
    "__getstate__": "_state",
    "__setstate__": "_set_state",
}
"""… with these names, by these functions of its module, whose text is compared as every other."""
WITHIN: Final = ("__wrapped__", "_defn", "func", "fget", "fset", "fdel", "__func__")
"""Where a decorator may have put the function that it was given."""


def problems() -> Iterator[str]:
    """Load every module of the running text, and tell where one is not what its file says."""
    loaded = [name for name in modules() if not name.endswith(".__main__") and has_loaded(name)]
    for name, value in vars(builtins).items():
        if isinstance(value, FunctionType):
            yield f"{name}: what Python has built in is replaced, by {value.__code__.co_filename}"
    for name in loaded:
        yield from differences(name)


def has_loaded(name: str) -> bool:
    """Load the module; false if a package is missing that only some users have."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if is_module(str(error.name)):
            raise ProofError(f"{name}: {error}") from error
        return False
    return True


def differences(name: str) -> Iterator[str]:
    """In what the module is not what its file says."""
    module = sys.modules[name]
    spec: Any = getattr(module, "__spec__", None)
    origin, loader = getattr(spec, "origin", None), getattr(spec, "loader", None)
    if not is_plain(module) or origin != str(path_of(name)) or type(loader) is not SourceFileLoader:
        yield f"{name}: is loaded from {origin}, and not from {path_of(name)}"
        return
    if loader.get_code(name) != module_code(name):
        yield f"{name}: has other code than its text"
    for each in bindings(name):
        if name.startswith(STRICT) and hasattr(builtins, each):
            yield f"{name}.{each}: is a name of Python's own"
        try:
            problem = difference(name, each, meaning(name, each), unguarded(vars(module).get(each)))
        except ProofError as error:
            problem = str(error) if name.startswith(STRICT) or is_ambiguous(name, each) else ""
        if problem:
            yield f"{name}.{each}: {problem}"
    for each in vars(module).keys() - bindings(name).keys():
        if not (each.startswith("__") and each.endswith("__")) and not is_module(f"{name}.{each}"):
            yield f"{name}.{each}: is put there by another module"


def is_plain(module: ModuleType) -> bool:
    """Whether names mean in the module what its text binds them to, also where it says how it is called."""
    kind = type(module)
    own = kind is vars(module).get(kind.__name__) and kind.__bases__ == (ModuleType,)
    return kind is ModuleType or (own and vars(kind).keys() <= {"__module__", "__doc__", "__call__"})


def is_ambiguous(module: str, name: str) -> bool:
    """Whether the name, which is bound twice or under a condition, may be a function or class of the running text."""
    nodes = bindings(module)[name]
    ours = any(
        isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        or (isinstance(each, ast.ImportFrom) and is_module(each.module or ""))
        for each in nodes
    )
    return ours and (len(nodes) > 1 or name in vars(sys.modules[module]))


def difference(module: str, name: str, said: Any, value: Any) -> str:
    """In what the value of the name is not what is said; nothing if it is."""
    match said:
        case Class(module=own) if own == module:
            return class_difference(said, value)
        case Function(module=own) if own == module:
            return function_difference(definition(said), value, code_of(module)[name], module)
        case Function() | Expression():
            return "" if said.module == module or value is loaded(said) else f"is not {said.module}.{said.name}"
        case Module(name=other):
            return "" if value is sys.modules[other] else f"is not {other}"
        case Foreign():
            return "" if value is foreign(said) else f"is not {said.module}.{said.name}"
        case Record():
            return "" if is_record(value, said) else f"is {value}"
        case int():
            return "" if type(value) is type(said) and value == said else f"is {value!r}, and the text says {said}"
    return ""


def loaded(said: Function | Expression) -> Any:
    """What the module that binds the name has there."""
    return unguarded(vars(sys.modules[said.module]).get(said.name))


def unguarded(value: Any) -> Any:
    """The function whose arguments are compared with its signature before it is called; any other value as it is.

    What compares them is a text of the package, which is compared with its file as every other.
    """
    (outer,) = code_of(GUARDING)["guarded"]
    guards = [each for each in outer.co_consts if isinstance(each, CodeType) and each.co_name == "called"]
    if not isinstance(value, FunctionType) or value.__code__ not in guards or value.__closure__ is None:
        return value
    cells = dict(zip(value.__code__.co_freevars, value.__closure__, strict=True))
    usual = value.__globals__ is vars(sys.modules[GUARDING]) and not value.__defaults__ and not value.__kwdefaults__
    compiled = cells["compiled"].cell_contents
    usual &= isinstance(compiled, FunctionType) and compiled.__code__ in outer.co_consts
    return cells["function"].cell_contents if usual else value


def foreign(said: Foreign) -> Any:
    """What another package has."""
    module = import_module(said.module)
    return getattr(module, said.name, sys.modules.get(f"{said.module}.{said.name}")) if said.name else module


def is_record(value: Any, said: Record) -> bool:
    """Whether the value is this named tuple."""
    if type(value) is not loaded(said.kind):
        return False
    own = (loaded(each) if isinstance(each, Function) else each for _, each in said.fields)
    return all(type(one) is type(other) and one == other for one, other in zip(value, own, strict=True))


def function_difference(tree: Any, value: Any, codes: list[CodeType], module: str) -> str:
    """In what a function is not what the text says."""
    plain = not tree.decorator_list
    found = [each for each in functions_in(value, 0 if plain else 4) if each.__code__ in codes]
    if not found:
        return "has not the code that its text has"
    function: Any = found[0]
    if function.__globals__ is not vars(sys.modules[module]) or function.__builtins__ is not vars(builtins):
        return "takes its names from elsewhere"
    if plain and (vars(function) or function.__closure__):
        return f"has more than its text: {', '.join(vars(function)) or 'a closure'}"
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    written = [*tree.args.defaults, *(each for each in tree.args.kw_defaults if each is not None)]
    if len(defaults) != len(written) or not all(map(partial(is_default, module), written, defaults)):
        return f"has other defaults than its text: {defaults}"
    return ""


def is_default(module: str, written: ast.expr, value: Any) -> bool:
    """Whether the value may be that of the expression: of those that are read off the text, whether it is."""
    expected = written.value if isinstance(written, ast.Constant) else evaluated(module, written)
    known = isinstance(written, ast.Constant) or isinstance(expected, int)
    return not known or (type(value) is type(expected) and bool(value == expected))


def functions_in(value: Any, depth: int) -> Iterator[FunctionType]:
    """The function, or those that a decorator may have wrapped so deep."""
    if isinstance(value, FunctionType):
        yield value
    if depth:
        inner = [getattr(value, each, None) for each in WITHIN]
        inner += [each.cell_contents for each in getattr(value, "__closure__", None) or ()]
        for each in inner:
            if each is not value and each is not None:
                yield from functions_in(each, depth - 1)


def class_difference(said: Class, value: Any) -> str:
    """In what a class is not what the text says: its functions, and whether another text put some there."""
    if not isinstance(value, type) or value.__module__ != said.module:
        return "is not the class that the text defines"
    tree, codes = definition(said), code_of(said.module)
    written = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    for each in written:
        name = f"_{said.name.lstrip('_')}{each.name}" if is_private(each.name) else each.name
        same = codes[f"{said.name}.{each.name}"]
        if not any(own.__code__ in same for own in functions_in(vars(value).get(name), 4)):
            return f"{each.name} has not the code that its text has"
    known = {name for each in tree.body for name, _ in bound(each)}
    known |= {"_generate_next_value_"} if issubclass(value, Enum) else set()  # Python copies it from the class above
    put = PUT if any(is_record_maker(said.module, each) for each in tree.decorator_list) else {}
    for name, guarded in vars(value).items():
        member = unguarded(guarded)
        if name in put and isinstance(member, FunctionType) and member.__code__ in codes_of_records(put[name]):
            continue
        foreign_text = isinstance(member, FunctionType) and member.__code__.co_filename.startswith(str(SOURCES))
        if foreign_text and name not in known and not is_private(name.removeprefix(f"_{said.name.lstrip('_')}")):
            return f"{name} is put there by {member.__code__.co_filename}"
    return ""


def is_record_maker(module: str, decorator: ast.expr) -> bool:
    """Whether the decorator is that of records."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and meaning(module, called.id) == RECORDS


def codes_of_records(name: str) -> list[CodeType]:
    """The code of the function of this name in the module of records, and of the functions in it."""
    found = code_of(RECORDS.module)[name]
    return [*found, *(each for code in found for each in code.co_consts if isinstance(each, CodeType))]


def is_private(name: str) -> bool:
    """Whether Python gives the name of a class's own a longer one."""
    return name.startswith("__") and not name.endswith("__")
