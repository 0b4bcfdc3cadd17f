"""Is any model of the kinds that users write checked later than SPIN checks it?

    python -m benchmarks.users [--only SUBSTRING] [--most 60] [--runs 1] [--every 1] [--models FOLDER]

For every variant of the models in oracles/models: the processor seconds of `everafter check`, as a user runs it the
first time on a model, beside those of `spin -a`, `gcc -O2` and pan together. Both check safety and every formula, each
with its own reduction; of several runs the shortest counts. Slower variants are told at the end. Exit status 1 if one
is slower than SPIN by more than half a second, or we give up where SPIN does not.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison.checkers import everafter_command
from benchmarks.comparison.measure import Meter, Usage
from oracles.users import MODELS, Variant, variants

START_UP = 0.5
"""The seconds by which we may be slower."""
_PATIENCE = 6
"""How many seconds on the clock a second of the processor may take: others may be at work, too."""
_PAN = "-w -DVECTORSZ=8192 -DMEMLIM=4096"
_DEEP = 10_000_000
_LARGE = "int x; active proctype P() { do :: x < 400000 -> x++ :: else -> break od } ltl p { [] (x >= 0) }"
"""Large enough that every search is tried that is tried by default."""
_UNFAIR = "byte x; active [2] proctype P() { do :: x = 1 :: x = 2 od } ltl p { <> [] (x == 1) } ltl q { [] (x < 2) }"
"""Violated, so that all is searched that explains a violation."""
_STOPPING = "chan c = [0] of { byte }; byte x; active proctype P() { end: c?x } active proctype Q() { x = 1; x = 2 }"
"""Stops in a valid end state, so that it is searched for a run that leads there."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The processor seconds of both; None where one has given up."""

    variant: Variant
    ours: float | None
    spin: float | None

    @property
    def is_late(self) -> bool:
        """Whether SPIN was sooner, by more than it takes to start."""
        return self.spin is not None and (self.ours is None or self.ours > self.spin + START_UP)


class Bench:
    """Measures both checkers in a folder of its own; our cache knows the engine but no model."""

    def __init__(self, folder: Path, most: float, runs: int) -> None:
        self.folder, self.most, self.runs = folder, most, runs
        self.meter = Meter(folder)
        self.cache = folder / "cache"
        self.engine = folder / "engine"
        for model in (_LARGE, _UNFAIR, _STOPPING):
            (folder / "model.pml").write_text(model)
            self._run([*everafter_command(), "model.pml"], {"EVERAFTER_CACHE": str(self.engine)}, 600)

    def measure(self, variant: Variant) -> Measured:
        """Let both check everything."""
        shutil.copy(variant.path, self.folder / "model.pml")
        return Measured(variant, self._least(lambda: self._ours(variant)), self._least(lambda: self._spin(variant)))

    def _least(self, measure: Callable[[], Usage | None]) -> float | None:
        usages = [usage for usage in (measure() for _ in range(self.runs)) if usage is not None]
        return min((usage.processor for usage in usages), default=None)

    def _ours(self, variant: Variant) -> Usage | None:
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.engine, self.cache)
        macros = [f"-D{define}" for define in variant.defines]
        usage = self._run([*everafter_command(), *macros, "model.pml"], {"EVERAFTER_CACHE": str(self.cache)}, self.most)
        return usage if usage is not None and usage.status in (0, 1) else None

    def _spin(self, variant: Variant) -> Usage | None:
        """All of SPIN's commands. A search that was too deep for the usual stack is repeated with a larger one."""
        macros = " ".join(f"-D{define}" for define in variant.defines)
        model = variant.load()
        claims = [f"-a -N {name}" for name in model.formulas]
        asked = ["-noclaim" if claims else "", *claims]
        if any(process.role == "never" for process in model.program.processes):
            asked = ["-a"]
        runs = "; ".join(f"ask {options}" for options in asked)
        ask = (
            "ask() { ./pan $* >said || return; "
            f'if grep -q "max search depth too small" said; then ./pan -m{_DEEP} $* >said; fi; '
            'grep -q "states, stored" said && ! grep -q "too small\\|MEMLIM bound" said || exit 1; }'
        )
        built = f"spin {macros} -a model.pml && gcc -O2 {_PAN} {'' if claims else '-DSAFETY'} -o pan pan.c || exit 1"
        usage = self._run(["sh", "-c", f"{ask}\n{built}\n{runs}"], {}, self.most)
        return usage if usage is not None and usage.status == 0 else None

    def _run(self, command: Sequence[str], environment: dict[str, str], seconds: float) -> Usage | None:
        limited = ["sh", "-c", f'ulimit -t {math.ceil(seconds) + 1}; exec "$@"', "sh", *command]
        usage = self.meter.run(limited, self.folder, _PATIENCE * seconds, environment)
        return usage if usage.finished and usage.processor <= seconds else None


def row(measured: Measured) -> str:
    """One line of the table."""
    ours, spin = ("given up" if seconds is None else f"{seconds:.2f} s" for seconds in (measured.ours, measured.spin))
    return f"{measured.variant.name:<50} ours {ours:>9} SPIN {spin:>9}{'  LATE' if measured.is_late else ''}"


def main() -> int:
    """Measure all, and tell which are late; 1 if one is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only variants whose name contains this")
    parser.add_argument("--most", type=float, default=60, help="seconds for each checker and variant")
    parser.add_argument("--runs", type=int, default=1, help="how often each is measured; the shortest counts")
    parser.add_argument("--every", type=int, default=1, help="measure one in so many variants")
    parser.add_argument("--models", type=Path, default=MODELS, help="a folder of models")
    options = parser.parse_args()
    results: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="users-") as name:
        bench = Bench(Path(name), options.most, options.runs)
        chosen = [variant for variant in variants(options.models) if options.only in variant.name]
        for variant in chosen[:: options.every]:
            results.append(bench.measure(variant))
            print(row(results[-1]), flush=True)
    late = [each for each in results if each.is_late]
    both = [(each.ours, each.spin) for each in results if each.ours is not None and each.spin is not None]
    ours, spin = sum(pair[0] for pair in both), sum(pair[1] for pair in both)
    print(
        f"{len(results)} variants; {len(both)} finished by both, ours {ours:.0f} s, SPIN {spin:.0f} s; {len(late)} late"
    )
    print("\n".join(map(row, late)))
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
