"""Certificates that do not show what they claim are refused, by both checkers, with the reason."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from oracles.certificates import Row, Section, changed, confirmed, sections_of, written

from everafter.certificates.certification import Checker
from everafter.certificates.file import CertificateError
from everafter.questions.request import Request
from everafter.user_model import Model, load, parse

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKERS: tuple[Checker, ...] = ("native", "reference")


@dataclass(frozen=True)
class Case:
    """A model and its certificate."""

    model: Model
    path: Path

    def refusal(self, by: Checker = "native", model: Model | None = None) -> str:
        """Why the certificate is refused."""
        with pytest.raises(CertificateError) as refused:
            confirmed(self.path, model or self.model, by)
        return str(refused.value)


@pytest.fixture
def liveness(tmp_path: Path) -> Case:
    model = load(EXAMPLES / "peterson.pml")
    path = tmp_path / "certificate"
    assert written(model, Request(formulas=["first_gets_in"]), path) == ["holds"]
    return Case(model, path)


@pytest.fixture
def safety(tmp_path: Path) -> Case:
    model = load(EXAMPLES / "peterson.pml")
    path = tmp_path / "certificate"
    assert written(model, Request(safety=True), path) == ["holds"]
    return Case(model, path)


# Damage


def test_every_byte_counts(liveness: Case) -> None:
    whole = liveness.path.read_bytes()
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        liveness.path.write_bytes(damaged)
        assert "damaged" in liveness.refusal() or "certificate" in liveness.refusal()


def test_a_file_that_is_cut_short_is_refused(liveness: Case) -> None:
    whole = liveness.path.read_bytes()
    for length in range(0, len(whole), 17):
        liveness.path.write_bytes(whole[:length])
        assert "cut short" in liveness.refusal()


def test_a_missing_file_is_told(liveness: Case) -> None:
    liveness.path.unlink()
    assert "cannot read" in liveness.refusal()


def test_a_pipe_is_told(liveness: Case) -> None:
    """As shells make one of a command: it cannot be read twice."""
    reading, writing = os.pipe()
    with open(reading), open(writing, "wb") as other:
        other.write(liveness.path.read_bytes())
        other.flush()
        assert f"cannot read /dev/fd/{reading}" in Case(liveness.model, Path(f"/dev/fd/{reading}")).refusal()


# Forgeries: whole by their digest


def without(index: int) -> Callable[[dict[str, Any], list[Row]], Section]:
    return lambda heading, rows: (heading, rows[:index] + rows[index + 1 :])


@pytest.mark.parametrize("by", CHECKERS)
@pytest.mark.parametrize("kind", ["liveness", "safety"])
def test_no_row_can_be_left_out(kind: str, by: Checker, request: pytest.FixtureRequest) -> None:
    case: Case = request.getfixturevalue(kind)
    whole = case.path.read_bytes()
    ((_, rows),) = sections_of(case.path)
    for index in range(0, len(rows), 5):
        changed(case.path, without(index))
        assert "is refused" in case.refusal(by)
        case.path.write_bytes(whole)


def with_rank(index: int, rank: int) -> Callable[[dict[str, Any], list[Row]], Section]:
    return lambda heading, rows: (heading, [*rows[:index], (rows[index][0], rank), *rows[index + 1 :]])


@pytest.mark.parametrize("by", CHECKERS)
def test_a_rank_cannot_be_raised_above_that_of_a_state_before(liveness: Case, by: Checker) -> None:
    """Every state but the initial one has another before it."""
    whole = liveness.path.read_bytes()
    ((_, rows),) = sections_of(liveness.path)
    highest = max(rank for _, rank in rows)
    for index in range(1, len(rows), 4):
        changed(liveness.path, with_rank(index, highest + 1))
        assert "does not explain" in liveness.refusal(by)
        liveness.path.write_bytes(whole)


@pytest.mark.parametrize("by", CHECKERS)
def test_ranks_that_are_all_equal_forbid_acceptance(liveness: Case, by: Checker) -> None:
    changed(liveness.path, lambda heading, rows: (heading, [(row, 7) for row, _ in rows]))
    assert "does not explain" in liveness.refusal(by)


@pytest.mark.parametrize("by", CHECKERS)
def test_a_row_twice_is_refused(safety: Case, by: Checker) -> None:
    changed(safety.path, lambda heading, rows: (heading, [*rows, rows[3]]))
    assert "twice" in safety.refusal(by) or "no step leads to" in safety.refusal(by)


def test_rows_that_are_none_do_no_harm(safety: Case) -> None:
    """The model's code is never given a row that it has not written itself."""
    chance = random.Random(1)
    for length in (1, 2, 9, 40):
        body = bytes(chance.randrange(256) for _ in range(8 * length - 4))
        bogus = b"\0\xff" + length.to_bytes(2, "little") + body
        changed(safety.path, lambda heading, rows: (heading, [*rows[:1], (bogus, 0), *rows[1:]]))  # noqa: B023
        assert "no step leads to" in safety.refusal()


