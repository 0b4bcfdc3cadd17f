"""What certificates cost: the time to write and to decide them, and their size, beside the check itself.

    python -m benchmarks.certificates [--quick] [--only SUBSTRING] [--sample 20000]

The models of `compare_spin`, all steps taken, one thread. `check` and `writing` are processor seconds of the whole
check, without a certificate and what one adds; `deciding` those of `certify` on machine code, reading included; the
last column is how many rows a second one process of the reference decides, by a sample.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.comparison.cases import LTL, SAFETY, Case
from benchmarks.comparison.rows import geometric_mean
from benchmarks.comparison.tables import table
from oracles.certificates import written

from everafter.certify import certify
from everafter.check import load
from everafter.checking.request import Request

HEADER = [
    "model",
    "rows",
    "check s",
    "writing s",
    "ratio",
    "bytes a row",
    "deciding s",
    "million rows/s",
    "reference rows/s",
]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only models of one to three million states")
    parser.add_argument("--only", default="", help="only models whose name contains this")
    parser.add_argument("--sample", type=int, default=20_000, help="rows that the reference decides, too")
    options = parser.parse_args()
    efforts = ("quick",) if options.quick else ("quick", "full")
    rows: list[list[str]] = []
    ratios: list[float] = []
    for case in (*SAFETY, *LTL):
        if case.effort in efforts and options.only in case.name:
            row, ratio = measured(case, options.sample)
            rows.append(row)
            ratios.append(ratio)
            print(table(HEADER, [row]), file=sys.stderr, flush=True)
    print(table(HEADER, rows))
    print(f"\ntime of a check with a certificate by that of one without, geometric mean: {geometric_mean(ratios):.2f}")
    return 0


def measured(case: Case, sample: int) -> tuple[list[str], float]:
    """A row of the table, and how much longer a check with a certificate takes."""
    with tempfile.TemporaryDirectory() as folder:
        case.place(Path(folder))
        model = load(Path(folder) / "model.pml")
        formulas = (case.claim,) if case.claim is not None else ()
        request = Request(safety=not formulas, formulas=formulas, reduction="none", threads=1)
        path = Path(folder) / "certificate"
        model.check_all(request)  # so that all code is there, and memory touched
        plain = seconds(lambda: model.check_all(request))
        whole = seconds(lambda: written(model, request, path))
        deciding = seconds(lambda: list(certify(path, model, threads=1)))
        [confirmed] = certify(path, model, threads=1)
        twice = seconds(lambda: list(certify(path, model, threads=1, sample=sample)))
        number = min(sample, confirmed.rows)
        return [
            case.name,
            f"{confirmed.rows:,}",
            f"{plain:.2f}",
            f"{whole - plain:.2f}",
            f"{whole / plain:.2f}",
            f"{path.stat().st_size / confirmed.rows:.2f}",
            f"{deciding:.2f}",
            f"{confirmed.rows / deciding / 1e6:.2f}",
            f"{number / max(twice - deciding, 0.01):,.0f}",
        ], whole / plain


def seconds(do: Callable[[], object]) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    do()
    return time.process_time() - begin


if __name__ == "__main__":
    sys.exit(main())
