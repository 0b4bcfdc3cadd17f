"""What a search on a cluster costs: processor time for a state and bytes sent, beside the native engine, and a model.

    python -m benchmarks.cluster [--repeat 5]               workers that take turns in this process
    python -m benchmarks.cluster --machines 10 100 1000     what the model says of so many machines
    python -m benchmarks.cluster --actors 1 2 [--larger]    seconds by so many actors on one node of Ray, started here
    python -m benchmarks.cluster --nodes 1 2 [--larger]     … and on so many nodes, each with one actor
    python -m benchmarks.cluster --store tree               workers that keep states as trees
    python -m benchmarks.cluster --cases cambridge […]      other models, by their names in benchmarks.comparison.cases

Times are processor time, the least of some runs that take turns: `native` is breadth-first search by one thread,
`search` the kernels of all workers together, `last` those of the worker that takes longest, part by part, `all` what
the process took, with the batches that Python makes. The model is made from one and two workers
(everafter.backends.cluster_costs); `foreseen` is what it says of more, beside `search`.

With Ray it is seconds on the clock from the first part to the last, without starting anything, of all runs and of the
least; in brackets those of a search with its actors and code there. Meaningful only where each actor has a processor of
its own.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from benchmarks.comparison.cases import SAFETY
from oracles.corpus import EXAMPLES_FOLDER

from everafter.backends.cluster_costs import Costs, Machines, costs_of
from everafter.choices import StoreKind
from everafter.engine.cluster.address import Address
from everafter.engine.cluster.connection import connection_to, kept_connections
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch
from everafter.engine.cluster.over_ray import OverRay
from everafter.engine.cluster.sample import sampled_choices, sampled_partition
from everafter.engine.cluster.worker import NO_END, JobDescription, MessageCounters
from everafter.engine.cluster.worker_group import InProcess
from everafter.engine.emit.module import code_of
from everafter.engine.run.native_model import NativeModel
from everafter.program.program import Program
from everafter.user_model import load, parse

MODELS: Final = (("peterson_n", {"N": 4}), ("leader_election", {"N": 7}), ("two_phase_commit", {"N": 4}))
LARGER: Final = (("leader_election", {"N": 8}), ("two_phase_commit", {"N": 5}))
WORKERS: Final = (1, 2, 3, 5)
MEMORY: Final = 8 << 30
EACH: Final = Machines(256 << 30, 16, 10e9 / 8)
STATES: Final = 10**11


@dataclass(frozen=True, slots=True)
class Run:
    """One search by a group."""

    outcome: ClusterOutcome
    seconds: float
    """Processor time of the whole process."""
    last: float
    """Processor time of the worker that takes longest, added up over all parts: others wait for it."""

    @property
    def searching(self) -> float:
        """Processor time of the kernels, in seconds."""
        return self.outcome.figures.seconds


class Timed(InProcess):
    """A group that knows how long the one who takes longest takes, part by part."""

    last = 0.0

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        """As always."""
        before = [worker.seconds for worker in self.members]
        all_counters = super().exchange(until)
        self.last += max(worker.seconds - seconds for worker, seconds in zip(self.members, before, strict=True))
        return all_counters


def main() -> int:
    """Measure each model, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5, help="the least of so many runs counts")
    parser.add_argument("--machines", type=int, nargs="*", default=[], help="what the model says of so many")
    parser.add_argument("--actors", type=int, nargs="*", default=[], help="so many on one node of Ray, by the clock")
    parser.add_argument("--nodes", type=int, nargs="*", default=[], help="on so many nodes of Ray, by the clock")
    parser.add_argument("--larger", action="store_true", help="larger models")
    parser.add_argument("--store", choices=("plain", "tree"), default="plain", help="how states are kept")
    parser.add_argument("--workers", type=int, nargs="*", default=WORKERS, help="how many take turns: 1 and 2 at least")
    parser.add_argument("--cases", nargs="*", default=[], help="other models")
    options = parser.parse_args()
    models = {
        f"{name} {settings}": load(EXAMPLES_FOLDER / f"{name}.pml", settings).program
        for name, settings in (LARGER if options.larger else MODELS)
    }
    if options.cases:
        models = {case.name: parse(case.text()).program for case in SAFETY if case.name in options.cases}
    for actors in options.actors:
        with _node(actors), kept_connections():
            for name, program in models.items():
                print(_on_ray(name, program, "auto", f"{actors} actors", options), flush=True)
    for nodes in options.nodes:
        with kept_connections():
            for name, program in models.items():
                print(_on_ray(name, program, f"local:{nodes}", f"{nodes} nodes", options), flush=True)
    if not options.nodes and not options.actors:
        for name, program in models.items():
            for line in _measured(name, program, options):
                print(line, flush=True)
    return 0


