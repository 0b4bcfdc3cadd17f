"""With and without reduction the same is true, of safety, of formulas, of labels, and of whole sets of traces."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES
from oracles.promela.random_programs import program as random_program
from oracles.reduction.agreement import GLOBAL, judge_agrees, same_safety, same_verdict, traces_agree, with_formula
from oracles.reduction.graphs import ClaimGraph, explore
from oracles.reduction.random_formulas import formula_over
from tests.reduction.models import SMALL

from everafter.promela.propositions import formula_text
from everafter.questions.property import (
    no_acceptance_cycle,
    no_cycle_without_progress,
    understand,
)
from everafter.reduction.soundness import Unreduced, for_formula, for_labels, for_safety
from everafter.search import ALGORITHMS
from everafter.user_model import load, parse


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    model = load(path)
    same_safety(model, 7000)
    for understood in model.formulas.values():
        expected = re.search(rf"expect ltl {understood.name}: (\w+)", path.read_text())
        assert expected is not None
        assert same_verdict(model, understood, 1000) in (f"formula: {expected[1]}", "formula: too large")


@pytest.mark.parametrize("name", SMALL)
def test_small_models(name: str) -> None:
    assert same_safety(parse(SMALL[name]), 3000) in ("safety: holds", "safety: violated")


def test_random_programs_and_formulas() -> None:
    seen: list[str] = []
    for seed in range(7000, 7040):
        model = parse(random_program(seed))
        same_safety(model, 400)
        names = GLOBAL.findall(random_program(seed))
        if names:
            text = formula_over(random.Random(seed), names, random.Random(seed).randrange(2, 6))
            seen.append(same_verdict(model, understand(model.tree, formula_text(model.tree, text, "ltl")), 200))
    assert min(seen.count("formula: holds"), seen.count("formula: violated")) >= 2, seen


@pytest.mark.parametrize("kind", ["acceptance", "progress"])
@pytest.mark.parametrize("first", ["accept: x = 1", "progress: x = 1", "x = 1"])
@pytest.mark.parametrize("second", ["accept_1: j = 1 - j", "progress_1: j = 1 - j", "j = 1 - j"])
def test_labels(kind: str, first: str, second: str) -> None:
    text = (
        f"byte x; active proctype A() {{ do :: {first}; x = 0 od }} active proctype B() {{ bit j; do :: {second} od }}"
    )
    program = parse(text).program
    reduction = for_labels(program, "acceptance" if kind == "acceptance" else "progress")
    assert not isinstance(reduction, Unreduced)
    asked = no_acceptance_cycle(program) if kind == "acceptance" else no_cycle_without_progress(program)
    claim = asked.claim
    assert claim is not None
    for search in ALGORITHMS.values():
        full, reduced = (search(ClaimGraph(program, claim, item, 1000), None) for item in (None, reduction))
        assert (full is None) == (reduced is None)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_traces_of_examples(path: Path) -> None:
    model = load(path)
    for understood in model.formulas.values():
        traces_agree(model, understood, 800)


def test_traces_of_random_programs() -> None:
    agreed = 0
    for seed in range(8000, 8060):
        text = random_program(seed)
        model = parse(text)
        names = GLOBAL.findall(text)
        if names:
            formula = formula_over(random.Random(seed), names, 4)
            understood = understand(model.tree, formula_text(model.tree, formula, "ltl"))
            agreed += traces_agree(model, understood, 150) == "traces: the same"
    assert agreed >= 15


def test_the_helper_that_spin_misses() -> None:
    """SPIN, issue 78: the process started last fails its assertion only if the other one has not ended before."""
    model = parse(SMALL["issue 78"])
    reduction = for_safety(model.program)
    assert not isinstance(reduction, Unreduced)
    assert explore(model.program, reduction, 100).wrong == {"assertion"}


@pytest.mark.parametrize(
    ("model", "formula", "reason"),
    [
        ("byte x; active proctype A() { x = 1 }", "X (x == 1)", "counts steps"),
        ("byte x; active proctype A() { x = _last }", "[] (x == 0)", "_last"),
        ("byte x; active proctype A() priority 3 { set_priority(_pid, 2) }", "[] (x == 0)", "priorities"),
        ("byte x; active proctype A() { x = 1 }", "[] (pc_value(0) == 1)", "pc_value"),
        ("byte x; active proctype A() { x = 1 }", "[] (enabled(0))", "enabled"),
    ],
)
def test_where_reduction_is_off(model: str, formula: str, reason: str) -> None:
    parsed = parse(model)
    understood = understand(parsed.tree, formula_text(parsed.tree, formula, "ltl"))
    answer = for_formula(parsed.program, understood.formula, understood.expressions.values())
    assert isinstance(answer, Unreduced)
    assert reason in answer.reason


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ("[] (A:i != 2)", "violated"),
        ("[] (A:i < 3)", "holds"),
        ("<> (A@L)", "holds"),
        ("[] (A@L -> A:i == 1)", "holds"),
        ("[] (B:k == 0 || A:i > 0)", "violated"),
        ("[] (np_)", "violated"),
        ("<> (!np_)", "holds"),
        ("[] (!timeout)", "holds"),
    ],
)
def test_what_is_asked_of_other_processes_is_seen(asked: str, verdict: str) -> None:
    """Steps that nobody asks for are left out; those that a formula asks for are not."""
    text = (
        "active proctype A() { byte i; i = 1; L: progress: i = 2 } active proctype B() { byte k; k = 1; k = 2 }"
        "active [2] proctype C() { byte j; j = 1; j = 2; j = 3 }"
    )
    model, understood = with_formula(parse(text), asked)
    assert same_verdict(model, understood, 2000) == f"formula: {verdict}"
    assert traces_agree(model, understood, 2000) == "traces: the same"
    assert judge_agrees(model, understood, 2000) == "judged: needless"
    reduction = for_formula(model.program, understood.formula, understood.expressions.values())
    assert not isinstance(reduction, Unreduced)
    full, reduced = explore(model.program, None, 2000), explore(model.program, reduction, 2000)
    assert reduced.states < full.states / 4


def test_a_monitor_that_reads_another_process_leaves_the_rest_reduced() -> None:
    text = (
        "active [3] proctype W() { byte i, done; do :: i < 4 -> i++ :: else -> break od; done = 1 }"
        "active proctype M() { byte k; do :: k < 2 -> assert(W:done <= 1); k++ :: else -> break od }"
    )
    program = parse(text).program
    reduction = for_safety(program)
    assert not isinstance(reduction, Unreduced)
    assert explore(program, reduction, 200).states < 100
    assert explore(program, None, 20_000).states > 3000


def test_an_x_that_does_not_matter_is_reduced() -> None:
    model = parse("byte x; active proctype A() { x = 1 }")
    understood = understand(model.tree, formula_text(model.tree, "<> X (x == 1) || <> (x == 1)", "ltl"))
    assert not isinstance(for_formula(model.program, understood.formula, understood.expressions.values()), Unreduced)
