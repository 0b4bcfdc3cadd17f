"""What names mean where a Python expression is written, and the values of expressions that need no state."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from everafter.model.domains import ArrayDomain
from everafter.model.vocabulary import STATEMENTS
from everafter.pymodel.python_text import PythonProblem, PythonText
from everafter.pymodel.typed_values import Fixed, Stored, Term, Value
from everafter.record import dataclass, field, replace
from everafter.source import EverafterError, OptionError, closest


@dataclass(frozen=True, eq=False)
class Shared:
    """What the class of a model says: its variables, its constants and its methods."""

    variables: Mapping[str, Value]
    constants: Mapping[str, Any]
    methods: Mapping[str, Callable[..., Any]]
    threads: Mapping[tuple[str, tuple[Any, ...]], Term] = field(default_factory=dict)
    """Whether each process that is started by another is NEW, ALIVE or ENDED, by its method and arguments."""
    unfinished: Mapping[str, Term | Stored] = field(default_factory=dict)
    """How many items were put into a queue and are not said to be done, by the name of the queue."""
    cancelled: Mapping[tuple[str, tuple[Any, ...]], tuple[int, Term]] = field(default_factory=dict)
    """The number of each task that may be cancelled, and what says whether it is, by its method and arguments."""


@dataclass(frozen=True, eq=False)
class Namespace:
    """The meaning of names: the state's name, local names, and what Python finds behind them."""

    text: PythonText
    shared: Shared
    state: str
    names: Mapping[str, Value]
    outer: Mapping[str, Any]
    calls: tuple[str, ...] = ()
    """The methods of which this is the body, outermost first."""
    local: frozenset[str] = frozenset()
    """The names that some statement of the body assigns, whether they have a value already or not."""
    once: frozenset[str] = frozenset()
    """Those that one statement assigns."""

    def binding(self, names: Mapping[str, Value]) -> Namespace:
        """The same with more local names."""
        return replace(self, names={**self.names, **names})

    def keeping(self, names: Iterable[str]) -> Namespace:
        """The same with these of its local names only."""
        return replace(self, names={name: self.names[name] for name in names})

    def for_body(self, body: Sequence[ast.stmt]) -> Namespace:
        """The same for the body of a method, of which the local names are known."""
        stored = list(stored_names(body))
        once = frozenset(name for name in stored if stored.count(name) == 1)
        return replace(self, local=frozenset(stored), once=once)

    def attribute(self, node: ast.expr) -> str | None:
        """The name of the attribute of the state that `node` is, if it is one."""
        is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.state
        return node.attr if is_own and isinstance(node, ast.Attribute) and self.state not in self.names else None

    def known(self, node: ast.expr) -> Fixed | None:
        """The value of `node` if it is known before the run. Raises PythonProblem where Python would raise."""
        if isinstance(node, ast.Constant):
            return Fixed(node.value)
        if isinstance(node, ast.Name) and node.id in self.names:
            held = self.names[node.id]
            return held if isinstance(held, Fixed) else None
        if (own := self.attribute(node)) is not None:
            return Fixed(self.shared.constants[own]) if own in self.shared.constants else None
        node = self._with_lengths(node)
        if not self._is_known(node):
            return None
        fixed = {name: value.value for name, value in self.names.items() if isinstance(value, Fixed)}
        names = {**self.outer, self.state: SimpleNamespace(**self.shared.constants), **fixed}
        try:
            code = compile(ast.Expression(node), self.text.source.name, "eval")
            return Fixed(eval(code, {"__builtins__": builtins, **names}))
        except OptionError as error:
            raise PythonProblem(node, error.message, error.advice) from None
        except EverafterError as error:
            raise PythonProblem(node, str(error)) from None
        except Exception as error:  # the user's own expression may raise anything
            advice = "what needs no state is computed by Python itself, before the run: mend it there"
            raise PythonProblem(node, f"{type(error).__name__}: {error}", advice) from None

    def _with_lengths(self, node: ast.expr) -> ast.expr:
        """The same with a number for `len(self.xs)`: how long an array is, is known."""
        if not any(isinstance(each, ast.Call) and self._length(each) is not None for each in _parts(node)):
            return node
        made: ast.expr = _Lengths(self._length).visit(copy.deepcopy(node))
        return made

    def _length(self, node: ast.AST) -> int | None:
        match node:
            case ast.Call(func=ast.Name() as function, args=[ast.Attribute() | ast.Name() as named], keywords=[]):
                own = self.attribute(named)
                local = self.names.get(named.id) if isinstance(named, ast.Name) else None
                found = self.shared.variables.get(own) if own is not None else local
                if (
                    isinstance(found, Stored)
                    and isinstance(found.domain, ArrayDomain)
                    and self.meaning(function) is len
                ):
                    return found.domain.length
        return None

    def _is_known(self, node: ast.expr) -> bool:
        parts = _parts(node)
        bound = {name for part in parts for name in _bound(part)}
        for part in parts:
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in bound:
                if part.id in self.names:
                    if not isinstance(self.names[part.id], Fixed):
                        return False
                elif part.id != self.state:
                    self._outside(part)
            elif isinstance(part, ast.Attribute) and (name := self.attribute(part)) is not None:
                if name not in self.shared.constants:
                    return False
            elif isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
                return False
        bare = {id(part.value) for part in parts if isinstance(part, ast.Attribute)}
        if any(isinstance(each, ast.Name) and each.id == self.state and id(each) not in bare for each in parts):
            return False
        return not any(isinstance(part, ast.Call) and self._is_statement(part.func) for part in parts)

    def _is_statement(self, function: ast.expr) -> bool:
        return self.meaning(function) in STATEMENTS

    def meaning(self, node: ast.expr) -> Any:
        """The object that a name, or an attribute of one, means outside the state; None where it means none."""
        if isinstance(node, ast.Name) and node.id not in self.names and node.id != self.state:
            return self.outer.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute) and self.attribute(node) is None:
            owner = self.meaning(node.value)
            return None if owner is None else getattr(owner, node.attr, None)
        return None

    def _outside(self, name: ast.Name) -> None:
        """Complain of a name that means nothing."""
        if name.id in self.local:
            raise PythonProblem(name, f"'{name.id}' may have no value here", "give it one on every way that leads here")
        if name.id not in self.outer and not hasattr(builtins, name.id):
            own = closest(name.id, [*self.names, *self.outer])
            mine = f"did you mean 'self.{name.id}'?" if name.id in self.shared.variables else own
            advice = mine or "define it in the file, or import it at the top"
            raise PythonProblem(name, f"unknown name '{name.id}'", advice)


