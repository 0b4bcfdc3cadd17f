"""How many states does it take to meet the first violation, beside SPIN?

    python -m benchmarks.first_violation [--only SUBSTRING] [--seconds 120]

Every question about the models of SPIN's own package that SPIN answers with `violated`, and the violated models of
examples/: searched as by default by everafter, and by SPIN with all its optimisations off (which goes depth-first).
Counted are the states that each searched from up to its answer; SPIN calls them stored. Exit status 1 if a violation is
missed, or takes both more than ten times SPIN's states and more than 100,000.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison.tables import table
from oracles.corpus import EXAMPLES
from oracles.spin import SHALLOW, ClaimKind, SpinResult, safety, verdict
from oracles.truth import rows

from everafter.check import check
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.user_model import load
from everafter.verdict.result import Result

MOST, TIMES = 100_000, 10
DEEP = 10_000_000
_HEADING = ("model", "question", "SPIN's states", "ours", "SPIN's s", "ours s", "steps shown", "found by", "")
_KINDS: dict[str, ClaimKind] = {"ltl": "ltl", "never": "never", "accept": "acceptance", "np": "progress"}


@dataclass(frozen=True, slots=True)
class Violated:
    """A question to which SPIN says `violated`."""

    path: Path
    question: str
    request: Request
    kind: ClaimKind | None = None
    """What is asked about infinite runs; None asks for safety."""
    claim: str | None = None

    def spin(self, seconds: float) -> SpinResult:
        """SPIN's answer, with all its optimisations off; with a small stack if that will do, as it is then sooner."""
        shallow = self._spin(seconds, SHALLOW)
        return shallow if shallow.errors else self._spin(seconds, DEEP)

    def _spin(self, seconds: float, bound: int) -> SpinResult:
        if self.kind is None:
            return safety(self.path, bound=bound, seconds=seconds)
        fair = self.request.fairness is not None
        return verdict(self.path, self.claim, self.kind, fair=fair, bound=bound, seconds=seconds)

    def ours(self, seconds: float) -> Result:
        """Our answer, as by default."""
        return check(load(self.path), self.request, Limits(seconds=seconds, memory=6 << 30))[0]


@dataclass(frozen=True, slots=True)
class Found:
    """What both came to."""

    asked: Violated
    spin: SpinResult
    ours: Result
    seconds: float

    @property
    def note(self) -> str:
        """MISSED or LATE if it is, else whether the counterexample is the shortest."""
        if not self.ours.violated:
            return "MISSED"
        if self.ours.states > max(TIMES * self.spin.states, MOST):
            return "LATE"
        return "shortest" if self.ours.is_shortest else ""

    @property
    def is_late(self) -> bool:
        """Whether the violation is missed or met too late."""
        return self.note in ("MISSED", "LATE")

    @property
    def ratio(self) -> float | None:
        """Our states for each of SPIN's; None where one of us has found nothing."""
        if not self.ours.violated or not self.spin.errors:
            return None
        return max(self.ours.states, 1) / max(self.spin.states, 1)

    def cells(self) -> tuple[str, ...]:
        """A line of the table."""
        steps = len(self.ours.counterexample) if self.ours.counterexample is not None else 0
        counts = (f"{self.spin.states:,}", f"{self.ours.states:,}")
        times = (f"{self.spin.seconds:.2f}", f"{self.seconds:.2f}")
        return (
            self.asked.path.name,
            self.asked.question,
            *counts,
            *times,
            f"{steps:,}",
            self.ours.algorithm,
            self.note,
        )


def violated() -> Iterator[Violated]:
    """The questions about models of SPIN's package that it answers so, and the models of ours that say so."""
    for row in rows():
        if row.verdict == "violated":
            claim = row.claim if row.check == "ltl" else None
            yield Violated(row.model, row.question, row.request, _KINDS.get(row.check), claim)
    for path in EXAMPLES:
        if "expect: violated" in path.read_text(encoding="utf-8"):
            yield Violated(path, "safety", Request(safety=True))


def found(asked: Violated, seconds: float) -> Found:
    """Ask both."""
    spin = asked.spin(seconds)
    started = time.monotonic()
    return Found(asked, spin, asked.ours(seconds), time.monotonic() - started)


def summary(answers: Sequence[Found]) -> str:
    """How we compare in the mean."""
    ratios = [math.log(each.ratio) for each in answers if each.ratio is not None]
    mean = f"{math.exp(sum(ratios) / len(ratios)):.2f}" if ratios else "?"
    late = sum(each.is_late for each in answers)
    return f"{len(answers)} questions, {late} missed or late; ours take {mean} of SPIN's states (geometric mean)"


def main() -> int:
    """Print the table; 1 if a violation is missed, or met too late."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument("--seconds", type=float, default=120.0, help="for each check")
    options = parser.parse_args()
    answers: list[Found] = []
    for asked in violated():
        if options.only in str(asked.path):
            answers.append(found(asked, options.seconds))
            print(" ".join(answers[-1].cells()), file=sys.stderr, flush=True)
    print(table(_HEADING, [each.cells() for each in answers]))
    for kind in ("safety", "infinite runs"):
        print(f"{kind}: {summary([each for each in answers if (each.asked.kind is None) == (kind == 'safety')])}")
    print(f"all: {summary(answers)}")
    return 1 if any(each.is_late for each in answers) else 0


if __name__ == "__main__":
    sys.exit(main())
