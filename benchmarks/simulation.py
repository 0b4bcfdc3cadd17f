"""Random simulation: steps by processor time, ours as a ratio to SPIN's own simulation of the same model.

    python -m benchmarks.simulation [--steps 2000000] [--only SUBSTRING]

Both show only what the model prints, and once more each of a quarter of the steps; neither has the same run, since each
draws its own numbers. Times are those of whole commands, less those of a run of one step.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
LARGE = """
#define N 12000
int depth[N], color[N], x[N], y[N], z[N];
active proctype P() { int i; do :: i = 0; do :: i < N -> depth[i] = 32767 - depth[i]; i++ :: else -> break od od }
"""
COUNTER = "int x; active [2] proctype P() { do :: x++ :: x > 0 -> x = x - 2 od }"
TALKING = """
byte n;
active [3] proctype P() {
  byte i;
  do :: i++; n = n + i; if :: i % 4 == 0 -> printf("%d has %d of %d\\n", _pid, i, n) :: else fi od
}
"""
QUEUES = """
chan a = [4] of { byte, short }; chan b = [4] of { byte, short }; chan meet = [0] of { byte };
active proctype P() { byte i; do :: a!i, 300 + i :: b?i, _ :: meet!i :: i++ od }
active proctype Q() { byte k; short v; do :: a?k, v; b!k, -v :: meet?k od }
"""
STARTING = """
byte n; proctype Child(byte k) { byte i; do :: i < k -> i++ :: else -> break od; n++ }
active proctype Parent() { do :: _nr_pr == 1 -> run Child(9) od }
"""
MODELS = {
    **dict.fromkeys(("peterson", "alternating_bit", "philosophers_fixed")),
    "counter": COUNTER,
    "one step in ten prints": TALKING,
    "channels": QUEUES,
    "processes start and end": STARTING,
    "60,000 cells": LARGE,
}


def seconds(command: Sequence[str]) -> float:
    """The processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def per_second(command: Sequence[str], option: str, steps: int) -> float:
    """Steps by second of processor time; `option` tells the command how many to take."""
    seconds([*command, option, str(steps)])  # code is made once
    return steps / max(seconds([*command, option, str(steps)]) - seconds([*command, option, "1"]), 0.001)


def main() -> int:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=2_000_000)
    parser.add_argument("--only", default="", help="only models whose name contains this")
    options = parser.parse_args()
    ours = [sys.executable, "-m", "everafter", "simulate", "--engine", "native"]
    print("| model | printed: everafter, steps/s | SPIN | ratio | shown: everafter, steps/s | SPIN | ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, text in MODELS.items():
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "m.pml"
            model.write_text(text or (ROOT / "examples" / f"{name}.pml").read_text())
            steps = options.steps if text is not LARGE else options.steps // 20
            figures = []
            for how, theirs, count in (["--printed"], "-B -T", steps), ([], "-p", steps // 4):
                here = per_second([*ours, str(model), *how], "--steps", count)
                there = per_second(["sh", "-c", f'cd "$0" && spin {theirs} "$1$2" m.pml', folder], "-u", count)
                figures.append(f"{here:,.0f} | {there:,.0f} | {here / there:.1f}")
        print(f"| {name} | {' | '.join(figures)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
