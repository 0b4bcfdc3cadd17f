"""Sizes and times of our automata on the classic formula sets, beside those of Spot and SPIN.

    python -m benchmarks.ltl_sizes [sizes.csv] [--repeat N]

Prints one line for each formula (states/edges of the Büchi and of the generalised automaton, milliseconds for each),
then the totals with their ratios to Spot's, the formulas that are slow, and the conditions that the project has set
itself. A table given may have columns for ltl3ba and lbt, too. Exit status 1 if a condition fails. Times are
milliseconds of processor time, the best of N translations from nothing in a warm process: only the rules, and the sort
keys of formulas still in use, are kept between them.
"""

from __future__ import annotations

import argparse
import csv
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from oracles.ltl.translators import SIZES

from everafter.ltl import Automaton, Formula, parse, to_buchi, translate

CLASSIC_PATTERNS = "dac"
SLOWEST = 0.5
SLOW = 0.025
"""Formulas that take longer than this are listed."""


@dataclass(frozen=True, slots=True)
class Result:
    """Our two automata of one formula, how long each took, and the figures of others."""

    name: str
    buchi: Automaton
    generalised: Automaton
    buchi_seconds: float
    generalised_seconds: float
    others: dict[str, str]

    @property
    def seconds(self) -> float:
        """How long the slower of the two took."""
        return max(self.buchi_seconds, self.generalised_seconds)

    def other(self, column: str) -> int | None:
        """A figure of another tool, if it has one."""
        text = self.others.get(column, "")
        return int(text) if text.isdigit() else None


def timed(make: Callable[[Formula], Automaton], formula: Formula, repeat: int) -> tuple[Automaton, float]:
    best = float("inf")
    for _ in range(repeat):
        started = time.process_time()
        result = make(formula)
        best = min(best, time.process_time() - started)
    return result, best


def measured(line: dict[str, str], repeat: int) -> Result:
    formula = parse(line["formula"], glued=True)
    buchi, buchi_seconds = timed(to_buchi, formula, repeat)
    generalised, generalised_seconds = timed(translate, formula, repeat)
    return Result(line["name"], buchi, generalised, buchi_seconds, generalised_seconds, line)


def figure(result: Result, tool: str) -> str:
    states, edges = result.others.get(f"{tool}_states", ""), result.others.get(f"{tool}_edges", "")
    return f"{states}/{edges}" if edges else states or "-"


COLUMNS = ("spot_buchi", "spot_tgba", "ltl3ba", "spin", "lbt")


def print_table(results: list[Result]) -> None:
    print(f"{'formula':8}{'Büchi':>9}{'gen.':>9}{'CPU ms':>8}{'CPU ms':>8}", *(f"{name:>11}" for name in COLUMNS))
    for result in results:
        own = f"{len(result.buchi.states)}/{result.buchi.edge_count}"
        generalised = f"{len(result.generalised.states)}/{result.generalised.edge_count}"
        times = f"{1000 * result.buchi_seconds:8.1f}{1000 * result.generalised_seconds:8.1f}"
        print(f"{result.name:8}{own:>9}{generalised:>9}{times}", *(f"{figure(result, name):>11}" for name in COLUMNS))


def total(results: list[Result], column: str) -> int:
    return sum(result.other(column) or 0 for result in results)


def conditions(results: list[Result]) -> list[tuple[str, bool]]:
    buchi = sum(len(result.buchi.states) for result in results)
    generalised = sum(len(result.generalised.states) for result in results)
    spot_buchi, spot_generalised = total(results, "spot_buchi_states"), total(results, "spot_tgba_states")
    spin = [(result, result.other("spin_states")) for result in results]
    worse = [result.name for result, states in spin if states is not None and len(result.buchi.states) > states]
    slowest = max(results, key=lambda result: result.seconds)
    patterns = sorted(r.buchi_seconds for r in results if r.name.startswith(CLASSIC_PATTERNS))
    median = patterns[len(patterns) // 2]
    slow = sum(1 for pattern in patterns if pattern > 0.05)
    return [
        (f"Büchi states {buchi}, Spot {spot_buchi}: ratio {buchi / spot_buchi:.3f} ≤ 1.10", buchi <= 1.1 * spot_buchi),
        (
            f"generalised {generalised}, Spot {spot_generalised}: ratio {generalised / spot_generalised:.3f} ≤ 1.10",
            generalised <= 1.1 * spot_generalised,
        ),
        (f"worse than SPIN: {', '.join(worse) or 'none'}", not worse),
        (
            f"slowest: {slowest.name} {1000 * slowest.seconds:.0f} ms < {1000 * SLOWEST:.0f} ms",
            slowest.seconds < SLOWEST,
        ),
        (f"patterns: median {1000 * median:.1f} ms < 50 ms; {slow} of {len(patterns)} above 50 ms", median < 0.05),
    ]


def print_times(results: list[Result]) -> None:
    """How long translations take, and which take longest."""
    ranked = sorted(results, key=lambda result: -result.seconds)
    slow = [f"{result.name} {1000 * result.seconds:.0f} ms" for result in ranked if result.seconds > SLOW]
    median, slowest = ranked[len(ranked) // 2], ranked[0]
    print(
        f"\nprocessor time: median {1000 * median.seconds:.1f} ms, slowest {1000 * slowest.seconds:.1f} ms"
        f" ({slowest.name}), all {len(ranked)} together {1000 * sum(result.seconds for result in ranked):.0f} ms"
    )
    print(f"above {1000 * SLOW:.0f} ms: {', '.join(slow) or 'none'}")


def fairness_table() -> None:
    print("\nfairness: [] <> p0 && … && [] <> p(n-1)")
    print(f"{'n':>4}{'Büchi':>10}{'gen.':>10}{'ms':>8}{'ms':>8}")
    for count in (1, 2, 3, 4, 5, 8, 12, 16, 20):
        formula = parse(" && ".join(f"[] <> p{i}" for i in range(count)))
        buchi, buchi_seconds = timed(to_buchi, formula, 1)
        generalised, seconds = timed(translate, formula, 1)
        sizes = (f"{len(a.states)}/{a.edge_count}" for a in (buchi, generalised))
        print(f"{count:>4}", *(f"{size:>9}" for size in sizes), f"{1000 * buchi_seconds:7.1f} {1000 * seconds:7.1f}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sizes", nargs="?", type=Path, default=SIZES)
    options.add_argument("--repeat", type=int, default=5)
    arguments = options.parse_args()
    with arguments.sizes.open() as file:
        lines = list(csv.DictReader(file))
    timed(to_buchi, parse("p U q"), 1)  # so that reading the rules is not charged to the first formula
    results = [measured(line, arguments.repeat) for line in lines]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    print(f"Python {platform.python_version()}, {platform.machine()}, commit {commit.strip()}, {len(lines)} formulas\n")
    print_table(results)
    print_times(results)
    fairness_table()
    print()
    checked = conditions(results)
    for text, holds in checked:
        print(f"{'ok  ' if holds else 'FAIL'} {text}")
    return 0 if all(holds for _, holds in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
