"""What several workers gain, and what they cost.

    python -m benchmarks.parallel_scaling                       formulas that hold: speed-up, processor time, expansions
    python -m benchmarks.parallel_scaling --part safety         the same for parallel reachability
    python -m benchmarks.parallel_scaling --part violated       time to a counterexample over seeds
    python -m benchmarks.parallel_scaling --part many --runs 1  four models of more than 20 million states, by teams
    python -m benchmarks.parallel_scaling --workers 1,2 --runs 3 --only leader --algorithm cndfs

Every row runs the sequential search (s) and the team's with each number of workers, in turns; medians count. With more
workers than processors the clock says nothing; processor time and expansions say what more workers cost. In `many` one
worker of a team is what others are compared with. Reading, emitting and compiling are in no figure.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison.cases import LTL, ROOT, SAFETY, Case
from benchmarks.comparison.measure import warm_memory
from benchmarks.comparison.tables import bar, table
from oracles.corpus import PACKAGE

from everafter.backends.engines import ENGINES
from everafter.engine.emit.claims import ProductCode
from everafter.engine.run.kernel_code import say_nothing
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.search_outcome import SearchEnding
from everafter.product.claim import AutomatonClaim
from everafter.questions.plan import plan
from everafter.questions.question import Question as Asking
from everafter.questions.request import Request
from everafter.search.catalogue import names
from everafter.stated_questions import questions
from everafter.system import memory_size
from everafter.user_model import load

_MEMORY = max(12 << 30, memory_size() // 2)
_LEAST_STATES = 2_000_000
_ALONE = 0
"""Stands for the sequential search among numbers of workers."""


def _example(name: str) -> Path:
    return ROOT / "examples" / name


#: Formulas that hold, on products of more than two million states.
LARGE = (
    *(case for case in LTL if case.states > _LEAST_STATES),
    Case("train-6: c1", PACKAGE / "Examples/LTL/train.pml", 14_529_643, 0, {"N": 6}, claim="c1"),
    Case(
        "rendezvous_server-8: answered",
        _example("rendezvous_server.pml"),
        10_112_667,
        0,
        {"CLIENTS": 8},
        claim="answered",
    ),
    Case(
        "philosophers_fixed-11: somebody_eats",
        _example("philosophers_fixed.pml"),
        4_902_911,
        0,
        {"N": 11},
        claim="somebody_eats",
    ),
    Case(
        "naimi_trehel-6: second_gets_in",
        _example("naimi_trehel.pml"),
        4_562_895,
        0,
        {"N": 3, "ROUNDS": 6},
        claim="second_gets_in",
    ),
)

#: More than 20 million states each, two for safety and two formulas that hold; states of the last three are estimates.
MANY = (
    next(case for case in SAFETY if case.name == "solitaire-6"),
    Case("rendezvous_server-9", _example("rendezvous_server.pml"), 31_000_000, 0, {"CLIENTS": 9}),
    Case(
        "naimi_trehel-10: second_gets_in",
        _example("naimi_trehel.pml"),
        24_000_000,
        0,
        {"N": 3, "ROUNDS": 10},
        claim="second_gets_in",
    ),
    Case("leader_election-9: elected", _example("leader_election.pml"), 27_000_000, 0, {"N": 9}, claim="elected"),
)

#: Formulas that do not hold.
VIOLATED = (
    Case("leader_election-8", _example("leader_election.pml"), 0, 0, {"N": 8}, claim="[] (leaders == 0)"),
    Case("two_phase_commit-4", _example("two_phase_commit.pml"), 0, 0, {"N": 4}, claim="[] (aborted < 4)"),
    Case("philosophers_fixed-10", _example("philosophers_fixed.pml"), 0, 0, {"N": 10}, claim="first_eats"),
    Case("naimi_trehel-4", _example("naimi_trehel.pml"), 0, 0, {"ROUNDS": 4}, claim="[] <> wants[1]"),
    Case("rendezvous_server-7", _example("rendezvous_server.pml"), 0, 0, {"CLIENTS": 7}, claim="[] <> waiting[0]"),
    Case(
        "rendezvous_server-7 again",
        _example("rendezvous_server.pml"),
        0,
        0,
        {"CLIENTS": 7},
        claim="[] (waiting[0] -> (waiting[0] U !waiting[6]))",
    ),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One search."""

    ending: SearchEnding
    wall: float
    processor: float
    states: int
    expansions: int


@dataclass(frozen=True, slots=True)
class Question:
    """A case with its machine code."""

    case: Case
    model: NativeModel
    together: str
    """What a team runs."""

    def run(self, workers: int, seed: int = 0) -> Measured:
        """Search once."""
        safety = self.case.claim is None
        if workers == _ALONE:
            search = self.model.search("unordered" if safety else "schwoon-esparza", _MEMORY, say_nothing)
        else:
            search = self.model.search(self.together, _MEMORY, say_nothing, workers=workers, seed=seed)
        warm_memory(self.case.states)
        begin = time.perf_counter()
        outcome = search.run(interval=0.01)
        wall = time.perf_counter() - begin
        figures = outcome.figures
        return Measured(outcome.ending, wall, figures.seconds, figures.states, figures.expansions)


