"""Texts nested as deeply as SPIN reads them are read, searched by both engines, and told; deeper ones are refused."""

from __future__ import annotations

import pytest

from everafter import InputError, parse

VALUES = {
    "parentheses": (9_900, "x = {}1{}", "(", ")"),
    "sums": (4_900, "x = {}1{}", "1 + ", ""),
    "sums to the right": (4_900, "x = {}1{}", "1 + (", ")"),
    "signs": (4_900, "x = {}1{}", "- ", ""),
    "choices of a value": (3_300, "x = {}1{}", "(x == 9 -> 9 : ", ")"),
    "indices": (4_900, "x = {}0{}", "a[", "]"),
    "conditions": (4_900, "{}x == 0{}", "x == 0 && ", ""),
    "mixed conditions": (1_600, "{}x == 0{}", "x == 0 && (x == 1 || (", "))"),
    "arguments": (4_900, "q ! 0; q ? eval({}0{})", "(", ")"),
}
STATEMENTS = {
    "blocks": (400, "{ ", " }"),
    "atomic sequences": (400, "atomic { ", " }"),
    "choices": (400, "if :: x == 0 -> ", " fi"),
    "last resorts": (400, "if :: x == 1 :: else -> ", " fi"),
    "escapes": (100, "{ ", " } unless x == 9"),
}
FORMULAS = {
    "parentheses": (9_000, "{}x < 9{}", "(", ")"),
    "sums": (700, "{}x < 9000{}", "1 + ", ""),
    "implications": (700, "{}x < 9{}", "x == 9 -> (", ")"),
    "next": (700, "{}x < 9{}", "X (", ")"),
}


def written(statement: str) -> str:
    return f"int x; byte a[2]; chan q = [1] of {{ int }};\nactive proctype P() {{ {statement} }}\n"


@pytest.mark.parametrize("what", VALUES)
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_deep_expressions_are_searched(what: str, engine: str) -> None:
    depth, around, opening, closing = VALUES[what]
    model = parse(written(around.format(opening * depth, closing * depth)))
    assert model.check(engine=engine).holds


@pytest.mark.parametrize("what", STATEMENTS)
def test_deep_statements_are_searched(what: str) -> None:
    depth, opening, closing = STATEMENTS[what]
    assert parse(written(opening * depth + "x = 2" + closing * depth)).check().holds


@pytest.mark.parametrize("what", FORMULAS)
def test_deep_formulas_are_checked(what: str) -> None:
    depth, around, opening, closing = FORMULAS[what]
    formula = around.format(opening * depth, closing * depth)
    assert parse(written("x = 2")).check(formula).holds


def test_a_deep_violation_is_told() -> None:
    result = parse(written("x = 1; assert(" + "x + " * 4_900 + "0 == 0)")).check()
    assert not result.holds
    assert "x + x" in str(result)


@pytest.mark.parametrize("asking", ["{} -> x = 2", "d_step {{ if :: {} -> x = 2 fi }}"])
def test_processes_that_ask_in_circles_still_come_to_an_end(asking: str) -> None:
    """Beside a deep text there is room for many calls, and the interpreter's own stack must not be used up first."""
    deep = "x = " + "(" * 9_900 + "1" + ")" * 9_900
    text = f"byte x; active proctype A() {{ {asking.format('enabled(1)')}; {deep} }}\n"
    text += f"active proctype B() {{ {asking.format('enabled(0)')} }}\n"
    result = parse(text).check(engine="reference")
    assert result.verdict == "incomplete"
    assert "do not come to an end" in (result.reason or "")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("x = " + "(" * 10_001 + "1" + ")" * 10_001, "this is nested too deeply"),
        ("x = " + "1 + " * 10_001 + "1", "this expression has too many operands"),
        ("x == 0 && " * 10_001 + "x == 0", "this expression has too many operands"),
        ("{ " * 1_001 + "skip" + " }" * 1_001, "statements are nested too deeply"),
    ],
)
def test_what_nests_deeper_is_refused_with_a_message(statement: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(written(statement))
    assert message in caught.value.diagnostics[0].message
