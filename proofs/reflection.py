"""By what one text could change what another means: each module that uses such a thing, which, and how often.

That a module is loaded and compiled as its text says is seen only of this run (`proofs.loading`, `proofs.compiling`). A
text that does otherwise in another needs one of these words, or Numba's: none may come to a module unnoticed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Final

from proofs.running_text import bindings, modules, nodes_of, tree_of

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
COMPUTED: Final = frozenset({"getattr"})
"""Functions of Python's own that are told where the name they are given is computed."""
ALGORITHM: Final = "Algorithm"
"""What says which kernel a search runs."""
COMPILED: Final = (
    "everafter.search.",
    "everafter.engine.code.",
    "everafter.engine.kernels.",
    "everafter.engine.store.",
)
"""Whose names no text may assign to, however it calls the module."""
WRITTEN: Final = "assigns "


def reflection() -> dict[str, list[str]]:
    """By module, the words in it by which it could change what another text means, each with how often it is there."""
    found = {module: Counter(words(tree_of(module), nodes_of(module))) for module in modules()}
    return {
        module: [f"{word} ({times})" if times > 1 else word for word, times in sorted(its_words.items())]
        for module, its_words in found.items()
        if its_words
    }


@cache
def compiled_names() -> frozenset[str]:
    """What the modules that are compiled have at their top."""
    return frozenset(name for module in modules() if module.startswith(COMPILED) for name in bindings(module))


def words(tree: ast.Module, nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Each such word in the text `tree`, which is made of `nodes`, as often as it is there."""
    outside = {name for node in tree.body for name in _defined(node)}
    outside |= {name for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for name in _defined(node)}
    for node in nodes:
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
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                yield from _written(node, outside)
            case ast.Call(func=ast.Name(id=name), args=[_, given, *_]) if name in COMPUTED:
                yield from () if isinstance(given, ast.Constant) else [f"{name} of {ast.unparse(given)}"]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name == ALGORITHM:
                yield f"makes an {name}"
            case ast.keyword(arg="kernel"):
                yield "gives a kernel"


def _defined(node: ast.stmt) -> Iterator[str]:
    """What the statement imports or defines."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((each.asname or each.name).partition(".")[0] for each in names)
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name


def _written(target: ast.Attribute | ast.Subscript, outside: Collection[str]) -> Iterator[str]:
    """The target, if it is a part of what is imported or defined at the top, or is called as what is compiled."""
    inner: ast.expr = target
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    is_own = isinstance(inner, ast.Name) and inner.id in {"self", "cls"}
    is_compiled = isinstance(target, ast.Attribute) and target.attr in compiled_names() and not is_own
    if is_compiled or (isinstance(inner, ast.Name) and inner.id in outside):
        yield f"{WRITTEN}{ast.unparse(target)}"
