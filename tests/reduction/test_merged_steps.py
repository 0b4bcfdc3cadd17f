"""Merged steps: which they are, that no verdict and no run depends on them, and that mistakes are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles.promela.random_programs import program as random_program
from oracles.reduction.random_small import small_model
from tests.reduction.models import SMALL

from everafter.certificates.certification import Checker, certify
from everafter.certificates.file import CertificateError
from everafter.certificates.independence.merged_places import unsound_merging
from everafter.certificates.independence.observation import Seen
from everafter.check import check
from everafter.program.program import Program
from everafter.promela.propositions import proposition
from everafter.questions import smaller_program
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.questions.smaller_program import with_smaller_program
from everafter.record import replace
from everafter.reduction import merged_steps as merging
from everafter.reduction.dependence import NOTHING, Dependence
from everafter.reduction.merged_steps import merged_steps
from everafter.reduction.visibility import Watched
from everafter.source import Place
from everafter.user_model import parse

MODELS = {
    "a loop that prints": 'active [2] proctype P() { byte i; for (i : 0 .. 9) { printf("%d\\n", i) } }',
    "a chain": "byte x; active [2] proctype P() { byte a, b; a = x; b = a + 1; a = b * 2; x = a % 7 }",
    "a choice": "byte x; active [2] proctype P() { byte a; a = x; if :: a = 1 :: a = 2 :: a > 0 -> a = 3 fi; x = a }",
    "for ever": "byte x; active proctype P() { byte a; x = 1; do :: a = 1; a = 2 od } active proctype "
    "Q() { x = 2; x = 3 }",
    "waiting for ever": "byte x; active proctype P() { byte a; x = 1; a == 1; x = 5 } active proctype "
    "Q() { x = 2; x = 3 }",
    "waiting for timeout": "byte x; active proctype P() { byte a; x = 1; if :: a == 1 :: timeout fi; x = 5 } "
    "active proctype Q() { x = 2; x = 3 }",
    "behind a rendezvous": "chan c = [0] of { byte }; byte x; active proctype P() { byte a; c!1; a = 1; a = 2; x = a } "
    "active proctype Q() { byte a; c?a; a = 1; a = 2; x = x + a }",
    "before a rendezvous": "chan c = [0] of { byte }; byte x; active proctype P() { byte a; x = 1; a = 1; c?a } "
    "active proctype Q() { do :: c!1 -> break :: else -> x = 2 od }",
    "an assertion": "byte x; active [2] proctype P() { byte a; a = x; assert(a < 1); x = 1 }",
    "an index": "byte x, z; active proctype P() { byte a[2], i; x = 1; z = 1; i = 2; a[i] = 1; x = 2 }",
    "behind an atomic": "byte x; active [2] proctype P() { byte a; atomic { a = x; x = 1 } a = a + 1; a "
    "= a + 1; x = a % 3 }",
    "an atomic loop": "byte x; active proctype P() { byte a; atomic { do :: x < 3 -> x++ :: x > 0 -> break od } "
    "a = 1; a = 2; x = a } active proctype Q() { x == 2; x = 1 }",
    "a label": "byte x; active proctype P() { byte a; x = 1; here: a = 1; a = 2; x = 2 } active proctype "
    "Q() { x == 1; x = 7 }",
    "a label that is read": "byte x; active proctype P() { byte a; x = 1; here: a = 1; a = 2; x = 2 } "
    "active proctype Q() { P@here; x = 7 }",
    "a global of one": "byte x, g; active proctype P() { x = 1; g = 1; g = 2; x = g } active proctype Q() { x = 3 }",
    "a constant": "byte x, n = 3; active [2] proctype P() { byte a; x = 1; a = n; a = a + n; x = a }",
    "starts": "byte x; proctype C(byte n) { byte t; t = n; t = t + 1; x = t } init { byte i; run C(1); i "
    "= 1; i = 2; run C(i) }",
    "an escape": "byte x; active proctype P() { byte a; { x = 1; a = 1; a = 2 } unless { x == 3 } } "
    "active proctype Q() { x = 3 }",
    "a d_step": "byte x; active [2] proctype P() { byte a; x = 1; d_step { a = 1; a = a + 1 } a = 3; x = a }",
}
FORMULAS = ("[] (x <= 2)", "<> (x == 3)", "[] <> (x == 2)", "(x < 2) U (x == 3)", "X X (x == 1)")
WISHES = ("none", "merge", "ample,merge", "static")


def found_by(text: str, **about: Any) -> list[tuple[Any, ...]]:
    model = parse(text)
    engines = ("reference", "native")
    return [
        (wish, engine, check(model, Request(engine=engine, reduction=wish, threads=1, **about))[0])
        for wish in WISHES
        for engine in engines
    ]


@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS)
def test_safety_is_the_same_in_no_more_states(text: str) -> None:
    found = found_by(text, safety=True)
    assert len({(result.verdict, result.disagreement) for _, _, result in found}) == 1
    for wish, engine, result in found:
        if result.holds:
            states = {one.states for each, _, one in found if each == wish}
            assert len(states) == 1, (wish, engine)
            assert result.states <= found[0][2].states


@pytest.mark.parametrize("name", ["a chain", "a choice", "for ever", "a label", "behind a rendezvous", "an index"])
def test_formulas_are_the_same(name: str) -> None:
    """The judge takes every counterexample again, in single steps."""
    model = parse(MODELS[name])
    found = []
    for wish in WISHES:
        request = Request(reduction=wish, formulas=FORMULAS, engine="reference")
        found.append([(one.verdict, one.disagreement) for one in check(model, request)])
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_are_the_same(seed: int) -> None:
    model = parse(small_model(seed) if seed % 2 else random_program(seed))
    whole, merged = (
        check(model, Request(engine="reference", reduction=wish, safety=True))[0] for wish in ("none", "merge")
    )
    assert (whole.verdict, whole.disagreement) == (merged.verdict, merged.disagreement)
    assert whole.violated or merged.states <= whole.states


@pytest.mark.parametrize(
    ("name", "whole", "merged"), [("a loop that prints", 1123, 145), ("a chain", 45, 14), ("for ever", 25, 8)]
)
def test_there_are_fewer_states(name: str, whole: int, merged: int) -> None:
    model = parse(MODELS[name])
    asked = Request(engine="reference", safety=True, ignore=("end-states",))
    assert [check(model, replace(asked, reduction=wish))[0].states for wish in ("none", "merge")] == [whole, merged]


def merged_in(text: str, **about: Any) -> set[str]:
    """The texts of the statements behind which a process goes on."""
    program = parse(text).program
    edges = merged_steps(program, **about)
    return {program.processes[kind].graph.nodes[number].transitions[at].text for kind, number, at in edges}


def test_what_is_seen_or_shared_is_not_merged() -> None:
    assert merged_in(MODELS["a chain"]) == {"a = x", "b = a + 1"}
    assert not merged_in(MODELS["a label that is read"])
    assert not merged_in("active proctype P() provided (1) { byte a; a = 1; a = 2 }")
    text = MODELS["a global of one"]
    assert merged_in(text) == {"x = 1", "g = 1"}
    program = parse(text).program
    read, _ = proposition(program.model, "g == 1", Place(program.model.source, 1, 1))
    assert not merged_steps(program, Watched((read,)))


def test_what_sees_timeout_sees_every_step() -> None:
    program = parse(MODELS["a chain"]).program
    seen, _ = proposition(program.model, "timeout", Place(program.model.source, 1, 1))
    assert not merged_steps(program, Watched((seen,)))
    assert unsound_merging(program, merged_steps(program), Seen((seen,))) == "every step may matter to all processes"
    assert not unsound_merging(program, (), Seen((seen,)))


def test_what_may_go_wrong_is_not_merged_where_a_claim_could_have_no_move() -> None:
    text = MODELS["an index"]
    assert "i = 2" in merged_in(text)
    assert "i = 2" not in merged_in(text, has_claim=True)


def test_where_steps_are_counted_nothing_is_merged() -> None:
    model = parse(MODELS["a chain"])
    for about in ({"formulas": ("X (x == 0)",)}, {"formulas": ("[] (x < 9)",), "fairness": "weak"}):
        (result,) = check(model, Request(engine="reference", **about))
        assert not result.merged
    (result,) = check(model, Request(engine="reference", formulas=("[] (x < 9)",)))
    assert result.merged


@pytest.mark.parametrize("by", ["native", "reference"])
@pytest.mark.parametrize("name", ["a loop that prints", "a chain", "behind an atomic", "behind a rendezvous"])
def test_rows_of_certificates_are_those_where_processes_can_be_interrupted(
    name: str, by: Checker, tmp_path: Path
) -> None:
    model, path = parse(MODELS[name]), tmp_path / "c"
    asked = Request(safety=True, formulas=("[] (x < 99)",) if "x;" in MODELS[name] else (), ignore=("end-states",))
    results = model.check_all(asked, certificate=path)
    assert all(result.merged and not result.whole for result in results)
    verdicts = certify(path, model, request=asked, by=by).verdicts
    assert [(one.verdict, one.merged) for one in verdicts] == [("holds", True)] * len(results)


def unsound(program: Program, edges: frozenset[Any]) -> str:
    return unsound_merging(program, edges, Seen())


def always(*_: Any, **__: Any) -> bool:
    return True


_PLACES = merging._PlacesOfProgram
PLANTED: list[tuple[str, Any, str, Callable[..., Any], str]] = [
    ("cycles are merged", merging, "_without_cycles", lambda _, edges: edges, "for ever"),
    ("what is shared is merged", Dependence, "clashes", lambda *_: NOTHING, "a choice"),
    ("a rendezvous is merged", _PLACES, "_goes_on", always, "behind a rendezvous"),
    ("ends are merged", _PLACES, "_may_be_merged", always, "behind an atomic"),
    ("what others read is merged", _PLACES, "_is_free", always, "a chain"),
]


@pytest.mark.parametrize(
    ("owner", "name", "planted", "model"), [item[1:] for item in PLANTED], ids=[item[0] for item in PLANTED]
)
def test_the_checker_of_certificates_finds_mistakes(
    owner: Any, name: str, planted: Callable[..., Any], model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = parse(MODELS[model]).program
    assert not unsound(program, merged_steps(program))
    monkeypatch.setattr(owner, name, planted)
    assert unsound(program, merged_steps(program))


@pytest.mark.parametrize("text", [*MODELS.values(), *SMALL.values()], ids=[*MODELS, *SMALL])
def test_the_checker_of_certificates_agrees(text: str) -> None:
    program = parse(text).program
    assert not unsound(program, merged_steps(program))


def test_steps_that_must_not_be_merged_are_not_certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = parse(MODELS["a chain"]), tmp_path / "c"
    asked = Request(safety=True)
    model.check_all(asked, certificate=path)
    monkeypatch.setattr(_PLACES, "_is_free", always)
    with pytest.raises(CertificateError, match=r"what follows line 1 may be interrupted by others"):
        certify(path, model, request=asked)
    question = Question(model.program, SAFETY, certificate=lambda _: None)
    found, why = with_smaller_program(question)
    assert not found.program.merged
    assert why == "a certificate would not be believed: what follows line 1 may be interrupted by others"
    assert smaller_program.with_smaller_program(replace(question, certificate=None))[0].program.merged
