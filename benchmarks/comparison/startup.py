"""How long a user waits for the verdict on a tiny model, from the prompt on."""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison.cases import Case
from benchmarks.comparison.checkers import everafter_command
from benchmarks.comparison.measure import Meter
from benchmarks.comparison.tables import table

_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Startup:
    """Seconds on the clock for one question about one model; all but `first` are medians."""

    question: str
    spin: float
    first: float
    """everafter with an empty cache."""
    later: float


def startup(case: Case, meter: Meter, runs: int) -> Startup:
    """Measure SPIN's three commands and everafter's one, in turn."""
    question = "--safety" if case.claim is None else f"--ltl {case.claim}"
    flags, options = ("-DSAFETY -DNOCLAIM", "") if case.claim is None else ("", f"-a -N {case.claim}")
    theirs = f"spin -a model.pml && gcc -O2 -w {flags} -o pan pan.c && ./pan {options}"
    ours = [*everafter_command(), "model.pml", *question.split()]
    spin, later = [], []
    with tempfile.TemporaryDirectory(prefix="startup-") as name:
        folder = Path(name)
        case.place(folder)
        cache = {"EVERAFTER_CACHE": str(folder / "cache")}
        first = _wall(meter, ours, folder, cache)
        for _ in range(runs):
            spin.append(_wall(meter, ["sh", "-c", theirs], folder, {}))
            later.append(_wall(meter, ours, folder, cache))
    return Startup(f"{case.name} {question}", statistics.median(spin), first, statistics.median(later))


def startup_table(rows: list[Startup]) -> str:
    """SPIN's compiler against everafter's, in seconds on the clock."""
    header = ["question", "spin -a, gcc -O2, pan", "everafter, first use", "everafter, later", "ratio later"]
    return table(
        header,
        [
            [row.question, f"{row.spin:.2f}", f"{row.first:.2f}", f"{row.later:.2f}", f"{row.spin / row.later:.2f}"]
            for row in rows
        ],
    )


def _wall(meter: Meter, command: list[str], folder: Path, environment: dict[str, str]) -> float:
    usage = meter.run(command, folder, _SECONDS, environment)
    if usage.status != 0 or not usage.finished:
        raise RuntimeError(f"{' '.join(command)}:\n{usage.output}")
    return usage.wall
