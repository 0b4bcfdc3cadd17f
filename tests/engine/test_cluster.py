"""A company of workers: states, verdicts and counterexamples are those of one machine, and what is lost is noticed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from oracles.asking import check_safety
from oracles.corpus import EXAMPLES, EXAMPLES_FOLDER
from oracles.promela.random_programs import program as random_program

from everafter.check import answer, load, parse
from everafter.checking import cluster as backend
from everafter.checking.counting import count_states
from everafter.checking.limits import Limits
from everafter.checking.plan import Wishes
from everafter.checking.property import SAFETY
from everafter.checking.question import Question, ReductionWish
from everafter.cli import main
from everafter.commands.command import BAD_INPUT, HOLDS, INCOMPLETE
from everafter.engine.cluster import address
from everafter.engine.cluster.address import Address
from everafter.engine.cluster.company import Company, InProcess
from everafter.engine.cluster.over_ray import OverRay
from everafter.engine.cluster.search import CompanyOutcome, CompanySearch
from everafter.engine.cluster.worker import Balance, CompanyError, Order, Report
from everafter.engine.emit.module import code_of
from everafter.engine.run.outcome import Ending
from everafter.program.program import Program
from everafter.verdict.result import Result

PETERSON, BROKEN = EXAMPLES_FOLDER / "peterson_n.pml", EXAMPLES_FOLDER / "mutex_broken.pml"
MEMORY = 1 << 28


def searched(program: Program, company: Company, past_errors: bool = False) -> CompanyOutcome:
    """What the company comes to with little room: a level takes many parts, and hash tables grow often."""
    return CompanySearch(company, Order(code_of(program), past_errors, parcel=256, lines=1), MEMORY).run()


def decided(program: Program, where: str, reduction: ReductionWish = "none", limits: Limits | None = None) -> Result:
    question = Question(program, SAFETY, reduction=reduction, limits=limits or Limits(memory=1 << 32))
    return answer(question, Wishes(cluster=where))


@pytest.mark.parametrize("reduction", ["none", "static"])
@pytest.mark.parametrize("workers", [1, 2, 3, 5])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_the_states_and_the_verdict_of_one_machine(
    path: Path, workers: int, reduction: ReductionWish
) -> None:
    program = load(path).program
    ours = decided(program, f"inside:{workers}", reduction)
    native = check_safety(program, algorithm="breadth-first", engine="native", reduction=reduction)
    assert (ours.engine, ours.threads, ours.verdict) == ("cluster", workers, native.verdict)
    if native.verdict == "holds":
        assert (ours.states, ours.transitions) == (native.states, native.transitions)
    else:
        assert ours.counterexample is not None
        assert native.counterexample is not None
        assert len(ours.counterexample) == len(native.counterexample)


@pytest.mark.parametrize("seed", range(8100, 8130))
def test_a_random_program_has_the_states_of_one_machine(seed: int) -> None:
    program = parse(random_program(seed)).program
    if check_safety(program, Limits(states=5_000), engine="native", reduction="none").verdict == "incomplete":
        return
    expected, _ = count_states(program, engine="native")
    for workers in (1, 3):
        outcome = searched(program, InProcess(workers), past_errors=True)
        assert (outcome.ending, outcome.figures.states) == (Ending.COMPLETED, expected)


def test_states_are_spread_evenly_and_most_successors_are_sent() -> None:
    outcome = searched(load(PETERSON).program, InProcess(4))
    shares = [report.states for report in outcome.reports]
    assert sum(shares) == 20_344
    assert max(shares) < 1.1 * min(shares)
    assert 0.7 < sum(report.sent for report in outcome.reports) / outcome.figures.transitions < 0.8


# Planted mistakes


class Planted(InProcess):
    """A company in which something goes wrong once."""

    def __init__(self) -> None:
        super().__init__(3)
        self.is_done = False

    def exchange(self) -> Sequence[Report]:
        sent = [worker.expand() for worker in self.members]
        for sender, parcels in enumerate(sent):
            for owner, parcel in enumerate(parcels):
                if parcel.size and not self.is_done:
                    self.is_done = True
                    self.spoil(sent, sender, owner)
        return [worker.take_in([parcels[place] for parcels in sent]) for place, worker in enumerate(self.members)]

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        raise NotImplementedError


class Lost(Planted):
    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        sent[sender][owner] = sent[sender][owner][:0]


class Doubled(Planted):
    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        none = [sent[0][0][:0]] * self.workers
        self.members[owner].take_in([*none[:sender], sent[sender][owner], *none[sender + 1 :]])


class Misdirected(Planted):
    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        other = next(each for each in range(3) if each not in (sender, owner))
        sent[sender][other], sent[sender][owner] = sent[sender][owner], sent[sender][other]


class Torn(Planted):
    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        sent[sender][owner] = sent[sender][owner][:-8]


class FalseParent(Planted):
    """As many rows arrive as were sent, but not the same."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        parcel = sent[sender][owner].copy()
        parcel[0] ^= 1
        sent[sender][owner] = parcel


