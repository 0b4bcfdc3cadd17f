"""The variables of proved texts by their place: a proof goes on calling a variable as it did when it was written.

`variables.toml` has a line for each function that a companion speaks of: its parameters and variables, in the order in
which the text has them first. Where the text calls them otherwise now, they are renamed before it is translated: the
proof stays the same, letter for letter. What is renamed means the same, since a name is renamed wherever it is, to one
that means nothing else there. Where the text has other variables than so many, the line is told that is to be changed.
"""

from __future__ import annotations

import ast
import os
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Final

from proofs.nagini import FOR_PROOF, is_contract
from proofs.running_text import path_of, tree_of
from proofs.task import FOLDER, ROOT, ProofError, inside

LISTED: Final = FOLDER / "variables.toml"
DECIDING: Final = "certificates/deciding.py"
SCOPES: Final = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.FunctionDef, ast.ClassDef)
"""What has variables of its own."""
BINDING: Final = (ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.Match)
"""What binds names otherwise than an assignment does."""


@cache
def listed() -> dict[str, list[str]]:
    """By function, with its module: what a proof calls its parameters and variables, in their order."""
    lines: dict[str, str] = tomllib.loads(LISTED.read_text())
    return {function: names.split() for function, names in lines.items()}


def variables(function: ast.FunctionDef) -> list[str]:
    """The parameters and variables of the function, in the order in which the text has them first."""
    return list(dict.fromkeys(name for _, name in sorted(_places(function))))


def _places(function: ast.FunctionDef) -> Iterator[tuple[tuple[int, int], str]]:
    """Where the function has which parameter, or assigns to which variable."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield (node.lineno, node.col_offset), node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield (node.lineno, node.col_offset), node.id


def text_of(module: str) -> str:
    """The text of the module, with the variables of its functions called as their proofs call them."""
    return _as_proved(module, path_of(module).read_text(encoding="utf-8"), LISTED.read_text())


@cache
def _as_proved(module: str, text: str, _: str) -> str:
    """The same from the text that the module has, and the list as it is."""
    lines = [line.encode() for line in text.split("\n")]
    for (line, column), (old, new) in sorted(_changes(module, ast.parse(text)), reverse=True):
        before, after = lines[line - 1][:column], lines[line - 1][column:]
        lines[line - 1] = before + new.encode() + after.removeprefix(old.encode())
    return "\n".join(line.decode() for line in lines)


def _changes(module: str, tree: ast.Module) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    """Where in the `tree` of a module a variable is called otherwise than its proof calls it, and both names."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and f"{module}.{function.name}" in listed():
            names = renamed(module, function)
            for node in ast.walk(function) if names else ():
                name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
                if isinstance(node, ast.Name | ast.arg) and names.get(name, name) != name:
                    yield (node.lineno, node.col_offset), (name, names[name])


def renamed(module: str, function: ast.FunctionDef) -> dict[str, str]:
    """What the proof calls each variable of the function. Raises `ProofError` where that is not known."""
    own, proved = variables(function), listed()[f"{module}.{function.name}"]
    if len(own) != len(proved) or (own != proved and set(own) == set(proved)):
        raise ProofError(
            f"{line_of(module, function)}: {function.name} has the variables {' '.join(own)}, in this order"
        )
    if own == proved:
        return {}
    others = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} - set(own)
    inner = any(isinstance(node, (*SCOPES, *BINDING)) for node in ast.walk(function) if node is not function)
    if inner or others & set(proved):
        taken = ", ".join(sorted(others & set(proved))) or "names of other scopes"
        raise ProofError(f"{line_of(module, function)}: {function.name} has {taken} beside its variables")
    return dict(zip(own, proved, strict=True))


def line_of(module: str, function: ast.FunctionDef) -> str:
    """Where `variables.toml` has the function, and where its text is."""
    lines = LISTED.read_text().splitlines()
    number = next(at for at, line in enumerate(lines, 1) if line.startswith(f'"{module}.{function.name}"'))
    place = f"{path_of(module).relative_to(ROOT)}:{function.lineno}"
    return f"{LISTED.relative_to(ROOT)}:{number}: {place}"


def check_listed(functions: set[str]) -> None:
    """Refuse a list that is not of these functions; or write it, with variables as they are where they do not fit."""
    if os.environ.get("EVERAFTER_UPDATE"):
        LISTED.write_text("".join(f'"{each}" = "{" ".join(fitting(each))}"\n' for each in sorted(functions)))
        listed.cache_clear()
    for each in sorted(functions ^ listed().keys()):
        raise ProofError(f"{LISTED.relative_to(ROOT)}: {each} is {'not here' if each in functions else 'not proved'}")


def fitting(name: str) -> list[str]:
    """What the line of the function is to be: as it is, if it fits."""
    module, _, function = name.rpartition(".")
    tree = next(each for each in tree_of(module).body if isinstance(each, ast.FunctionDef) and each.name == function)
    own, proved = variables(tree), listed().get(name, [])
    return proved if len(own) == len(proved) and set(own) != set(proved) else own


def check_deciding() -> None:
    """Refuse functions that decide certificates and are not those that Nagini proves, but for names and docstrings."""
    shipped = undocumented(tree_of("everafter.certificates.deciding").body)
    text = inside(DECIDING).read_text()
    end = text.partition(FOR_PROOF)[0].count("\n") + 1
    every = undocumented(without_contracts(ast.parse(text)))
    proved = [each for each in every if each.lineno < end]
    for one, other in zip(proved, shipped, strict=False):
        if by_place(one) != by_place(other):
            place = f"{path_of('everafter.certificates.deciding').relative_to(ROOT)}:{other.lineno}"
            raise ProofError(f"proofs/{DECIDING}:{one.lineno}: this is not what {place} says")
    names = [each.name for each in every if isinstance(each, ast.FunctionDef)]
    if len(proved) != len(shipped) or len(set(names)) < len(names):
        raise ProofError(f"proofs/{DECIDING}: these are not the functions of everafter.certificates.deciding")


def without_contracts(tree: ast.Module) -> list[ast.stmt]:
    """What is at the top of the text, without contracts and what is imported for them."""
    for node in ast.walk(tree):
        for part in ("body", "orelse"):
            if isinstance(getattr(node, part, None), list):
                setattr(node, part, [each for each in getattr(node, part) if not is_contract(each)])
    return tree.body


def undocumented(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without the docstring that they begin with."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *others]:
            return others
    return body


def by_place(statement: ast.stmt) -> str:
    """The statement with its variables called by their numbers: the same for all that differ in their names only.

    Docstrings are left out, since they do nothing.
    """
    tree = ast.parse(ast.unparse(statement))
    for function in [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]:
        function.body = undocumented(function.body) or [ast.Pass()]
    for function in [each for each in tree.body if isinstance(each, ast.FunctionDef)]:
        own = variables(function)
        if any(isinstance(node, (*SCOPES, *BINDING)) for node in ast.walk(function) if node is not function):
            return ast.dump(tree)
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in own:
                node.id = f"{own.index(node.id)}"
            elif isinstance(node, ast.arg):
                node.arg = f"{own.index(node.arg)}"
    return ast.dump(tree)
