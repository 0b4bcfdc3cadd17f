"""Verdicts on infinite runs: formulas, never claims, labels, fairness, and SPIN's own wrong answers put right."""

from pathlib import Path

import pytest

from everafter.check import check
from everafter.choices import Fairness
from everafter.ltl import Not, to_buchi, to_hoa
from everafter.ltl import parse as parse_formula
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.search import ALGORITHMS
from everafter.source import InputError, Source
from everafter.user_model import load, parse
from everafter.verdict.result import Result

TWO_LOOPS = """
byte x, y;
active proctype A() { do :: x = 1 - x od }
active proctype B() { do :: y = 1 - y od }
"""


def verdict(text: str, formula: str, fairness: Fairness | None = None, algorithm: str | None = None) -> Result:
    request = Request(formulas=(formula,), fairness=fairness, algorithm=algorithm)
    return check(parse(text), request)[0]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("text", "formula", "expected"),
    [
        ("byte x; active proctype P() { x = 1; x = 2 }", "<> (x == 2)", "holds"),
        ("byte x; active proctype P() { x = 1; x = 2 }", "[] (x < 2)", "violated"),
        ("byte x; active proctype P() { x = 1; x = 2 }", "<> [] (x == 2)", "holds"),
        ("byte x; active proctype P() { x = 1; x = 2 }", "<> [] (x == 1)", "violated"),
        ("byte x; active proctype P() { x = 1; x = 2 }", "X (x == 1)", "holds"),
        ("byte x; active proctype P() { x = 1; x = 2 }", "X X (x == 1)", "violated"),
        ("byte x; active proctype P() { do :: x = 1 - x od }", "[] <> (x == 1)", "holds"),
        ("byte x; active proctype P() { do :: x = 1 - x :: skip; skip od }", "[] <> (x == 1)", "violated"),
        ("byte x; active proctype P() { atomic { x = 1; x = 0 } x = 2 }", "[] (x != 1)", "holds"),
        ("byte x; active proctype P() { x = 1; x = 0; x = 2 }", "[] (x != 1)", "violated"),
        ("byte x; active proctype P() { L: x = 1; M: x = 2 }", "<> P@M", "holds"),
        ("byte x; active proctype P() { byte v; v = 3; x = 1 }", "[] (P:v < 3)", "violated"),
        ("mtype = {a, b}; mtype m = a; active proctype P() { m = b }", "(m == a) U (m == b)", "holds"),
        ("chan q = [1] of {byte}; active proctype P() { q!3; q?_ }", "<> (q?[3] && <> empty(q))", "holds"),
    ],
)
def test_formula(text: str, formula: str, expected: str, algorithm: str) -> None:
    result = verdict(text, formula, algorithm=algorithm)
    assert result.verdict == expected
    assert result.algorithm == algorithm
    assert (result.counterexample is not None) == (expected == "violated")


def test_a_counterexample_says_what_is_true_when() -> None:
    result = verdict("byte x; active proctype P() { x = 1; do :: x = 3 - x od }", "<> [] (x == 1)")
    run = result.counterexample
    assert run is not None
    assert run.cycle
    assert len(run.letters) == len(run.prefix) + len(run.cycle)
    assert {frozenset(), frozenset({"x == 1"})} == set(run.letters[run.loop :])


def test_fairness() -> None:
    """B moves again and again only if somebody is fair to it."""
    assert verdict(TWO_LOOPS, "[] <> (y == 1)").verdict == "violated"
    assert verdict(TWO_LOOPS, "[] <> (y == 1)", "weak").verdict == "holds"
    assert verdict(TWO_LOOPS, "[] <> (y == 1)", "strong").verdict == "holds"


def test_strong_fairness_is_more_than_weak() -> None:
    """B can move now and then, not all the time: only strong fairness owes it a move."""
    text = "byte x, y; active proctype A() { do :: x = 1 - x od } active proctype B() { x == 1; y = 1 }"
    assert verdict(text, "<> (y == 1)", "weak").verdict == "violated"
    assert verdict(text, "<> (y == 1)", "strong").verdict == "holds"


@pytest.mark.parametrize("fairness", ["weak", "strong"])
def test_fairness_sees_runs_that_end(fairness: Fairness) -> None:
    """SPIN, issue 38: under weak fairness a violation of <>[] on a run that ends is missed."""
    text = "byte x; active proctype P() { x = 1; x = 0 } active proctype Q() { skip }"
    assert verdict(text, "<> [] (x == 1)", fairness).verdict == "violated"
    assert verdict(text, "<> [] (x == 0)", fairness).verdict == "holds"


def test_fair_counterexamples_are_fair() -> None:
    text = TWO_LOOPS.replace("y = 1 - y", "y = 1 - y :: y == 0 -> skip")
    for fairness in ("weak", "strong"):
        run = verdict(text, "[] <> (y == 1)", fairness).counterexample
        assert run is not None
        assert {step.process for step in run.cycle} == {0, 1}


