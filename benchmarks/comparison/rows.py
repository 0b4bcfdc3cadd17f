"""What was measured for one question, and what follows from it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.comparison.cases import Case
from benchmarks.comparison.checkers import COLLAPSE, OURS, PANS, TREE, Run


@dataclass(frozen=True, slots=True)
class Row:
    """All runs of one question, by checker. `floors` are the peaks of each checker on a tiny model."""

    case: Case
    runs: Mapping[str, Sequence[Run]]
    floors: Mapping[str, int]

    def seconds(self, checker: str) -> float:
        """The median processor time of the search."""
        return statistics.median(run.search for run in self.runs[checker])

    def process_seconds(self, checker: str) -> float:
        """The median processor time of the whole process."""
        return statistics.median(run.usage.processor for run in self.runs[checker])

    def wall_seconds(self, checker: str) -> float:
        """The median time on the clock, of the whole process."""
        return statistics.median(run.usage.wall for run in self.runs[checker])

    def compile_seconds(self, checker: str) -> float:
        """The median processor time that went into native code for the model."""
        return statistics.median(run.compile for run in self.runs[checker])

    def spread(self, checker: str) -> float:
        """How far the runs lie apart: the slowest by the fastest."""
        times = [run.search for run in self.runs[checker]]
        return max(times) / min(times) if min(times) > 0 else math.inf

    def states(self, checker: str) -> int:
        """How many states the checker counted, in its first run; `trouble` tells if others differ."""
        return self.runs[checker][0].states

    def bytes_per_state(self, checker: str) -> float:
        """Everything the process needed beyond what it needs for a tiny model, for each state."""
        peak = statistics.median(run.usage.peak for run in self.runs[checker])
        return (peak - self.floors[checker]) / max(1, self.states(checker))

    def own_bytes(self, checker: str) -> float | None:
        """Bytes for each state by the checker's own account."""
        return self.runs[checker][0].own_bytes

    @property
    def pans(self) -> list[str]:
        """SPIN's verifiers."""
        return [name for name in PANS if name in self.runs]

    @property
    def best(self) -> str:
        """Which of SPIN's verifiers was fastest."""
        return min(self.pans, key=self.seconds)

    @property
    def spin_bytes(self) -> float:
        """What the smallest of SPIN's verifiers needed for each state."""
        return min(self.bytes_per_state(name) for name in self.pans)

    @property
    def ratio(self) -> float:
        """How many times faster than the best of SPIN's verifiers everafter was."""
        return self.seconds(self.best) / max(1e-9, self.seconds(OURS))

    @property
    def ratio_per_state(self) -> float:
        """The same for each state, for products that differ in size."""
        return self.ratio * self.states(OURS) / max(1, self.states(self.best))

    @property
    def trouble(self) -> str:
        """Why the row proves nothing, or an empty text.

        All must hold, since only then everything is searched. For safety all must count the same states; the product
        with a formula depends on the automaton, which every checker makes for itself.
        """
        exact = [name for name in (*self.pans, OURS, COLLAPSE, TREE) if name in self.runs]
        runs = [(name, run) for name in exact for run in self.runs[name]]
        wrong = sorted({f"{name}: {run.verdict}" for name, run in runs if run.verdict != "holds"})
        if wrong:
            return ", ".join(wrong)
        counts = {name: sorted({run.states for other, run in runs if other == name}) for name, _ in runs}
        differ = len({tuple(found) for found in counts.values()}) > 1 if self.case.claim is None else False
        if differ or any(len(found) > 1 for found in counts.values()):
            return "states differ: " + ", ".join(f"{name} {found}" for name, found in counts.items())
        return ""


def geometric_mean(values: Sequence[float]) -> float:
    """The mean for ratios."""
    return math.exp(statistics.fmean(math.log(value) for value in values))
