"""What does a state cost from 100,000 states to a billion, with rows kept as trees?

    python -m benchmarks.billion [--cycles 46 100 215 464 1000] [--memory 20G] [--output FILE.json]

`models/counters.pml` has three counters that know nothing of each other, so a cycle of n makes exactly n ** 3 states,
each with three steps; 1000 is a billion, and needs about 16 GiB. Each size is searched once, by one worker, without
reduction; beside it stands what one random read of as much memory costs. Exit status 1 if a search does not hold, or
counts other states than the formula.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.comparison.cases import Case
from benchmarks.comparison.checkers import Everafter, everafter_command
from benchmarks.comparison.measure import Meter
from benchmarks.comparison.memory import random_read
from benchmarks.comparison.tables import bar, table

MODEL = Path(__file__).parent / "models" / "counters.pml"
CYCLES = (46, 100, 215, 464, 1000)


@dataclass(frozen=True, slots=True)
class Point:
    """What one size took."""

    cycle: int
    verdict: str
    states: int
    seconds: float
    """Processor time of the search."""
    wall: float
    bytes_a_state: float
    """As the memory limit counts it."""
    peak: int
    """The most memory of the process, in bytes."""
    read: float
    """Nanoseconds for a random read of as much memory."""

    @property
    def is_right(self) -> bool:
        """Whether everything was searched, and nothing twice."""
        return self.verdict == "holds" and self.states == self.cycle**3

    @property
    def cost(self) -> float:
        """Nanoseconds for each state."""
        return 1e9 * self.seconds / max(1, self.states)


def measure(cycle: int, memory: str, meter: Meter, seconds: float) -> Point:
    """Search the model of this size."""
    case = Case(f"counters-{cycle}", MODEL, cycle**3, 0, {"CYCLE": cycle})
    options = ("--safety", "--algorithm", "unordered", "--engine", "native", "--reduction", "none", "--threads", "1")
    with tempfile.TemporaryDirectory(prefix="billion-") as name:
        case.place(Path(name))
        checker = Everafter(
            Path(name),
            tuple(everafter_command()),
            (*options, "--store", "tree", "--memory", memory, "--format", "json"),
        )
        run = checker.run(meter, seconds)
    size = run.own_bytes or 0.0
    read = random_read(int(size * run.states))
    return Point(cycle, run.verdict, run.states, run.search, run.usage.wall, size, run.usage.peak, read)


def report(points: Sequence[Point]) -> str:
    """The figures as a table."""
    header = ["states", "verdict", "processor s", "wall s", "ns/state", "bytes/state", "peak GiB", "read ns"]
    content = [
        [
            f"{point.states:,}",
            point.verdict if point.is_right else f"WRONG ({point.verdict}, expected {point.cycle**3:,})",
            f"{point.seconds:.1f}",
            f"{point.wall:.1f}",
            f"{point.cost:.0f}",
            f"{point.bytes_a_state:.1f}",
            f"{point.peak / (1 << 30):.2f}",
            f"{point.read:.1f}",
        ]
        for point in points
    ]
    return table(header, content)


def drawn(points: Sequence[Point]) -> str:
    """Both costs as bars."""
    longest = max(point.cost for point in points)
    lines = ["nanoseconds for each state, and for one random read of as much memory"]
    for point in points:
        lines.append(f"{point.states:>13,}  state {bar(point.cost, longest)} {point.cost:.0f}")
        lines.append(f"{'':>13}  read  {bar(point.read, longest)} {point.read:.1f}")
    return "```\n" + "\n".join(lines) + "\n```\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a point is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, nargs="+", default=CYCLES, metavar="N", help="N ** 3 states each")
    parser.add_argument("--memory", default="20G", help="the limit of each search")
    parser.add_argument("--time", type=float, default=14_400, metavar="SECONDS", help="kill a search that takes longer")
    parser.add_argument("--output", type=Path, metavar="FILE.json", help="write every figure here")
    options = parser.parse_args(arguments)
    points = []
    with tempfile.TemporaryDirectory(prefix="measure-") as name:
        meter = Meter(Path(name))
        for cycle in options.cycles:
            points.append(measure(cycle, options.memory, meter, options.time))
            print(f"{points[-1].states:,}: {points[-1].cost:.0f} ns", file=sys.stderr, flush=True)
    print(f"{report(points)}\n{drawn(points)}")
    if options.output is not None:
        options.output.write_text(json.dumps([asdict(point) for point in points], indent=1))
    return 0 if all(point.is_right for point in points) else 1


if __name__ == "__main__":
    sys.exit(main())
