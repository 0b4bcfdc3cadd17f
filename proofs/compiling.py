"""What Numba is given, held against the text: every function that is compiled, and what its names are bound to.

Each object of machine code that is made of Python is put together as for a check, and stopped where Numba would begin:
no code is made. From the functions of an object one comes to all that it is made of. Each must have the code of a
function as its file has it, with nothing beside it (no closure, no defaults), and be compiled with the usual options.
Where a name of it is bound to something else than its module says (a store hands in its `expand`, an object its
`kernel`), that is told, and compared with what is pinned (`proofs.binding`).
"""

from __future__ import annotations

import ast
import builtins
import dis
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from types import CodeType, FunctionType
from typing import Any, Final
from unittest.mock import patch

from numba.core.registry import CPUDispatcher

from everafter.certificates.native.code import certificate_code
from everafter.engine import block
from everafter.engine.block import TEAM_FIELDS, word_of
from everafter.engine.cluster import worker
from everafter.engine.cluster.worker_kernels import BY_STORE
from everafter.engine.code import atomics, compiler, intrinsics, kernel_archive
from everafter.engine.code import cache as kept
from everafter.engine.columns import NARROW, WIDE
from everafter.engine.gpu import device_code, gpu_kernels
from everafter.engine.kernels.single_kernels import ALONE
from everafter.engine.kernels.team_kernels import TOGETHER
from everafter.engine.run import kernel_code as running
from everafter.search.catalogue import CATALOGUE
from proofs.links import links_in_source
from proofs.loading import loaded
from proofs.running_text import Expression, Function, Record, code_of, meaning, modules, tree_of
from proofs.task import ProofError

ROOMS: Final = ("everafter.engine.", "everafter.search.", "everafter.certificates.")
"""Whose functions are compiled."""
Entries = Mapping[str, tuple[Any, int]]
Bindings = dict[str, str]
"""By name, what it is bound to in place of what the text says."""
NARROWER: Final = {WIDE: "", NARROW: " (narrow)"}
"""By the bytes of a number: how objects for it are called."""
MADE_AT_RUN_TIME: Final = "everafter.engine.kernels.binding.store_maker"
"""Makes the one function that no file has: it reads a store's fields off a block."""


@cache
def texts() -> dict[CodeType, list[Function]]:
    """By its code, each function at the top of a module that may be compiled."""
    found: dict[CodeType, list[Function]] = {}
    for module in modules():
        if module.startswith(ROOMS):
            for each in tree_of(module).body:
                if isinstance(each, ast.FunctionDef):
                    for its_code in code_of(module)[each.name]:
                        found.setdefault(its_code, []).append(Function(module, each.name))
    return found


def function_of(value: Any) -> Function:
    """The function of the text that this one is. Raises `ProofError` if it is none."""
    found = texts().get(value.__code__, []) if isinstance(value, FunctionType) else []
    if len(found) != 1 or value is not vars(sys.modules[found[0].module]).get(found[0].name):
        raise ProofError(f"{value} is no function of the text")
    return found[0]


@dataclass(slots=True)
class Handed(Exception):
    """What would be compiled now."""

    entries: Entries


def hand_over(entries: Entries, *_elsewhere: Any) -> str:
    """Stop where Numba would begin."""
    raise Handed(entries)


def makers() -> Iterator[tuple[str, Callable[[], Any]]]:
    """By name, what makes each object: as a check does, for every search on every store.

    There are several of a name: where ranks are kept, and, `NARROWER`, for numbers of fewer bytes.
    """
    stores: dict[str, Callable[[], Any]] = {}
    for algorithm in CATALOGUE:
        alone = algorithm.workers == "one"
        for store, width in product(ALONE if alone else TOGETHER, NARROWER):
            for each in dict.fromkeys((algorithm, algorithm.keeping())):
                name = f"{algorithm.name} by {algorithm.workers}: {store}{NARROWER[width]}"
                yield name, partial(running.search_code, each, width, store=store)
            name = f"store of {algorithm.workers}{' with acceptance sets' if algorithm.reads_sets else ''}: {store}"
            stores[name + NARROWER[width]] = partial(running.store_code, algorithm, width, store=store)
    yield from stores.items()
    for store in BY_STORE:
        yield f"worker of a cluster: {store}", partial(worker.kernels, store=store)
    yield "levels: GPU", partial(device_code.kernels, running.say_nothing)
    yield from (
        (f"certificates: any{narrower}", partial(certificate_code, each)) for each, narrower in NARROWER.items()
    )