class Early(InProcess):
    """The first level with more than a few rows ends before it is expanded."""

    def __init__(self) -> None:
        super().__init__(3)

    def settle(self) -> Sequence[Balance]:
        balances = super().settle()
        if sum(balance.report.rows for balance in balances) < 100:
            return balances
        return [replace(each, report=replace(each.report, is_idle=True)) for each in balances]


class SkipsAPart(InProcess):
    """A worker goes on to the next level though it has not expanded all of this one."""

    def __init__(self) -> None:
        super().__init__(3)

    def exchange(self) -> Sequence[Report]:
        return [replace(report, is_through=True) for report in super().exchange()]


class TwoOwners(InProcess):
    """A worker takes itself for another."""

    def __init__(self) -> None:
        super().__init__(3)

    def start(self, *given: Any) -> Sequence[Report]:
        reports = super().start(*given)
        self.members[2].place = 1
        return reports


MISTAKES: dict[type[InProcess], str] = {
    Lost: "which has taken in",
    Doubled: "which has taken in",
    FalseParent: "others",
    Misdirected: "a row that another worker owns",
    Torn: "half a row",
    Early: "rows and expanded",
    SkipsAPart: "rows and expanded",
    TwoOwners: "two workers own the same states",
}


@pytest.mark.parametrize("company", MISTAKES, ids=lambda company: company.__name__)
def test_a_planted_mistake_is_noticed(company: Any) -> None:
    with pytest.raises(CompanyError, match=MISTAKES[company]):
        searched(load(PETERSON).program, company())


def test_what_is_noticed_makes_the_verdict_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "company_at", lambda _: Lost())
    result = decided(load(PETERSON).program, "inside:3")
    assert result.verdict == "incomplete"
    assert "which has taken in" in result.reason


# Limits


def test_limits_end_in_incomplete() -> None:
    program = load(PETERSON).program
    few = decided(program, "inside:2", limits=Limits(states=100))
    assert (few.verdict, few.reason) == ("incomplete", "the limit of 100 states was reached")


def test_a_full_worker_is_incomplete() -> None:
    outcome = CompanySearch(InProcess(2), Order(code_of(load(PETERSON).program)), 1 << 20).run()
    assert outcome.ending is Ending.OUT_OF_MEMORY


def test_workers_of_another_version_are_refused() -> None:
    order = Order(code_of(load(PETERSON).program), digest="of another text")
    with pytest.raises(CompanyError, match="another version"):
        CompanySearch(InProcess(1), order, MEMORY).run()


# The command line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cluster", "moon"], "there is no cluster 'moon'"),
        (["--cluster", "local:0"], "0 workers cannot be started here"),
        (["--cluster", "inside:2", "--engine", "native"], "the native engine runs on no cluster"),
        (["--cluster", "inside:2", "--threads", "2"], "the cluster engine has its own threads"),
        (["--cluster", "inside:2", "--ltl", "[] true"], "the cluster engine decides safety alone"),
    ],
    ids=lambda given: given[-1] if isinstance(given, list) else "",
)
def test_what_cannot_be_is_said(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PETERSON), *options]) == BAD_INPUT
    assert message in capsys.readouterr().err


def test_without_ray_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(address, "find_spec", lambda _: None)
    assert main(["check", str(PETERSON), "--safety", "--cluster", "local:2"]) == BAD_INPUT
    assert "pip install 'everafter[cluster]'" in capsys.readouterr().err
    assert main(["check", str(PETERSON), "--safety", "--cluster", "inside:2"]) == HOLDS


# Ray itself


def test_workers_on_nodes_of_ray_find_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--safety", "--reduction", "none", "--cluster", "local:2", "--format", "json"]
    assert main(["check", str(PETERSON), *options]) == HOLDS
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert (result["states"], result["transitions"], result["threads"]) == (20_344, 56_094, 2)


class Dying(OverRay):
    """One of its workers dies when the search has begun."""

    def advance(self) -> None:
        super().advance()
        self._ray.kill(self.actors[1])


def test_a_worker_that_dies_makes_the_verdict_incomplete(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(backend, "company_at", Dying)
    assert main(["check", str(PETERSON), "--safety", "--cluster", "local:2"]) == INCOMPLETE
    assert "a worker is lost" in capsys.readouterr().out
    assert Address.of("local:2").missing() is None
