"""What operators, comparisons and conditional expressions of Python mean, as expressions of the program."""

from __future__ import annotations

import ast
from enum import Enum
from typing import Final

from everafter.model.domains import BoolDomain, EnumDomain, IntDomain, OptionalDomain
from everafter.promela.model import Binary, Expression, Unary
from everafter.pymodel.container_items import Items, is_filled
from everafter.pymodel.container_values import combined, contained, subset
from everafter.pymodel.conversions import Conversions
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import BOOL, Compound, Fixed, Stored, Term, Value, constant, junction
from everafter.pymodel.whole_numbers import computed, negative

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


class OperatorReader(Conversions):
    """Reads what operators make of values."""

    def value(self, node: ast.expr) -> Value:
        """Return what `node` is."""
        raise NotImplementedError

    def condition(self, node: ast.expr) -> Value:
        """Return whether `node` is true."""
        raise NotImplementedError

    def inside(self, namespace: Namespace) -> OperatorReader:
        """Return a reader of expressions of another `namespace`."""
        raise NotImplementedError

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
            case Term(domain=OptionalDomain(inner=BoolDomain() | IntDomain())):
                place = self.place(node)
                present = Unary("!", self.equal(value, Fixed(None), node), place)
                nonzero = Binary("!=", value.expression, constant(0, place), place)
                return Term(Binary("&&", present, nonzero, place), BOOL)
            case Stored() | Compound() if (some := is_filled(value, self.place(node))) is not None:
                return some
            case _:
                raise PythonProblem(node, "this is always true", "compare it: `phase == Phase.IDLE`, `len(xs) > 0`")

    def term(self, node: ast.expr) -> Term:
        """Return `node` as a value that a variable can have."""
        return self.as_term(self.value(node), node)

    def number(self, node: ast.expr) -> tuple[Expression, IntDomain]:
        """Return `node`, which must be a number, and its range."""
        found = self.as_term(self.plain(self.value(node), node), node)
        return found.expression, self.bounds(found, node)

    def binary_value(self, node: ast.BinOp) -> Value:
        """Return what the operator of `node` makes of its operands."""
        if isinstance(node.op, ast.Add | ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
            made = combined(self, self.value(node.left), self.value(node.right), node)
            if made is not None:
                return made
        return computed(self.number(node.left), self.number(node.right), node, self.place(node))

    def unary_value(self, node: ast.UnaryOp) -> Value:
        """Return what the operator of `node` makes of its operand."""
        if isinstance(node.op, ast.Not):
            return self.negated_value(self.condition(node.operand), node)
        if isinstance(node.op, ast.Invert):
            raise PythonProblem(node, "'~' cannot be used in a model", "say `not x` of a truth value")
        number = self.number(node.operand)
        return Term(*number) if isinstance(node.op, ast.UAdd) else negative(number, node, self.place(node))

    def negated_value(self, value: Value, node: ast.expr) -> Value:
        """Return the contrary of the truth value `value`, as `node` says."""
        if isinstance(value, Fixed):
            return Fixed(not value.value)
        assert isinstance(value, Term)
        return Term(Unary("!", value.expression, self.place(node)), BOOL)

    def boolean_value(self, node: ast.BoolOp, strict: bool = True) -> Value:
        """Return what the operands of `node` say, from left to right; behind one that decides the rest means nothing.

        Where it is `strict`, numbers are refused: Python would give one of them.
        """
        is_and = isinstance(node.op, ast.And)
        found: list[Expression] = []
        for each in node.values:
            value = self.condition(each)
            if strict and isinstance(each, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp):
                self._refuse_number(each, is_and)
            if isinstance(value, Fixed):
                if bool(value.value) != is_and:
                    if not found:
                        return value
                    found.append(constant(bool(value.value), self.place(each)))
                    break
                continue
            assert isinstance(value, Term)
            found.append(value.expression)
        return junction("&&" if is_and else "||", found, is_and, self.place(node)) if found else Fixed(is_and)

    def _refuse_number(self, node: ast.expr, is_and: bool) -> None:
        if not isinstance(self.term(node).domain, BoolDomain):
            word = "and" if is_and else "or"
            raise PythonProblem(node, f"'{word}' of what is no truth value", f"compare it: `x != 0 {word} …`")

    def comparison_value(self, node: ast.Compare) -> Value:
        """Return whether all comparisons of `node` are true."""
        operands = [node.left, *node.comparators]
        found = [
            self._compared(left, type(operator), right, node)
            for left, operator, right in zip(operands[:-1], node.ops, operands[1:], strict=True)
        ]
        return junction("&&", found, True, self.place(node))

    def _compared(self, left: ast.expr, operator: type[ast.cmpop], right: ast.expr, node: ast.expr) -> Expression:
        place = self.place(node)
        if operator in (ast.In, ast.NotIn):
            found = contained(self, self.value(left), right, node)
            return found if operator is ast.In else Unary("!", found, place)
        sign = _COMPARISONS[operator]
        one, other = self.value(left), self.value(right)
        if operator in (ast.Is, ast.IsNot) and not any(map(_has_identity, (one, other))):
            raise PythonProblem(node, "'is' compares which object this is", "compare values by ==")
        if sign in ("==", "!="):
            return self.equal(one, other, node, sign)
        if (within := subset(self, one, other, sign, node)) is not None:
            return within
        a, b = self.as_term(self.plain(one, left), left), self.as_term(self.plain(other, right), right)
        self.bounds(a, left)
        self.bounds(b, right)
        return Binary(sign, a.expression, b.expression, place)

    def member(self, value: Value, items: Items, node: ast.expr) -> Expression:
        """Return whether `value` is one of `items`, as `node` asks."""
        place = self.place(node)
        parts = []
        for guard, item in items.each:
            same = self.equal(value, item, node)
            parts.append(same if guard is None else Binary("&&", guard, same, place))
        return junction("||", parts, False, place).expression

    def conditional_value(self, node: ast.IfExp) -> Value:
        """Return one of the two values of `node`."""
        test = self.condition(node.test)
        if isinstance(test, Fixed):
            return self.value(node.body if test.value else node.orelse)
        assert isinstance(test, Term)
        return self.either(test.expression, self.value(node.body), self.value(node.orelse), node)


def _has_identity(value: Value) -> bool:
    """Whether `is` tells the same of a value as `==` does."""
    if isinstance(value, Fixed):
        return value.value is None or isinstance(value.value, bool | Enum)
    domain = value.domain if isinstance(value, Term) else None
    return isinstance(domain, BoolDomain | EnumDomain)