class _Lengths(ast.NodeTransformer):
    """Puts numbers in the place of lengths that are known."""

    def __init__(self, length: Callable[[ast.AST], int | None]) -> None:
        self.length = length

    def visit_Call(self, node: ast.Call) -> ast.AST:  # as ast calls it
        """Return the number, or the call with numbers inside."""
        length = self.length(node)
        return ast.copy_location(ast.Constant(length), node) if length is not None else self.generic_visit(node)


def bound_names(node: ast.expr) -> Iterator[str]:
    """The names that comprehensions and lambdas within `node` bind."""
    for part in _parts(node):
        yield from _bound(part)


def _bound(part: ast.AST) -> Iterator[str]:
    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
        yield part.id
    elif isinstance(part, ast.arg):
        yield part.arg


@lru_cache(maxsize=8192)
def _parts(node: ast.expr) -> tuple[ast.AST, ...]:
    """An expression and all inside it, which are gone through for every process."""
    return tuple(ast.walk(node))


def outer_names(function: Callable[..., Any]) -> dict[str, Any]:
    """The globals of a function, and what it encloses."""
    inner: Any = function
    cells = zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=False)
    return {**inner.__globals__, **{name: cell.cell_contents for name, cell in cells if _is_filled(cell)}}


def _is_filled(cell: Any) -> bool:
    try:
        return bool([cell.cell_contents])
    except ValueError:
        return False


def own_statements(body: Sequence[ast.stmt], in_loops: bool = True) -> Iterator[ast.stmt]:
    """The statements of a `body` and those inside, but of functions; those of loops only if `in_loops`."""
    for node in body:
        yield node
        is_left_out = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if is_left_out or (not in_loops and isinstance(node, ast.For | ast.While)):
            continue
        for _, part in ast.iter_fields(node):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                yield from own_statements(part, in_loops)
            elif isinstance(part, list) and part and isinstance(part[0], ast.match_case | ast.ExceptHandler):
                for each in part:
                    yield from own_statements(each.body, in_loops)


def stored_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that the statements of a `body` assign, those of comprehensions left out."""
    for node in own_statements(body):
        targets: list[ast.expr] = []
        match node:
            case ast.Assign(targets=targets):
                pass
            case ast.Match(cases=cases):
                for each in cases:
                    yield from (
                        part.name for part in ast.walk(each.pattern) if isinstance(part, ast.MatchAs) and part.name
                    )
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
                targets = [target]
        for target in targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name) and _is_stored(each))


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
