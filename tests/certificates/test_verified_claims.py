"""The extracted program decides formulas where something goes wrong on the way, fair runs, never claims, automata."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from oracles.certificates import changed, confirmed, sections_of, written
from oracles.claims import formula, global_names
from oracles.meaning_in_coq import build
from oracles.promela.random_programs import program

from everafter.certificates.file import CertificateError
from everafter.certificates.plain_claim import plain_claim
from everafter.certificates.verified import asked
from everafter.choices import Fairness
from everafter.execution.packing import Packer
from everafter.execution.plain_program import plain_form
from everafter.execution.plain_states import PlainStates
from everafter.ltl import Not, to_buchi, to_hoa, to_never
from everafter.ltl import parse as parse_formula
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.program.layout import CLAIM, HOLDER
from everafter.questions.property import of_formula, of_never
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.record import replace
from everafter.source import Source
from everafter.user_model import Model, parse

pytestmark = pytest.mark.provers


@pytest.fixture(scope="module", autouse=True)
def _is_built() -> None:
    build()


PASSES = "byte x, a[2]; active proctype P() { assert(x == 1); x = 1; %s } ltl p { <> (x == 1) }"


@pytest.mark.parametrize("wrong", ["x = 2", "a[x + 1] = 2", "atomic { x = 2; a[x] = 1 }"])
def test_what_goes_wrong_is_passed_over_where_the_formula_is_decided(wrong: str, tmp_path: Path) -> None:
    """An assertion fails on the way; a run-time error comes too late to matter."""
    model, path, request = parse(PASSES % wrong), tmp_path / "certificate", Request(formulas=("p",), reduction="none")
    assert written(model, request, path) == ["holds"]
    (found,) = confirmed(path, model, "verified", request)
    assert found.rows > 0


def test_a_run_time_error_before_it_is_refused(tmp_path: Path) -> None:
    """The rows are those of a program that goes on."""
    path, request = tmp_path / "certificate", Request(formulas=("p",), reduction="none")
    right = "byte x, a[2]; active proctype P() { a[%s] = 0; x = 1 } ltl p { <> (x == 1) }"
    assert written(parse(right % "1"), request, path) == ["holds"]
    model = parse(right % "2")
    changed(path, lambda heading, rows: ({**heading, "digest": model.tree.digest}, rows))
    with pytest.raises(CertificateError, match="does not accept its"):
        confirmed(path, model, "verified", request)


UNFAIR = """
byte x; chan q = [0] of { byte };
active proctype P() { do :: atomic { x = 1 - x; x = 1 - x } od }
active proctype Q() { q!1; x = 3 }
active proctype R() { byte y; q?y }
ltl p { <> (x == 3) }
"""


def test_fair_runs_are_decided(tmp_path: Path) -> None:
    """A rendezvous and an atomic sequence on the way. Ranks that name another set are refused, and so is all fairness
    taken away."""
    model, path = parse(UNFAIR), tmp_path / "certificate"
    request = Request(formulas=("p",), reduction="none", fairness="weak")
    assert written(model, replace(request, fairness=None), path) == ["violated"]
    assert written(model, request, path) == ["holds"]
    (found,) = confirmed(path, model, "verified", request)
    (_, rows) = sections_of(path)[0]
    assert found.rows == len(rows)
    for shift in (1, 2, 3):
        changed(path, lambda heading, _: (heading, [(row, rank + shift) for row, rank in rows]))  # noqa: B023
        with pytest.raises(CertificateError, match="does not accept its"):
            confirmed(path, model, "verified", request)
    all_runs = plain_claim(Question(model.program, of_formula(model.program, model.formulas["p"])))
    numbered = [((row, row[CLAIM] + 256 * row[CLAIM + 1]), rank) for row, rank in rows]
    assert _answer(model, all_runs, numbered, tmp_path) == "refused"


@pytest.mark.parametrize("fairness", [None, "weak"])
@pytest.mark.parametrize("seed", range(2))
def test_random_programs_are_decided(seed: int, fairness: Fairness | None, tmp_path: Path) -> None:
    """A fair share of campaigns/certificates.py: what is certified on machine code is certified here."""
    text = program(seed)
    claim = formula(random.Random(seed), global_names(text), 3)
    model = parse(text + to_never(to_buchi(Not(parse_formula(claim)))))
    request = Request(formulas=(claim,), never=True, reduction="none", fairness=fairness)
    verdicts = written(model, request, tmp_path / "certificate")
    assert [each.verdict for each in confirmed(tmp_path / "certificate", model, "verified", request)] == verdicts


def _answer(model: Model, claim: str, rows: Iterable[tuple[ProductState, int]], folder: Path) -> str:
    """What the extracted program says of rows with ranks."""
    (folder / "program").write_text(plain_form(model.program))
    (folder / "claim").write_text(claim)
    texts, packer = PlainStates(model.program), Packer(model.program)
    lines = [f"(row {rank} {at} {texts.text(packer.unpack(row))})\n" for (row, at), rank in rows]
    return asked(("certify", str(folder / "program"), str(folder / "claim")), iter(lines)).split()[0]


def test_lines_that_nobody_reads_any_more_are_no_matter(tmp_path: Path) -> None:
    """The extracted program ends at the first row that is none, and says that it refuses all."""
    (tmp_path / "program").write_text(plain_form(parse("byte x; init { x = 1 }").program))
    lines = iter([")\n", *("(state none 0 1 (0) () ())\n" for _ in range(20_000))])
    assert asked(("certify", str(tmp_path / "program")), lines).split()[0] == "refused"


NEVER = "byte x; active proctype P() { %s } never { %s }"


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("x = 1; x = 2", "do :: x == 1 -> break :: else od; x == 0"),
        ("do :: x = 1 - x od", "do :: true :: x == 2 -> break od; accept: do :: x == 2 od"),
        ("do :: x = 1; x = 0 od", "accept: do :: atomic { x == 0 -> x == 1 } :: x == 2 od"),
        ("x = 1; x = 2", "do :: assert(x < 3) :: timeout -> x == 3 od"),
        ("atomic { x = 3; x = 0 }; x = 1", "do :: x < 3 :: x == 3 -> break od"),
    ],
)
def test_never_claims_are_decided(body: str, claim: str, tmp_path: Path) -> None:
    """Rows that miss one are refused."""
    model, path, request = parse(NEVER % (body, claim)), tmp_path / "certificate", Request(never=True, reduction="none")
    assert written(model, request, path) == ["holds"]
    (found,) = confirmed(path, model, "verified", request)
    (_, rows) = sections_of(path)[0]
    assert found.rows == len(rows)
    free = [number for number, (row, _) in enumerate(rows) if row[HOLDER] == 0]
    for number in free[:3]:
        changed(path, lambda heading, _: (heading, [*rows[:number], *rows[number + 1 :]]))  # noqa: B023
        with pytest.raises(CertificateError, match="does not accept its"):
            confirmed(path, model, "verified", request)


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("x = 1; x = 2", "do :: x < 2 :: x == 2 -> break od"),
        ("x = 1; x = 2", "do :: x < 2 :: x == 2 -> goto end_bad od; end_bad: x == 4"),
        ("x = 1; x = 2", "do :: assert(x < 2) od"),
        ("x = 1; x = 2", "do :: true :: timeout -> break od"),
        ("do :: x = 1 - x od", "accept: do :: x < 2 od"),
        ("accept: do :: x = 1 - x od", "do :: x < 2 od"),
    ],
)
def test_what_a_never_claim_describes_is_refused(body: str, claim: str, tmp_path: Path) -> None:
    """The rows are all there are."""
    model = parse(NEVER % (body, claim))
    index = next(kind.index for kind in model.program.processes if kind.role == "never")
    about = of_never(model.program, index)
    assert about.claim is not None
    product = Product(model.program, about.claim, about.accept_labels)
    found = list(product.initial())
    for state in found:
        found += [target for target in dict.fromkeys(product.successors(state)) if target not in (VIOLATION, *found)]
    rows = [(state, 0) for state in found]
    assert _answer(model, plain_claim(Question(model.program, about)), rows, tmp_path) == "refused"


def test_an_automaton_of_what_must_not_be_is_decided(tmp_path: Path) -> None:
    automaton = to_hoa(to_buchi(parse_formula("<> (x == 2)")))
    model, path = parse("byte x; active proctype P() { do :: x = 1 - x od }"), tmp_path / "certificate"
    request = Request(automaton=Source("never.hoa", automaton), reduction="none")
    assert written(model, request, path) == ["holds"]
    (found,) = confirmed(path, model, "verified", request)
    assert found.rows == len(sections_of(path)[0][1])
