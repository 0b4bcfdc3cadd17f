"""Random simulation: steps by processor time, ours as a ratio to SPIN's own simulation of the same model.

    python -m benchmarks.simulation [--steps 2000000]

Both show only what the model prints, ours once more with all steps; neither has the same run, since each draws its own
numbers. Times are those of whole commands, less those of a run of one step.
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
MODELS = {"peterson": None, "alternating_bit": None, "philosophers_fixed": None, "60,000 cells": LARGE}


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
    wanted = parser.parse_args().steps
    ours = [sys.executable, "-m", "everafter", "simulate", "--engine", "native"]
    print("| model | everafter, steps/s | SPIN, steps/s | ratio | shown, steps/s |\n|---|--:|--:|--:|--:|")
    for name, text in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "m.pml"
            model.write_text(text or (ROOT / "examples" / f"{name}.pml").read_text())
            steps = wanted if text is None else wanted // 20
            here = per_second([*ours, str(model), "--printed"], "--steps", steps)
            shown = per_second([*ours, str(model)], "--steps", wanted // 20)
            there = per_second(["sh", "-c", 'cd "$0" && spin -B -T "$1$2" m.pml', folder], "-u", steps)
        print(f"| {name} | {here:,.0f} | {there:,.0f} | {here / there:.1f} | {shown:,.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