def test_no_rows_show_nothing(safety: Case) -> None:
    changed(safety.path, lambda heading, _: (heading, []))
    for by in CHECKERS:
        assert "initial state is missing" in safety.refusal(by)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"digest": "0" * 64}, "another model"),
        ({"sets": 2}, "acceptance sets"),
        ({"sets": 0}, "acceptance sets"),
        ({"words": "exclusive"}, "it speaks of 'Process[0]@waiting', and the formula does not"),
        ({"words": "[] <> (inside == 1)"}, "which you do not ask for, nor the model state"),
        ({"words": "nonsense"}, "which you do not ask for, nor the model state"),
        ({"kind": "safety", "property": "safety", "automaton": None}, "acceptance sets"),
        ({"conditions": {"fairness": "weak"}}, "it was made with --fair weak, and you ask without"),
        ({"automaton": None}, "expected HOA:"),
        ({"verdict": "violated", "end": "cycle"}, "repeats nothing"),
        ({"verdict": "violated"}, "no end"),
        ({"verdict": "violated", "prefix": [[0]], "end": "problem"}, "2 or 4 numbers"),
        ({"verdict": "incomplete"}, "holds or is violated"),
        ({"conditions": []}, "damaged: conditions"),
        ({"kind": "nothing"}, "it was made with --nothing, which you do not ask for"),
    ],
    ids=str,
)
def test_a_heading_that_lies_is_refused(liveness: Case, change: dict[str, Any], reason: str) -> None:
    changed(liveness.path, lambda heading, rows: ({**heading, **change}, rows))
    assert reason in liveness.refusal()


def test_reduced_rows_are_not_all_rows(tmp_path: Path) -> None:
    case = Case(load(EXAMPLES / "leader_election.pml"), tmp_path / "certificate")
    assert written(case.model, Request(safety=True, reduction="ample"), case.path) == ["holds"]
    changed(case.path, lambda heading, rows: ({**heading, "reduced": False}, rows))
    assert "does not explain" in case.refusal()


@pytest.mark.parametrize("by", CHECKERS)
@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (Request(formulas=["first_gets_in"], fairness="weak"), "the runs that are fair"),
        (Request(formulas=["X (inside == 0)"]), "X"),
    ],
    ids=["fairness", "next"],
)
def test_rows_are_not_reduced_where_reduction_is_not_sound(
    asked: Request, reason: str, by: Checker, tmp_path: Path
) -> None:
    model, path = load(EXAMPLES / "peterson.pml"), tmp_path / "certificate"
    assert written(model, asked, path) == ["holds"]
    changed(path, lambda heading, rows: ({**heading, "reduced": True}, rows))
    with pytest.raises(CertificateError, match="its rows are reduced, and here reduction is not sound: .*" + reason):
        confirmed(path, model, by, asked)


def test_a_heading_without_a_field_is_refused(liveness: Case) -> None:
    changed(liveness.path, lambda heading, rows: ({k: v for k, v in heading.items() if k != "kind"}, rows))
    assert "not one of this version" in liveness.refusal()


def test_a_certificate_is_one_of_its_model(liveness: Case) -> None:
    text = (EXAMPLES / "peterson.pml").read_text(encoding="utf-8")
    assert "another model" in liveness.refusal(model=parse(text.replace("inside", "within")))
    spaced = parse(text.replace("\n", "  \n\n"))
    assert [each.verdict for each in confirmed(liveness.path, spaced)] == ["holds"]


def test_a_violated_property_cannot_be_certified_to_hold(tmp_path: Path) -> None:
    """Whatever ranks are claimed for an accepting cycle."""
    model = parse("bool p; active proctype P() { do :: p = !p od } ltl settles { <> [] p }")
    holds = parse("bool p; active proctype P() { do :: p = !p od } ltl settles { [] <> p }")
    path = tmp_path / "certificate"
    assert written(model, Request(formulas=["settles"], reduction="none"), path) == ["violated"]
    ((lying, _),) = sections_of(path)
    assert written(holds, Request(formulas=["settles"], reduction="none"), path) == ["holds"]
    ((honest, rows),) = sections_of(path)
    for ranks in ([0] * len(rows), range(len(rows)), reversed(range(len(rows)))):
        claimed = [(row, rank) for (row, _), rank in zip(rows, ranks, strict=True)]
        forged = {**lying, "verdict": "holds", "sets": 1, "end": "", "prefix": [], "cycle": []}
        changed(path, lambda _, __: (forged, claimed))  # noqa: B023
        for by in CHECKERS:
            assert "is refused" in Case(model, path).refusal(by)
    assert honest["verdict"] == "holds"


def test_rows_that_were_passed_over_are_noticed(safety: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """That no row has a problem is not enough: each must have been decided."""
    monkeypatch.setattr("everafter.certificates.reference.row_checker.decide_state", lambda *_: True)
    assert "not every row was decided" in safety.refusal("reference")
    monkeypatch.setattr("everafter.certificates.reference.row_checker.RowCheck.problem", lambda *_: None)
    assert "no step leads to" in safety.refusal("reference")
