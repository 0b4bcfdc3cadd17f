"""Which functions of the running text name a proof, and which proof each names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from proofs.task import ROOT, ProofError

LINK = re.compile(r"Proof: proofs/([\w/]+\.\w+), (?:method|function|theorem) ([\w']+)\.")
SOURCES = ROOT / "src"
Link = tuple[str, str, str]
"""A function, a file of proofs, and what in it is the proof."""
Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def docstrings(node: Documented, name: str) -> Iterator[tuple[str, str]]:
    """Yield the docstring of the module, class or function called `name`, and those of what it defines."""
    yield name, ast.get_docstring(node) or ""
    for inner in node.body:
        if isinstance(inner, Documented):
            yield from docstrings(inner, f"{name}.{inner.name}")


@cache
def links_in_source() -> frozenset[Link]:
    """Return where a docstring names a proof. Raises ProofError where a `Proof:` line is not one that can be read."""
    found: set[Link] = set()
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text()
        if "Proof: " not in text:
            continue
        module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        said = docstrings(ast.parse(text), module)
        links = [(name, link[1], link[2]) for name, docstring in said for link in LINK.finditer(docstring)]
        if len(links) != text.count("Proof: "):
            raise ProofError(f"{path.relative_to(ROOT)}: a `Proof:` line names no method, function or theorem")
        found.update(links)
    return frozenset(found)
