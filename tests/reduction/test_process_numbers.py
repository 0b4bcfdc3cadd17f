"""Starts and ends of processes: when they commute with everything, and that no verdict depends on it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from oracles.reduction.alike import differences
from oracles.reduction.random_formulas import formula_over
from oracles.reduction.random_starts import starting_model
from tests.reduction.models import SMALL

from everafter.certificates.certification import certify
from everafter.check import check
from everafter.promela.propositions import proposition
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.reduction.process_numbers import numbers_matter
from everafter.reduction.start_bound import most_processes
from everafter.reduction.visibility import NOTHING_WATCHED, Watched
from everafter.source import Place
from everafter.user_model import parse

WORKER = "byte x; proctype W(byte n) { byte i; i = n; x = i }"
MANY = f"{WORKER} init {{ byte k; run W(1); run W(2); do :: k < 3 -> run W(k); k++ :: else -> break od }}"
IN_TURN = """proctype A(byte i) { printf("a %d\\n", i) }
proctype F(byte n) { byte i; for (i : 0 .. 49) { printf("%d\\n", i) } }
init { run A(0); run A(1); run A(2); run A(3); run A(4); run F(0) }"""

MATTER = {
    "a number that is read": "proctype W() { x = _pid } init { run W() }",
    "an index": "byte a[9]; proctype W() { a[_pid] = 1 } init { run W() }",
    "how many there are": "proctype W() { _nr_pr == 2 } init { run W() }",
    "the number of a new one": "proctype W() { x = 1 } init { x = run W() }",
    "a remote reference": "proctype W() { L: x = 1 } init { run W(); W@L }",
    "enabled": "proctype W() { x = 1 } init { run W(); enabled(1) }",
    "a clause": "proctype W() provided (x == 0) { skip } init { run W() }",
    "a promise": "chan q = [1] of { byte }; proctype W() { xs q; q!1 } init { run W() }",
    "a channel that a started process creates": "proctype W() { chan c = [1] of { byte }; do :: c!1; c?x od } init "
    "{ run W() }",
    "a channel that dies": "proctype W() { x = 1 } init { chan c = [1] of { byte }; run W(); c!1 }",
    "a loop without end": "proctype W() { x = 1 } init { do :: run W() od }",
    "a loop that counts far": "proctype W() { x = 1 } init { int k; do :: k < 254 -> run W(); k++ "
    ":: else -> break od }",
    "a start of its own type": "proctype W() { if :: x == 1 :: run W() fi } init { run W() }",
    "a claim that counts": "proctype W() { x = 1 } init { run W() } never { do :: _nr_pr == 2 od }",
    "a claim that sees timeout": "proctype W() { x = 1 } init { run W() } never { do :: !timeout od }",
}
DO_NOT_MATTER = {
    "starts in turn": IN_TURN,
    "many starts": MANY,
    "a number that is printed": 'proctype W() { printf("%d\\n", _pid) } init { run W() }',
    "the number of one of the start": "byte x; proctype W(byte n) { x = n } active [2] proctype P() { run W(_pid) }",
    "a loop that counts to the last number": "byte x; proctype W() { x = 1 } init { int k; do :: k < 253 -> run W(); "
    "k++ :: else -> break od }",
}


@pytest.mark.parametrize("text", MATTER.values(), ids=MATTER)
def test_numbers_matter(text: str) -> None:
    assert numbers_matter(parse(f"byte x; {text}").program, NOTHING_WATCHED)


@pytest.mark.parametrize("text", DO_NOT_MATTER.values(), ids=DO_NOT_MATTER)
def test_numbers_do_not_matter(text: str) -> None:
    assert not numbers_matter(parse(text).program, NOTHING_WATCHED)


@pytest.mark.parametrize("asked", ["_nr_pr == 2", "timeout", "W[1]:i == 0"])
def test_what_a_property_asks_matters(asked: str) -> None:
    program = parse(MANY).program
    seen, _ = proposition(program.model, asked, Place(program.model.source, 1, 1))
    assert numbers_matter(program, Watched((seen,)))


BOUNDS = {
    "init { run W(1) }": 2,
    "init { atomic { run W(1); run W(2) } }": 3,
    "active [3] proctype P() { run W(1) }": 6,
    "init { byte k; do :: k < 4 -> run W(k); k++ :: else -> break od }": 6,
    "init { byte k; for (k : 1 .. 4) { run W(k) } }": 7,
    "init { int k; for (k : 1 .. 4) { run W(k) } }": 7,
    "init { int k = 2; do :: k < 4 -> run W(k); k++ :: else -> break od }": 4,
    "init { byte k, l; for (k : 1 .. 2) { for (l : 1 .. 3) { run W(k) } } }": 21,
    "proctype S(byte n) { run W(1); run W(2) } init { run S(1); run S(2) }": 7,
    "init { do :: run W(1) :: break od }": None,
    "init { byte k; do :: run W(k); k++ :: k == 4 -> break od }": None,
    "init { byte k; do :: k < 4 -> run W(k); if :: k++ :: k = 0 fi :: else -> break od }": None,
    "init { byte k; do :: k < 4 -> x = 1; do :: run W(k) :: k++; break od :: else -> break od }": None,
    "init { int k; do :: k < x -> run W(k); k++ :: else -> break od }": None,
    "init { byte k; do :: k < 256 -> run W(k); k++ :: else -> break od }": None,
    "init { int k = x; do :: k < 4 -> run W(k); k++ :: else -> break od }": None,
}


@pytest.mark.parametrize(("text", "most"), BOUNDS.items())
def test_how_many_processes_there_may_be(text: str, most: int | None) -> None:
    assert most_processes(parse(f"{WORKER} {text}").program) == most


def test_the_bound_is_met_by_no_run() -> None:
    """The loops of the text above that have a bound start no more, on any run."""
    for text, most in BOUNDS.items():
        if most is not None:
            model = parse(f"{WORKER} {text}")
            assert model.check(f"[] (_nr_pr <= {most})", reduction="none").holds


STARTING = """byte finished;
proctype Worker(byte id; byte work) { byte i; do :: i < work -> i++ :: else -> break od; finished++ }
init { byte k; do :: k < 3 -> run Worker(k, 2); k++ :: else -> break od; finished == 3; assert(finished == 3) }"""
TOGETHER = """chan tickets = [4] of { byte }; byte served;
proctype Worker(byte id) { byte t, seen; tickets?t; seen = t + id; served++; tickets!t }
init { byte k; atomic { for (k : 1 .. 4) { run Worker(k) } tickets!7 } served == 4; tickets?eval(7) }"""
COUNTED_BY_SPIN = {"runs in turn": (IN_TURN, 71), "starts in a loop": (STARTING, 37), "all at once": (TOGETHER, 139)}


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("text", "states"), COUNTED_BY_SPIN.values(), ids=COUNTED_BY_SPIN)
def test_no_more_states_than_spin(text: str, states: int, engine: str) -> None:
    """SPIN's are those of its default options."""
    (result,) = check(parse(text), Request(engine=engine, safety=True, threads=1))
    assert result.holds
    assert result.states <= states


