"""Properties as formulas: what functions of the state say becomes propositions, and the operators around them LTL."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final

from everafter import model as vocabulary
from everafter.ltl.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Release,
    Until,
)
from everafter.ltl.formula_parser import parse_at
from everafter.model.domains import field_names
from everafter.model.temporal import Temporal
from everafter.promela.model import Expression
from everafter.pymodel.bounded_items import bound, items_of
from everafter.pymodel.expression_reader import PythonExpressions, without_docstring
from everafter.pymodel.fingerprint import fingerprint
from everafter.pymodel.namespace import Namespace, Shared, bound_names, outer_names
from everafter.pymodel.python_text import PythonProblem, PythonText, node_of
from everafter.pymodel.typed_values import Fixed, Term, Value, ValueTuple, constant
from everafter.source import Diagnostic, InputError, OptionError, Place, Source

STATE: Final = "s"
"""What propositions call the state."""
_OPERATORS: Final = (
    "always", "eventually", "next", "until", "release", "implies", "leads_to", "each",
)  # fmt: skip
_FUNCTIONS: Final[dict[Callable[..., Any], str]] = {getattr(vocabulary, name): name for name in _OPERATORS}
_JOINED: Final[dict[str, Callable[..., Formula]]] = {
    "always": Always,
    "eventually": Eventually,
    "next": Next,
    "until": Until,
    "release": Release,
    "implies": Implies,
    "leads_to": lambda condition, goal: Always(Implies(condition, Eventually(goal))),
}


class PropertyReader:
    """Reads the properties of one class, which is what `shared` says; `enums` are named in propositions."""

    def __init__(self, shared: Shared, place: Place, enums: Mapping[str, type[Enum]]) -> None:
        self.shared = shared
        self.place = place
        self.enums = enums
        self.expressions: dict[str, Expression] = {}

    def formula(self, stated: Any, values: tuple[Any, ...] = ()) -> Formula:
        """Return the formula of a property, or of a function of the state and `values`, `stated`.

        Raises InputError with a place in the text.
        """
        if not isinstance(stated, Temporal):
            return self._function(stated, values)
        match stated.operator:
            case "each":
                return _all(self.formula(stated.operands[0], _arguments(each)) for each in stated.values)
            case "ltl":
                return self._text(stated.operands[0])
            case operator:
                return _JOINED[operator](*(self.formula(each) for each in stated.operands))

    def _text(self, text: str) -> Formula:
        def read(words: str, place: Place) -> Formula:
            self.expressions[words] = read_proposition(self.shared, self.enums, words, place)
            return Atom(words)

        return parse_at(text, lambda _start, _length: self.place, atom=read)

    def _function(self, function: Callable[..., Any], values: tuple[Any, ...]) -> Formula:
        try:
            text, node = node_of(function)
        except OptionError as error:
            raise InputError([Diagnostic(self.place, error.message, error.advice)]) from None
        parameters = [each.arg for each in node.args.args]
        if len(parameters) != 1 + len(values):
            message = f"this function takes {len(parameters)} values, and is given {1 + len(values)}"
            raise InputError([Diagnostic(text.place(node), message, "the first is the state: lambda s: …")])
        body = node.body if isinstance(node, ast.Lambda) else _returned(text, node)
        names: dict[str, Value] = {name: Fixed(value) for name, value in zip(parameters[1:], values, strict=True)}
        namespace = Namespace(text, self.shared, parameters[0], names, outer_names(function))
        try:
            return self._read(body, namespace)
        except PythonProblem as problem:
            raise InputError([text.diagnostic(problem)]) from None

    # Within a function

    def _read(self, node: ast.expr, namespace: Namespace) -> Formula:
        if not _is_temporal(node, namespace):
            return self._proposition(node, namespace)
        match node:
            case ast.BoolOp(op=operator, values=parts):
                found = tuple(self._read(each, namespace) for each in parts)
                return And(found) if isinstance(operator, ast.And) else Or(found)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Not(self._read(operand, namespace))
            case ast.IfExp(test=test, body=body, orelse=other):
                known = PythonExpressions(namespace).condition(test)
                if isinstance(known, Fixed):
                    return self._read(body if known.value else other, namespace)
            case ast.Call():
                return self._call(node, namespace)
        raise PythonProblem(node, "a property cannot stand inside this", "and, or, not and other operators can")

    def _call(self, node: ast.Call, namespace: Namespace) -> Formula:
        function = namespace.meaning(node.func)
        name = _FUNCTIONS.get(function) if callable(function) else None
        if function in (all, any) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            parts = tuple(self._unrolled(node.args[0], namespace))
            return _all(parts) if function is all else Or(parts) if len(parts) > 1 else _all(parts)
        if name is None or node.keywords:
            raise PythonProblem(node, "a property cannot stand inside this", "and, or, not and other operators can")
        if name == "each":
            return self._each(node, namespace)
        expected = 1 if name in ("always", "eventually", "next") else 2
        if len(node.args) != expected:
            raise PythonProblem(node, f"m.{name} takes {expected} value{'s' * (expected > 1)}")
        return _JOINED[name](*(self._operand(each, namespace) for each in node.args))

    def _operand(self, node: ast.expr, namespace: Namespace, values: tuple[Value, ...] = ()) -> Formula:
        """What an operator stands before: an expression, or a lambda of the state."""
        if not isinstance(node, ast.Lambda):
            return self._read(node, namespace)
        parameters = [each.arg for each in node.args.args]
        if len(parameters) != 1 + len(values):
            raise PythonProblem(node, f"this is given {1 + len(values)} values", "the first is the state: lambda s: …")
        inner = Namespace(
            namespace.text,
            namespace.shared,
            parameters[0],
            {**namespace.names, **dict(zip(parameters[1:], values, strict=True))},
            namespace.outer,
        )
        return self._read(node.body, inner)

    def _each(self, node: ast.Call, namespace: Namespace) -> Formula:
        if len(node.args) != 2:
            raise PythonProblem(node, "m.each takes values, and a function of the state and a value")
        known = namespace.known(node.args[0])
        if known is None:
            raise PythonProblem(
                node.args[0], "the state decides what these values are", "a number or a list can be given"
            )
        listed = range(known.value) if isinstance(known.value, int) else known.value
        found = [tuple(map(Fixed, _arguments(each))) for each in listed]
        return _all(self._operand(node.args[1], namespace, each) for each in found)

    def _unrolled(self, node: ast.GeneratorExp, namespace: Namespace) -> Iterable[Formula]:
        if len(node.generators) != 1 or node.generators[0].ifs:
            raise PythonProblem(node, "properties are gone through by one `for` without `if`")
        clause = node.generators[0]
        for item in items_of(PythonExpressions(namespace), clause.iter).unguarded(node):
            yield self._read(node.elt, namespace.binding(bound(clause.target, item)))

    def _proposition(self, node: ast.expr, namespace: Namespace) -> Formula:
        value = PythonExpressions(namespace).condition(node)
        if isinstance(value, Fixed):
            return Constant(bool(value.value))
        assert isinstance(value, Term)
        words = ast.unparse(_Canonical(namespace).visit(ast.parse(ast.unparse(node), mode="eval").body))
        if not self._says(words, value.expression):
            advice = "give what it names other names, or make it a constant of the model"
            raise PythonProblem(node, "this means something else when it is read by itself", advice)
        self.expressions[words] = value.expression
        return Atom(words)

    def _says(self, words: str, expression: Expression) -> bool:
        """Whether `words` mean the expression when a trace or a certificate has them read again."""
        try:
            again = read_proposition(self.shared, self.enums, words, self.place)
        except InputError:
            return False
        return fingerprint([again]) == fingerprint([expression])


def read_proposition(shared: Shared, outer: Mapping[str, Any], text: str, place: Place) -> Expression:
    """Return the proposition that `text` is, over the variables that are `shared`, which it may write as `s.x` or `x`.

    `outer` are the names that it knows besides. Raises InputError at `place`, where the formula has it.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        told = getattr(error, "msg", error)
        raise InputError([Diagnostic(place, f"'{text}' is no Python: {told}")]) from None
    written = PythonText(Source(place.source.name, text), ast.Module([], []))
    names: dict[str, Value] = {**{name: Fixed(value) for name, value in shared.constants.items()}, **shared.variables}
    names.pop(STATE, None)  # a variable of that name is `s.s`
    namespace = Namespace(written, shared, STATE, names, outer)
    try:
        value = PythonExpressions(namespace).condition(tree)
    except PythonProblem as problem:
        raise InputError([Diagnostic(place, problem.message, problem.advice)]) from None
    if isinstance(value, Fixed):
        return constant(bool(value.value), place)
    assert isinstance(value, Term)
    return value.expression


