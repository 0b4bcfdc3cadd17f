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
from collections.abc import Iterator
from typing import Final

from everafter.search.catalogue import CATALOGUE
from proofs.compiling import departures, function_of, objects
from proofs.links import LINK
from proofs.loading import check_loaded
from proofs.reflection import reflection
from proofs.running_text import definition
from proofs.task import FOLDER, ProofError
from proofs.variables import check_deciding

PINNED: Final = FOLDER / "bindings.txt"
HEAD: Final = f"""\
Made by proofs/binding.py. Under each heading, what the text of the modules does not say by itself.
{"=" * 98}
"""


def check_running() -> None:
    """Refuse a running text that is loaded, bound or compiled otherwise than as it is read; or write down how it is."""
    check_deciding()
    check_loaded()
    made = text()
    kept = PINNED.read_text() if PINNED.exists() else ""
    if made == kept:
        return
    if os.environ.get("EVERAFTER_UPDATE"):
        PINNED.write_text(made)
        return
    lines = difflib.unified_diff(kept.splitlines(), made.splitlines(), "bindings.txt", "as it is", lineterm="", n=0)
    raise ProofError("what runs is not bound as proofs/bindings.txt says:\n" + "\n".join(list(lines)[2:20]))


def text() -> str:
    """What is pinned, as it is."""
    parts = [("searches", searches()), *objects_alike(), ("reflection", words())]
    return HEAD + "".join(f"\n[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in parts)


def searches() -> Iterator[str]:
    """Each search with its kernel, and the proofs that the kernel names."""
    for each in CATALOGUE:
        kernel = function_of(each.kernel)
        proofs = [f"{link[1]} {link[2]}" for link in LINK.finditer(ast.get_docstring(definition(kernel)) or "")]
        if not proofs:
            raise ProofError(f"{kernel}: names no proof")
        answers = f"{each.question} by {each.workers}" + (f", else {each.fallback}" if each.fallback else "")
        answers += ", one suffices" if each.one_suffices else ""
        yield f"{each.name} ({answers}): {kernel}, {', '.join(proofs)}"


def objects_alike() -> list[tuple[str, list[str]]]:
    """What the objects of machine code are bound to; those together for which it is the same."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, entries in objects():
        found = departures(name, entries)
        alike.setdefault(tuple(f"{each} = {means}" for each, means in sorted(found.items())), []).append(name)
    return [("; ".join(names), list(lines)) for lines, names in alike.items()]


def words() -> Iterator[str]:
    """By module, by what it could change what another means."""
    return (f"{module}: {', '.join(found)}" for module, found in reflection().items())
