"""Random programs and formulas about which there is something to say beside the verdict, the same for the same seed.

The tiny models of the reduction (`oracles.reduction.random_small`) have unreachable statements, blocked channels and
premises that are never true; here are those in which the scheduler decides, and the formulas.
"""

from __future__ import annotations

import random

_ENDLESS = (
    "do :: {s} od",
    "do :: {s}; {t} od",
    "do :: {g} -> {s} od",
    "do :: {g} -> {s} :: {h} -> {t} od",
    "do :: {s} :: {g} -> break od; {t}",
    "do :: atomic {{ {g} -> {s}; {t} }} :: {h} -> {s} od",
    "do :: {g} -> {s} :: else -> {t} od",
)
_ONCE = ("{g}; {s}", "{s}", "{s}; {g}; {t}", "atomic {{ {g}; {s} }}", "if :: {g} -> {s} :: {h} -> {t} fi")
_STATEMENTS = (
    "x = 1 - x",
    "x = 1",
    "x = 0",
    "y = 1",
    "y = 0",
    "y = 1 - y",
    "x = y",
    "skip",
    "q!1",
    "q?_",
    "z!1",
    "z?_",
)
_CLOCKS = ("do :: x = 1 - x od", "do :: true od", "do :: x = 1; x = 0 od", "do :: z?_ :: x = 1 - x od")
_GUARDS = ("x == 0", "x == 1", "y == 1", "y == 0", "true", "nempty(q)", "x == y", "timeout")
_PROPOSITIONS = ("(x == 0)", "(x == 1)", "(y == 0)", "(y == 1)", "(y < 2)", "(len(q) == 1)", "(x == 5)")


def scheduled_model(seed: int) -> str:
    """A model of processes that go on for ever or do little, so that it matters who is scheduled."""
    chance = random.Random(seed)
    lines = ["byte x, y;", "chan q = [1] of { byte }, z = [0] of { byte };"]
    if chance.random() < 0.6:
        lines.append(f"active proctype Clock() {{ {chance.choice(_CLOCKS)} }}")
    for number in range(chance.choice((1, 2, 2))):
        shape = chance.choice(_ENDLESS if number == 0 or chance.random() < 0.5 else _ONCE)
        words = {"s": _STATEMENTS, "t": _STATEMENTS, "g": _GUARDS, "h": _GUARDS}
        body = shape.format(**{name: chance.choice(pool) for name, pool in words.items()})
        lines.append(f"active proctype P{number}() {{ {body} }}")
    return "\n".join(lines) + "\n"


def random_formula(chance: random.Random) -> str:
    """A formula over x, y and q: often an implication under [], as users write them, else of any operators."""
    a, b, c = (_formula(chance, chance.choice((1, 1, 2))) for _ in range(3))
    usual = (
        f"[] ({a} -> <> {b})",
        f"[] ({a} -> {b})",
        f"[] (({a} -> {b}) && {c})",
        f"[] ({a} -> ({b} -> {c}))",
        f"{a} -> {b}",
        f"<> {chance.choice(_PROPOSITIONS)}",
        f"[] <> {chance.choice(_PROPOSITIONS)}",
        f"<> [] {chance.choice(_PROPOSITIONS)}",
        f"({a} -> <> {b}) || <> {b}",
    )
    return chance.choice(usual) if chance.random() < 0.5 else _formula(chance, chance.randrange(2, 6))


def _formula(chance: random.Random, size: int) -> str:
    if size <= 1:
        return chance.choice(_PROPOSITIONS)
    operator = chance.choice(("[]", "<>", "!", "X", "&&", "||", "U", "V", "W", "->", "->", "<->"))
    if operator in ("[]", "<>", "!", "X"):
        return f"({operator} {_formula(chance, size - 1)})"
    left = chance.randrange(1, size)
    return f"({_formula(chance, left)} {operator} {_formula(chance, size - left)})"
