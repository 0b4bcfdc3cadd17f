"""What does it cost, for each state, to ask which steps suffice?

    python -m benchmarks.reduction_time [--engine native|reference] [--states N] [--only SUBSTRING] [--runs 3]

For every model of SPIN's package, of the examples and of the benchmarks, at the sizes that benchmarks/comparison uses,
with more than 100,000 states left with reduction: the processor time for a state with and without reduction, the
medians of some runs taken in turn, and their ratio. A search goes on past errors and ends after so many states. Exit
status 1 if a ratio is above 1.3.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from benchmarks.comparison.cases import LTL, ROOT, SAFETY
from benchmarks.comparison.measure import warm_memory
from oracles.truth import rows

from everafter.engine.run.native_model import NativeModel
from everafter.product.safety import SafetyGraph
from everafter.program.program import Program
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import Unreduced, for_safety
from everafter.search import Meter, Stopped, reachable_states
from everafter.user_model import load

LEAST_STATES = 100_000
MOST = 1.3
_MEMORY = 3 << 30


def models() -> Iterator[tuple[str, Path, dict[str, str]]]:
    """The models with their settings, each under a name."""
    known = {row.path: row for row in rows()}
    for path, row in known.items():
        if row.states is None or row.states > LEAST_STATES:
            yield path.removeprefix("Examples/"), row.model, {}
    seen: set[tuple[Path, tuple[tuple[str, int], ...]]] = set()
    for case in (*SAFETY, *LTL):
        key = (case.path, tuple(case.settings.items()))
        if key not in seen and case.states > LEAST_STATES and (case.settings or case.path.is_relative_to(ROOT)):
            seen.add(key)
            yield case.name.split(":")[0], case.path, {name: str(value) for name, value in case.settings.items()}


def native_time(program: Program, reduction: Reduction | None, most: int) -> tuple[int, float]:
    """The states of a search on machine code, and its seconds."""
    model = NativeModel(program, reduction=reduction)
    model.go_past_errors()
    warm_memory(most)
    figures = model.search("depth-first", _MEMORY, lambda _: None).run(lambda now: now.states > most, 0.02).figures
    return figures.states, figures.seconds


def reference_time(program: Program, reduction: Reduction | None, most: int) -> tuple[int, float]:
    """The states of a search by interpretation, and its seconds."""
    graph = SafetyGraph(program, stops_at_violations=False, reduction=reduction)
    started = time.process_time()
    with suppress(Stopped):
        reachable_states(graph, meter=Meter(lambda _: graph.states > most, every=256))
    return graph.states, time.process_time() - started


def main() -> int:
    """Print the table; 1 if a ratio is too high."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("native", "reference"), default="native", help="what is measured")
    parser.add_argument("--states", type=int, help="end a search after so many states")
    parser.add_argument("--only", default="", help="only models whose name contains this")
    parser.add_argument("--runs", type=int, default=3, help="how many runs a median is taken of")
    options = parser.parse_args()
    measure = native_time if options.engine == "native" else reference_time
    most = options.states or (3_000_000 if options.engine == "native" else 20_000)
    worst = 0.0
    print(f"{'model':<34} {'states':>9} {'reduced':>9} {'us/state':>9} {'reduced':>9} {'ratio':>6}")
    for name, path, settings in models():
        if options.only not in name:
            continue
        program = load(path, settings).program
        reduction = for_safety(program)
        if isinstance(reduction, Unreduced) or native_time(program, reduction, LEAST_STATES)[0] <= LEAST_STATES:
            continue
        runs = [(measure(program, None, most), measure(program, reduction, most)) for _ in range(options.runs)]
        without, with_it = (statistics.median(run[which][1] / run[which][0] for run in runs) for which in (0, 1))
        worst = max(worst, with_it / without)
        print(
            f"{name:<34} {runs[0][0][0]:>9} {runs[0][1][0]:>9} {1e6 * without:9.2f} {1e6 * with_it:9.2f}"
            f" {with_it / without:6.2f}",
            flush=True,
        )
    print(f"{options.engine}: the worst ratio is {worst:.2f}")
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
