"""What a formula says of single states, as texts in which elements may be exchanged.

A formula whose parts without temporal operators are the same once elements are exchanged is true of a run exactly if it
is true of one in which, state by state, other elements have changed places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everafter.ltl.formula import And, Atom, Constant, Equivalent, Formula, Implies, Not, Or, Xor
from everafter.promela.model import Expression
from everafter.symmetry.texts import Wording, has_value, text


def texts_of_states(formula: Formula, expressions: Mapping[str, Expression], wording: Wording) -> list[Any]:
    """Return the largest parts of `formula` without temporal operators, as texts in this `wording`.

    `expressions` are its atoms. Parts that are joined by operators that ask for no order are in a fixed one.
    """
    found: list[Any] = []
    pending = [formula]
    while pending:
        part = pending.pop()
        if _is_of_a_state(part):
            found.append(_text(part, expressions, wording))
        else:
            pending += _parts(part)
    return found


def _parts(formula: Formula) -> tuple[Formula, ...]:
    match formula:
        case Constant() | Atom():
            return ()
        case And(parts=parts) | Or(parts=parts):
            return parts
        case _ if hasattr(formula, "operand"):
            return (formula.operand,)
        case _:
            return formula.left, formula.right


def _is_of_a_state(formula: Formula) -> bool:
    """Whether a formula speaks of one state."""
    if not isinstance(formula, Constant | Atom | Not | And | Or | Implies | Equivalent | Xor):
        return False
    return all(map(_is_of_a_state, _parts(formula)))


def _text(formula: Formula, expressions: Mapping[str, Expression], wording: Wording) -> Any:
    match formula:
        case Constant(value=value):
            return "true" if value else "false"
        case Atom(text=words):
            return text(expressions[words], wording) if words in expressions else words
        case And() | Or() | Equivalent() | Xor():
            written = [_text(part, expressions, wording) for part in _joined(formula)]
            if all(has_value(each) for each in expressions.values()):
                written.sort(key=repr)
            return type(formula).__name__, *written
        case _:
            return type(formula).__name__, *(_text(part, expressions, wording) for part in _parts(formula))


def _joined(formula: Formula) -> list[Formula]:
    """What an operator joins, however it is bracketed."""
    if not isinstance(formula, And | Or):
        return list(_parts(formula))
    return [each for part in formula.parts for each in (_joined(part) if type(part) is type(formula) else [part])]
