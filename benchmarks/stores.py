"""What do trees cost beside whole rows, in bytes and in time?

    python -m benchmarks.stores [--runs 2] [--only SUBSTRING]

The models and questions of compare_spin, searched by one worker with the plain and with the tree store, in turns: bytes
for each state by everafter's own account, and the least processor time of the search. Prints a table, and the
geometric means. Exit status 1 if the two stores count different states.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from benchmarks.comparison.cases import LTL, SAFETY, Case
from benchmarks.comparison.checkers import Run, ready_everafter
from benchmarks.comparison.measure import Meter

LARGE = 3_000_000
"""From so many states on, bytes are looked at model by model."""
SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Row:
    """The runs of one question, by store."""

    name: str
    plain: Sequence[Run]
    tree: Sequence[Run]

    @property
    def ratio(self) -> float:
        """How much longer the tree store takes."""
        return _least(self.tree) / _least(self.plain)

    @property
    def bytes(self) -> float:
        """Bytes for a state as a tree."""
        return self.tree[0].own_bytes or 0.0

    @property
    def same(self) -> bool:
        """Whether all runs counted the same states."""
        return len({(run.verdict, run.states) for run in (*self.plain, *self.tree)}) == 1

    def __str__(self) -> str:
        plain, tree = _least(self.plain), _least(self.tree)
        sizes = f"{self.plain[0].own_bytes:.1f} | {self.bytes:.1f}"
        return f"| {self.name} | {self.tree[0].states:,} | {sizes} | {plain:.2f} | {tree:.2f} | {self.ratio:.2f} |"


def _least(runs: Sequence[Run]) -> float:
    return min(run.search for run in runs)


def measured(case: Case, meter: Meter, runs: int) -> Row:
    """Let both stores take turns."""
    with tempfile.TemporaryDirectory(prefix="stores-") as name:
        folder = Path(name)
        case.place(folder)
        plain = ready_everafter(folder, case, "native")
        tree = ready_everafter(folder, case, "native", store="tree")
        taken = [(plain.run(meter, SECONDS), tree.run(meter, SECONDS)) for _ in range(runs)]
    return Row(case.name, [one for one, _ in taken], [other for _, other in taken])


def main() -> int:
    """Print the table; 1 if states differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2, help="how often each runs; the least time counts")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="questions whose name contains this")
    options = parser.parse_args()
    print("| model | states | plain bytes | tree bytes | plain s | tree s | ratio |")
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="measure-") as name:
        meter = Meter(Path(name))
        for case in (*SAFETY, *LTL):
            if case.effort in ("quick", "full") and options.only in case.name:
                rows.append(measured(case, meter, options.runs))
                print(rows[-1] if rows[-1].same else f"{rows[-1]} DIFFERS", flush=True)
    if rows:
        most = max((row.bytes for row in rows if row.tree[0].states > LARGE), default=0.0)
        print(
            f"\n{geometric_mean(row.bytes for row in rows):.2f} bytes in the geometric mean, at most {most:.1f} above "
            f"{LARGE:,} states; {geometric_mean(row.ratio for row in rows):.2f} of the time, at most "
            f"{max(row.ratio for row in rows):.2f}"
        )
    return 0 if all(row.same for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
