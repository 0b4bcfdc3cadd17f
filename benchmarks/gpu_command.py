"""From the prompt to the verdict: `everafter check --engine gpu`, the native engine, and SPIN with gcc, on one machine.

    python -m benchmarks.gpu_command [--only NAME …] [--without-spin] [--reduction static]

All that a user waits for: seconds on the clock from calling the command to its end, reading, making code, loading it,
transfer and report included. `first` is the first time that a model is seen, `again` the second, when its code is
kept; states that differ are told as such. The native engine takes as many threads as it wants. SPIN is `spin -a`,
`gcc -O3 -march=native` and pan.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison.cases import LTL, SAFETY, Case
from benchmarks.comparison.checkers import Everafter, build_pan, everafter_command, write_pan
from benchmarks.comparison.measure import Meter

SECONDS = 300
SPIN = "spin -O3"


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds on the clock until the verdict, and how many states were told."""

    seconds: float
    states: int


def main() -> None:
    """Print a row for each question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--without-spin", action="store_true")
    parser.add_argument("--reduction", choices=("none", "static"), default="none")
    options = parser.parse_args()
    print("| model | states | GPU first s | GPU again s | native first s | native again s | SPIN s |")
    print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
    for case in (*SAFETY, *LTL):
        if case.effort != "tiny" and (not options.only or case.name in options.only):
            with tempfile.TemporaryDirectory() as folder:
                print(_row(Path(folder), case, options.reduction, not options.without_spin), flush=True)


def _row(folder: Path, case: Case, reduction: str, with_spin: bool) -> str:
    case.place(folder)
    meter = Meter(folder)
    ours = {engine: _asked(folder, case, engine, reduction, meter) for engine in ("gpu", "native")}
    waited = [each for pair in ours.values() for each in pair]
    states = {each.states for each in waited}
    told = f"{states.pop():,}" if len(states) == 1 else f"DIFFERS {sorted(states)}"
    spin = f"{_spin(folder, case, meter):.1f}" if with_spin else ""
    return f"| {case.name} | {told} | {' | '.join(f'{each.seconds:.1f}' for each in waited)} | {spin} |"


def _asked(folder: Path, case: Case, engine: str, reduction: str, meter: Meter) -> tuple[Waited, Waited]:
    """The first and the second time, with the code of the searches there and that of the model not."""
    question = ("--safety",) if case.claim is None else ("--ltl", case.claim)
    options = (*question, "--engine", engine, "--reduction", reduction, "--format", "json")
    command = Everafter(folder, tuple(everafter_command()), options)
    return _waited(command, meter), _waited(command, meter)


def _waited(command: Everafter, meter: Meter) -> Waited:
    run = command.run(meter, SECONDS)
    if run.verdict == "incomplete":
        print(run.usage.output[-2000:], file=sys.stderr)
    return Waited(run.usage.wall, run.states)


def _spin(folder: Path, case: Case, meter: Meter) -> float:
    if shutil.which("spin") is None:
        raise SystemExit(f"no spin on {os.environ['PATH']}; give --without-spin")
    begin = time.perf_counter()
    write_pan(folder)
    pan = build_pan(folder, case, SPIN)
    pan.run(meter, SECONDS)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
