"""How many steps a second inside atomic sequences, beside SPIN?

    python -m benchmarks.atomic_sequences [--steps N] [--longest 100000] [--seconds 20]

A process counts up to a length inside `atomic`, from each of some states: straight on (width 1), or with a choice at
each step between two ways that lead to equal states (width 2); after a choice of one of some values, with which it goes
on apart; beside another process; or with an array that makes rows wider.
There are about N steps in all, each counted once. SPIN takes each way through a sequence, so with width 2 these are too
many for it (nan) from a length of 20 on. Processor seconds, the least of three runs: of our search alone, and of SPIN's
whole pan, built by `gcc -O2` without reduction.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison.measure import Meter
from oracles.spin import PLAIN_PAN, PLAIN_SPIN

from everafter.engine.run.native_model import NativeModel
from everafter.user_model import parse

_MEMORY = 2 << 30
_RUNS = 3
_LENGTHS = (3, 10, 30, 100, 200, 800, 3_000, 10_000, 100_000)


@dataclass(frozen=True, slots=True)
class Case:
    """A model with sequences of one length."""

    length: int
    width: int = 1
    apart: int = 1
    """How many values are chosen from."""
    processes: int = 1
    array: int = 0
    """How many more bytes a row has."""

    def text(self, steps: int) -> str:
        """The model, with about so many steps in all."""
        ways = ":: i < LENGTH -> i++ " * self.width
        array = f"byte a[{self.array}];" if self.array else ""
        values = f"if {''.join(f':: v = {value} ' for value in range(self.apart))} fi; " if self.apart > 1 else ""
        return f"""
            #define LENGTH {self.length}
            {array}
            active [{self.processes}] proctype P() {{
                int i, x, v;
                do
                :: atomic {{ {values} do {ways} :: else -> break od; x = 0; i = 0; v = 0 }}
                :: x = (x + 1) % {self.values(steps)}
                od
            }}
        """

    def values(self, steps: int) -> int:
        """How many values each process counts through, so that there are about so many steps in all."""
        states = steps / (2 * self.length * self.processes * self.apart)
        return max(2, round(math.pow(states, 1 / self.processes)))

    def depth(self, steps: int) -> int:
        """More than any run without repetition is long: two processes may go through sequences all along it."""
        values, inside = self.values(steps), 3 * self.length + 12
        return values + inside if self.processes == 1 else int(values**self.processes) * inside

    def steps(self, states: int) -> int:
        """How many steps, each taken once, lead from so many states to the next."""
        return states * self.processes * self.apart * (2 * self.length + 6)


def cases(longest: int) -> Iterator[Case]:
    """Length by length, and each other thing at two lengths."""
    for length in _LENGTHS:
        if length <= longest:
            yield Case(length)
    for length in _LENGTHS:
        if length <= longest:
            yield Case(length, width=2)
    for length in (10, 1_000, 100_000):
        if length <= longest:
            yield Case(length, processes=2)
            yield from (Case(length, apart=apart) for apart in (5, 50))
            yield from (Case(length, array=array) for array in (60, 400, 4_000, 20_000))


def ours(text: str) -> tuple[int, float]:
    """The states, and the processor seconds of the search."""
    model = NativeModel(parse(text).program)
    least = math.inf
    for _ in range(_RUNS):
        figures = model.search("depth-first", _MEMORY, lambda _: None).run().figures
        least = min(least, figures.seconds)
    return figures.states, least


def of_spin(case: Case, steps: int, states: int, meter: Meter, folder: Path, seconds: float) -> float | None:
    """The processor seconds of the search, which must find as many states as ours; None if there are too many."""
    (folder / "model.pml").write_text(case.text(steps))
    subprocess.run(["spin", *PLAIN_SPIN, "-a", "model.pml"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    flags = [*PLAIN_PAN, "-DSAFETY", "-DNOCLAIM", f"-DVECTORSZ={case.array + 8192}"]
    subprocess.run(["gcc", "-O2", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)
    least = None
    for _ in range(_RUNS):
        usage = meter.run(["./pan", f"-m{case.depth(steps)}", "-w20"], folder, seconds)
        if not usage.finished:
            return None
        if "errors: 0" not in usage.output or f" {states} states, stored" not in usage.output:
            raise RuntimeError(f"SPIN's search is not the same as ours:\n{usage.output}")
        least = min(least or math.inf, usage.processor)
    return least


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3_000_000, help="how many steps there are in all")
    parser.add_argument("--longest", type=int, default=_LENGTHS[-1], help="the longest sequence")
    parser.add_argument("--seconds", type=float, default=20, help="how long SPIN may search")
    options = parser.parse_args()
    head = f"{'length':>8} {'width':>5} {'apart':>5} {'processes':>9} {'array':>6} {'states':>9}"
    print(f"{head} {'ours, steps/s':>14} {'SPIN':>12} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as name:
        meter = Meter(Path(name))
        for case in cases(options.longest):
            states, seconds = ours(case.text(options.steps))
            of_pan = of_spin(case, options.steps, states, meter, Path(name), options.seconds)
            steps = case.steps(states)
            rate = steps / max(seconds, 1e-3)
            other = math.nan if of_pan is None else steps / max(of_pan, 1e-3)
            shape = f"{case.length:>8} {case.width:>5} {case.apart:>5} {case.processes:>9} {case.array:>6}"
            print(f"{shape} {states:>9} {rate:>14,.0f} {other:>12,.0f} {rate / other:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
