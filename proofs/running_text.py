"""What the names of the running text mean, read off its files and nothing else.

A name means what its module binds it to: a function, a number, a search made of these, or what it imports. It must be
bound once, at the top of the module, under no condition: what is loaded is then compared with this (`proofs.loading`),
and so is what is compiled (`proofs.compiling`). Nothing is imported here.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import CodeType
from typing import Any, Final

from proofs.task import ROOT, ProofError

SOURCES: Final = ROOT / "src"
PACKAGE: Final = "everafter"
ARITHMETIC: Final[Mapping[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}
COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
MATCHING: Final = (ast.MatchAs, ast.MatchStar)


@dataclass(frozen=True, slots=True)
class Function:
    """A function that a module defines."""

    module: str
    name: str

    @property
    def __name__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Class(Function):
    """A class that a module defines."""


@dataclass(frozen=True, slots=True)
class Record:
    """A named tuple that a module makes at its top: a search, with its sets and hooks."""

    kind: Class
    fields: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the running text."""

    name: str

    def __str__(self) -> str:
        return f"module {self.name}"


@dataclass(frozen=True, slots=True)
class Expression:
    """What only a run of the module can tell."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """What comes from another package: the module, and the name in it, or none for the module itself."""

    module: str
    name: str = ""


Meaning = Function | Class | Record | Module | Expression | Foreign | int | bool | None
"""None: the module does not bind the name."""


def modules() -> list[str]:
    """The names of all modules of the running text. Raises `ProofError` where Python would load something else."""
    found: dict[str, Path] = {}
    for path in sorted(SOURCES.rglob("*")):
        place = path.relative_to(SOURCES)
        if path.is_dir() or "__pycache__" in place.parts or place.parts[0].endswith(".egg-info"):
            continue
        if path.suffix in {".so", ".pyd", ".pyc"} or place.parts[0] != PACKAGE or path.is_symlink():
            raise ProofError(f"{path.relative_to(ROOT)}: Python might load this in place of the text")
        if path.suffix == ".py":
            parts = place.with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if name in found:
                raise ProofError(f"{path.relative_to(ROOT)} and {found[name].relative_to(ROOT)} are both {name}")
            found[name] = path
    return sorted(found)


@cache
def path_of(module: str) -> Path:
    """The file of the module."""
    path = SOURCES.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def tree_of(module: str) -> ast.Module:
    """The text of the module, parsed."""
    return ast.parse(path_of(module).read_text(encoding="utf-8"))


@cache
def nodes_of(module: str) -> tuple[ast.AST, ...]:
    """All that the text of the module is made of, found once for all that look at it."""
    return tuple(ast.walk(tree_of(module)))


@cache
def module_code(module: str) -> CodeType:
    """The code that Python makes of the module, from the parsed text."""
    code: CodeType = compile(tree_of(module), str(path_of(module)), "exec", dont_inherit=True)
    return code


@cache
def code_of(module: str) -> dict[str, list[CodeType]]:
    """By name, as `f` and `C.m`, the code that Python makes of each function of the module, from the parsed text.

    There are several of a name where the text has several.
    """
    found: dict[str, list[CodeType]] = {}

    def collect(code: CodeType, prefix: str) -> None:
        for each in code.co_consts:
            if isinstance(each, CodeType):
                found.setdefault(prefix + each.co_name, []).append(each)
                if not each.co_flags & CO_NEWLOCALS:
                    collect(each, f"{prefix}{each.co_name}.")

    collect(module_code(module), "")
    return found


@cache
def is_module(name: str) -> bool:
    """Whether the running text has a module of this name."""
    return name.partition(".")[0] == PACKAGE and path_of(name).is_file()


@cache
def bindings(module: str) -> dict[str, list[ast.AST]]:
    """By name, everything at the top of the module, or below a `global`, that gives the name a meaning."""
    found: dict[str, list[ast.AST]] = {}
    tree = tree_of(module)
    for name, node in bound(tree):
        found.setdefault(name, []).append(node)
    for node in nodes_of(module):
        if isinstance(node, ast.Global):
            for name in node.names:
                found.setdefault(name, []).append(node)
    match found.get("overload"):
        case [ast.ImportFrom(module="typing", level=0)]:
            return {name: [each for each in nodes if not is_signature(each)] for name, nodes in found.items()}
        case _:
            return found


def is_signature(node: ast.AST) -> bool:
    """Whether the node only says for type checkers how a function may be called: its name is bound again behind it."""
    match node:
        case ast.FunctionDef(
            decorator_list=[ast.Name(id="overload")], body=[ast.Expr(value=ast.Constant(value=builtins.Ellipsis))]
        ):
            return True
        case _:
            return False


def bound(node: ast.AST, named_only: bool = False) -> Iterator[tuple[str, ast.AST]]:
    """The names that are bound in the node, not in functions or classes within it, each with what binds it."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, node
            return
        case ast.Lambda():
            return
        case ast.Import() | ast.ImportFrom():
            for each in node.names:
                name = each.asname or (each.name.partition(".")[0] if isinstance(node, ast.Import) else each.name)
                yield name, node
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if not named_only:
            yield name, node
        case ast.NamedExpr(target=ast.Name(id=name)):
            yield name, node
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name, node
        case ast.MatchMapping(rest=str(name)):
            yield name, node
        case ast.AnnAssign(value=None):
            return
    for child in ast.iter_child_nodes(node):
        yield from bound(child, named_only or isinstance(node, COMPREHENSIONS))