def handed(name: str, make: Callable[[], Any]) -> Entries:
    """The functions of the object as they are handed to Numba."""
    with ExitStack() as changed:
        changed.enter_context(patch.object(compiler, "joined_text", hand_over))
        changed.enter_context(patch.object(gpu_kernels, "joined_text", hand_over))
        changed.enter_context(patch.object(running, "carried", lambda: kernel_archive.Unfit("it is read anew")))
        changed.enter_context(patch.object(device_code, "carried", lambda: kernel_archive.Unfit("it is read anew")))
        changed.enter_context(patch.object(kept, "_read", lambda _path: None))
        changed.enter_context(patch.dict(running._codes, clear=True))
        try:
            make()
        except Handed as one:
            return one.entries
    raise ProofError(f"{name}: nothing is handed to Numba")


def departures(name: str, entries: Entries) -> tuple[Bindings, list[str]]:
    """What names are bound to in the object where that is not what the text says, its entries included.

    Also returns why it is not made of the text.
    """
    object_of = Object(name)
    for entry, (function, _) in entries.items():
        object_of.depart(entry, str(object_of.function(entry, function)))
    while object_of.pending:
        object_of.follow(object_of.pending.pop())
    proved = {link[0] for link in links_in_source()} & {str(function) for _, function in object_of.met.values()}
    bindings = {**object_of.bindings, "(proved)": ", ".join(sorted(proved)).replace("everafter.", "")}
    return bindings, object_of.wrong


