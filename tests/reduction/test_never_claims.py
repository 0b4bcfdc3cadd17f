"""Never claims and automata that cannot tell whether a state is repeated are searched with reduction."""

from __future__ import annotations

import pytest
from oracles.promela.random_programs import program as random_program
from oracles.reduction.agreement import names_in, same_never_claim, with_never_claim
from oracles.reduction.random_small import small_model

from everafter.certificates.reference.reduced_rows import table_for
from everafter.ltl import from_hoa, to_buchi, to_hoa
from everafter.ltl import parse as parse_formula
from everafter.promela.propositions import proposition
from everafter.questions.property import of_automaton, of_never
from everafter.questions.question import Question
from everafter.questions.reduction_choice import reduction_for
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import Unreduced, for_never_claim
from everafter.source import Place
from everafter.user_model import Model, parse

PROCESSES = (
    "byte x, y, a[2], zero; active proctype A() { byte i; i = 1; i = 2; x = 1; L: x = 2; i = 3 }"
    "active [2] proctype B() { byte j; j = 1; j = 2; progress: j = 3 }\n"
)
NEVER = {
    "eventually": "T0: do :: x == 2 -> goto accept :: true od; accept: do :: x == 2 od",
    "with else": "do :: x == 2 -> break :: else od",
    "an assertion": "do :: assert(x < 3) od",
    "an atomic move": "do :: atomic { x == 1 -> y == 0 -> goto over } :: else od; over: skip",
    "labels and variables of processes": "do :: A@L && A:i == 2 -> break :: else od",
    "no progress": "do :: !np_ -> break :: else od",
    "the end of all": "do :: timeout -> break :: else od",
    "the model's labels": "do :: x == 0 :: x != 0 od",
}
COUNTING = {
    "steps": ("x == 0; x == 0; x == 1", "may count steps"),
    "one step": ("x == 0; accept: do :: x == 1 od", "may count steps"),
    "an index": ("do :: a[x] == 1 -> break :: else od", "may have no value"),
    "a division": ("do :: 1 / zero == 1 -> break :: else od", "may have no value"),
    "a local variable": ("byte k; do :: k == 1 -> break :: else od", "variables of its own"),
    "where a process is": ("do :: pc_value(0) == 1 -> break :: else od", "may have no value"),
}


def claimed(claim: str) -> Model:
    return parse(f"{PROCESSES}never {{ {claim} }}")


def reduction_of(model: Model) -> Reduction | Unreduced:
    program = model.program
    return for_never_claim(program, next(kind for kind in program.processes if kind.role == "never"))


@pytest.mark.parametrize("claim", NEVER.values(), ids=NEVER.keys())
def test_a_claim_that_cannot_count_is_reduced(claim: str) -> None:
    assert isinstance(reduction_of(claimed(claim)), Reduction)
    assert same_never_claim(claimed(claim), 3000) in (
        "never claim: violated",
        "never claim: holds, really reduced",
    )


@pytest.mark.parametrize(("claim", "reason"), COUNTING.values(), ids=COUNTING.keys())
def test_others_are_not_and_it_is_said_why(claim: str, reason: str) -> None:
    answer = reduction_of(claimed(claim))
    assert isinstance(answer, Unreduced)
    assert reason in answer.reason


def test_a_claim_that_counts_has_another_verdict_with_reduction(monkeypatch: pytest.MonkeyPatch) -> None:
    model = parse(
        "byte x; active proctype A() { byte i; i = 1; x = 1 } active proctype B() { byte j; j = 1; j = 2; j = 3 }"
        "never { x == 0; x == 0; x == 1 }"
    )
    assert same_never_claim(model, 3000) == "never claim: no reduction"
    monkeypatch.setattr("everafter.ltl.stutter_closure.is_seen_closed", lambda _: True)
    with pytest.raises(AssertionError):
        same_never_claim(model, 3000)


def test_accept_labels_of_the_model_are_seen() -> None:
    text = (
        "byte x; active proctype A() { bit i; do :: i = 1 - i; accept: i = 1 - i od }"
        "active proctype B() { bit j; do :: j = 1 - j od } never { do :: x == 0 od }"
    )
    assert same_never_claim(parse(text), 3000) == "never claim: violated"


@pytest.mark.parametrize("formula", ["<> p", "[]<> p", "X p"])
def test_automata(formula: str) -> None:
    model = parse(PROCESSES)
    automaton = from_hoa(to_hoa(to_buchi(parse_formula(formula))))
    read = {"p": proposition(model.tree, "x == 2", Place(model.tree.source, 1, 1))[0]}
    question = Question(model.program, of_automaton(model.program, automaton, read, "p.hoa"))
    assert isinstance(reduction_for(question), Reduction) is (formula != "X p")
    assert table_for(question).visible, "the checker of certificates sees what the automaton reads"


def test_the_checker_of_certificates_sees_what_a_claim_reads() -> None:
    program = claimed(NEVER["eventually"]).program
    asked = of_never(program, next(kind.index for kind in program.processes if kind.role == "never"))
    places = {place for kind, place, _ in table_for(Question(program, asked)).visible if kind == 0}
    writing = [at for at, node in program.processes[0].graph.nodes.items() if "x = " in node.transitions[0].text]
    assert places == set(writing)


@pytest.mark.parametrize("seeds", [range(9000, 9006), range(9100, 9112)], ids=["tiny", "general"])
def test_random_claims(seeds: range) -> None:
    found = []
    for seed in seeds:
        text = small_model(seed) if seed < 9100 else random_program(seed)
        names = names_in(text)
        found.append(same_never_claim(with_never_claim(text, names, seed), 150) if names else "no names")
    assert len(set(found)) >= 3, found
