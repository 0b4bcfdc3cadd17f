"""Formulas as text again: in Spot's letters or SPIN's signs, with no more parentheses than reading back needs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from everafter.ltl.formula import (
    Always,
    And,
    Atom,
    Constant,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
    operands,
)
from everafter.ltl.formula_parser import parse
from everafter.record import dataclass
from everafter.source import InputError

Spelling: TypeAlias = Literal["letters", "spin"]


@dataclass(frozen=True, slots=True)
class _Sign:
    """How an operator is written, and how tightly it binds."""

    text: str
    strength: int


_LETTERS = {
    Implies: _Sign("->", 1), Equivalent: _Sign("<->", 1), Xor: _Sign("xor", 0), Or: _Sign("||", 2), And: _Sign("&&", 3),
    Until: _Sign("U", 4), WeakUntil: _Sign("W", 4), Release: _Sign("R", 4), StrongRelease: _Sign("M", 4),
    Not: _Sign("!", 5), Next: _Sign("X ", 5), Eventually: _Sign("F ", 5), Always: _Sign("G ", 5),
}  # fmt: skip
# `spin -f` gives -> <-> || && one precedence and a model's ltl block gives them four, so every pair is enclosed.
_SPIN = {operator: _Sign(sign.text, 1 if sign.strength < 5 else 5) for operator, sign in _LETTERS.items()}
_SPIN |= {Release: _Sign("V", 1), Eventually: _Sign("<> ", 5), Always: _Sign("[] ", 5)}
_SPELLINGS = {"letters": _LETTERS, "spin": _SPIN}
_RESERVED = re.compile(r"[UVWRMGFX]|true|false|not|and|or|xor|next|until|release|always|eventually|implies|equivalent")
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def text_of(formula: Formula, spelling: Spelling = "letters") -> str:
    """Return `formula` in the given `spelling`, which `parse` reads back to the same formula.

    SPIN has no xor and no strong release; there they are written with the operators it has.
    """
    return _print(_for_spin(formula) if spelling == "spin" else formula, _SPELLINGS[spelling])


def as_html(formula: Formula) -> str:
    """The formula as one writes it, for notebooks."""
    from html import escape  # noqa: PLC0415 # notebooks alone need it

    return f"<code>{escape(text_of(formula))}</code>"


def _print(formula: Formula, signs: dict[type, _Sign]) -> str:
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Atom(text):
            return atom_text(text)
        case Not(operand) | Next(operand) | Eventually(operand) | Always(operand):
            inside = _print(operand, signs)
            loose = signs[type(operand)].strength < 5 if type(operand) in signs else False
            return f"{signs[type(formula)].text}{f'({inside})' if loose else inside}"
        case _:
            sign = signs[type(formula)]
            # SPIN's exclusive or binds tighter than U, Spot's looser than ||: parentheses all round please both.
            strength = 4 if isinstance(formula, Xor) else sign.strength
            parts = [_enclosed(part, strength, signs) for part in operands(formula)]
            return f" {sign.text} ".join(parts)


def _enclosed(part: Formula, strength: int, signs: dict[type, _Sign]) -> str:
    """An operand, in parentheses unless it binds tighter: also where grouping to the left would do without them."""
    inside = _print(part, signs)
    tighter = type(part) not in signs or signs[type(part)].strength > strength
    return inside if tighter else f"({inside})"


def atom_text(text: str) -> str:
    """A proposition so that it reads back as one: a name bare, an expression in parentheses, other text quoted."""
    if is_name(text):
        return text
    return f"({text})" if _reads_back(text) else '"{}"'.format(text.replace('"', '\\"'))


def is_name(text: str) -> bool:
    """Whether a proposition is a plain name, and not a word that could be taken for an operator."""
    return bool(_WORD.fullmatch(text)) and not _RESERVED.fullmatch(text)


@lru_cache(maxsize=1000)
def _reads_back(text: str) -> bool:
    try:
        return parse(text) is Atom(text)
    except InputError:
        return False


def _for_spin(formula: Formula) -> Formula:
    match formula:
        case Constant() | Atom():
            return formula
        case Not(operand) | Next(operand) | Eventually(operand) | Always(operand):
            return type(formula)(_for_spin(operand))
        case And(parts) | Or(parts):
            return type(formula)(tuple(map(_for_spin, parts)))
        case Xor(left, right):
            return Not(Equivalent(_for_spin(left), _for_spin(right)))
        case StrongRelease(left, right):
            return Until(_for_spin(right), And((_for_spin(right), _for_spin(left))))
        case _:
            return type(formula)(_for_spin(formula.left), _for_spin(formula.right))
