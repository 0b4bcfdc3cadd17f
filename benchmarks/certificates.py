"""What certificates cost: the time to write and to decide them, and their size, beside the check itself.

    python -m benchmarks.certificates [--quick] [--only SUBSTRING] [--threads 2] [--reduced] [--reference] [--runs 2]

The models of `compare_spin`, all steps taken unless they are to be reduced. All times are processor seconds of all
threads and processes, the least of several runs: `check` without a certificate, `with` one, `deciding` by `certify` on
machine code, reading included. What the reference decides in a second is for two processors that it has for itself: one
process reads the file, then two decide what it has read.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.comparison.cases import LTL, SAFETY, Case
from benchmarks.comparison.rows import geometric_mean
from benchmarks.comparison.tables import table
from oracles.certificates import confirmed, written

from everafter.choices import ReductionWish
from everafter.questions.request import Request
from everafter.user_model import load

HEADER = ["model", "rows", "check s", "with s", "ratio", "bytes a row", "deciding s", "million rows/s"]
PROCESSES = 2


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only models of one to three million states")
    parser.add_argument("--only", default="", help="only models whose name contains this")
    parser.add_argument("--threads", type=int, default=1, help="threads that search")
    parser.add_argument("--reduced", action="store_true", help="leave out needless steps")
    parser.add_argument("--reference", action="store_true", help="let the reference decide all rows, too")
    parser.add_argument("--runs", type=int, default=1, help="take the least time of so many runs")
    options = parser.parse_args()
    efforts = ("quick",) if options.quick else ("quick", "full")
    header = [*HEADER, "reference rows/s"] if options.reference else HEADER
    rows: list[list[str]] = []
    ratios: list[float] = []
    for case in (*SAFETY, *LTL):
        if case.effort in efforts and options.only in case.name:
            row, ratio = measured(case, options)
            rows.append(row)
            ratios.append(ratio)
            print(table(header, [row]), file=sys.stderr, flush=True)
    print(table(header, rows))
    print(f"\ntime of a check with a certificate by that of one without, geometric mean: {geometric_mean(ratios):.2f}")
    return 0


def measured(case: Case, options: argparse.Namespace) -> tuple[list[str], float]:
    """A row of the table, and how much longer a check with a certificate takes."""
    with tempfile.TemporaryDirectory() as folder:
        case.place(Path(folder))
        model = load(Path(folder) / "model.pml")
        formulas = (case.claim,) if case.claim is not None else ()
        reduction: ReductionWish = "static" if options.reduced else "none"
        request = Request(safety=not formulas, formulas=formulas, reduction=reduction, threads=options.threads)
        path = Path(folder) / "certificate"
        written(model, request, path)  # so that all code is there, and memory touched
        plain = seconds(options.runs, lambda: model.check_all(request))
        whole = seconds(options.runs, lambda: written(model, request, path))
        deciding = seconds(options.runs, lambda: confirmed(path, model, request=request))
        [found] = confirmed(path, model, request=request)
        row = [
            case.name,
            f"{found.rows:,}",
            f"{plain:.2f}",
            f"{whole:.2f}",
            f"{whole / plain:.2f}",
            f"{path.stat().st_size / found.rows:.2f}",
            f"{deciding:.2f}",
            f"{found.rows / deciding / 1e6:.2f}",
        ]
        if options.reference:
            begin = used()
            confirmed(path, model, by="reference", request=request, threads=PROCESSES)
            alone, together = (after - before for after, before in zip(used(), begin, strict=True))
            row.append(f"{found.rows / (alone + together / PROCESSES):,.0f}")
        return row, whole / plain


def seconds(runs: int, do: Callable[[], object]) -> float:
    """The processor time of a call: the least of so many."""
    least = float("inf")
    for _ in range(runs):
        begin = sum(used())
        do()
        least = min(least, sum(used()) - begin)
    return least


def used() -> tuple[float, float]:
    """The processor time of this process so far, and of those that it has waited for."""
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


if __name__ == "__main__":
    sys.exit(main())
