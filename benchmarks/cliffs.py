"""Where does the time grow faster than SPIN's? One thing is made larger at a time, and both are measured.

    python -m benchmarks.cliffs [--only NAME]... [--most 20] [--largest SIZE] [--plots FOLDER] [--save FILE]
    python -m benchmarks.cliffs --source FOLDER --save benchmarks/cliffs_before.json

For each size: the processor and clock seconds of `everafter check`, as a user runs it the first time on a model; those
of `spin -a`, `gcc -O2` and pan together; and those of pan alone. Both check all that the model states, each with its
own reduction. What looks like a cliff is measured again, ours twice in a row, and the least counts: free huge pages
of a virtual machine may have been taken back by its host, and then cost ten times as much to touch. A point that takes
longer than `--most` seconds is given up, and so are the larger ones of its curve.
The growth is the exponent between the last two points of a curve, without what the smallest one takes. `--plots` draws
every curve beside SPIN's and that of an earlier version, which is kept in cliffs_before.json. It was measured with
`--source`, the sources of that version: then SPIN is left out.
Exit status 1 if a point is slower than SPIN by more than half a second, or we give up where SPIN does not.
"""

from __future__ import annotations

import argparse
import math
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.comparison.checkers import everafter_command
from benchmarks.comparison.measure import Meter, Usage
from benchmarks.comparison.tables import table
from benchmarks.curves import BEFORE, NOW, SPIN, Curve, Measured, picture, read, sheet, written
from benchmarks.scaled import SCALES, Scale

START_UP = 0.5
"""The seconds by which we may be slower."""
NOISE = 0.05
"""Seconds that say nothing about growth."""
_PATIENCE = 6
"""How many seconds on the clock a second of the processor may take: others may be at work, too."""
_KEPT = Path(__file__).with_name("cliffs_before.json")
_MAIN = "from everafter.cli import main; raise SystemExit(main())"
_WIDTH = 60
_LARGE = "int x; active proctype P() { do :: x < 400000 -> x++ :: else -> break od } ltl p { [] (x >= 0) }"
"""Large enough that every search is tried that is tried by default."""


@dataclass(frozen=True, slots=True)
class Point:
    """What one size took; None where it was given up."""

    size: int
    ours: Usage | None
    spin: Usage | None
    pan: Usage | None

    @property
    def is_cliff(self) -> bool:
        """Whether we are slower than SPIN by more than start-up, or give up or refuse alone."""
        if self.spin is None or self.spin.status != 0:
            return False
        if self.ours is None or self.ours.status != 0:
            return True
        return self.ours.processor > self.spin.processor + START_UP


class Bench:
    """Measures both checkers in a folder of its own, with a cache that knows the engine but no model."""

    def __init__(self, folder: Path, most: float, source: Path | None = None) -> None:
        self.folder = folder
        self.most = most
        self.asks_spin = source is None
        self.meter = Meter(folder)
        self.environment = {"EVERAFTER_CACHE": str(folder / "cache")}
        self.command = everafter_command()
        if source is not None:
            self.environment["PYTHONPATH"] = str(source.resolve())
            self.command = [sys.executable, "-c", _MAIN, "check"]
        (folder / "model.pml").write_text(_LARGE)
        self._run([*self.command, "model.pml"], self.environment, 600)
        shutil.copytree(folder / "cache", folder / "engine")

    def points(self, scale: Scale, largest: int) -> Iterator[Point]:
        """The points of a curve, until both have given up."""
        ours: Usage | None = _NOT_YET
        spin: Usage | None = _NOT_YET if self.asks_spin else None
        for size in scale.sizes:
            if size > largest or (ours is None and spin is None):
                return
            (self.folder / "model.pml").write_text(scale.model(size))
            ours = self._ours() if ours is not None else None
            spin, pan = self._spin(scale, size) if spin is not None else (None, None)
            if Point(size, ours, spin, pan).is_cliff and ours is not None and spin is not None:
                spin = _lesser(spin, self._spin(scale, size)[0])
                ours = _lesser(_lesser(ours, self._ours_anew()), self._ours_anew())
            yield Point(size, ours, spin, pan)

    def _ours_anew(self) -> Usage | None:
        """Ours once more, without what the cache has learnt of the model."""
        shutil.rmtree(self.folder / "cache")
        shutil.copytree(self.folder / "engine", self.folder / "cache")
        return self._ours()

    def _ours(self) -> Usage | None:
        return self._run([*self.command, "model.pml"], self.environment, self.most)

    def _spin(self, scale: Scale, size: int) -> tuple[Usage | None, Usage | None]:
        """All of SPIN's commands, and pan again by itself."""
        claims = [f"p{number}" for number in range(scale.claims(size))]
        flags = f"-DVECTORSZ={scale.vector} -DMEMLIM=4096" + ("" if claims else " -DSAFETY")
        asked = [f"-a -N {claim}" for claim in claims] or [""]
        pan = " && ".join(f"./pan -m{scale.depth} {options}" for options in asked)
        # Merging of statements, which is on by default, has limits of its own.
        built = f"(spin -a model.pml || spin -o3 -a model.pml) && gcc -O2 -w {flags} -o pan pan.c"
        whole = self._run(["sh", "-c", f"{built} && {pan}"], {}, self.most)
        return (whole, self._run(["sh", "-c", pan], {}, self.most)) if whole is not None else (None, None)

    def _run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Usage | None:
        limited = ["sh", "-c", f'ulimit -t {math.ceil(seconds) + 1}; exec "$@"', "sh", *command]
        usage = self.meter.run(limited, self.folder, _PATIENCE * seconds, environment)
        if usage.finished and usage.status != 0 and usage.processor <= seconds:
            print(f"  {shlex.join(command)[:60]} …: status {usage.status}\n{usage.output[-300:]}", file=sys.stderr)
        return usage if usage.finished and usage.processor <= seconds else None


