"""Accepting cycles by a group of workers: the verdicts and counts of one machine, and what is lost is noticed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracles.cluster_search import claim_differences, formula_differences
from oracles.corpus import EXAMPLES, EXAMPLES_FOLDER
from oracles.looks import without_look
from oracles.planted_groups import MISTAKES, Apart, Lost, Mortal, OtherPartition, SkipsAPart, TwoOwners

from everafter.backends import cluster as backend
from everafter.choices import StoreKind
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, HOLDS, INCOMPLETE, VIOLATED
from everafter.engine.cluster.coordinator import ClusterOutcome
from everafter.engine.cluster.cycle_coordinator import ClusterCycleSearch
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.cluster.snapshots import Checkpoints
from everafter.engine.cluster.worker import JobDescription
from everafter.engine.cluster.worker_group import InProcess, WorkerGroup
from everafter.engine.columns import WORD_KIND
from everafter.engine.emit.module import code_of
from everafter.engine.run.search_outcome import SearchEnding
from everafter.product.claim import AutomatonClaim
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.question_code import claim_code
from everafter.questions.request import Request
from everafter.stated_questions import questions
from everafter.user_model import Model, load, parse

WITH_FORMULAS = [path for path in EXAMPLES if re.search(r"^ltl ", path.read_text(encoding="utf-8"), re.MULTILINE)]
COMMIT = EXAMPLES_FOLDER / "two_phase_commit.pml"
STORES: tuple[StoreKind, ...] = ("plain", "tree")
MEMORY = 1 << 28
EVERY_TIME = 0.0


@pytest.fixture(autouse=True)
def _without_look() -> Iterator[None]:
    """What is found is found by the engine itself."""
    with without_look():
        yield


def order_for(model: Model, formula: str, weak: bool = False, store: StoreKind = "plain") -> JobDescription:
    """The order to look for runs that violate a formula, with little room for batches and the first hash table."""
    (asked,) = questions(model, Request(formulas=(formula,)))
    question = asked.question(Question(model.program, SAFETY))
    code = code_of(question.program, claim_code(question))
    return JobDescription(code, batch=256, lines=1, cycles=True, weak=weak, store=store)


def searched(
    model: Model, formula: str, group: WorkerGroup, weak: bool = False, store: StoreKind = "plain"
) -> ClusterOutcome:
    return ClusterCycleSearch(group, order_for(model, formula, weak, store), MEMORY).run()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("path", WITH_FORMULAS, ids=lambda path: path.stem)
def test_the_formulas_of_an_example_have_verdicts_and_counts_of_one_machine(path: Path, store: StoreKind) -> None:
    model = load(path)
    for formula in model.formulas:
        assert not formula_differences(model, formula, 1 << 30, ("inside:1", "inside:3"), store=store)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("seed", range(9100, 9120))
def test_a_random_formula_has_the_verdict_and_the_counts_of_one_machine(seed: int, store: StoreKind) -> None:
    assert not claim_differences(seed, places=("inside:1", "inside:3"), store=store)


STAYING = "byte n; active proctype P() { do :: n < 3 -> n++ :: n == 3 -> n = 1 od }"


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_lasso_is_a_shortest_way_to_a_cycle(workers: int, store: StoreKind) -> None:
    outcome = searched(parse(STAYING), "<> (n == 5)", InProcess(workers), store=store)
    assert (outcome.ending, len(outcome.cycle)) == (SearchEnding.ANSWERED, 6)
    assert outcome.path[-1] == outcome.cycle[0]
    assert len(set(outcome.path) | set(outcome.cycle)) == len(outcome.path) + len(outcome.cycle) - 1


def test_never_claims_and_labels_are_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stays.pml"
    path.write_text("byte n; active proctype P() { accept: do :: n = 1 - n od }", encoding="utf-8")
    assert main(["check", str(path), "--acceptance", "--cluster", "inside:2"]) == VIOLATED
    claim = "never { do :: n > 3 -> break :: else od; accept: do :: n > 3 od }"
    path.write_text(f"byte n; active proctype P() {{ do :: n = 1 - n od }} {claim}", encoding="utf-8")
    assert main(["check", str(path), "--cluster", "inside:2"]) == HOLDS
    assert "violated" in capsys.readouterr().out


# Weak claims


@pytest.mark.parametrize(
    ("formula", "weak"),
    [("[] p", True), ("<> p", True), ("[] (p -> <> q)", True), ("<> [] p", False), ("[] <> p && <> q", True)],
)
def test_a_claim_is_known_to_be_weak(formula: str, weak: bool) -> None:
    model = parse("bit p, q; active proctype P() { p = 1 }")
    (asked,) = questions(model, Request(formulas=(formula,)))
    claim = asked.question(Question(model.program, SAFETY)).property.claim
    assert isinstance(claim, AutomatonClaim)
    assert claim.is_weak == weak


CALM = "byte n; active proctype P() { do :: n < 20 -> n++ :: n == 20 -> n = 19 od }"
WAITS = "! ((n < 10) W (n == 10 && <> (n == 30)))"
"""A claim that waits in a state that is not accepting behind one that is: there, the model goes round for ever."""


def test_a_weak_claim_takes_one_round() -> None:
    strong, weak = (searched(parse(CALM), WAITS, InProcess(2), weak) for weak in (False, True))
    assert (strong.ending, strong.rounds) == (SearchEnding.COMPLETED, 2)
    assert (weak.ending, weak.rounds) == (SearchEnding.COMPLETED, 1)
    assert strong.figures.states == weak.figures.states


ALONE_IN_ATOMIC = "byte n; active proctype P() { n = 1; atomic { do :: n = 3 - n od } }"


def test_a_cycle_inside_an_atomic_sequence_is_none() -> None:
    model = parse(ALONE_IN_ATOMIC)
    for workers in (1, 3):
        assert not formula_differences(model, "<> (n == 5)", 1000, (f"inside:{workers}",))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(("workers", "most"), [(2, 1), (3, 3)])
def test_batches_may_be_under_way_for_some_steps(workers: int, most: int, store: StoreKind) -> None:
    for model, formula in ((load(COMMIT), "decided"), (parse(CALM), WAITS)):
        expected = searched(model, formula, InProcess(workers), store=store)
        outcome = searched(model, formula, Apart(workers, 1, most), store=store)
        assert (outcome.ending, outcome.rounds) == (expected.ending, expected.rounds)
        assert (len(outcome.path), len(outcome.cycle)) == (len(expected.path), len(expected.cycle))


# What goes wrong

IN_REACHING, IN_REMOVING = 2, 3
"""Turns: gathering is the first."""
IN_ROUNDS = [group for group in MISTAKES if group not in (SkipsAPart, TwoOwners, OtherPartition)]
"""What was skipped in a level of a round is done in the next one; the others go wrong from the beginning."""


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("turns", [IN_REACHING, IN_REMOVING])
@pytest.mark.parametrize("group", IN_ROUNDS, ids=lambda each: each.__name__)
def test_a_mistake_planted_in_a_round_is_noticed(group: Any, turns: int, store: StoreKind) -> None:
    with pytest.raises(ClusterError, match=MISTAKES[group]):
        searched(load(COMMIT), "decided", group(turns), store=store)


def test_a_mistake_planted_in_a_round_makes_the_verdict_incomplete(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(backend, "group_at", lambda *_: Lost(IN_REMOVING))
    assert main(["check", str(COMMIT), "--ltl", "decided", "--cluster", "inside:3"]) == INCOMPLETE
    assert "which has taken in" in capsys.readouterr().out


class Forgetful(InProcess):
    """A worker has forgotten a state when rounds begin."""

    def phase(self, *given: Any, **named: Any) -> Any:
        slots = self.members[0].memory.slots.numbers(WORD_KIND)
        slots[next(place for place, slot in enumerate(slots) if slot)] = 0
        return super().phase(*given, **named)


@pytest.mark.parametrize("store", STORES)
def test_a_state_that_nobody_has_stored_is_noticed(store: StoreKind) -> None:
    with pytest.raises(ClusterError, match="a row that nobody has stored"):
        searched(load(COMMIT), "decided", Forgetful(2), store=store)


# Checkpoints


def resumed(folder: Path, group: WorkerGroup, store: StoreKind) -> ClusterOutcome:
    description = order_for(parse(CALM), WAITS, store=store)
    return ClusterCycleSearch(
        group, description, MEMORY, checkpoints=Checkpoints(str(folder), description, EVERY_TIME)
    ).run()


@pytest.mark.parametrize("store", STORES)
def test_others_go_on_between_two_levels_and_between_two_rounds(tmp_path: Path, store: StoreKind) -> None:
    expected = searched(parse(CALM), WAITS, InProcess(3))
    seen: set[int | None] = set()
    advances = expected.levels + 1 + 2 * expected.rounds  # the last level of a search is not counted
    for levels in (1, 10, advances - 4, advances - 1):
        folder = tmp_path / str(levels)
        with pytest.raises(WorkerLost):
            resumed(folder, Mortal(levels), store)
        saved = Checkpoints(str(folder), order_for(parse(CALM), WAITS, store=store), EVERY_TIME).latest()
        assert saved is not None
        seen.add(saved.rounds)
        outcome = resumed(folder, InProcess(3), store)
        assert (outcome.ending, outcome.rounds) == (expected.ending, expected.rounds)
        assert outcome.figures.states == expected.figures.states
        assert outcome.figures.transitions == expected.figures.transitions
    assert seen == {None, 1}


def test_each_property_has_its_own_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[str] = []

    def noted(folder: str, description: JobDescription, _interval: float) -> Checkpoints:
        folders.append(Path(folder).name)
        return Checkpoints(folder, description, EVERY_TIME)

    monkeypatch.setattr(backend, "Checkpoints", noted)
    assert main(["check", str(COMMIT), "--cluster", "inside:2", "--checkpoint", str(tmp_path)]) in (HOLDS, VIOLATED)
    assert folders == [f"property-{number}" for number in range(1, len(folders) + 1)]
    assert len(folders) > 1


# What is refused, and Ray itself


def test_fairness_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--ltl", "decided", "--fair", "weak", "--cluster", "inside:2"]
    assert main(["check", str(COMMIT), *options]) == BAD_INPUT
    assert "the cluster engine has no search for weakly fair runs" in capsys.readouterr().err


@pytest.mark.ray
def test_workers_on_nodes_of_ray_find_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, file = EXAMPLES_FOLDER / "philosophers_fixed.pml", str(tmp_path / "certificate")
    options = ["--reduction", "none", "--cluster", "local:2", "--certificate", file, "--format", "json"]
    assert main(["check", str(path), *options]) == VIOLATED
    ours = json.loads(capsys.readouterr().out)["results"]
    assert main(["check", str(path), "--reduction", "none", "--algorithm", "tarjan", "--format", "json"]) == VIOLATED
    native = json.loads(capsys.readouterr().out)["results"]
    assert [each["verdict"] for each in ours] == [each["verdict"] for each in native]
    for mine, other in zip(ours, native, strict=True):
        if mine["verdict"] == "holds":
            assert mine["states"] == other["states"]
    assert main(["certify", file, str(path)]) == VIOLATED