@dataclass(slots=True)
class Object:
    """One object of machine code on its way to be compared with the text."""

    name: str
    bindings: Bindings = field(default_factory=dict)
    pending: list[tuple[Function, FunctionType]] = field(default_factory=list)
    """Functions of the text, each with what is compiled for it."""
    wrong: list[str] = field(default_factory=list)
    """Why it is not made of the text."""
    met: dict[int, tuple[Any, Function]] = field(default_factory=dict)

    def refuse(self, name: str, why: str) -> None:
        """Note that this is not made of the text."""
        self.wrong.append(f"{self.name}: {name} {why}")

    def depart(self, name: str, means: str) -> None:
        """The name is bound to what its module does not say; wherever it is in this object, to the same."""
        if self.bindings.setdefault(name, means) != means:
            self.refuse(name, f"is bound to {means} and to {self.bindings[name]}")

    def function(self, name: str, given: Any, expected: Any = None) -> Function:
        """The function of the text that is compiled under the name; it is looked at later."""
        if id(given) in self.met:
            return self.met[id(given)][1]
        text = given.py_func
        usual = {**compiler.OPTIONS, "nopython": True, "boundscheck": None, "forceinline": True}
        options = {key: each for key, each in given.targetoptions.items() if key != "pipeline_class"}
        if options != {**{key: each for key, each in usual.items() if key != "pipeline_class"}, **_inline(options)}:
            self.refuse(name, f"is compiled with {options}")
        if given._compiler.pipeline_class is not compiler._Pipeline or given._compiler.py_func is not text:
            self.refuse(name, "is compiled in another way than others")
        if not isinstance(text, FunctionType) or text.__closure__ or text.__defaults__ or text.__kwdefaults__:
            self.refuse(name, "is more than a text")
        if vars(text):
            self.refuse(name, f"has {', '.join(vars(text))}, which Numba may take for what it says of itself")
        known = texts().get(text.__code__, [])
        if known:
            found = expected if expected in known else known[0]
            self.pending.append((found, text))
        elif text.__code__ == store_at(text).__code__:
            found = Function(*MADE_AT_RUN_TIME.rsplit(".", 1))
        else:
            self.refuse(name, f"is compiled of what no file says ({text.__code__.co_filename})")
            found = Function("no file", text.__name__)
        self.met[id(given)] = given, found
        return found

    def follow(self, both: tuple[Function, FunctionType]) -> None:
        """Compare what the names in the function are bound to."""
        function, text = both
        for name in names_in(text.__code__):
            value = text.__globals__.get(name, getattr(builtins, name, None))
            try:
                said = meaning(function.module, name)
            except ProofError as error:
                self.refuse(name, str(error))
                continue
            if not self.is_said(name, value, said):
                self.depart(name, self.told(name, value))

    def is_said(self, name: str, value: Any, said: Any) -> bool:
        """Whether what is compiled is what is said."""
        if isinstance(value, CPUDispatcher):
            return bool(self.function(name, value, said) == said)
        if isinstance(said, Record):
            return self.is_record(name, value, said)
        if type(said) in {int, bool}:
            return type(value) is type(said) and bool(value == said)
        if said is None:
            return value is getattr(builtins, name, self) and type(value).__module__ == "builtins"
        if not isinstance(said, Function | Expression):
            return False
        return value is loaded(said)

    def is_record(self, name: str, value: Any, said: Record) -> bool:
        """Whether a search is as it is said, with hooks that are compiled."""
        kind = type(value)
        if f"{kind.__module__}.{kind.__qualname__}" != str(said.kind) or kind._fields != tuple(dict(said.fields)):
            return False
        return all(self.is_said(f"{name}.{each}", getattr(value, each), own) for each, own in said.fields)

    def told(self, name: str, value: Any) -> str:
        """What the value is, for people."""
        if isinstance(value, CPUDispatcher):
            return str(self.function(name, value))
        if type(value) in {int, bool}:
            return str(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            parts = (f"{each}={self.told(each, getattr(value, each))}" for each in value._fields)
            return f"{type(value).__name__}({', '.join(parts)})"
        step = step_of_processor(value)
        if step is not None:
            return step
        cells = [each.cell_contents for each in getattr(getattr(value, "_defn", None), "__closure__", None) or ()]
        inner = f" {', '.join(map(str, cells))}" if cells else ""
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', type(value).__name__)}{inner}"


def _inline(options: Mapping[str, Any]) -> dict[str, bool]:
    """Whether a function is put where it is called is a matter of speed only."""
    return {"forceinline": bool(options.get("forceinline"))}


def step_of_processor(value: Any) -> str | None:
    """The intrinsic that this is, and not only what it calls itself; None if it is none."""
    found = (
        f"{module.__name__}.{name}"
        for module in (intrinsics, atomics)
        for name, each in vars(module).items()
        if each is value
    )
    return next(found, None)


def names_in(its_code: CodeType) -> list[str]:
    """The names in the code that are not local."""
    found = {each.argval for each in dis.get_instructions(its_code) if each.opname in {"LOAD_GLOBAL", "LOAD_NAME"}}
    for inner in its_code.co_consts:
        if isinstance(inner, CodeType):
            found |= set(names_in(inner))
    return sorted(found)


def store_at(text: FunctionType) -> FunctionType:
    """The function that makes a store of a block, for the columns that this one has, made anew."""
    parts = {name: f"{name}(word(block, {word_of(name)}))" if name in text.__globals__ else "0" for name in TEAM_FIELDS}
    parts["initial"] = f"array_at(word(block, {word_of('initial')}), word(block, {block.INITIAL_ROWS}))"
    scope: dict[str, Any] = {}
    exec(f"def store_at(block):\n    return NativeStore(block, {', '.join(parts.values())})", scope)
    made = scope["store_at"]
    assert isinstance(made, FunctionType)
    return made
