"""What is expected of every run: assertions and ends may be passed over, channels may have to be empty."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.asking import Engine, check_safety
from oracles.counting import count_states

from everafter.choices import ReductionWish
from everafter.cli import main
from everafter.program.expected import Expected
from everafter.questions.request import Request
from everafter.source import OptionError
from everafter.user_model import parse

MODELS = {
    "full at the end": "chan c = [2] of { byte }; active proctype P() { c!1 }",
    "full at an end label": "chan c = [2] of { byte }; active proctype P() { c!1; end: false }",
    "own channel": "active proctype P() { chan d = [1] of { byte }; d!1; end: false }",
    "second channel": """
        chan c = [2] of { byte };
        chan d = [1] of { bool, int };
        active [2] proctype P() { byte x; c!1; c?x; d!1,2; end: false }""",
    "emptied": "chan c = [1] of { byte }; active proctype P() { byte x; c!1; c?x }",
    "blocked": "chan c = [1] of { byte }; active proctype P() { byte x; c!1; c?x; false }",
    "rendezvous": "chan c = [0] of { byte }; active proctype P() { c!1 } active proctype Q() { byte x; c?x }",
    "assertions": """
        byte x; active [2] proctype P() { x++; assert(x != 2); x++; assert(x < 4); d_step { x = 7; assert(0) } }""",
    "assertion and blocked": "byte x; active [2] proctype P() { x++; assert(x == 1); x == 7 }",
}
EXPECTED = {
    "": Expected(),
    "-A": Expected(assertions=False),
    "-E": Expected(end_states=False),
    "-q": Expected(empty_channels=True),
    "-A -E": Expected(assertions=False, end_states=False),
    "-A -q": Expected(assertions=False, empty_channels=True),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.spin
def test_spin_expects_the_same(name: str, tmp_path: Path) -> None:
    """Verdicts with each of SPIN's options, on both engines, with and without reduction; and states past errors."""
    (tmp_path / "m.pml").write_text(MODELS[name])
    compiler = ["gcc", "-w", "-O0", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"]
    for command in (["spin", "-o1", "-o2", "-o3", "-a", "m.pml"], compiler):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    program = parse(MODELS[name]).program
    for options, expected in EXPECTED.items():
        pan = ["./pan", "-c0", *options.split()]
        shown = subprocess.run(pan, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=120).stdout
        errors = int(shown.split("errors: ")[1].split()[0])
        states = int(shown.split(" states, stored")[0].split()[-1])
        judged = replace(program, expected=expected)
        engines: tuple[Engine, ...] = ("reference", "native")
        reductions: tuple[ReductionWish, ...] = ("none", "static")
        for engine in engines:
            for reduction in reductions:
                assert check_safety(judged, engine=engine, reduction=reduction).violated == bool(errors), options
            counted, wrong = count_states(judged, engine=engine)
            assert bool(wrong) == bool(errors)
            assert counted == states, options


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_the_condition_of_an_assertion_may_go_wrong_all_the_same(engine: Engine) -> None:
    program = parse("byte x; active proctype P() { assert(1 / x == 1) }").program
    result = check_safety(replace(program, expected=Expected(assertions=False)), engine=engine)
    assert result.reason == "division by zero"


SEVERAL = """
byte x;
active [2] proctype P() { x++; assert(x != 2); assert(x != 1); x == 3 }
"""


def test_all_violations_are_shown_one_by_one() -> None:
    results = parse(SEVERAL).check_all(Request(safety=True, all_violations=True))
    assert [(result.property, result.verdict) for result in results] == [
        ("safety", "violated"),
        ("safety beyond 1", "violated"),
        ("safety beyond 2", "violated"),
        ("safety beyond 3", "holds"),
    ]
    assert {result.reason.split(":")[0] for result in results[:3]} == {
        "assert(x != 2) failed",
        "assert(x != 1) failed",
        "invalid end state",
    }


@pytest.mark.spin
def test_each_violation_has_a_trail(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(SEVERAL)
    trail = str(tmp_path / "m.pml.trail")
    assert main(["check", str(tmp_path / "m.pml"), "--safety", "--all-violations", "--trace", trail]) == 1
    shown = []
    for option in ("-t", "-t2", "-t3"):
        command = ["spin", option, "m.pml"]
        shown.append(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
    assert [text.count("text of failed assertion") > 0 for text in shown].count(True) >= 2
    assert not (tmp_path / "m.pml4.trail").exists()


def test_a_run_time_error_is_not_passed_over() -> None:
    results = parse("byte x; active proctype P() { x = 1 / x }").check_all(Request(safety=True, all_violations=True))
    assert [result.verdict for result in results] == ["violated"]


def test_a_verdict_says_what_was_left_out() -> None:
    """Safety that holds because assertions were ignored must not look like safety."""
    model = parse("byte x; active proctype P() { assert(x == 1); x == 7 }")
    names = {
        "safety (assertions ignored)": Request(safety=True, ignore=["assertions"]),
        "safety (end states ignored)": Request(safety=True, ignore=["end-states"]),
        "safety (channels empty at the end)": Request(safety=True, empty_channels=True),
        "safety": Request(safety=True),
    }
    assert [model.check_all(asked)[0].property for asked in names.values()] == list(names)
    further = model.check_all(Request(safety=True, ignore=["end-states"], all_violations=True))[1]
    assert further.property == "safety (end states ignored) beyond 1"


def test_a_never_claim_keeps_its_own_assertions() -> None:
    text = "byte x; active proctype P() { x = 1; assert(x == 2) } never { do :: assert(x == 0) od }"
    asked = Request(never=True, ignore=["assertions"])
    assert parse(text).check_all(asked)[0].violated
    assert parse(text.replace("assert(x == 0)", "true")).check_all(asked)[0].holds


@pytest.mark.parametrize(
    "asked",
    [
        {"formulas": ["[] (x == 0)"], "ignore": ["assertions"]},
        {"formulas": ["[] (x == 0)"], "all_violations": True},
        {"ignore": ["everything"]},
        {"empty_channels": 1},
    ],
)
def test_what_has_no_meaning_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        parse(SEVERAL).check_all(Request(**asked))  # type: ignore[arg-type] # wrong on purpose


def test_the_command_line_passes_them_on(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text(MODELS["assertion and blocked"])
    assert main(["check", str(model)]) == 1
    assert main(["check", str(model), "--ignore", "assertions"]) == 1
    assert main(["check", str(model), "--ignore", "assertions", "--ignore", "end-states"]) == 0
    model.write_text(MODELS["full at the end"])
    assert main(["check", str(model)]) == 0
    assert main(["check", str(model), "--empty-channels"]) == 1
