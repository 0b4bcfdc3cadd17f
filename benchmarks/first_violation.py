"""How many states does it take to meet the first violation, beside SPIN?

    python -m benchmarks.first_violation [--only SUBSTRING] [--seconds 120]

The violated models of SPIN's own package and of examples/, each searched as by default, by SPIN with all its
optimisations off (which goes depth-first) and by everafter. Exit status 1 if a violation is missed, or takes both more
than ten times SPIN's states and more than 100,000.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.comparison.tables import table
from oracles.corpus import EXAMPLES
from oracles.spin import safety
from oracles.truth import safety_rows

from everafter.check import load
from everafter.checking.limits import Limits

MOST, TIMES = 100_000, 10


def violated_models() -> Iterator[Path]:
    """The models of SPIN's package that it finds violated, and those of ours that say so."""
    yield from (row.model for row in safety_rows() if row.verdict == "violated")
    yield from (path for path in EXAMPLES if "expect: violated" in path.read_text(encoding="utf-8"))


def main() -> int:
    """Print the table; 1 if a violation is missed, or met too late."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument("--seconds", type=float, default=120.0, help="for each check")
    options = parser.parse_args()
    content: list[tuple[str, ...]] = []
    ratios: list[float] = []
    late = 0
    for path in violated_models():
        if options.only not in str(path):
            continue
        spin = safety(path, seconds=options.seconds)
        started = time.monotonic()
        result = load(path).check(limits=Limits(seconds=options.seconds, memory=6 << 30))
        seconds = time.monotonic() - started
        missed = not result.violated
        too_late = result.states > max(TIMES * spin.states, MOST)
        late += missed or too_late
        if not missed and spin.errors:
            ratios.append(result.states / max(spin.states, 1))
        steps = len(result.counterexample) if result.counterexample is not None else 0
        note = "MISSED" if missed else "LATE" if too_late else "shortest" if result.is_shortest else ""
        counts = (f"{spin.states:,}", f"{result.states:,}", f"{spin.seconds:.2f}", f"{seconds:.2f}", f"{steps:,}")
        content.append((path.name, *counts, result.algorithm, note))
        print(f"{path.name}: SPIN {spin.states:,}, ours {result.states:,} {note}", file=sys.stderr, flush=True)
    heading = ("model", "SPIN's states", "ours", "SPIN's seconds", "ours", "steps shown", "found by", "")
    print(table(heading, content))
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\n{len(content)} models, {late} missed or late; ours take {mean:.2f} of SPIN's states (geometric mean)")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
