"""Warnings: each for a planted mistake, none for what good models do."""

import json
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES

from everafter.cli import main
from everafter.user_model import load, parse


def warnings(text: str) -> list[tuple[int, str]]:
    found = parse(text).warnings
    assert all(each.severity == "warning" for each in found)
    return [(each.place.line, each.message) for each in found]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("byte x = 300; active proctype P() { x = 1 }", "300 does not fit 'x', a byte: 44 is stored"),
        ("byte x; active proctype P() { x = -1 }", "-1 does not fit 'x', a byte: 255 is stored"),
        ("bit x; active proctype P() { x = 2 }", "2 does not fit 'x', a bit: 0 is stored"),
        ("unsigned x : 3; active proctype P() { x = 8 }", "8 does not fit 'x', an unsigned of 3 bits: 0 is stored"),
        (
            "chan q = [1] of { bit, byte }; active proctype P() { q!1,256; q?_,_ }",
            "256 does not fit field 2 of 'q', a byte: 0 is stored",
        ),
        ("byte x; active proctype P() { skip }", "the variable 'x' is never used"),
        ("active proctype P() { byte x; skip }", "the variable 'x' is never used"),
        ("active proctype P() { skip; byte x = 1; skip }", "the variable 'x' is never used"),
        ("active proctype P() { do :: skip; byte x; skip od }", "the variable 'x' is never used"),
        ("chan q = [1] of { bit }; active proctype P() { skip }", "the channel 'q' is never used"),
        ("proctype P() { skip } init { skip }", "no process of 'P' is ever started"),
        (
            "chan q = [1] of { bit }; active proctype P() { do :: q?_ :: else -> break od }",
            "'else' beside a receive is taken whenever that cannot happen at once",
        ),
        (
            "chan q = [1] of { bit }; active proctype P() { if :: else :: here: q!1 fi }",
            "'else' beside a send is taken whenever that cannot happen at once",
        ),
        (
            "chan q = [1] of { bit }; active proctype P() { if :: atomic { q?_; skip } :: else fi }",
            "'else' beside a receive is taken whenever that cannot happen at once",
        ),
        (
            "chan q = [1] of { bit }; active proctype P() { if :: { q!1; skip } :: else fi }",
            "'else' beside a send is taken whenever that cannot happen at once",
        ),
        (
            "chan q = [1] of { bit }; active proctype P() { if :: d_step { q?_; skip } :: else fi }",
            "'else' beside a receive is taken whenever that cannot happen at once",
        ),
        (
            "chan q = [1] of { bit }; active proctype P() { d_step { if :: q?_ :: else fi } }",
            "'else' beside a receive is taken whenever that cannot happen at once",
        ),
        (
            "chan q = [1] of { bit }; bit b; active proctype P() { if :: q?_ :: if :: b :: else fi fi }",
            "'else' beside a receive is taken whenever that cannot happen at once",
        ),
        (
            "active proctype P() { if :: here: skip fi }\nltl p { [] !P@here }",
            "no process is ever at 'here': control does not rest at the start of an option",
        ),
        (
            "byte x; active proctype P() { do :: end_it: x == 1 :: skip; x = 1 od }",
            "no process is ever at 'end_it': control does not rest at the start of an option",
        ),
    ],
)
def test_a_planted_mistake(text: str, message: str) -> None:
    assert warnings(text) == [(1, message)]


@pytest.mark.parametrize(
    "text",
    [
        "byte x = 255; active proctype P() { x = 0; x = x - 1 }",
        "int x = -1; short y = -32768; active proctype P() { x = y }",
        "bit x[2]; active proctype P() { x[1] = 2 }",  # a bit of an array is kept in a byte
        "chan q = [1] of { bit }; active proctype P() { q!2; q?_ }",  # so is a bit that is the only field
        "byte x; active proctype P() { skip }\nltl p { [] (x == 0) }",  # used by a formula
        "byte x; active proctype P() { skip }\nnever { do :: x == 0 od }",
        "byte x; active proctype P() provided (x == 0) { skip }",
        "byte n = 2, x = n; active proctype P() { x = 1 }",
        "byte a[3]; active proctype P() { byte i; for (i in a) { skip } }",
        "show byte x; active proctype P() { skip }",
        "chan q = [1] of { bit }; active proctype P() { xr q; skip }",
        "proctype P(byte spare) { skip } init { run P(1) }",
        "inline twice(n) { byte t; if :: n -> t = 1 :: else fi } active proctype P() { twice(0); twice(1) }",
        "chan q = [1] of { bit }; active proctype P() { if :: nempty(q) -> q?_ :: else fi }",
        "chan q = [1] of { bit }; active proctype P() { if :: q?[1] -> q?_ :: else fi }",
        "chan q = [1] of { bit }; bit b; active proctype P() { { if :: b :: else fi } unless { q?_ } }",
        "active proctype P() { skip; byte x = 1; x = 2 }",
        "active proctype P() { do :: progress: skip od }",
        "active proctype P() { if :: here: skip fi }",  # nobody asks
        "active proctype P() { if :: here: skip :: goto here fi }\nltl p { [] !P@here }",  # a goto leads there
        "active proctype P() { here: if :: skip fi }\nltl p { [] !P@here }",
    ],
)
def test_no_false_alarm(text: str) -> None:
    assert warnings(text) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_clean(path: object) -> None:
    assert load(str(path)).warnings == ()


def test_warnings_have_a_caret_and_advice() -> None:
    (warning,) = parse("proctype Lost() { skip }\ninit { skip }").warnings
    assert warning.render().splitlines() == [
        "<model>:1:10: warning: no process of 'Lost' is ever started",
        "    1 | proctype Lost() { skip }",
        "      |          ^^^^",
        "  help: write 'active proctype Lost', or 'run Lost(…)'",
    ]


def test_what_is_asked_beside_the_model_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pml"
    path.write_text("byte x; byte y;\nactive proctype P() { if :: here: skip fi }")
    unused = "the variable 'x' is never used"
    assert main(["check", str(path), "--safety"]) == 0
    assert unused in capsys.readouterr().err
    for asked in (["--ltl", "[] (x == 0)"], ["--ltl", "[] (x == 0)", "-D", "N=1..2"]):
        assert main(["check", str(path), *asked]) == 0
        told = capsys.readouterr().err
        assert unused not in told
        assert "the variable 'y' is never used" in told
    assert main(["check", str(path), "--ltl", "[] !P@here", "--format", "json"]) == 0
    said = [each["message"] for each in json.loads(capsys.readouterr().out)["diagnostics"]]
    assert "no process is ever at 'here': control does not rest at the start of an option" in said
