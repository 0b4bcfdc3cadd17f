"""What is compiled is what is proved: the text as it is read, as it is loaded, and as Numba is given it.

`bindings.txt` lists what no text says by itself: which kernel each search runs, and which of its proofs the kernel
names; what each store and each other object of machine code binds names to in place of what their modules say; and by
what one module could change what another means. `python -m proofs` compares it, without a prover.
`EVERAFTER_UPDATE=1 python -m proofs` writes it anew, and the difference is to be read.
"""

from __future__ import annotations

import ast
import difflib
import os
from typing import Final

from everafter.search.catalogue import CATALOGUE
from proofs.compiling import departures, function_of, handed, makers
from proofs.links import LINK, links_in_source
from proofs.loading import problems
from proofs.reflection import reflection
from proofs.running_text import Module, definition, is_module, meaning, modules, tree_of
from proofs.task import FOLDER, ProofError
from proofs.variables import check_deciding

PINNED: Final = FOLDER / "bindings.txt"
HEAD: Final = f"""\
Made by proofs/binding.py. Under each heading, what the text of the modules does not say by itself.
{"=" * 98}
"""


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
    parts = [("searches", searches(found)), ("users of proved functions", users()), *objects_alike(found)]
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
        if not proofs:
            found.append(f"{kernel}: names no proof")
        lines.append(f"{each.name} ({answers}): {kernel}, {', '.join(proofs)}")
    return lines


def users() -> list[str]:
    """Each function that names a proof, with the modules that import it, or the module it is in."""
    found: dict[str, list[str]] = {name: [] for name, _, _ in links_in_source()}
    for module in modules():
        imports = [each for each in ast.walk(tree_of(module)) if isinstance(each, ast.ImportFrom)]
        used = {imported(each.module or "", name.name) for each in imports for name in each.names}
        for name, using in found.items():
            if name in used or str(Module(name.rpartition(".")[0])) in used:
                using.append(module)
    return [f"{name}: {', '.join(using)}" for name, using in sorted(found.items()) if using]


def imported(module: str, name: str) -> str:
    """What is imported, if it is of the running text and bound once."""
    try:
        return str(meaning(module, name)) if is_module(module) else ""
    except ProofError:
        return ""


def objects_alike(found: list[str]) -> list[tuple[str, list[str]]]:
    """What the objects of machine code are bound to; those together for which it is the same."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, make in makers():
        try:
            its, wrong = departures(name, handed(name, make))
        except Exception as error:
            found.append(f"{name}: cannot be put together: {error}")
            continue
        found += wrong
        alike.setdefault(tuple(f"{each} = {means}" for each, means in sorted(its.items())), []).append(name)
    return [(heading(names), list(lines)) for lines, names in alike.items()]


def heading(names: list[str]) -> str:
    """The names of objects, those of one search on several stores together."""
    stores: dict[str, list[str]] = {}
    for name in names:
        stores.setdefault(name.partition(": ")[0], []).append(name.partition(": ")[2])
    return "; ".join(f"{of}: {', '.join(on)}" for of, on in stores.items())


def words() -> list[str]:
    """By module, by what it could change what another means."""
    return [f"{module}: {', '.join(found)}" for module, found in reflection().items()]
