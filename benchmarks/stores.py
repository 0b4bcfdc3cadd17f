"""What do trees, and packed rows, cost beside whole rows, in bytes and in time?

    python -m benchmarks.stores [--runs 2] [--only SUBSTRING] [--short [--quick]]

With --short: models whose rows have few words, with the plain, the tree and the packed store in turns, and SPIN's bytes
for a state with and without -DCOLLAPSE, its stack left out: memory for states and hash table. With --quick without
those of many states. Else:

The models and questions of compare_spin, searched by one worker with the plain and with the tree store, in turns: bytes
for each state by everafter's own account, and the least processor time of the search. Prints a table, and the
geometric means. Exit status 1 if the two stores count different states.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean

from benchmarks.comparison.cases import LTL, SAFETY, SHORT, Case
from benchmarks.comparison.checkers import COLLAPSE, SMALLEST, Run, build_pan, ready_everafter, write_pan
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


@dataclass(frozen=True, slots=True)
class ShortRow:
    """The runs of one question about short rows, by store, and SPIN's bytes by how its verifier was built."""

    name: str
    ours: Mapping[str, Sequence[Run]]
    spin: Mapping[str, float]

    @property
    def ratio(self) -> float:
        """How much longer packed rows take than plain ones."""
        return _least(self.ours["packed"]) / _least(self.ours["plain"])

    @property
    def bytes(self) -> float:
        """Bytes for a state with a packed row."""
        return self.ours["packed"][0].own_bytes or 0.0

    @property
    def same(self) -> bool:
        """Whether all runs counted the same states."""
        return len({(run.verdict, run.states) for runs in self.ours.values() for run in runs}) == 1

    def __str__(self) -> str:
        sizes = " | ".join(f"{runs[0].own_bytes:.1f}" for runs in self.ours.values())
        theirs = " | ".join(f"{size:.1f}" for size in self.spin.values())
        times = " | ".join(f"{_least(runs):.2f}" for runs in self.ours.values())
        states = self.ours["plain"][0].states
        return f"| {self.name} | {states:,} | {theirs} | {sizes} | {times} | {self.ratio:.2f} |"


def measured_short(case: Case, meter: Meter, runs: int) -> ShortRow:
    """Let the stores take turns, and then SPIN's verifiers."""
    with tempfile.TemporaryDirectory(prefix="stores-") as name:
        folder = Path(name)
        case.place(folder)
        stores = {store: ready_everafter(folder, case, "native", store=store) for store in ("plain", "tree", "packed")}
        taken = [{store: each.run(meter, SECONDS) for store, each in stores.items()} for _ in range(runs)]
        write_pan(folder)
        spin = {built: _bytes_of_states(folder, case, built, meter) for built in (SMALLEST, COLLAPSE)}
    return ShortRow(case.name, {store: [each[store] for each in taken] for store in stores}, spin)


def _bytes_of_states(folder: Path, case: Case, built: str, meter: Meter) -> float:
    """What a state takes in the hash table, and itself, by the account of a verifier: without the stack."""
    pan = build_pan(folder, replace(case, depth=case.states), built)
    output = pan.run(meter, SECONDS).usage.output
    found = {what: re.search(rf"([\d.]+)\s+{what}", output) for what in _COUNTED}
    return sum(float(each[1]) for each in found.values() if each) * 2**20 / case.states


_COUNTED = ("actual memory usage for states", "memory used for hash table")


def short(options: argparse.Namespace) -> int:
    """Print the table of short rows; 1 if states differ."""
    print("| model | states | SPIN | -DCOLLAPSE | plain | tree | packed | plain s | tree s | packed s | ratio |")
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    rows: list[ShortRow] = []
    with tempfile.TemporaryDirectory(prefix="measure-") as name:
        meter = Meter(Path(name))
        for case in SHORT:
            if options.only in case.name and (case.effort == "quick" or not options.quick):
                rows.append(measured_short(case, meter, options.runs))
                print(rows[-1] if rows[-1].same else f"{rows[-1]} DIFFERS", flush=True)
    if rows:
        sizes, ratios = [row.bytes for row in rows], [row.ratio for row in rows]
        print(f"\n{geometric_mean(sizes):.2f} bytes in the geometric mean, at most {max(sizes):.1f};", end=" ")
        print(f"{geometric_mean(ratios):.2f} of the plain store's time, at most {max(ratios):.2f}")
    return 0 if all(row.same for row in rows) else 1


def main() -> int:
    """Print the table; 1 if states differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2, help="how often each runs; the least time counts")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="questions whose name contains this")
    parser.add_argument("--short", action="store_true", help="models with short rows, also packed, and SPIN's bytes")
    parser.add_argument("--quick", action="store_true", help="with --short: not those of many states")
    options = parser.parse_args()
    if options.short:
        return short(options)
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
