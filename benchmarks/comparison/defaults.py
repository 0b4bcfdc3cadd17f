"""Both checkers with their default options, as whole commands: what a user gets who knows none of them.

SPIN writes its verifier, gcc -O2 compiles it, and it searches with all its reductions: partial orders, statement
merging, dataflow. everafter checks. Only depth, memory and the size of states are given to pan, which stops without
them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.comparison.cases import Case
from benchmarks.comparison.checkers import OURS, Everafter, Pan, Run, everafter_command
from benchmarks.comparison.measure import Meter
from benchmarks.comparison.rows import geometric_mean
from benchmarks.comparison.tables import table

_SPIN = "spin"
_DEPTH = 100_000
"""For models whose depth is not known: pan pays for the whole stack."""
_MEMORY = "-DMEMLIM=8192 -DVECTORSZ=4096"


@dataclass(frozen=True, slots=True)
class DefaultRow:
    """One question as both answer it by default."""

    name: str
    spin: tuple[Run, ...]
    ours: tuple[Run, ...]
    build: float
    """Processor seconds of SPIN and gcc."""

    @property
    def states(self) -> float:
        """Our states by SPIN's."""
        return max(1, self.ours[0].states) / max(1, self.spin[0].states)

    @property
    def search(self) -> float:
        """The time of SPIN's search by that of ours."""
        return median(run.search for run in self.spin) / max(1e-4, median(run.search for run in self.ours))

    @property
    def whole(self) -> float:
        """The time of SPIN's three commands by that of ours."""
        ours = median(run.usage.processor for run in self.ours)
        return (self.build + median(run.usage.processor for run in self.spin)) / max(1e-4, ours)

    @property
    def trouble(self) -> str:
        """Why the row proves nothing, or an empty text."""
        said = {f"{name}: {run.verdict}" for name, runs in ((_SPIN, self.spin), (OURS, self.ours)) for run in runs}
        return ", ".join(sorted(each for each in said if not each.endswith("holds")))


def by_default(case: Case, meter: Meter, runs: int, seconds: float) -> DefaultRow:
    """Ask both the question of `case`, `runs` times in turns, each for `seconds` at most."""
    with tempfile.TemporaryDirectory(prefix="defaults-") as name:
        folder = Path(name)
        case.place(folder)
        flags = "-DSAFETY -DNOCLAIM" if case.claim is None else ""
        build = meter.run(
            ["sh", "-c", f"spin -a model.pml && gcc -O2 -w {_MEMORY} {flags} -o pan pan.c"], folder, seconds
        )
        claim = () if case.claim is None else ("-a", "-N", case.claim)
        pan = Pan(folder, "pan", (f"-m{case.depth + case.depth // 50 + 100 if case.depth else _DEPTH}", *claim))
        asked = ("--safety",) if case.claim is None else ("--ltl", case.claim)
        ours = Everafter(folder, tuple(everafter_command()), (*asked, "--memory", "8G", "--format", "json"))
        ours.run(meter, seconds)  # what is built at first use
        found: list[tuple[Run, Run]] = [(pan.run(meter, seconds), ours.run(meter, seconds)) for _ in range(runs)]
    theirs, own = zip(*found, strict=True)
    return DefaultRow(case.name, theirs, own, build.processor)


def defaults_table(rows: Sequence[DefaultRow]) -> str:
    """States and times, with geometric means and the worst."""
    header = ["model", "SPIN states", "our states", "ours/SPIN", "SPIN s", "ours s", "search", "whole", "verdict"]
    content = [
        [
            row.name,
            f"{row.spin[0].states:,}",
            f"{row.ours[0].states:,}",
            f"{row.states:.2f}",
            f"{median(run.search for run in row.spin):.2f}",
            f"{median(run.search for run in row.ours):.2f}",
            f"{row.search:.1f}",
            f"{row.whole:.1f}",
            f"WRONG ({row.trouble})" if row.trouble else "holds, both",
        ]
        for row in rows
    ]
    right = [row for row in rows if not row.trouble]
    if not right:
        return table(header, content)
    most, least = max(right, key=lambda row: row.states), min(right, key=lambda row: row.search)
    mean, times = geometric_mean([row.states for row in right]), geometric_mean([row.search for row in right])
    return table(header, content) + (
        f"\nour states by SPIN's: geometric mean {mean:.3g}, worst {most.states:.3g} ({most.name}); "
        f"{sum(row.states > 1 for row in right)} of {len(right)} above 1\n"
        f"\nSPIN's search by ours: geometric mean {times:.3g}, worst {least.search:.3g} ({least.name})\n"
    )
