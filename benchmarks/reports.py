"""How long it takes to tell a violation, beside how long the run is: every column must grow with it, and no faster.

    python -m benchmarks.reports [--most 1000000] [--only cycle] [--most-exponent 1.2]

For each kind of run and 1,000, 10,000 … steps: processor seconds of the search, of finding the steps between the states
it names, of replaying and judging, of the text with its middle folded and in full, of JSON, and of writing and reading
the trace; and the most memory in use. Each line is a process of its own. Then the exponent: the slope, between the two
longest runs, of all but the search together. Exit status 1 if one is above what is allowed.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from everafter.backends.decision import decide
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.report.json_report import as_json
from everafter.report.text import PLAIN, counterexample
from everafter.stated_questions import questions
from everafter.system import memory_in_use
from everafter.user_model import parse
from everafter.verdict.judge import judge
from everafter.verdict.trace import read_trace, trace_of

MODELS = {
    "assertion": """
        int x;
        active proctype P() { do :: x < N -> x++ :: else -> break od; assert(false) }""",
    "prefix": """
        int x;
        active proctype P() { do :: x < N -> x++ :: else -> break od; do :: x = N + 1 :: x = N od }
        ltl asked { [] (x < N -> <> [] (x > N)) }""",
    "cycle": """
        int x;
        active proctype P() { do :: x < N -> x++ :: else -> x = 0 od }
        ltl asked { <> [] (x > 5) }""",
    "never": """
        int x;
        active proctype P() { do :: x < N -> x++ :: else -> x = 0 od }
        never { wait: do :: x <= 5 :: x > 5 -> goto accept od; accept: do :: x > 6 :: x <= 6 -> goto wait od }""",
    "channels": """
        chan c = [2] of { int }; chan d = [0] of { int }; int last;
        active proctype A() { int n; do :: n < N -> c!n; n++ :: else -> break od }
        active proctype B() { int m; do :: c?m -> d!m od }
        active proctype C() { do :: d?last -> assert(last < N - 1) od }""",
    "atomic": """
        int x;
        active [3] proctype P() { do :: atomic { x < N -> x++; x++; x-- } :: atomic { x >= N -> assert(false) } od }""",
}
STEPS_PER_ROUND = {"assertion": 2, "prefix": 2, "cycle": 2, "never": 2, "channels": 5, "atomic": 4}
STAGES = ("search", "steps", "judge", "text", "full", "json", "trace", "read")


@dataclass(slots=True)
class Told:
    """One run: its length, processor seconds for each stage, and the most memory in use."""

    steps: int = 0
    memory: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def telling(self) -> float:
        """The seconds of all stages after the search."""
        return sum(seconds for stage, seconds in self.seconds.items() if stage != "search")

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Note how long the block takes."""
        started = time.process_time()
        yield
        self.seconds[name] = time.process_time() - started
        self.memory = max(self.memory, memory_in_use())


def told(name: str, steps: int) -> Told:
    """A violation by a run of about so many steps, told in every way."""
    text = MODELS[name]
    request = Request(safety="assert" in text, never="never" in text, formulas=("asked",) if "ltl" in text else ())
    model = parse(text, {"N": str(steps // STEPS_PER_ROUND[name])})
    asked = next(questions(model, request))
    question = Question(asked.program, asked.make())
    row = Told()
    with row.stage("steps"):
        outcome = decide(question)
    row.seconds["search"] = outcome.figures.search_seconds
    row.seconds["steps"] -= outcome.figures.search_seconds + outcome.figures.compile_seconds
    with row.stage("judge"):
        result = judge(question, outcome)
    run = result.counterexample
    assert run is not None
    row.steps = len(run)
    with row.stage("text"):
        counterexample(run, PLAIN)
    with row.stage("full"):
        counterexample(run, PLAIN, full=True)
    with row.stage("json"):
        for _ in as_json(model.name, [result], 0.0, ""):
            pass
    with row.stage("trace"):
        trace = "".join(trace_of(run, model.name, "asked", {}).text())
    with row.stage("read"):
        read_trace(trace)
    return row


def told_alone(name: str, steps: int) -> Told:
    """The same in a process of its own, so that memory is its own."""
    command = [sys.executable, "-m", "benchmarks.reports", "--alone", name, str(steps)]
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    return Told(**json.loads(done.stdout))


def exponent(rows: list[Told]) -> float:
    """The slope between the two longest runs: 1 is linear."""
    shorter, longer = rows[-2:]
    return math.log(longer.telling / shorter.telling) / math.log(longer.steps / shorter.steps)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reports")
    parser.add_argument("--most", type=int, default=1_000_000, metavar="STEPS", help="the longest run")
    parser.add_argument("--only", choices=MODELS, help="one kind of run")
    parser.add_argument("--most-exponent", type=float, default=1.2, metavar="E", help="fail above this")
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(asdict(told(options.alone[0], int(options.alone[1])))))
        return 0
    lengths = [10**power for power in range(3, 10) if 10**power <= options.most]
    print(f"{'run':<10}{'steps':>10}" + "".join(f"{stage:>8}" for stage in STAGES) + f"{'all':>8}{'MiB':>7}")
    worst = 0.0
    for name in [options.only] if options.only else MODELS:
        rows = []
        for length in lengths:
            row = told_alone(name, length)
            rows.append(row)
            times = "".join(f"{row.seconds[stage]:>8.2f}" for stage in STAGES)
            print(f"{name:<10}{row.steps:>10,}{times}{row.telling:>8.2f}{row.memory >> 20:>7,}", flush=True)
        if len(rows) > 1:
            print(f"{name:<10}{'exponent':>10}{exponent(rows):>8.2f}", flush=True)
            worst = max(worst, exponent(rows))
    return int(worst > options.most_exponent)


if __name__ == "__main__":
    sys.exit(main())
