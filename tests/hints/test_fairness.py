"""Whether a violated property holds under fairness: said beside the verdict, and right."""

import json
from pathlib import Path

import pytest
from oracles.asking import Engine

from everafter.choices import Fairness
from everafter.cli import main
from everafter.hints import fairness_hint as follow_up
from everafter.hints.facts import UnderFairness
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.user_model import parse
from everafter.verdict.result import Result

WEAK = """bit x;
active proctype A() { do :: true od }
active proctype B() { x = 1 }
ltl done { <> (x == 1) }
"""
STRONG = """byte x;
active proctype A() { do :: x = 1 - x od }
active proctype B() { x == 1 -> x = 2 }
ltl done { <> (x == 2) }
"""
NEITHER = """byte x;
active proctype A() { do :: x = 1 - x od }
ltl done { <> (x == 2) }
"""
STOPS = """byte x;
active proctype A() { x = 1 }
ltl done { <> (x == 2) }
"""
ALREADY = """byte x;
active proctype A() { x = 1 }
ltl done { [] (x == 0) }
"""
EXPECTED = [
    (WEAK, UnderFairness("holds", "holds")),
    (STRONG, UnderFairness("violated", "holds")),
    (NEITHER, UnderFairness("violated", "violated")),
    (STOPS, UnderFairness("violated", "violated")),
    (ALREADY, UnderFairness("violated", "violated")),
]


def checked(text: str, engine: Engine | None = None, fairness: Fairness | None = None) -> Result:
    return parse(text).check("done", engine=engine, fairness=fairness)


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(("text", "expected"), EXPECTED)
def test_what_fairness_changes(text: str, expected: UnderFairness, engine: Engine) -> None:
    result = checked(text, engine)
    assert result.violated
    assert result.under_fairness == expected


@pytest.mark.parametrize(("text", "expected"), EXPECTED)
def test_it_is_what_a_check_under_fairness_says(text: str, expected: UnderFairness) -> None:
    assert checked(text, fairness="weak").verdict == expected.weak
    assert checked(text, fairness="strong").verdict == expected.strong


def test_what_is_violated_under_fairness_says_it_too() -> None:
    assert checked(STRONG, fairness="weak").under_fairness == UnderFairness("violated", "holds")
    assert checked(NEITHER, fairness="strong").under_fairness == UnderFairness("violated", "violated")


def test_labels_are_asked_about_as_well() -> None:
    text = "active proctype A() { do :: true od }\nactive proctype B() { progress: do :: skip; skip od }"
    text = text.replace("progress: do :: skip", "do :: progress: skip")
    (result,) = parse(text).check_all(Request(progress=True))
    assert result.violated
    assert result.under_fairness == UnderFairness("holds", "holds")


def test_it_is_said_of_violations_of_infinite_runs_only() -> None:
    assert parse("active proctype A() { assert(false) }").check().under_fairness is None
    assert parse(WEAK).check("[] (x <= 1)").under_fairness is None


def test_little_effort_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_up, "_MOST_STATES", {"weak": 1, "strong": 1})
    text = WEAK.replace("x = 1", "byte i; do :: i < 250 -> i++ :: else -> break od; x = 1")
    result = checked(text, "reference")
    assert result.violated
    assert result.under_fairness == UnderFairness("not decided", "not decided")


def test_a_limit_of_states_is_kept() -> None:
    text = """bit x;
    active [2] proctype B() { byte i; do :: i < 250 -> i++ :: else -> break od; x = 1 }
    active proctype A() { do :: true od }
    ltl done { <> (x == 1) }"""
    result = parse(text).check("done", engine="reference", reduction="none", limits=Limits(states=300))
    assert result.violated
    assert result.under_fairness == UnderFairness("not decided", "not decided")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WEAK, "it holds under weak fairness: --fair weak"),
        (STRONG, "it holds under strong fairness, not under weak: --fair strong"),
        (NEITHER, "it is violated under strong fairness, too"),
    ],
)
def test_text_and_json_tell_it(text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    assert main(["check", str(path), "--ltl", "done"]) == 1
    assert words in capsys.readouterr().out
    assert main(["check", str(path), "--ltl", "done", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)["results"][0]["under_fairness"]
    assert set(said) == {"weak", "strong"}


def test_a_run_that_ends_is_not_spoken_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pml"
    path.write_text(STOPS)
    assert main(["check", str(path), "--ltl", "done"]) == 1
    assert "fairness" not in capsys.readouterr().out
