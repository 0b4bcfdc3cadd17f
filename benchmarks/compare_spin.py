"""Is everafter as fast as SPIN, and how much memory does each need?

    python -m benchmarks.compare_spin [--quick] [--only SUBSTRING] [--runs 3] [--stores] [--output FILE.md|FILE.json]

Parts: safety (the same states), formulas (nested depth-first search), the wait for a verdict on a tiny model,
and the cost for each state as a model grows. All checkers read the same file and search everything: no reduction on
either side, and SPIN without the optimisations that make it visit fewer states. Two parts more, `defaults/` and
`practice/`, are run only if `--only` begins so: all default options on both sides, on the same models, and on those of
benchmarks/practice.py. Their runs take turns, and processor
time is compared, as medians; a ratio above 1 means that everafter is faster than the best of SPIN's verifiers.
docs/benchmarks.md says how every figure comes about.

Exit status 1 if some checker did not answer `holds`, or if they count different states for safety.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.comparison.cases import LTL, ROOT, SAFETY, SIZES, STARTUP, TINY, Case
from benchmarks.comparison.checkers import (
    COMPRESSING,
    LTSMIN,
    OURS,
    TREE,
    Checker,
    Run,
    build_ltsmin,
    build_pan,
    pans_for,
    ready_everafter,
    write_pan,
)
from benchmarks.comparison.defaults import DefaultRow, by_default, defaults_table
from benchmarks.comparison.measure import Meter, warm_memory
from benchmarks.comparison.rows import Row
from benchmarks.comparison.startup import Startup, startup, startup_table
from benchmarks.comparison.tables import formula_table, process_table, safety_table, size_table, store_table
from benchmarks.practice import models
from oracles.spin import missing

_EFFORTS = {"tiny": ("tiny",), "quick": ("quick",), "full": ("quick", "full")}


@dataclass(frozen=True, slots=True)
class Bench:
    """How everything is measured in this run of the comparison."""

    meter: Meter
    runs: int
    seconds: float
    engine: str
    ltsmin: Path | None
    stores: bool = False
    """Whether the stores that compress are measured, too."""

    def measure(self, case: Case, floors: dict[str, int]) -> Row:
        """Build every checker for a question, then let them take turns."""
        with tempfile.TemporaryDirectory(prefix="compare-") as name:
            folder = Path(name)
            case.place(folder)
            write_pan(folder)
            checkers: dict[str, Checker] = {name: build_pan(folder, case, name) for name in pans_for(case)}
            checkers[OURS] = ready_everafter(folder, case, self.engine)
            if self.stores:
                checkers |= {name: build_pan(folder, case, name) for name in COMPRESSING}
                checkers[TREE] = ready_everafter(folder, case, self.engine, store="tree")
            if self.ltsmin is not None:
                checkers[LTSMIN] = build_ltsmin(folder, case, self.ltsmin)
            runs: dict[str, list[Run]] = {checker: [] for checker in checkers}
            for _ in range(self.runs):
                for checker, ready in checkers.items():
                    warm_memory(case.states)
                    runs[checker].append(ready.run(self.meter, self.seconds))
        return Row(case, runs, floors)

    def floors(self, case: Case) -> dict[str, int]:
        """The memory each checker needs for next to no states; what is built at first use is built before."""
        replace(self, runs=1).measure(case, {})
        row = self.measure(case, {})
        return {checker: int(median(run.usage.peak for run in runs)) for checker, runs in row.runs.items()}

    def part(self, cases: Sequence[Case], tiny: Case) -> list[Row]:
        """The rows for some questions of one kind, with a word on each as it is done."""
        if not cases:
            return []
        floors = self.floors(tiny)
        rows = []
        for case in cases:
            row = self.measure(case, floors)
            print(f"{case.name}: {row.trouble or f'{row.ratio:.2f}'}", file=sys.stderr, flush=True)
            rows.append(row)
        return rows


@dataclass(frozen=True, slots=True)
class Report:
    """All that was measured."""

    machine: dict[str, str]
    safety: list[Row]
    formulas: list[Row]
    startup: list[Startup]
    sizes: list[Row]
    defaults: list[DefaultRow] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        """The rows of all parts."""
        return [*self.safety, *self.formulas, *self.sizes]

    @property
    def wrong(self) -> list[Row]:
        """The rows that prove nothing."""
        return [row for row in self.rows if row.trouble]

    def markdown(self) -> str:
        """The tables of the parts that were asked for."""
        parts: list[tuple[str, bool, Callable[[], str]]] = [
            ("Safety", bool(self.safety), lambda: safety_table(self.safety)),
            ("Formulas", bool(self.formulas), lambda: formula_table(self.formulas)),
            ("Stores", any(TREE in row.runs for row in self.rows), lambda: store_table(self.rows)),
            ("Whole processes", bool(self.rows), lambda: process_table(self.rows)),
            ("From the prompt to the verdict", bool(self.startup), lambda: startup_table(self.startup)),
            ("Cost as a model grows", bool(self.sizes), lambda: size_table(self.sizes)),
            ("Default options", bool(self.defaults), lambda: defaults_table(self.defaults)),
        ]
        machine = "\n".join(f"- {name}: {value}" for name, value in self.machine.items())
        return "\n".join([machine, *(f"\n## {title}\n\n{make()}" for title, present, make in parts if present)])

    def json(self) -> str:
        """Everything, run by run."""
        content = {
            "machine": self.machine,
            **{
                part: [_row(row) for row in rows]
                for part, rows in (("safety", self.safety), ("formulas", self.formulas), ("sizes", self.sizes))
            },
            "startup": [asdict(row) for row in self.startup],
            "defaults": [asdict(row) | {"states": row.states, "search": row.search} for row in self.defaults],
        }
        return json.dumps(content, indent=1)


def _row(row: Row) -> dict[str, Any]:
    runs = {checker: [_run(run) for run in found] for checker, found in row.runs.items()}
    settings = dict(row.case.settings)
    return {
        "name": row.case.name,
        "model": row.case.path.name,
        "settings": settings,
        "claim": row.case.claim,
        "trouble": row.trouble,
        "ratio": row.ratio,
        "ratio_per_state": row.ratio_per_state,
        "bytes_per_state": {checker: row.bytes_per_state(checker) for checker in row.runs},
        "runs": runs,
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "verdict": run.verdict,
        "states": run.states,
        "search_seconds": run.search,
        "compile_seconds": run.compile,
        "process_seconds": run.usage.processor,
        "wall_seconds": run.usage.wall,
        "peak_bytes": run.usage.peak,
        "own_bytes_per_state": run.own_bytes,
    }


def machine() -> dict[str, str]:
    """Where and with what this was measured."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return {
        "processor": f"{model}, {os.cpu_count()} threads",
        "spin": _said(["spin", "-V"]),
        "gcc": _said(["gcc", "--version"]).splitlines()[0],
        "python": platform.python_version(),
        "commit": _said(["git", "-C", str(ROOT), "describe", "--always", "--dirty"]),
    }


