"""What a search on a cluster costs: processor time for a state and bytes sent, beside the native engine, and a model.

    python -m benchmarks.cluster [--repeat 5]               workers that take turns in this process
    python -m benchmarks.cluster --machines 10 100 1000     what the model says of so many machines

Times are processor time, the least of some runs: `native` is breadth-first search by one thread, `search` the kernels
of all workers together, `all` what the process took, with the parcels that Python makes. The model is made
from one and two workers (everafter.checking.estimate); `foreseen` is what it says of more, beside `search`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from oracles.corpus import EXAMPLES_FOLDER

from everafter.check import load
from everafter.checking.estimate import Costs, Machines, costs_of
from everafter.engine.cluster.company import InProcess
from everafter.engine.cluster.search import CompanyOutcome, CompanySearch
from everafter.engine.cluster.worker import Order
from everafter.engine.emit.module import code_of
from everafter.engine.run.model import NativeModel
from everafter.program.program import Program

MODELS: Final = (("peterson_n", {"N": 4}), ("leader_election", {"N": 7}), ("two_phase_commit", {"N": 4}))
WORKERS: Final = (1, 2, 3, 5)
MEMORY: Final = 8 << 30
EACH: Final = Machines(256 << 30, 16, 10e9 / 8)
STATES: Final = 10**11


@dataclass(frozen=True, slots=True)
class Run:
    """One search by a company."""

    outcome: CompanyOutcome
    seconds: float
    """Processor time of the whole process."""

    @property
    def searching(self) -> float:
        """Processor time of the kernels, in seconds."""
        return self.outcome.figures.seconds


def main() -> int:
    """Measure each model, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5, help="the least of so many runs counts")
    parser.add_argument("--machines", type=int, nargs="*", default=[], help="what the model says of so many")
    options = parser.parse_args()
    for name, settings in MODELS:
        program = load(EXAMPLES_FOLDER / f"{name}.pml", settings).program
        for line in _measured(name, program, options.repeat, options.machines):
            print(line, flush=True)
    return 0


def _measured(name: str, program: Program, repeat: int, machines: list[int]) -> Iterator[str]:
    native = min(_native(program) for _ in range(repeat))
    order = Order(code_of(program), past_errors=True)
    runs = {workers: _least(repeat, lambda workers=workers: _company(order, workers)) for workers in WORKERS}  # type: ignore[misc]
    costs = costs_of(runs[1].outcome, runs[2].outcome)
    states = runs[1].outcome.figures.states
    yield f"{name}: {states:,} states, {costs.bytes:.0f} bytes and {costs.transitions:.1f} transitions each"
    yield f"  native {native:.2f} s"
    for workers, run in runs.items():
        sent = sum(report.sent_bytes for report in run.outcome.reports) / states
        foreseen = states * costs.processor_time(workers)
        yield (
            f"  {workers} workers: search {run.searching:.2f} s ({run.searching / native:.2f} of native, foreseen "
            f"{foreseen:.2f}), all {run.seconds:.2f} s, each {run.searching / workers:.2f} s, {sent:.0f} bytes sent a "
            f"state (foreseen {costs.sent_bytes(workers):.0f})"
        )
    for count in machines:
        yield f"  {count:,} machines: {_foreseen(costs, count)}"


def _foreseen(costs: Costs, machines: int) -> str:
    needs = costs.needs(STATES, machines, EACH)
    return (
        f"{STATES:.0e} states in {needs.bytes / machines / 2**30:,.0f} GiB each, computing {needs.computing:,.0f} s, "
        f"sending {needs.sending:,.0f} s, in all {needs.seconds:,.0f} s"
    )


def _least(repeat: int, search: Callable[[], Run]) -> Run:
    return min((search() for _ in range(repeat)), key=lambda run: run.searching)


def _native(program: Program) -> float:
    model = NativeModel(program)
    model.go_past_errors()
    return model.search("breadth-first", MEMORY, lambda _: None).run().figures.seconds


def _company(order: Order, workers: int) -> Run:
    begun = time.process_time()
    outcome = CompanySearch(InProcess(workers), order, MEMORY).run()
    return Run(outcome, time.process_time() - begun)


if __name__ == "__main__":
    sys.exit(main())
