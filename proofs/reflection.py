"""By what one text could change what another means: each module that uses such a thing, and which.

That a module is loaded and compiled as its text says is seen only of this run (`proofs.loading`, `proofs.compiling`). A
text that does otherwise in another needs one of these words, or Numba's: none may come to a module unnoticed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from proofs.running_text import modules, tree_of

CALLED: Final = frozenset({"globals", "locals", "vars", "setattr", "delattr", "exec", "eval", "compile", "__import__"})
"""Names of Python's own functions."""
PACKAGES: Final = frozenset(
    {"builtins", "codecs", "gc", "importlib", "inspect", "llvmlite", "marshal", "numba", "pickle", "site", "unittest"}
)
"""Packages that are told whatever is imported of them."""
TOLD: Final = frozenset({"FunctionType", "CodeType", "MethodType", "LambdaType", "SimpleNamespace", "pythonapi"})
ATTRIBUTES: Final = TOLD | {
    *("environ", "getenv", "argv", "modules", "meta_path", "path_hooks", "settrace", "setprofile", "_getframe"),
    *("_current_frames", "f_globals", "f_locals", "gettrace", "flags", "import_module", "attrgetter", "methodcaller"),
    *("addaudithook", "py_func", "_defn", "overloads", "targetoptions"),
}
INNER: Final = frozenset(
    f"__{name}__"
    for name in (
        *("annotations", "bases", "builtins", "class", "closure", "code", "defaults", "delattr", "dict", "func"),
        *("getattribute", "globals", "import", "init_subclass", "kwdefaults", "loader", "module", "mro", "new", "path"),
        *("prepare", "self", "set_name", "setattr", "spec", "subclasses", "unraisablehook", "wrapped"),
    )
)
"""Names that Python gives a meaning."""
WRITTEN: Final = "assigns "


def reflection() -> dict[str, list[str]]:
    """By module, the words in it by which it could change what another text means."""
    found = {module: sorted(set(words(tree_of(module)))) for module in modules()}
    return {module: its_words for module, its_words in found.items() if its_words}


def words(tree: ast.Module) -> Iterator[str]:
    """Each such word in the text."""
    outside = {name for node in tree.body for name in _defined(node)}
    outside |= {
        name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for name in _defined(node)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name.partition(".")[0] in PACKAGES)
            case ast.ImportFrom(module=str(module), names=names):
                special = module.partition(".")[0] in PACKAGES
                yield from (f"{module}.{each.name}" for each in names if special or each.name in ATTRIBUTES)
            case ast.Name(id=name) if name in CALLED | INNER:
                yield name
            case ast.Attribute(attr=name) if name in ATTRIBUTES | INNER:
                yield name
            case ast.Constant(value=str(name)) if name in CALLED | ATTRIBUTES | INNER:
                yield repr(name)
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                yield from _written(targets, outside)
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
                yield from _written([target], outside)


def _defined(node: ast.stmt) -> Iterator[str]:
    """What the statement imports or defines."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((each.asname or each.name).partition(".")[0] for each in names)
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name


def _written(targets: list[ast.expr], outside: set[str]) -> Iterator[str]:
    """Each target that is a part of what is imported or defined at the top."""
    for target in targets:
        inner = target
        while isinstance(inner, ast.Attribute | ast.Subscript):
            inner = inner.value
        if inner is not target and isinstance(inner, ast.Name) and inner.id in outside:
            yield f"{WRITTEN}{ast.unparse(target)}"
