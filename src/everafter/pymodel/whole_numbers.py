"""Arithmetic as Python has it: never cut to 32 bits, and rounded down, where the program rounds towards zero."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from everafter.model.domains import WIDEST, IntDomain
from everafter.promela.model import Binary, Conditional, Expression, Unary
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import Term, constant
from everafter.source import Place

Number = tuple[Expression, IntDomain]
"""An expression and its range."""
_COMPUTED: Final[dict[str, Callable[[int, int], int]]] = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}
_SIGNS: Final[dict[type[ast.operator], str]] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_OTHERS: Final[dict[type[ast.operator], str]] = {ast.Div: "// for whole numbers", ast.Pow: "x * x"}


def computed(left: Number, right: Number, node: ast.BinOp, place: Place) -> Term:
    """Return what the operator of `node`, written at `place`, makes of `left` and `right`."""
    (one, a), (other, b) = left, right
    sign = _SIGNS.get(type(node.op))
    if sign is not None:
        ends = [_COMPUTED[sign](x, y) for x in (a.least, a.greatest) for y in (b.least, b.greatest)]
        return _in_32_bits(Binary(sign, one, other, place), min(ends), max(ends), node)
    if isinstance(node.op, ast.FloorDiv | ast.Mod):
        if b.least == b.greatest == 0:
            raise PythonProblem(node, "division by zero")
        return (
            _quotient(left, right, node, place) if isinstance(node.op, ast.FloorDiv) else _remainder(left, right, place)
        )
    advice = _OTHERS.get(type(node.op))
    raise PythonProblem(
        node, "this operator cannot be used in a model", f"write {advice}" if advice else "+ - * // % can"
    )


def negative(number: Number, node: ast.expr, place: Place) -> Term:
    """Return `number` with the other sign, as `node`, written at `place`, says."""
    expression, bounds = number
    return _in_32_bits(Unary("-", expression, place), -bounds.greatest, -bounds.least, node)


def _in_32_bits(expression: Expression, least: int, greatest: int, node: ast.expr) -> Term:
    if least < WIDEST[0] or greatest > WIDEST[1]:
        message = f"this may be anything from {least} to {greatest}, beyond 32 bits"
        raise PythonProblem(node, message, "use smaller ranges")
    return Term(expression, IntDomain(least, greatest))


def _quotient(left: Number, right: Number, node: ast.expr, place: Place) -> Term:
    """The quotient rounded down; the program cuts it towards zero."""
    (one, a), (other, b) = left, right
    cut = Binary("/", one, other, place)
    if a.least >= 0 and b.least >= 0:
        return Term(cut, IntDomain(0, a.greatest // max(1, b.least)))
    largest = max(abs(a.least), abs(a.greatest))
    apart = Binary("&&", _nonzero(Binary("%", one, other, place)), _signs_differ(one, other, place), place)
    return _in_32_bits(Binary("-", cut, apart, place), -largest, largest, node)


def _remainder(left: Number, right: Number, place: Place) -> Term:
    """The remainder with the sign of the divisor; the program gives it the sign of the dividend."""
    (one, a), (other, b) = left, right
    cut = Binary("%", one, other, place)
    if a.least >= 0 and b.least >= 0:
        return Term(cut, IntDomain(0, min(a.greatest, max(0, b.greatest - 1))))
    apart = Binary("&&", _nonzero(cut), _signs_differ(one, other, place), place)
    moved = Binary("+", cut, Conditional(apart, other, constant(0, place), place), place)
    return Term(moved, IntDomain(min(0, b.least + 1), max(0, b.greatest - 1)))


def _nonzero(expression: Binary) -> Expression:
    return Binary("!=", expression, constant(0, expression.place), expression.place)


def _signs_differ(left: Expression, right: Expression, place: Place) -> Expression:
    zero = constant(0, place)
    return Binary("!=", Binary("<", left, zero, place), Binary("<", right, zero, place), place)
