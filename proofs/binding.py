"""What is compiled is what is proved: the text as it is read, as it is loaded, and as Numba is given it.

`bindings.txt` lists what no text says by itself: which kernel each search runs, and which of its proofs the kernel
names; what each store and each other object of machine code binds names to in place of what their modules say; which
texts hand functions to Numba, and what it makes to the linker; and by what one module could change what another means.
`python -m proofs` compares it, without a prover.
`EVERAFTER_UPDATE=1 python -m proofs` writes it anew, and the difference is to be read.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import os
import symtable
from collections.abc import Iterator
from typing import Final

from everafter.engine.code.intrinsics import Column
from everafter.engine.columns import NARROW
from everafter.search.catalogue import CATALOGUE
from proofs.compiling import NARROWER, Bindings, departures, function_of, handed, makers
from proofs.links import LINK, links_in_source
from proofs.loading import problems
from proofs.nagini import essence
from proofs.reflection import reflection
from proofs.running_text import Module, definition, is_module, meaning, modules, nodes_of, path_of
from proofs.task import FOLDER, ProofError
from proofs.variables import check_deciding

PINNED: Final = FOLDER / "bindings.txt"
HEAD: Final = f"""\
Made by proofs/binding.py. Under each heading, what the text of the modules does not say by itself.
{"=" * 98}
"""
HANDING: Final = (
    "everafter.engine.code.",
    "everafter.engine.gpu.device_code",
    "everafter.engine.gpu.gpu_kernels",
    "everafter.engine.kernels.binding",
    "everafter.engine.run.kernel_code",
    "everafter.kernel_inventory",
)
"""What stands between kernels and machine code: here it is seen what is handed over, not what becomes of it."""
UNPROVED: Final = frozenset({"everafter.search.streett.search_streett"})
"""The searches without a proof, as docs/trust.md says."""


def check_running() -> None:
    """Refuse a running text that is loaded, bound or compiled otherwise than as it is read; or write down how it is.

    Raises `ProofError` with all that is wrong.
    """
    check_deciding()
    found = list(problems())
    made = text(found)
    kept = PINNED.read_text() if PINNED.exists() else ""
    if made != kept and os.environ.get("EVERAFTER_UPDATE") and not found:
        PINNED.write_text(made)
    elif made != kept:
        lines = difflib.unified_diff(kept.splitlines(), made.splitlines(), lineterm="", n=0)
        found += ["what runs is not bound as proofs/bindings.txt says:", *list(lines)[2:]]
    if found:
        raise ProofError("\n".join(found))


def text(found: list[str]) -> str:
    """What is pinned, as it is. What is wrong is added to `found`."""
    parts = [("searches", searches(found)), ("users of proved functions", users(found)), *objects_alike(found)]
    parts += [("between kernels and machine code", handing())]
    parts += [("what could change what another module means", words())]
    return HEAD + "".join(f"\n[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in parts)


def searches(found: list[str]) -> list[str]:
    """Each search with its kernel, and the proofs that the kernel names."""
    lines = []
    for each in CATALOGUE:
        answers = f"{each.question} by {each.workers}" + (f", else {each.fallback}" if each.fallback else "")
        answers += ", one suffices" if each.one_suffices else ""
        try:
            kernel = function_of(each.kernel)
        except ProofError as error:
            found.append(f"{each.name}: {error}")
            continue
        proofs = [f"{link[1]} {link[2]}" for link in LINK.finditer(ast.get_docstring(definition(kernel)) or "")]
        if not proofs and str(kernel) in UNPROVED:
            proofs = ["no proof"]
        if not proofs:
            found.append(f"{kernel}: names no proof")
        lines.append(f"{each.name} ({answers}): {kernel}, {', '.join(proofs)}")
    return lines


def users(found: list[str]) -> list[str]:
    """Each function that names a proof, with the modules that import it, or the module it is in.

    Where a scope of these gives the name another meaning, that is added to `found`.
    """
    by: dict[str, list[str]] = {name: [] for name, _, _ in links_in_source()}
    for module in modules():
        imports = [each for each in nodes_of(module) if isinstance(each, ast.ImportFrom)]
        named = {
            imported(each.module or "", name.name): name.asname or name.name for each in imports for name in each.names
        }
        for name, using in by.items():
            called = named.get(name) or named.get(str(Module(name.rpartition(".")[0])))
            if called:
                using.append(module if is_used(module, called, found) else f"{module} (imports it only)")
    return [f"{name}: {', '.join(using)}" for name, using in sorted(by.items()) if using]


def is_used(module: str, name: str, found: list[str]) -> bool:
    """Whether the module reads `name`. Where it means something else in a function, that is added to `found`."""
    text = path_of(module).read_text(encoding="utf-8")
    used = False
    for scope in scopes(symtable.symtable(text, str(path_of(module)), "exec")):
        symbol = scope.lookup(name) if name in scope.get_identifiers() else None
        if symbol is None or scope.get_type() == "class":
            continue
        used |= symbol.is_referenced()
        if scope.get_type() == "function" and symbol.is_local() and not symbol.is_imported():
            found.append(f"{module}: {name} is something else in {scope.get_name()}")
    return used


def scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """Yield the scope `table`, and all within it."""
    yield table
    for inner in table.get_children():
        yield from scopes(inner)


def handing() -> list[str]:
    """Each module that hands functions on to Numba or to the linker, with a digest of what it does."""
    return [
        f"{module}: sha256 {hashlib.sha256(essence(path_of(module).read_text()).encode()).hexdigest()}"
        for module in modules()
        if module.startswith(HANDING)
    ]


def imported(module: str, name: str) -> str:
    """What is imported, if it is of the running text and bound once."""
    try:
        return str(meaning(module, name)) if is_module(module) else ""
    except ProofError:
        return ""


def objects_alike(found: list[str]) -> list[tuple[str, list[str]]]:
    """What the objects of machine code are bound to; those together for which it is the same.

    One for narrow numbers is named only where it is bound to more than other columns.
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    wide: dict[str, Bindings] = {}
    for name, make in makers():
        try:
            its, wrong = departures(name, handed(name, make))
        except Exception as error:
            found.append(f"{name}: cannot be put together: {error}")
            continue
        found += wrong
        wider = name.removesuffix(NARROWER[NARROW])
        if name != wider and beside_columns(its) == beside_columns(wide[wider]):
            continue
        wide.setdefault(name, its)
        names = alike.setdefault(tuple(f"{each} = {means}" for each, means in sorted(its.items())), [])
        names += [] if name in names else [name]
    return [(heading(names), list(lines)) for lines, names in alike.items()]


def beside_columns(its: Bindings) -> Bindings:
    """The bindings without columns of numbers, which are of another width in each object."""
    return {name: means for name, means in its.items() if f"{Column.__name__}(" not in means}


def heading(names: list[str]) -> str:
    """The names of objects, those of one search on several stores together."""
    stores: dict[str, list[str]] = {}
    for name in names:
        stores.setdefault(name.partition(": ")[0], []).append(name.partition(": ")[2])
    return "; ".join(f"{of}: {', '.join(on)}" for of, on in stores.items())


def words() -> list[str]:
    """By module, by what it could change what another means."""
    return [f"{module}: {', '.join(found)}" for module, found in reflection().items()]