def _lesser(first: Usage, second: Usage | None) -> Usage:
    return first if second is None or first.processor <= second.processor else second


_NOT_YET = Usage(0, 0, 0, 0, "")


def growth(times: Sequence[tuple[int, float]]) -> str:
    """The exponent between the last two points, without the time of the first."""
    if len(times) < 3:
        return "?"
    (one, shorter), (other, longer) = ((size, seconds - times[0][1]) for size, seconds in times[-2:])
    if longer < NOISE:
        return "flat"
    return f"{math.log(longer / max(shorter, NOISE / 2)) / math.log(other / one):.1f}"


def growths(points: Sequence[Point]) -> str:
    """The exponents of both curves."""
    measured = {
        name: growth([(size, usage.processor) for size, usage in curve if usage is not None and usage.status == 0])
        for name, curve in {
            "ours": [(point.size, point.ours) for point in points],
            "SPIN": [(point.size, point.spin) for point in points],
            "pan alone": [(point.size, point.pan) for point in points],
        }.items()
    }
    return "growth: " + ", ".join(f"{name} {exponent}" for name, exponent in measured.items())


def row(point: Point, most: float) -> list[str]:
    """One line of a table."""
    measured = (point.ours, point.spin, point.pan)
    cells = [_shown(usage, usage.processor if usage else most, most) for usage in measured]
    walls = [_shown(usage, usage.wall if usage else most, most) for usage in (point.ours, point.spin)]
    return [f"{point.size:,}", *cells, *walls, "CLIFF" if point.is_cliff else ""]


def _shown(usage: Usage | None, seconds: float, most: float) -> str:
    if usage is None:
        return f">{most:g}"
    return f"status {usage.status}" if usage.status else f"{seconds:.2f}"


def plot(points: Sequence[Point], most: float) -> str:
    """Seconds to the right, in powers of ten; o is everafter, s is SPIN, p is pan alone, * where two meet."""
    low, high = math.log10(0.01), math.log10(max(most, 0.02))
    lines = []
    for point in points:
        line = [" "] * (_WIDTH + 1)
        for mark, usage in (("p", point.pan), ("s", point.spin), ("o", point.ours)):
            seconds = min(max(usage.processor if usage else most, 0.01), most)
            column = round(_WIDTH * (math.log10(seconds) - low) / (high - low))
            line[column] = mark if line[column] == " " else "*"
        lines.append(f"{point.size:>12,} |{''.join(line)}|")
    return "\n".join([*lines, f"{'':>12}  0.01 s{f'{most:g} s':>{_WIDTH - 5}}"])


def curve(points: Sequence[Point], whose: Literal["ours", "spin"]) -> Curve:
    """The seconds of one checker."""
    usages = ((point.size, getattr(point, whose)) for point in points)
    return [Measured(size, round(usage.processor, 2) if usage and not usage.status else None) for size, usage in usages]


def drawn(name: str, points: Sequence[Point]) -> str:
    """The picture of a curve, beside SPIN's and the one of the earlier version."""
    before = read(_KEPT).get(name, ())
    return picture(name, {BEFORE: before, SPIN: curve(points, "spin"), NOW: curve(points, "ours")})


def main() -> int:
    """Measure, and print a table, the exponents and a plot for every curve; 1 if there is a cliff."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", help="only curves whose name contains this; may be repeated")
    parser.add_argument("--most", type=float, default=20.0, help="seconds for each point")
    parser.add_argument("--largest", type=int, default=sys.maxsize, help="no size above this")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw the curves there, as SVG")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write our seconds as JSON")
    parser.add_argument("--source", type=Path, metavar="FOLDER", help="measure these sources, without SPIN")
    options = parser.parse_args()
    header = ["size", "ours s", "SPIN s", "pan s", "ours wall", "SPIN wall", ""]
    cliffs = 0
    saved: dict[str, Curve] = {}
    pictures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="cliffs-") as name:
        bench = Bench(Path(name), options.most, options.source)
        for scale in SCALES:
            if not any(part in scale.name for part in options.only or [""]):
                continue
            points = list(bench.points(scale, options.largest))
            cliffs += any(point.is_cliff for point in points)
            print(f"\n## {scale.name}\n\n{table(header, [row(point, options.most) for point in points])}")
            print(f"{growths(points)}\n\n{plot(points, options.most)}", flush=True)
            saved[scale.name] = curve(points, "ours")
            if options.save is not None:
                options.save.write_text(written(saved), encoding="utf-8")
            pictures.append(drawn(scale.name, points))
            if options.plots is not None:
                options.plots.mkdir(parents=True, exist_ok=True)
                (options.plots / "curves.svg").write_text(sheet(pictures), encoding="utf-8")
    print(f"\n{cliffs} curves with a cliff")
    return 1 if cliffs else 0


if __name__ == "__main__":
    sys.exit(main())
