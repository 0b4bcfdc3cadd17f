"""What Python expressions over a state mean, as expressions of the program, with the range of every number.

Numbers never wrap: what may leave 32 bits is refused, and `//` and `%` round as Python does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from everafter.model.domains import BoolDomain, IntDomain
from everafter.model.vocabulary import STATEMENTS
from everafter.promela.model import Binary, Conditional, Expression, Reference, Unary, Within
from everafter.pymodel.bounded_items import Items, items_of, summary
from everafter.pymodel.namespace import Namespace, outer_names
from everafter.pymodel.python_text import PythonProblem, node_of
from everafter.pymodel.typed_values import (
    BOOL,
    CellArray,
    Fixed,
    Term,
    Value,
    ValueTuple,
    as_int,
    constant,
    joined,
    junction,
    term,
)
from everafter.pymodel.whole_numbers import computed, negative
from everafter.record import replace
from everafter.source import Place, closest

_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "==",
    ast.IsNot: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_MOST_CALLS: Final = 50


class PythonExpressions:
    """Reads expressions where names mean what a namespace says."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def inside(self, namespace: Namespace) -> PythonExpressions:
        """A reader of expressions of another namespace."""
        return PythonExpressions(namespace)

    def place(self, node: ast.AST) -> Place:
        """Where `node` is written."""
        return self.namespace.text.place(node)

    # Values

    def value(self, node: ast.expr) -> Value:
        """Return what `node` is. Raises PythonProblem if it has no meaning in a model."""
        known = self.namespace.known(node)
        if known is not None:
            return known
        match node:
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return computed(self.number(node.left), self.number(node.right), node, self.place(node))
            case ast.BoolOp():
                return self._boolean(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp():
                return self._conditional(node)
            case ast.Call():
                return self._call(node)
            case ast.List() | ast.Tuple():
                return ValueTuple(tuple(self.value(each) for each in node.elts))
            case ast.ListComp() | ast.GeneratorExp():
                return ValueTuple(tuple(self.items(node).unguarded(node)))
            case _:
                raise PythonProblem(node, f"{_described(node)} cannot be used in a model", _ADVICE.get(type(node)))

    def term(self, node: ast.expr) -> Term:
        """Return `node` as a value that a variable can have."""
        return self.as_term(self.value(node), node)

    def as_term(self, value: Value, node: ast.expr) -> Term:
        """Return `value`, which `node` is, as one that a variable can have."""
        found = term(value, self.place(node))
        if found is None:
            what = type(value.value).__name__ if isinstance(value, Fixed) else "whole array"
            raise PythonProblem(
                node, f"a {what} is no value of a variable", "bool, m.Int[…] and members of an Enum are"
            )
        return found

    def number(self, node: ast.expr) -> tuple[Expression, IntDomain]:
        """Return `node`, which must be a number, and its range."""
        found = self.term(node)
        return found.expression, self.bounds(found, node)

    def bounds(self, value: Term, node: ast.expr) -> IntDomain:
        """Return the range of the number `value`, which `node` is."""
        found = as_int(value.domain)
        if found is None:
            raise PythonProblem(node, f"a member of {value.domain} is no number", "compare it by == with another")
        return found

    def condition(self, node: ast.expr) -> Value:
        """Return whether `node` is true: a value known before the run, or a truth value."""
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, strict=False)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._negated(self.condition(node.operand), node)
        return self.truth(self.value(node), node)

    def truth(self, value: Value, node: ast.expr) -> Value:
        """Return whether `value`, which `node` is, is true."""
        match value:
            case Fixed(value=known):
                return Fixed(bool(known))
            case Term(domain=BoolDomain()):
                return value
            case Term(expression=expression, domain=IntDomain()):
                place = self.place(node)
                return Term(Binary("!=", expression, constant(0, place), place), BOOL)
            case _:
                raise PythonProblem(node, "this is always true", "compare it: `phase == Phase.IDLE`, `len(xs) > 0`")

    def items(self, node: ast.expr) -> Items:
        """Return the values that an iteration over `node` takes."""
        return items_of(self, node)

    # Names and elements

    def _name(self, node: ast.expr, name: str) -> Value:
        value = self.namespace.names.get(name)
        if value is None:
            raise PythonProblem(node, f"'{name}' is the whole state", f"name a variable: {name}.x")
        if isinstance(value, Term) and isinstance(value.expression, Reference):
            return Term(replace(value.expression, place=self.place(node)), value.domain)
        return value

    def _attribute(self, node: ast.Attribute) -> Value:
        name = self.namespace.attribute(node)
        shared = self.namespace.shared
        if name is None:
            raise PythonProblem(node, f"'.{node.attr}' has no meaning on a value of the state")
        if name in shared.variables:
            found = shared.variables[name]
            if isinstance(found, Term):
                return Term(replace(found.expression, place=self.place(node)), found.domain)
            return found
        raise self.unknown(node, name)

    def unknown(self, node: ast.expr, name: str) -> PythonProblem:
        """What to say, at `node`, of a variable `name` that the model does not have."""
        if name in self.namespace.shared.methods:
            return PythonProblem(node, f"'{name}' is a method", f"call it: {self.namespace.state}.{name}(…)")
        names = [*self.namespace.shared.variables, *self.namespace.shared.constants]
        return PythonProblem(node, f"the model has no variable '{name}'", closest(name, names))

    def _subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            raise PythonProblem(node, "a part of an array cannot be taken", "index one element, or use a comprehension")
        value = self.value(node.value)
        index, bounds = self.number(node.slice)
        place = self.place(node)
        match value:
            case CellArray():
                return value.element(index, place)
            case ValueTuple(values=values):
                return self._looked_up([self.as_term(each, node) for each in values], index, bounds, node)
            case Fixed(value=list() | tuple() as listed) if listed:
                return self._looked_up([self.as_term(Fixed(each), node) for each in listed], index, bounds, node)
            case _:
                raise PythonProblem(node, "only an array can be indexed by what the run decides")

    def _looked_up(self, values: list[Term], index: Expression, bounds: IntDomain, node: ast.Subscript) -> Value:
        """The element of a list at an index that the run decides."""
        place = self.place(node)
        if bounds.least < 0 or bounds.greatest >= len(values):
            index = Within(index, 0, len(values) - 1, f"the index of {self.namespace.text.written(node.value)}", place)
        found = values[-1]
        for position in range(len(values) - 2, -1, -1):
            here = Binary("==", index, constant(position, place), place)
            found = self._either(here, values[position], found, node)
        return found

    # Operators

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self._negated(self.condition(node.operand), node)
        if isinstance(node.op, ast.Invert):
            raise PythonProblem(node, "'~' cannot be used in a model", "say `not x` of a truth value")
        number = self.number(node.operand)
        return Term(*number) if isinstance(node.op, ast.UAdd) else negative(number, node, self.place(node))

    def _negated(self, value: Value, node: ast.expr) -> Value:
        if isinstance(value, Fixed):
            return Fixed(not value.value)
        assert isinstance(value, Term)
        return Term(Unary("!", value.expression, self.place(node)), BOOL)

    def _boolean(self, node: ast.BoolOp, strict: bool = True) -> Value:
        """The operands from left to right; behind one that decides the rest has no meaning, as in Python."""
        is_and = isinstance(node.op, ast.And)
        found: list[Expression] = []
        for part in node.values:
            value = self.condition(part)
            if strict and isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp):
                self._refuse_number(part, is_and)
            if isinstance(value, Fixed):
                if bool(value.value) != is_and:
                    if not found:
                        return value
                    found.append(constant(bool(value.value), self.place(part)))
                    break
                continue
            assert isinstance(value, Term)
            found.append(value.expression)
        return junction("&&" if is_and else "||", found, is_and, self.place(node)) if found else Fixed(is_and)

    def _refuse_number(self, node: ast.expr, is_and: bool) -> None:
        if not isinstance(self.term(node).domain, BoolDomain):
            word = "and" if is_and else "or"
            raise PythonProblem(node, f"'{word}' of what is no truth value", f"compare it: `x != 0 {word} …`")

    def _comparison(self, node: ast.Compare) -> Value:
        operands = [node.left, *node.comparators]
        found = [
            self._compared(left, type(operator), right, node)
            for left, operator, right in zip(operands[:-1], node.ops, operands[1:], strict=True)
        ]
        return junction("&&", found, True, self.place(node))

    def _compared(self, left: ast.expr, operator: type[ast.cmpop], right: ast.expr, node: ast.expr) -> Expression:
        place = self.place(node)
        if operator in (ast.In, ast.NotIn):
            found = self.member(self.term(left), self.items(right), node)
            return found if operator is ast.In else Unary("!", found, place)
        sign = _COMPARISONS[operator]
        one, other = self.value(left), self.value(right)
        if sign in ("==", "!=") and (
            isinstance(one, CellArray | ValueTuple) or isinstance(other, CellArray | ValueTuple)
        ):
            same = self._all_equal(self.items(left).unguarded(left), self.items(right).unguarded(right), node)
            return same if sign == "==" else Unary("!", same, place)
        a, b = self.as_term(one, left), self.as_term(other, right)
        if sign in ("==", "!="):
            return self.equal(a, b, node, sign)
        self.bounds(a, left)
        self.bounds(b, right)
        return Binary(sign, a.expression, b.expression, place)

    def equal(self, one: Term, other: Term, node: ast.expr, sign: str = "==") -> Expression:
        """Return whether `one` and `other`, compared in `node`, are equal, or with the `sign` `!=` are not."""
        if joined(one.domain, other.domain) is None:
            raise PythonProblem(node, f"a value of {one.domain} never equals one of {other.domain}")
        return Binary(sign, one.expression, other.expression, self.place(node))

    def _all_equal(self, one: Sequence[Value], other: Sequence[Value], node: ast.expr) -> Expression:
        if len(one) != len(other):
            raise PythonProblem(node, f"a list of {len(one)} never equals one of {len(other)}")
        pairs = zip(one, other, strict=True)
        parts = [self.equal(self.as_term(a, node), self.as_term(b, node), node) for a, b in pairs]
        return junction("&&", parts, True, self.place(node)).expression

    def member(self, value: Term, items: Items, node: ast.expr) -> Expression:
        """Return whether `value` is one of `items`, as `node` asks."""
        place = self.place(node)
        parts = []
        for guard, item in items.each:
            same = self.equal(value, self.as_term(item, node), node)
            parts.append(same if guard is None else Binary("&&", guard, same, place))
        return junction("||", parts, False, place).expression

    def _conditional(self, node: ast.IfExp) -> Value:
        test = self.condition(node.test)
        if isinstance(test, Fixed):
            return self.value(node.body if test.value else node.orelse)
        assert isinstance(test, Term)
        return self._either(test.expression, self.term(node.body), self.term(node.orelse), node)

    def _either(self, test: Expression, chosen: Term, other: Term, node: ast.expr) -> Term:
        domain = joined(chosen.domain, other.domain)
        if domain is None:
            raise PythonProblem(node, f"this is a value of {chosen.domain} or of {other.domain}", "of one domain only")
        return Term(Conditional(test, chosen.expression, other.expression, self.place(node)), domain)

    # Calls

    def _call(self, node: ast.Call) -> Value:
        function = self.namespace.meaning(node.func)
        if isinstance(node.func, ast.Attribute):
            name = self.namespace.attribute(node.func)
            if name is not None:
                return self._of_method(name, node)
            if function is None:
                return self._of_array(node.func, node)
        if function in STATEMENTS:
            name = getattr(function, "__name__", "")
            raise PythonProblem(node, f"m.{name} cannot be part of an expression", _USES[name])
        return summary(self, function, node)

    def _of_array(self, function: ast.Attribute, node: ast.Call) -> Value:
        """`xs.count(x)`."""
        if function.attr == "count" and len(node.args) == 1 and not node.keywords:
            return summary(self, list.count, node)
        raise PythonProblem(node, f"'.{function.attr}' cannot be called here", "arrays have `.count(x)`, and `x in xs`")

    def _of_method(self, name: str, node: ast.Call) -> Value:
        """The value that a method of one `return` gives."""
        method = self.namespace.shared.methods.get(name)
        if method is None:
            raise self.unknown(node.func, name)
        returned, namespace = self.called(name, method, node, self.value)
        match returned:
            case [ast.Return(value=ast.expr() as result)]:
                try:
                    return self.inside(namespace).value(result)
                except PythonProblem as problem:
                    problem.text = problem.text or namespace.text
                    raise
            case _:
                raise PythonProblem(
                    node, f"'{name}' is more than one `return`", "a method used as a value is `return …` and no more"
                )

    def called(
        self, name: str, method: Callable[..., Any], node: ast.Call, argument: Callable[[ast.expr], Value]
    ) -> tuple[list[ast.stmt], Namespace]:
        """Return the body of the `method` called `name` without its docstring, and what names mean there.

        `node` is the call, and `argument` gives the values of what it passes.
        """
        if name in self.namespace.calls or len(self.namespace.calls) > _MOST_CALLS:
            raise PythonProblem(node, f"'{name}' calls itself", "write a loop: methods are put where they are called")
        text, found = node_of(method)
        if not isinstance(found, ast.FunctionDef) or not found.args.args:
            raise PythonProblem(node, f"'{name}' is no method of the model", "def method(self, …)")
        parameters = [each.arg for each in found.args.args]
        if node.keywords or len(node.args) != len(parameters) - 1 or found.args.vararg or found.args.kwonlyargs:
            takes = ", ".join(parameters[1:]) or "nothing"
            raise PythonProblem(node, f"'{name}' takes {takes}, each in its place")
        values = dict(zip(parameters[1:], map(argument, node.args), strict=True))
        calls = (*self.namespace.calls, name)
        return without_docstring(found.body), Namespace(
            text, self.namespace.shared, parameters[0], values, outer_names(method), calls
        )


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements behind a docstring."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body


def _described(node: ast.expr) -> str:
    return _NAMES.get(type(node), "this expression")


_NAMES: Final[dict[type[ast.AST], str]] = {
    ast.Lambda: "a lambda",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.DictComp: "a dict",
    ast.SetComp: "a set",
    ast.JoinedStr: "a text",
    ast.NamedExpr: "an assignment within an expression",
    ast.Await: "await",
    ast.Starred: "a starred value",
}
_ADVICE: Final[dict[type[ast.AST], str]] = {
    ast.NamedExpr: "assign in a statement of its own",
    ast.Set: "write a tuple: `x in (1, 2)`",
    ast.SetComp: "write a generator: `any(… for x in xs)`",
    ast.Dict: "use an m.Array that is indexed by a number",
    ast.DictComp: "use an m.Array that is indexed by a number",
}
_USES: Final = {
    "wait": "write it as a statement: m.wait(condition)",
    "atomic": "write: with m.atomic():",
    "choose": "assign it: x = m.choose(values)",
    "either": "write: if m.either(condition):",
    "end": "write it as a statement: m.end()",
}