class _Canonical(ast.NodeTransformer):
    """Writes propositions alike: what is known before the run as its value, and the state under one name."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def visit(self, node: ast.AST) -> Any:
        """The node as it is written in the proposition."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            hidden = {name: ValueTuple(()) for name in bound_names(node)}
            return _Canonical(self.namespace.binding(hidden)).generic_visit(node)
        if isinstance(node, ast.expr) and not isinstance(node, ast.Starred):
            try:
                known = self.namespace.known(node)
            except PythonProblem:
                known = None  # within a comprehension names may be bound
            if known is not None and (written := _literal(known.value)) is not None:
                return written
        if isinstance(node, ast.Attribute) and self.namespace.attribute(node) is not None:
            return ast.Attribute(ast.Name(STATE, ast.Load()), node.attr, ast.Load())
        return self.generic_visit(node)


def _literal(value: Any) -> ast.expr | None:
    """A value as an expression that names nothing but Enums."""
    if isinstance(value, Enum):
        return ast.Attribute(ast.Name(type(value).__name__, ast.Load()), value.name, ast.Load())
    if isinstance(value, bool | int):
        return ast.parse(repr(value), mode="eval").body
    names = field_names(type(value))
    if names is not None:
        inner = [_literal(getattr(value, name)) for name in names]
        given = [each for each in inner if each is not None]
        kind = ast.Name(type(value).__name__, ast.Load())
        return ast.Call(kind, list(given), []) if len(given) == len(inner) else None
    if value is None:
        return ast.Constant(None)
    if isinstance(value, set | frozenset) and value:
        listed = [_literal(each) for each in sorted(value, key=repr)]
        return ast.Set([each for each in listed if each is not None]) if None not in listed else None
    if isinstance(value, list | tuple | range):
        parts = [_literal(each) for each in value]
        return ast.Tuple([each for each in parts if each is not None], ast.Load()) if None not in parts else None
    return None


def _is_temporal(node: ast.expr, namespace: Namespace) -> bool:
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    meanings = [namespace.meaning(each.func) for each in calls]
    return any(callable(each) and each in _FUNCTIONS for each in meanings)


def _returned(text: PythonText, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr:
    match without_docstring(node.body):
        case [ast.Return(value=ast.expr() as result)]:
            return result
    message = "a property written as a method is one `return`"
    raise InputError([Diagnostic(text.place(node), message, "return the condition, and no more")])


def _all(parts: Iterable[Formula]) -> Formula:
    found = tuple(parts)
    return And(found) if len(found) > 1 else found[0] if found else Constant(True)


def _arguments(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
