"""How long until the first answer, from the prompt on, beside SPIN with its C compiler?

    python -m benchmarks.first_answer [--only SUBSTRING] [--runs 5] [--wheel FILE]

For each kind of command: the processor seconds of the whole command beside those of `spin -a`, `gcc -O2` and pan on
the same model, in turn; medians, and their ratio beside its goal. Exit status 1 if a ratio is above its goal. With
`--wheel`, everafter is installed from that file into a new virtual environment, which must be without Numba.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from benchmarks.comparison.checkers import everafter_command
from benchmarks.comparison.measure import Meter, Usage
from benchmarks.comparison.tables import table

_SMALL = """
bool wants[2]; byte turn; byte inside;
active [2] proctype P() {
  do
  :: wants[_pid] = true; turn = 1 - _pid; (!wants[1 - _pid] || turn == _pid);
     inside++; assert(inside * LIMIT <= LIMIT); inside--; wants[_pid] = false
  od
}
"""
"""Its text depends on LIMIT, so that it can be new each time."""
_FORMULAS = """
ltl alone { [] (inside <= 1) }
ltl answered { [] (inside == 1 -> <> (inside == 0)) }
ltl left { [] (wants[0] -> <> (!wants[0])) }
"""
_LARGE = """
byte x[3];
active [3] proctype P() {
  do
  :: atomic { x[_pid] < 69 -> x[_pid]++ }
  :: atomic { x[_pid] == 69 -> x[_pid] = LIMIT - LIMIT }
  od
}
"""
_PAN = {
    "safety": "./pan -m200000",
    "formulas": "for f in alone answered left; do ./pan -a -N $f; done",
    "fair": "./pan -a -f -N left",
}
_SECONDS = 300
Cache = Literal["warm", "new", "empty"]
"""What is in our cache: this model, all but this model, or nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of command: `ours` with its arguments, and what pan is run for on the same model."""

    name: str
    goal: float
    """The most that our processor time may be of SPIN's."""
    ours: Sequence[str]
    cache: Cache = "warm"
    model: str = _SMALL
    pan: str = "safety"


_CHECK = ("check", "model.pml")
_FAIR = (*_CHECK, "--ltl", "left", "--fair", "weak")
ROWS = (
    Row("--version", 0.08, ("--version",)),
    Row("--help", 0.08, ("--help",)),
    Row("check --help", 0.08, ("check", "--help")),
    Row("a mistyped option", 0.08, (*_CHECK, "--saftey")),
    Row("a known small model", 0.2, _CHECK),
    Row("a new small model", 0.4, _CHECK, "new"),
    Row("a new one, three formulas", 0.6, _CHECK, "new", _SMALL + _FORMULAS, "formulas"),
    Row("a new one, fairness", 0.6, _FAIR, "new", _SMALL + _FORMULAS, "fair"),
    Row("343,000 states", 0.35, (*_CHECK, "--threads", "1"), "warm", _LARGE),
    Row("empty cache", 1.0, _CHECK, "empty"),
    Row("empty cache, --fair weak", 1.0, _FAIR, "empty", _SMALL + _FORMULAS, "fair"),
    Row("empty cache, --threads 2", 1.0, (*_CHECK, "--threads", "2"), "empty"),
    Row("empty cache, --store tree", 1.0, (*_CHECK, "--store", "tree"), "empty"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """The medians of the processor seconds of both."""

    row: Row
    ours: float
    spin: float

    @property
    def ratio(self) -> float:
        """Our time by SPIN's."""
        return self.ours / self.spin


class Bench:
    """Measures commands in a `folder` of its own."""

    def __init__(self, folder: Path, meter: Meter, words: Sequence[str] = ()) -> None:
        """`words` is the command to measure, this installation's by default."""
        self._folder, self._meter = folder, meter
        self._words = words or everafter_command()[:-1]
        self._engine, self._cache = folder / "engine", folder / "cache"
        self._number = 1

    def measure(self, row: Row, runs: int) -> Measured:
        """Return the medians of `runs` runs of either, in turn."""
        if row.cache != "empty":  # what a check of another model, or of this, leaves
            self._place(row)
            self._ours(row, self._engine)
        ours, spin = [], []
        for _ in range(runs):
            if row.cache != "warm":
                self._place(row)
            shutil.rmtree(self._cache, ignore_errors=True)
            if row.cache != "empty":
                shutil.copytree(self._engine, self._cache, dirs_exist_ok=True)
            ours.append(self._ours(row, self._cache).processor)
            spin.append(self._spin(row).processor)
        return Measured(row, median(ours), median(spin))

    def _place(self, row: Row) -> None:
        """Write the model, another each time."""
        self._number += 1
        (self._folder / "model.pml").write_text(f"#define LIMIT {self._number}\n{row.model}")

    def _ours(self, row: Row, cache: Path) -> Usage:
        cache.mkdir(exist_ok=True)
        environment = {"EVERAFTER_CACHE": str(cache), "HOME": str(self._folder)}
        usage = self._meter.run([*self._words, *row.ours], self._folder, _SECONDS, environment)
        return _ended(usage, row.name, (0, 2) if row.name == "a mistyped option" else (0, 1))

    def _spin(self, row: Row) -> Usage:
        whole = f"spin -a model.pml && gcc -O2 -w -o pan pan.c && {_PAN[row.pan]}"
        return _ended(self._meter.run(["sh", "-c", whole], self._folder, _SECONDS), row.name, (0,))


def _ended(usage: Usage, name: str, statuses: Sequence[int]) -> Usage:
    if not usage.finished or usage.status not in statuses:
        raise RuntimeError(f"{name}:\n{usage.output}")
    return usage


def installed(wheel: Path, folder: Path) -> list[str]:
    """Install `wheel` into a new virtual environment in `folder`; return its command. Raises if Numba comes with it."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    refuse = "import importlib.util, sys; sys.exit(any(map(importlib.util.find_spec, ('numba', 'numpy'))))"
    subprocess.run([str(python), "-c", refuse], check=True)
    return [str(folder / "bin" / "everafter")]


def told(measured: Sequence[Measured]) -> str:
    """The table of what was measured."""
    lines = [
        [each.row.name, f"{each.ours:.2f}", f"{each.spin:.2f}", f"{each.ratio:.2f}", f"{each.row.goal:.2f}"]
        for each in measured
    ]
    return table(["command", "everafter, s", "spin -a, gcc -O2, pan, s", "ratio", "goal"], lines)


def main() -> int:
    """Measure, and print the table; 1 if a ratio is above its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only rows whose name contains this")
    parser.add_argument("--runs", type=int, default=5, help="how often each is measured")
    parser.add_argument("--wheel", type=Path, help="measure what this file installs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="first-answer-") as name:
        folder = Path(name)
        bench = Bench(folder, Meter(folder), installed(options.wheel, folder / "venv") if options.wheel else ())
        measured = [bench.measure(row, options.runs) for row in ROWS if options.only in row.name]
    print(told(measured))
    return 1 if any(each.ratio > each.row.goal for each in measured) else 0


if __name__ == "__main__":
    sys.exit(main())
