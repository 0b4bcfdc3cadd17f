"""The very text of a kernel as a generator that stops before each thing it shares with other workers.

`stepwise(kernel)` reads the source of the kernel and of every kernel it calls, and changes only this:

    space.colour[x], .count[x], .abort[0]     (yield ("colour", x)), …: the caller of the generator sends the value
    colour_shared(space, x, bits), …          (yield ("colour_shared", x, bits)), …, and sends what the function returns
    expand(space, node, depth)                (yield ("expand", node, depth))
    space.own[x] |= bits                      the same, then (yield ("own",)): a moment to look at the colours
    a call of another kernel, or of a hook    (yield from …)

So a worker is a function of what it is sent, and the sender decides which worker moves next: `parallel_nested_dfs` by
chance, the tests in all ways there are. A bit of the colour that never changes, as ACCEPTING, is read without a stop.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Generator
from functools import cache
from types import FunctionType
from typing import Any, Final

from everafter.search.parallel.framework import SharedSearch
from everafter.search.parallel.space import (
    SHARED_FIELDS,
    SharedStore,
    add_shared,
    colour_shared,
    pause,
    raise_abort,
)
from everafter.search.space import expand

Request = tuple[Any, ...]
"""What a worker is about to do: its name, and the numbers it is done with."""
Steps = Generator[Request, Any, int]

SHARED_COLUMNS: Final = tuple(name for name, field in SHARED_FIELDS.items() if field.team == "shared")
CONSTANT_BITS: Final = ("KNOWN", "ACCEPTING", "ORDERED", "TARGET")
HOOKS: Final = ("action", "remove", "post")
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    function.__name__: function for function in (colour_shared, add_shared, raise_abort, pause, expand)
}
PRIVATE: Final = ("own", "expand")
"""Requests that concern no other worker."""


def perform(space: SharedStore, request: Request) -> Any:
    """Perform `request` of a worker on its store `space`; return what is to be sent to the worker."""
    name, *numbers = request
    if name in SHARED_COLUMNS:
        return getattr(space, name)[numbers[0]]
    return FUNCTIONS[name](space, *numbers) if name in FUNCTIONS else None


@cache
def stepwise(kernel: Callable[..., Any]) -> Callable[..., Steps]:
    """The kernel as a function whose value is a generator; the generator returns what the kernel returns."""
    names = dict(kernel.__globals__)
    for name in kernel.__code__.co_names:
        if is_kernel(names.get(name)):
            names[name] = stepwise(names[name])
        elif isinstance(names.get(name), SharedSearch):
            names[name] = _stepwise_search(names[name])
    exec(compile(_steps_of(kernel), inspect.getfile(kernel), "exec"), names)
    steps: Callable[..., Steps] = names[kernel.__name__]
    return steps


def is_kernel(value: object) -> bool:
    """Whether the value is a function over a store that is itself made of smaller steps."""
    if not isinstance(value, FunctionType) or value in FUNCTIONS.values():
        return False
    return next(iter(value.__annotations__.values()), "") in ("SharedStore", "Store")


def _stepwise_search(search: SharedSearch) -> SharedSearch:
    """The same search with each hook stepwise."""
    hooks: dict[str, Any] = {hook: stepwise(getattr(search, hook)) for hook in HOOKS}
    return search._replace(**hooks)


def _steps_of(kernel: Callable[..., Any]) -> ast.Module:
    """The source of the kernel, changed as the head of this module says."""
    lines, first = inspect.getsourcelines(kernel)
    module = ast.parse("".join(lines))
    ast.increment_lineno(module, first - 1)
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef), f"{kernel.__name__} is no plain function"
    function.returns = None
    for argument in function.args.args:
        argument.annotation = None
    kernels = {name for name in kernel.__code__.co_names if is_kernel(kernel.__globals__.get(name))}
    _Stops(kernels).visit(function)
    function.body.insert(0, ast.Expr(ast.YieldFrom(ast.Tuple([], ast.Load()))))  # a generator in any case
    return ast.fix_missing_locations(module)


class _Stops(ast.NodeTransformer):
    """Puts a stop before each access to what is shared."""

    def __init__(self, kernels: set[str]) -> None:
        self.kernels = kernels

    def visit(self, node: ast.AST) -> Any:
        """Change the node, unless it keeps one shared value while it stops for another: see `_stops`."""
        changed = super().visit(node)
        if isinstance(changed, ast.expr) and _stops(changed) > 1:
            raise ValueError(f"line {changed.lineno} has two accesses to what is shared in one expression")
        return changed

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of a kernel or hook, or of an atomic function."""
        self.generic_visit(node)
        match node.func:
            case ast.Name(name) if name in self.kernels:
                return ast.copy_location(ast.YieldFrom(node), node)
            case ast.Attribute(ast.Name("search"), name) if name in HOOKS:
                return ast.copy_location(ast.YieldFrom(node), node)
            case ast.Name(name) if name in FUNCTIONS:
                return _request(node, name, *node.args[1:])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """A mask of bits that never change leaves nothing to wait for."""
        match node:
            case ast.BinOp(ast.Subscript(ast.Attribute(_, "colour")), ast.BitAnd(), ast.Name(bits)):
                if bits in CONSTANT_BITS:
                    return node
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A read of something shared."""
        self.generic_visit(node)
        match node.value:
            case ast.Attribute(ast.Name("space"), column) if column in SHARED_COLUMNS:
                if not isinstance(node.ctx, ast.Load):
                    raise ValueError(f"line {node.lineno} changes {column} other than by an atomic function")
                return _request(node, column, node.slice)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """A change of a worker's own colours is followed by a moment to look at them."""
        self.generic_visit(node)
        match node.target:
            case ast.Subscript(ast.Attribute(ast.Name("space"), "own")):
                return [node, ast.copy_location(ast.Expr(_request(node, "own")), node)]
        return node


def _request(place: ast.AST, name: str, *numbers: ast.expr) -> ast.expr:
    request = ast.Tuple([ast.Constant(name), *numbers], ast.Load())
    return ast.copy_location(ast.Yield(request), place)


def _stops(node: ast.AST) -> int:
    """How many stops there can be while a value from another is kept where no other worker sees it, plus one.

    An operand of `and` and `or` is forgotten before the next is evaluated, and so is a condition. What a worker
    remembers at a stop is then in its variables and its store.
    """
    inner = [_stops(child) for child in ast.iter_child_nodes(node)]
    if isinstance(node, ast.BoolOp | ast.IfExp):
        return max(inner)
    return sum(inner) + isinstance(node, ast.Yield | ast.YieldFrom)