def place(module: str, node: ast.AST) -> str:
    """The file and the line."""
    return f"{path_of(module).relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


@cache
def meaning(module: str, name: str) -> Meaning:
    """What the name means in the module. Raises `ProofError` where it is bound twice or under a condition."""
    nodes = bindings(module).get(name, [])
    if not nodes:
        return Module(f"{module}.{name}") if is_module(f"{module}.{name}") else None
    statements = [each for each in tree_of(module).body if any(own is nodes[-1] for own in _own(each))]
    if len(nodes) > 1 or not statements:
        lines = " and ".join(place(module, each) for each in nodes)
        raise ProofError(f"{lines}: {name} is to be bound once, at the top of its module, under no condition")
    if (module, name) in _followed:
        raise ProofError(f"{place(module, nodes[0])}: {name} is to mean what it means itself")
    _followed.append((module, name))
    try:
        return _said(module, name, statements[0])
    finally:
        _followed.pop()


_followed: list[tuple[str, str]] = []
"""The names whose meaning is asked for: those to which they come back mean nothing."""


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a statement that is under no condition binds by itself: the statement, or its targets."""
    yield statement
    match statement:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from target.elts if isinstance(target, ast.Tuple) else [target]
        case ast.AnnAssign(target=target):
            yield target


def _said(module: str, name: str, statement: ast.stmt) -> Meaning:
    match statement:
        case ast.FunctionDef():
            return Function(module, name)
        case ast.ClassDef():
            return Class(module, name)
        case ast.Import(names=names):
            imported = next(each for each in names if name in {each.asname, each.name.partition(".")[0]})
            whole = imported.name if imported.asname else name
            return Module(whole) if is_module(whole) else Foreign(whole)
        case ast.ImportFrom(module=str(other), names=names, level=0):
            of = next(each.name for each in names if (each.asname or each.name) == name)
            return meaning(other, of) if is_module(other) else Foreign(other, of)
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=ast.expr() as value):
            found = evaluated(module, value)
            return Expression(module, name) if isinstance(found, Unknown) else found
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
            number = next(at for at, each in enumerate(targets) if isinstance(each, ast.Name) and each.id == name)
            found = evaluated(module, _part(value, number))
            return Expression(module, name) if isinstance(found, Unknown) else found
    return Expression(module, name)


def _part(value: ast.expr, number: int) -> ast.expr:
    """What the name with this number, from 0, gets of the value: of a tuple, or of `range(length)`."""
    match value:
        case ast.Tuple(elts=parts):
            return parts[number]
        case ast.Call(func=ast.Name(id="range"), args=[_]):
            return ast.Constant(number)
    return ast.Tuple([])


class Unknown:
    """The value of an expression that is not read off the text."""


def evaluated(module: str, node: ast.expr) -> Any:
    """The value of the expression at the top of the module: numbers, names, named tuples; else `Unknown`."""
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return meaning(module, name) if name in bindings(module) else Unknown()
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in bindings(module):
            of = meaning(module, name)
            return meaning(of.name, attribute) if isinstance(of, Module) else Unknown()
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in ARITHMETIC:
            number = evaluated(module, operand)
            return ARITHMETIC[type(sign)](number) if isinstance(number, int) else Unknown()
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in ARITHMETIC:
            one, other = evaluated(module, left), evaluated(module, right)
            both = isinstance(one, int) and isinstance(other, int)
            return ARITHMETIC[type(sign)](one, other) if both else Unknown()
        case ast.Call(func=ast.Name(id=name), args=given, keywords=named) if name in bindings(module):
            kind = meaning(module, name)
            if isinstance(kind, Class) and _is_named_tuple(kind):
                return _record(module, kind, given, named)
    return Unknown()


def definition(of: Function) -> Any:
    """The text of the function or class."""
    (node,) = bindings(of.module)[of.name]
    return node


def _is_named_tuple(kind: Class) -> bool:
    bases = [each.id for each in definition(kind).bases if isinstance(each, ast.Name)]
    return [meaning(kind.module, each) for each in bases] == [Foreign("typing", "NamedTuple")]


def _record(module: str, kind: Class, given: list[ast.expr], named: list[ast.keyword]) -> Any:
    """The named tuple that the call makes, with the defaults of its class."""
    declared = [each for each in definition(kind).body if isinstance(each, ast.AnnAssign)]
    names = [each.target.id for each in declared if isinstance(each.target, ast.Name)]
    fields = {
        name: evaluated(kind.module, each.value)
        for name, each in zip(names, declared, strict=True)
        if each.value is not None
    }
    fields |= {name: evaluated(module, each) for name, each in zip(names, given, strict=False)}
    fields |= {each.arg: evaluated(module, each.value) for each in named if each.arg is not None}
    fitting = fields.keys() == set(names) and not any(isinstance(each, Unknown) for each in fields.values())
    return Record(kind, tuple((name, fields[name]) for name in names)) if fitting else Unknown()