def test_a_deadlock_behind_a_rendezvous_is_found() -> None:
    """SPIN, issue 28: breadth-first search misses it."""
    text = """
    chan c = [0] of { byte };
    active proctype A() { c!1; c!2 }
    active proctype B() { byte x; c?x; false }
    """
    for algorithm in ("breadth-first", "depth-first"):
        result = check(parse(text), Request(safety=True, algorithm=algorithm))[0]
        assert result.verdict == "violated"
        assert "invalid end state" in result.reason


def test_d_step_that_blocks_or_chooses_is_no_unqualified_answer() -> None:
    blocks = "byte x; active proctype P() { d_step { x = 1; x == 2; x = 3 } }"
    assert verdict(blocks, "[] (x < 5)").verdict == "violated"
    chooses = "byte x; active proctype P() { d_step { if :: x = 1 :: x = 2 fi } }"
    assert verdict(chooses, "[] (x < 2)").verdict == "holds"


NEVER = """
never { /* x is 1 for ever from some point on */
wait:   do :: true :: x == 1 -> goto accept_here od;
accept_here: do :: x == 1 od }
"""


@pytest.mark.parametrize(
    ("body", "expected"), [("x = 1", "violated"), ("x = 1; x = 0", "holds"), ("do :: x = 1 - x od", "holds")]
)
def test_never_claim(body: str, expected: str) -> None:
    model = parse(f"byte x; active proctype P() {{ {body} }} {NEVER}")
    results = check(model, Request())
    assert [result.kind for result in results] == ["safety", "never"]
    assert results[1].verdict == expected


def test_a_never_claim_that_ends_is_a_violation() -> None:
    text = "byte x; active proctype P() {{ x = 1 }} never {{ do :: true :: x == {} -> break od }}"
    assert check(parse(text.format(1)), Request(never=True))[0].verdict == "violated"
    assert check(parse(text.format(2)), Request(never=True))[0].verdict == "holds"


def test_a_never_claim_may_not_act() -> None:
    with pytest.raises(InputError, match="only observe"):
        check(parse("byte x; active proctype P() { x = 1 } never { x = 2 }"), Request(never=True))


def test_a_never_claim_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("#define p (x == 1)\nbyte x; active proctype P() { x = 1 }")
    (tmp_path / "c.pml").write_text("never { do :: true :: p -> goto accept od; accept: do :: p od }")
    model = load(tmp_path / "m.pml", never=tmp_path / "c.pml")
    assert check(model, Request(never=True))[0].verdict == "violated"


def test_an_automaton_from_outside() -> None:
    """The automaton of the negated formula gives the verdict of the formula."""
    for formula, expected in (('[] <> "x == 1"', "holds"), ('[] "x == 0"', "violated")):
        text = to_hoa(to_buchi(Not(parse_formula(formula))))
        model = parse("byte x; active proctype P() { do :: x = 1 - x od }")
        assert check(model, Request(automaton=Source("claim.hoa", text)))[0].verdict == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("active proctype P() { byte x; do :: x = 1 - x; accept: skip od }", "violated"),
        ("active proctype P() { byte x; accept: x = 1; do :: x = 1 - x od }", "holds"),
        ("active proctype P() { accept: false }", "violated"),
    ],
)
def test_acceptance(text: str, expected: str) -> None:
    assert check(parse(text), Request(acceptance=True))[0].verdict == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("active proctype P() { byte x; do :: x = 1 - x; progress: skip od }", "holds"),
        ("active proctype P() { byte x; progress: x = 1; do :: x = 1 - x od }", "violated"),
        ("active proctype P() { false }", "holds"),
    ],
)
def test_progress(text: str, expected: str) -> None:
    """A run that stops is no loop without progress."""
    assert check(parse(text), Request(progress=True))[0].verdict == expected


def test_everything_the_model_states_is_checked() -> None:
    text = "byte x; active proctype P() { x = 1; assert(x == 1) } ltl a { <> (x == 1) } ltl b { [] (x == 0) }"
    results = check(parse(text), Request())
    assert [(result.property, result.verdict) for result in results] == [
        ("safety", "holds"),
        ("a", "holds"),
        ("b", "violated"),
    ]


def test_a_limit_makes_it_incomplete() -> None:
    model = parse("int x; active proctype P() { do :: x++ od }")
    result = check(model, Request(formulas=("[] (x >= 0)",)), Limits(states=1000))[0]
    assert result.verdict == "incomplete"


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("[] (z > 1)", "unknown variable 'z'"),
        ("[] (x >", "operand should follow"),
        ("nonsense", "no formula or variable is called 'nonsense'"),
        ("[] P@nowhere", "no label 'nowhere'"),
    ],
)
def test_a_wrong_formula_is_bad_input(formula: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        verdict("byte x; active proctype P() { x = 1 }", formula)


def test_macros_of_the_model_may_be_used() -> None:
    text = "#define done (x == 2)\nbyte x; active proctype P() { x = 1; x = 2 }"
    assert verdict(text, "<> done").verdict == "holds"


def test_a_hidden_variable_that_a_formula_watches_is_seen() -> None:
    text = "hidden byte h; byte x; active proctype P() { h = 1; x = 1; h = 2; x = 0 }"
    assert verdict(text, "<> (h == 2)").verdict == "holds"
    assert verdict(text, "[] (h < 2)").verdict == "violated"
