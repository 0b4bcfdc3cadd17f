"""What printf and printm print."""

from __future__ import annotations

import re
from collections.abc import Callable

from everafter.execution.evaluate import Evaluator
from everafter.execution.state import ReadableState
from everafter.program.naming import mtype_name
from everafter.promela.model import Constant, Expression, Print, Reference, Scalar

_DIRECTIVE = re.compile(r"%(?:-?[0-9]*)([dcxoue%])|\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


def printed_arguments(effect: Print) -> tuple[Expression, ...]:
    """The arguments of a printf that its format asks for."""
    asked = sum(1 for match in _DIRECTIVE.finditer(effect.format) if match[1] not in (None, "%"))
    return effect.arguments[:asked]


def printing(evaluator: Evaluator, effect: Print) -> Callable[[ReadableState, int, bool], str]:
    """Return the function that gives the text that `effect` prints; `evaluator` says what its arguments mean."""
    asked = [(expression, evaluator.value(expression)) for expression in printed_arguments(effect)]

    def text(view: ReadableState, number: int, timeout: bool) -> str:
        arguments = iter(asked)

        def replacement(match: re.Match[str]) -> str:
            directive, escape = match.groups()
            if escape is not None:
                return _ESCAPES.get(escape, escape)
            if directive == "%":
                return "%"
            expression, value = next(arguments, (None, None))
            if expression is None or value is None:
                return match.group()
            return _formatted(evaluator, directive, expression, value(view, number, timeout))

        return _DIRECTIVE.sub(replacement, effect.format)

    return text


def _formatted(evaluator: Evaluator, directive: str, expression: Expression, value: int) -> str:
    match directive:
        case "c":
            return chr(value & 255)
        case "x":
            return f"{value & 0xFFFFFFFF:x}"
        case "o":
            return f"{value & 0xFFFFFFFF:o}"
        case "e":
            return mtype_name(evaluator.program, _subtype(expression), value)
        case _:
            return str(value)


def _subtype(expression: Expression) -> str | None:
    if isinstance(expression, Constant):
        return expression.mtype
    if isinstance(expression, Reference) and isinstance(expression.leaf.type, Scalar):
        return expression.leaf.type.mtype
    return None
