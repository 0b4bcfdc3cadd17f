"""The program extracted from the meaning of Promela: it takes the reference's steps, and decides certificates."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from oracles.certificates import changed, confirmed, sections_of, written
from oracles.meaning_in_coq import build, compare, counts
from oracles.planted_meanings import MISTAKES
from oracles.promela.random_parts import CORNERS
from oracles.promela.random_programs import program
from oracles.truth import Row, safety_rows

from everafter.certificates.file import CertificateError
from everafter.certificates.plain_claim import plain_claim
from everafter.certificates.verified import asked
from everafter.cli import main
from everafter.execution.packing import Packer
from everafter.execution.plain_program import plain_form
from everafter.execution.plain_states import PlainStates
from everafter.product.claim import AutomatonClaim
from everafter.product.safety import SafetyGraph
from everafter.program.layout import HOLDER, WORD
from everafter.questions.property import of_formula
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.user_model import Model, load, parse

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SAFETY = Request(safety=True, reduction="none")
SMALL = ("channel_operators", "mutex_broken", "philosophers", "process_creation", "readers_writers", "unless_escape")
ODD = (
    "odd_enabled_pc",
    "odd_notrace",
    "odd_provided",
    "odd_remote_references",
    "odd_set_priority",
    "odd_random_receive",
)
pytestmark = pytest.mark.provers
ROWS = [row for row in safety_rows() if row.states is not None and row.states <= 500][::4]


@pytest.fixture(scope="module", autouse=True)
def _is_built() -> None:
    build()


@pytest.mark.parametrize("corner", [None, *CORNERS])
def test_random_programs_take_the_same_steps(corner: str | None) -> None:
    """A fair share of campaigns/semantics.py."""
    outcomes = []
    for seed in range(8):
        model = parse(program(seed, CORNERS[corner] if corner is not None else None))
        outcome, explanation = compare(model.program, 300)
        assert outcome in ("agrees", "too large"), f"seed {seed}: {explanation}"
        outcomes.append(outcome)
    assert "agrees" in outcomes


@pytest.mark.parametrize("name", [*SMALL, *ODD])
def test_models_take_the_same_steps(name: str) -> None:
    folder = EXAMPLES if name in SMALL else ROOT / "oracles" / "models"
    outcome, explanation = compare(load(folder / f"{name}.pml").program, 2000)
    assert outcome == "agrees", explanation


@pytest.mark.spin
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.path)
def test_counts_are_those_of_spin(row: Row) -> None:
    found = counts(load(row.model).program, 5000)
    assert found is not None
    states, inside, _, wrong = found
    assert (states - inside, "violated" if wrong else "holds") == (row.states, row.verdict)


def test_each_construct_has_the_same_meaning() -> None:
    """Where `campaigns.semantics planted` plants mistakes, there are none; and they can be planted."""
    for mistake in MISTAKES:
        assert (ROOT / "proofs" / "semantics" / f"{mistake.file}.v").read_text().count(mistake.replace) == 1
        outcome, explanation = compare(parse(mistake.shows).program)
        assert outcome == "agrees", f"{mistake.construct}: {explanation}"


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Model]:
    """A certificate of safety, and its model."""
    model = load(EXAMPLES / "philosophers_fixed.pml")
    path = tmp_path / "certificate"
    assert written(model, SAFETY, path) == ["holds"]
    return path, model


def test_a_certificate_is_decided(certificate: tuple[Path, Model]) -> None:
    path, model = certificate
    (found,) = confirmed(path, model, "verified", SAFETY)
    assert (found.by, found.rows) == ("verified", 205)


def test_damaged_rows_are_refused(certificate: tuple[Path, Model]) -> None:
    """Every row outside of atomic sequences is needed: none may be missing, nor be another."""
    path, model = certificate
    whole = path.read_bytes()
    chance = random.Random(41)
    (_, rows) = sections_of(path)[0]
    free = [number for number, (row, _) in enumerate(rows) if row[HOLDER] == 0]
    for number in chance.sample(free, 12):
        row, rank = rows[number]
        for instead in ([], [(row[:WORD] + bytes([row[WORD] ^ 1]) + row[WORD + 1 :], rank)]):
            path.write_bytes(whole)
            damaged = [*rows[:number], *instead, *rows[number + 1 :]]
            changed(path, lambda heading, _: (heading, damaged))  # noqa: B023
            with pytest.raises(CertificateError, match="does not accept its"):
                confirmed(path, model, "verified", SAFETY)


def test_what_is_not_covered_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    model = load(EXAMPLES / "peterson.pml")
    written(model, Request(safety=True), path)
    with pytest.raises(CertificateError, match="some are left out: check with --reduction none"):
        confirmed(path, model, "verified", Request(safety=True))


FORMULAS = (
    ("peterson", "first_gets_in"),
    ("leader_election", "elected"),
    ("readers_writers", "writer_gets_in"),
    ("philosophers_fixed", "somebody_eats"),
)


@pytest.mark.parametrize(("name", "formula"), FORMULAS)
def test_formulas_are_decided(name: str, formula: str, tmp_path: Path) -> None:
    """Through atomic sequences, too. A rank that rises is refused."""
    path, model = tmp_path / "certificate", load(EXAMPLES / f"{name}.pml")
    request = Request(formulas=(formula,), reduction="none")
    assert written(model, request, path) == ["holds"]
    (found,) = confirmed(path, model, "verified", request)
    (_, rows) = sections_of(path)[0]
    assert found.rows == len(rows)
    highest = max(rank for _, rank in rows)
    assert highest > 0
    changed(path, lambda heading, rows: (heading, [(row, highest - rank) for row, rank in rows]))
    with pytest.raises(CertificateError, match="does not accept its"):
        confirmed(path, model, "verified", request)


ENDLESS = "byte x; active proctype P() { atomic { do :: x = 1 - x :: break od }; x = 2 } ltl small { [] (x < 3) }"


@pytest.mark.parametrize(("loop", "expected"), [(":: x = 1 - x", "refused"), (":: x == 0 -> x = 1", "accepted")])
def test_no_run_may_stay_in_an_atomic_sequence(loop: str, expected: str, tmp_path: Path) -> None:
    """`certify` does not even ask then, so the program is handed a claim and all rows, as others would do it."""
    model = parse(ENDLESS.replace(":: x = 1 - x", loop))
    claim = of_formula(model.program, model.formulas["small"])
    assert isinstance(claim.claim, AutomatonClaim)
    (tmp_path / "program").write_text(plain_form(model.program))
    (tmp_path / "claim").write_text(plain_claim(Question(model.program, claim)))
    texts, packer = PlainStates(model.program), Packer(model.program)
    free = [row for row in reachable_rows(SafetyGraph(model.program)) if row[HOLDER] == 0]
    rows = [f"(row 0 {claim.claim.start} {texts.text(packer.unpack(row))})\n" for row in free]
    assert asked(("certify", str(tmp_path / "program"), str(tmp_path / "claim")), iter(rows)).split()[0] == expected


def reachable_rows(graph: SafetyGraph) -> list[bytes]:
    """All states of `graph`, packed."""
    found = list(graph.initial())
    for row in found:
        found += [target for target in dict.fromkeys(graph.successors(row)) if target not in found]
    return found


def test_an_automaton_that_misses_a_violation_is_refused(tmp_path: Path) -> None:
    """The extracted program asks for the reason itself: what Python believes of the automaton does not matter."""
    model = load(EXAMPLES / "peterson.pml")
    path = tmp_path / "certificate"
    request = Request(formulas=("first_gets_in",), reduction="none")
    written(model, request, path)
    assert main(["certificate", "export", str(path), str(EXAMPLES / "peterson.pml"), str(tmp_path / "plain")]) == 0
    program, claim, rows = (tmp_path / "plain" / f"1-first_gets_in.{end}" for end in ("program", "claim", "rows"))
    whole = claim.read_text()

    def answer(text: str) -> str:
        claim.write_text(text)
        lines = iter(rows.read_text().splitlines(keepends=True))
        return asked(("certify", str(program), str(claim)), lines).split()[0]

    assert answer(whole) == "accepted"
    lines = whole.splitlines(keepends=True)
    (line,) = [each for each in lines if each.startswith("(automaton")]
    for edge in re.findall(r" \(edge (?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", line):
        assert answer(whole.replace(line, line.replace(edge, "", 1))) == "refused", edge
    for pair in re.findall(r" \(pair [^)]*\) [^)]*\)", whole)[::3]:
        assert answer(whole.replace(pair, "", 1)) == "refused", pair


def test_a_false_answer_is_refused(tmp_path: Path) -> None:
    """Rows of another program: an assertion that fails, a run that stops where it must not, an index out of range."""
    path = tmp_path / "certificate"
    right = "byte x, a[2]; active proctype P() { %s }"
    written(parse(right % "x = 1; x = 0; x = 1"), SAFETY, path)
    for wrong in ("x = 1; x = 0; assert(x == 1)", "x = 1; x = 0; x == 2", "x = 1; x = 0; a[2] = 1"):
        model = parse(right % wrong)
        changed(path, lambda heading, rows: ({**heading, "digest": model.tree.digest}, rows))  # noqa: B023
        with pytest.raises(CertificateError, match="does not accept its"):
            confirmed(path, model, "verified", SAFETY)


def test_the_command_says_what_is_still_trusted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, model = str(tmp_path / "certificate"), str(EXAMPLES / "peterson.pml")
    assert main(["check", model, "--safety", "--reduction", "none", "--certificate", file]) == 0
    assert main(["certify", file, model, "--by", "verified"]) == 0
    shown = capsys.readouterr().out
    assert "38 rows, each decided by the program extracted from its proof" in shown
    assert "proofs/semantics/certified.v" in shown
    assert "proofs/certificates/deciding" not in shown
    assert "src/everafter/engine" not in shown