@contextmanager
def _node(processors: int) -> Iterator[None]:
    """A node of Ray with so many processors, to which this process is connected."""
    import ray  # noqa: PLC0415 # only this needs it

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=processors, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()


def _on_ray(name: str, program: Program, where: str, whom: str, options: argparse.Namespace) -> str:
    """Seconds from the first part to the last, of each run by workers there."""
    description = JobDescription(code_of(program), past_errors=True, store=options.store)
    address, whole = Address.of(where), math.inf
    seconds: list[float] = []
    connection_to(address)
    for _ in range(options.repeat):
        moments: list[float] = []
        begun = time.monotonic()
        search = ClusterSearch(OverRay(address), description, MEMORY)
        outcome = search.run(lambda *_, moments=moments: moments.append(time.monotonic()))
        seconds.append(moments[-1] - moments[0])
        whole = min(whole, time.monotonic() - begun)
    computing = max(report.seconds for report in outcome.reports)
    return (
        f"{name}: {whom}, {outcome.figures.states:,} states, {outcome.levels:,} levels, {min(seconds):.2f} s "
        f"({whole:.2f}; all: {', '.join(f'{each:.2f}' for each in seconds)}), computing {computing:.2f} s"
    )


def _measured(name: str, program: Program, options: argparse.Namespace) -> Iterator[str]:
    description = JobDescription(code_of(program), past_errors=True, store=options.store)
    descriptions = {
        workers: replace(description, partition=sampled_partition(description, workers)) for workers in options.workers
    }
    natives: list[float] = []
    all_runs: dict[int, list[Run]] = {workers: [] for workers in options.workers}
    for _ in range(options.repeat):
        natives.append(_native(program, options.store))
        for workers, runs in all_runs.items():
            runs.append(_group(descriptions[workers], workers))
    native, least = min(natives), {workers: _least(runs) for workers, runs in all_runs.items()}
    costs = costs_of(least[1].outcome, least[2].outcome, sampled_choices(description))
    states = least[1].outcome.figures.states
    yield f"{name}: {states:,} states, {costs.bytes:.0f} bytes and {costs.transitions:.1f} transitions each"
    yield f"  native {native:.2f} s"
    for workers, run in least.items():
        yield _line(workers, run, native, least[1], costs)
    for count in options.machines:
        yield f"  {count:,} machines: {_foreseen(costs, count)}"


def _line(workers: int, run: Run, native: float, one: Run, costs: Costs) -> str:
    """What so many workers took."""
    figures = run.outcome.figures
    rows = [report.states for report in run.outcome.reports]
    sent = sum(report.sent for report in run.outcome.reports) / figures.transitions
    sent_bytes = sum(report.sent_bytes for report in run.outcome.reports) / figures.states
    return (
        f"  {workers} workers: search {run.searching:.2f} s ({run.searching / native:.2f} of native, "
        f"{run.searching / one.searching:.2f} of one, foreseen {figures.states * costs.processor_time(workers):.2f}), "
        f"all {run.seconds:.2f} s, last {run.last:.2f} s ({one.last / run.last:.2f} times as fast), fullest "
        f"{max(rows) * workers / sum(rows):.2f}, {figures.bytes / figures.states:.1f} bytes each, "
        f"sent {sent:.3f} (foreseen {costs.crossing(workers):.3f}), "
        f"{sent_bytes:.0f} bytes a state (foreseen {costs.sent_bytes(workers):.0f})"
    )


def _foreseen(costs: Costs, machines: int) -> str:
    needs = costs.needs(STATES, machines, EACH)
    return (
        f"{STATES:.0e} states in {needs.bytes / machines / 2**30:,.0f} GiB each, computing {needs.computing:,.0f} s, "
        f"sending {needs.sending:,.0f} s, in all {needs.seconds:,.0f} s"
    )


def _least(runs: list[Run]) -> Run:
    """The least of each time."""
    best = min(runs, key=lambda run: run.searching)
    return replace(best, seconds=min(run.seconds for run in runs), last=min(run.last for run in runs))


def _native(program: Program, store: StoreKind) -> float:
    model = NativeModel(program)
    model.go_past_errors()
    return model.search("breadth-first", MEMORY, lambda _: None, store=store).run().figures.seconds


def _group(description: JobDescription, workers: int) -> Run:
    begun = time.process_time()
    group = Timed(workers)
    outcome = ClusterSearch(group, description, MEMORY).run()
    return Run(outcome, time.process_time() - begun, group.last)


if __name__ == "__main__":
    sys.exit(main())