def _said(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def compare(bench: Bench, efforts: Sequence[str], only: str) -> Report:
    """Measure every question whose name contains `only`."""

    def chosen(part: str, cases: Sequence[Case]) -> list[Case]:
        return [case for case in cases if case.effort in efforts and only in f"{part}/{case.name}"]

    return Report(
        machine(),
        bench.part(chosen("safety", SAFETY), TINY["safety"]),
        bench.part(chosen("ltl", LTL), TINY["ltl"]),
        [startup(case, bench.meter, bench.runs) for case in STARTUP if only in f"startup/{case.name}"],
        bench.part(chosen("size", SIZES), TINY["safety"]),
        by_defaults(bench, efforts, only),
    )


def by_defaults(bench: Bench, efforts: Sequence[str], only: str) -> list[DefaultRow]:
    """Measure with default options what `only` names of defaults/NAME and practice/NAME."""
    rows: list[DefaultRow] = []
    with tempfile.TemporaryDirectory(prefix="practice-") as name:
        cases = [(f"defaults/{case.name}", case) for case in (*SAFETY, *LTL) if case.effort in efforts]
        for model, text in models():
            path = Path(name) / f"{model}.pml"
            path.write_text(text)
            cases.append((f"practice/{model}", Case(model, path, 0, 0)))
        for key, case in cases:
            if only.partition("/")[0] in ("defaults", "practice") and key.startswith(only):
                rows.append(by_default(case, bench.meter, bench.runs, bench.seconds))
                row = rows[-1]
                print(f"{key}: {row.trouble or f'{row.states:.2f}'}", file=sys.stderr, flush=True)
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if a row is wrong, 2 if SPIN or gcc is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick", dest="effort", action="store_const", const="quick", default="full", help="a few models"
    )
    parser.add_argument("--tiny", dest="effort", action="store_const", const="tiny", help="to try this program itself")
    parser.add_argument(
        "--only",
        default="",
        metavar="SUBSTRING",
        help="of safety/NAME, ltl/NAME, startup/NAME, size/NAME; or defaults/, practice/",
    )
    parser.add_argument("--runs", type=int, default=3, help="how often each checker runs; the median counts")
    parser.add_argument("--time", type=float, default=900, metavar="SECONDS", help="kill a run that takes longer")
    parser.add_argument("--engine", default="native", help="everafter's engine")
    parser.add_argument(
        "--stores", action="store_true", help="also everafter's tree store, and SPIN's -DCOLLAPSE and -DHC4"
    )
    parser.add_argument("--ltsmin", type=Path, metavar="PATH", help="where LTSmin is installed, to run it too")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the report here: .json has every run, .md the tables"
    )
    options = parser.parse_args(arguments)
    reason = missing()
    if reason is not None:
        print(reason, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="measure-") as name:
        bench = Bench(Meter(Path(name)), options.runs, options.time, options.engine, options.ltsmin, options.stores)
        report = compare(bench, _EFFORTS[options.effort], options.only)
    print(report.markdown())
    if options.output is not None:
        options.output.write_text(report.json() if options.output.suffix == ".json" else report.markdown())
    for row in report.wrong:
        print(f"wrong: {row.case.name}: {row.trouble}", file=sys.stderr)
    return 1 if report.wrong or any(row.trouble for row in report.defaults) else 0


if __name__ == "__main__":
    sys.exit(main())