@pytest.mark.parametrize("text", [IN_TURN, MANY, STARTING])
def test_a_certificate_is_written_without_it(text: str, tmp_path: Path) -> None:
    model, path, asked = parse(text), tmp_path / "c", Request(safety=True, threads=1)
    (result,) = model.check_all(asked, certificate=path)
    assert result.holds
    assert result.states > check(model, asked)[0].states
    assert [each.verdict for each in certify(path, model, request=asked).verdicts] == ["holds"]


@pytest.mark.parametrize("text", [MANY, STARTING, *(SMALL[name] for name in SMALL if "run " in SMALL[name])])
def test_alike_states_have_alike_steps(text: str) -> None:
    program = parse(text).program
    if not numbers_matter(program, NOTHING_WATCHED):
        assert not list(differences(program, 3000))


@pytest.mark.parametrize("name", ["a number that is read", "how many there are", "a channel that dies"])
def test_the_comparison_finds_what_matters(name: str) -> None:
    text = f"byte x; {MATTER[name]}".replace("run W()", "run W(); run V(); run W(); x = 3")
    assert list(differences(parse(f"proctype V() {{ skip }} {text}").program, 3000))


@pytest.mark.parametrize("seed", range(24))
def test_verdicts_are_the_same(seed: int) -> None:
    model, chance = parse(starting_model(seed)), random.Random(seed)
    if not numbers_matter(model.program, NOTHING_WATCHED):
        assert next(differences(model.program, 500), None) is None
    formula = formula_over(chance, ["x", "y"], 3)
    asked: list[dict[str, Any]] = [{"safety": True}, {"formulas": (formula,)}, {"progress": True}]
    for about in asked:
        requests = [Request(engine="reference", reduction=wish, **about) for wish in ("none", "static")]
        found = [check(model, request, Limits(states=1000))[0] for request in requests]
        assert "incomplete" in (found[0].verdict, found[1].verdict) or found[0].verdict == found[1].verdict
        assert not any(result.disagreement for result in found)
