"""Formulas that hold for another reason than the one meant."""

import json
from pathlib import Path

import pytest
from oracles.asking import Engine

from everafter.check import check
from everafter.cli import main
from everafter.hints import vacuity as follow_up
from everafter.hints.facts import Needless, Vacuity
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.user_model import parse
from everafter.verdict.result import Result

MODEL = """byte x, y;
active proctype P() { x = 1; x = 2; do :: y = 1 - y od }
"""


def checked(formula: str, engine: Engine = "native", thorough: bool = False) -> Result:
    (result,) = check(parse(MODEL), Request(formulas=[formula], engine=engine, coverage=thorough))
    assert result.holds
    return result


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("[] (x == 1 -> <> (x == 2))", Vacuity()),
        ("[] (x == 3 -> <> (x == 4))", Vacuity(unmet=("(x == 3)",))),
        ("[] (x == 1 -> <> (x == 2)) && [] (x == 3 -> y == 2)", Vacuity(unmet=("(x == 3)",))),
        ("[] (x == 2 -> [] (x == 3 -> y == 2))", Vacuity(needless=(Needless("(y == 2)", False),))),
        ("x == 1 -> y == 2", Vacuity(needless=(Needless("(y == 2)", False),))),  # x is 1 later
        ("(x == 3 -> y == 2) && [] (x < 3)", Vacuity(needless=(Needless("(y == 2)", False),))),
        ("<> (x == 3 -> y == 2)", Vacuity(needless=(Needless("(y == 2)", False),))),
        ("![] !(x == 3 -> y == 2)", Vacuity(needless=(Needless("(y == 2)", False),))),
        ("[] (x == 1 -> (x == 3 -> y == 2))", Vacuity(needless=(Needless("(y == 2)", False),))),
        ("[] (x == 1 || x != 1 || !(y == 0))", Vacuity()),  # what a proposition says is not looked into
        ("[] (x == 1 -> x == 1)", Vacuity(is_valid=True)),
        ("[] ((x == 1) <-> (x == 1))", Vacuity(is_valid=True)),
        ("[] (x < 3)", Vacuity()),
    ],
)
def test_premises(formula: str, expected: Vacuity, engine: Engine) -> None:
    assert checked(formula, engine).vacuity == expected


def test_of_every_proposition_if_that_is_wanted() -> None:
    formula = "[] (x < 3 || y == 7)"
    assert checked(formula).vacuity == Vacuity()
    assert checked(formula, thorough=True).vacuity == Vacuity(needless=(Needless("(y == 7)", False),))


def test_a_premise_could_be_true_always() -> None:
    found = checked("[] (y == 1 -> x < 3)", thorough=True).vacuity
    assert found == Vacuity(needless=(Needless("(y == 1)", True),))


def test_little_effort_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_up, "_MOST_STATES", 1)
    text = "byte i, j; active proctype P() { do :: i < 250 -> i++ :: else -> break od; do :: j < 250 -> j++ od }"
    (result,) = check(parse(text), Request(formulas=["[] (i == 251 -> j == 0)"], engine="reference"))
    assert result.holds
    assert result.vacuity == Vacuity(undecided=1)
    monkeypatch.setattr(follow_up, "_MOST_PARTS", 0)
    assert checked("[] (x == 3 -> <> (x == 4))").vacuity == Vacuity(undecided=1)


def test_only_formulas_that_hold_are_asked() -> None:
    model = parse(MODEL)
    assert model.check("[] (x == 1 -> y == 1)").vacuity is None
    assert model.check().vacuity is None
    (progress,) = model.check_all(Request(acceptance=True), Limits())
    assert progress.vacuity is None


def test_text_and_json_tell_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pml"
    path.write_text(MODEL)
    asked = ["check", str(path), "--ltl", "[] (x == 3 -> y == 2)"]
    assert main(asked) == 0
    assert "\nltl:\n  the premise (x == 3) is never true\n" in capsys.readouterr().out
    assert main([*asked, "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)["results"][0]["vacuity"]
    assert said == {"is_valid": False, "unmet": ["(x == 3)"], "needless": [], "undecided": 0}
    assert main(["check", str(path), "--ltl", "<> (x == 3 -> y == 2)", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)["results"][0]["vacuity"]
    assert said["needless"] == [{"part": "(y == 2)", "could_be": False, "occurrence": 1, "occurrences": 1}]
    assert main(["check", str(path), "--ltl", "<> (x == 3 -> y == 2)"]) == 0
    assert "  it would hold even if (y == 2) were always false\n" in capsys.readouterr().out
    assert main(["check", str(path), "--ltl", "[] (x == 1 -> x == 1)"]) == 0
    assert "  it is true of every run, whatever the model does\n" in capsys.readouterr().out


def test_of_parts_that_read_the_same_one_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the two could be false. Both could not: without them the formula is."""
    path = tmp_path / "model.pml"
    path.write_text("byte x; active proctype P() { x = 1 }")
    assert main(["check", str(path), "--coverage", "--ltl", "<> (x == 1) || <> (x == 1)"]) == 0
    said = capsys.readouterr().out
    assert "  it would hold even if (x == 1), at place 1 of 2 and only there, were always false\n" in said
    assert "  it would hold even if (x == 1), at place 2 of 2 and only there, were always false\n" in said
    assert "if (x == 1) were" not in said


def test_a_part_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A conclusion that is a proposition is looked at as both."""
    path = tmp_path / "model.pml"
    path.write_text("byte x; active proctype P() { x = 1 }")
    assert main(["check", str(path), "--coverage", "--ltl", "x == 3 -> x == 2"]) == 0
    assert capsys.readouterr().out.count("it would hold even if (x == 2) were always false") == 1