def question(case: Case, algorithm: str | None = None) -> Question:
    """Read the model and make its code. Without an algorithm, a team runs what it does by default."""
    sys.setrecursionlimit(20_000)
    with tempfile.TemporaryDirectory(prefix="scaling-") as name:
        case.place(Path(name))
        model = load(Path(name) / "model.pml")
    if case.claim is None:
        return Question(case, NativeModel(model.program), "unordered")
    [asked] = questions(model, Request(formulas=(case.claim,)))
    whole = Asking(asked.program, asked.make(), reduction="none")
    claim = whole.property.claim
    assert isinstance(claim, AutomatonClaim)
    together = plan(whole, Request(algorithm=algorithm, threads=2), ENGINES).stages[0].algorithm
    return Question(case, NativeModel(whole.program, ProductCode(claim)), together)


def scaling(cases: Sequence[Case], workers: Sequence[int], runs: int, algorithm: str | None, base: int) -> str:
    """The table and the picture for searches that go through everything, compared with those by `base` workers."""
    content, speed_ups, single, lines = [], [], [], []
    most = 2 if base == _ALONE else max(workers)
    for case in cases:
        asked = question(case, algorithm)
        found: dict[int, list[Measured]] = {number: [] for number in dict.fromkeys((base, *workers))}
        for _ in range(runs):
            for number, measured in found.items():
                measured.append(asked.run(number))
                print(f"{case.name}, {number}: {measured[-1].wall:.2f} s", file=sys.stderr, flush=True)
        alone = found[base]
        wall = statistics.median(each.wall for each in alone)
        processor = statistics.median(each.processor for each in alone)
        expansions = found[workers[0]][0].expansions
        for number, measured in found.items():
            states = {each.states for each in measured}
            ended = {each.ending for each in measured}
            own_wall = statistics.median(each.wall for each in measured)
            own = statistics.median(each.processor for each in measured)
            expanded = statistics.median(each.expansions for each in measured)
            content.append(
                [
                    case.name if number == base else "",
                    "s" if number == _ALONE else str(number),
                    "/".join(f"{each:,}" for each in sorted(states)),
                    f"{own_wall:.2f}",
                    f"{wall / own_wall:.2f}",
                    f"{own:.2f}",
                    f"{own / processor:.2f}",
                    f"{expanded / expansions:.3f}",
                    "/".join(sorted(each.value for each in ended)),
                ]
            )
            if number == most:
                speed_ups.append(wall / own_wall)
            if number == 1 != base:
                single.append(own / processor)
            if number != _ALONE:
                lines.append(f"{case.name:<38} {number:>2} {bar(own / processor, 2.0, 40)} {own / processor:.2f}")
        print(f"{case.name}: done", file=sys.stderr, flush=True)
    header = ["model", "workers", "states", "clock s", "speed-up", "processor s", "of s", "expansions of 1", "ended"]
    text = table(header, content) + "\n```\nprocessor time of all workers, of the first search's\n"
    text += "\n".join(lines) + "\n```\n"
    if speed_ups:
        text += (
            f"\nSpeed-up with {most} workers, geometric mean: {_mean(speed_ups):.2f} ({os.cpu_count()} processors)\n"
        )
    if single:
        text += f"One worker: {_mean(single):.2f} of the sequential processor time, worst {max(single):.2f}\n"
    return text


def violated(cases: Sequence[Case], workers: Sequence[int], runs: int, algorithm: str | None) -> str:
    """Time to a counterexample: the spread over seeds."""
    content = []
    for case in cases:
        asked = question(case, algorithm)
        for number in (_ALONE, *workers):
            times = [asked.run(number, seed) for seed in range(1 if number == _ALONE else runs)]
            walls = sorted(each.wall for each in times)
            content.append(
                [
                    case.name if number == _ALONE else "",
                    "s" if number == _ALONE else str(number),
                    f"{walls[0]:.3f}",
                    f"{statistics.median(walls):.3f}",
                    f"{walls[-1]:.3f}",
                    f"{statistics.median(each.states for each in times):,.0f}",
                    "/".join(sorted({each.ending.value for each in times})),
                ]
            )
        print(f"{case.name}: done", file=sys.stderr, flush=True)
    return table(["model", "workers", "least s", "median s", "most s", "states", "ended"], content)


def _mean(values: Sequence[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, values)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("formulas", "safety", "violated", "many"), default="formulas")
    parser.add_argument("--workers", default="1,2,4,8,16", help="numbers of workers")
    parser.add_argument("--runs", type=int, default=3, help="how often each search runs, or how many seeds")
    parser.add_argument("--algorithm", choices=names("cycle", "team"), help="for formulas, in place of the default")
    parser.add_argument("--only", default="", help="models whose name contains this")
    options = parser.parse_args(arguments)
    workers = [int(number) for number in options.workers.split(",")]
    chosen = {"formulas": LARGE, "safety": tuple(SAFETY), "violated": VIOLATED, "many": MANY}[options.part]
    cases = [case for case in chosen if options.only in case.name and case.effort != "tiny"]
    if options.part == "safety":
        cases = [case for case in cases if case.states > _LEAST_STATES]
    if options.part == "violated":
        print(violated(cases, workers, options.runs, options.algorithm))
    else:
        base = workers[0] if options.part == "many" else _ALONE
        print(scaling(cases, workers, options.runs, options.algorithm, base))
    return 0


if __name__ == "__main__":
    sys.exit(main())
