"""What grows with a model grows in proportion to it: measured in work, never in time."""

from __future__ import annotations

import pytest

import everafter

NESTED = 640
EXPRESSIONS = {
    "brackets": ("(1 + " * NESTED + "x" + ")" * NESTED, NESTED + 2),
    "operands": (" + ".join(["x * 3"] * NESTED), 6 * NESTED),
    "signs": ("- " * NESTED + "x", 2),
    "conditions": ("(x == 1 -> 7 : " * NESTED + "x" + ")" * NESTED, 2),
}
"""What is computed where x is 2, and what comes out."""


@pytest.mark.parametrize(("text", "value"), EXPRESSIONS.values(), ids=EXPRESSIONS)
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_deep_expressions_are_read_and_computed(text: str, value: int, engine: str) -> None:
    model = everafter.parse(f"int x = 2; active proctype P() {{ x = {text} }}")
    assert model.check(f"<> [] (x == {value})", engine=engine).holds


def test_a_chain_of_macros_is_read() -> None:
    chain = "".join(f"#define M{k + 1} (M{k} + 1)\n" for k in range(NESTED))
    model = everafter.parse(f"#define M0 0\n{chain}int x; active proctype P() {{ x = M{NESTED} }}")
    assert model.check(f"<> (x == {NESTED})").holds
