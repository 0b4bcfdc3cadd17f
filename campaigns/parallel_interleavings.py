"""Every interleaving of the parallel searches on many small graphs. Exits with 1 when anything is wrong, else with 0.

python -m campaigns.parallel_interleavings complete                    two workers, every graph of up to 3 nodes
python -m campaigns.parallel_interleavings sample --nodes 4 --count 50 random graphs of so many nodes
python -m campaigns.parallel_interleavings planted                     what it takes to see each planted mistake

Workers meet successors in every order. Verdicts, counterexamples and ends are checked for all algorithms, and for PNDFS
the invariants of its proof at every moment.
"""

from __future__ import annotations

import argparse
import platform
import random
import resource
import sys
import time
from collections.abc import Iterable
from typing import Any

from oracles.search.definitions import SmallGraph, all_graphs, reachable, representatives
from oracles.search.parallel.interleavings import explore_all
from oracles.search.parallel.planted_graphs import MISTAKES

from everafter.search.catalogue import TEAM, names


def campaign(graphs: list[SmallGraph], algorithms: Iterable[str], workers: int, **bounds: Any) -> bool:
    """Explore all graphs by all algorithms, print a row for each, and say whether all is well."""
    print(f"{len(graphs)} graphs, {workers} workers, {platform.python_implementation()} {platform.python_version()}")
    print("| Algorithm | Global states | Transitions | Ends | Largest | Seconds | Faults |")
    print("|---|---|---|---|---|---|---|")
    well = True
    for name in algorithms:
        begin = time.process_time()
        states = transitions = ends = largest = faults = 0
        for graph in graphs:
            kernel = TEAM[name].kernel
            report = explore_all(kernel, graph, workers, name.startswith("pndfs"), **bounds)
            states += report.states
            transitions += report.transitions
            ends += report.ends
            largest = max(largest, report.states)
            if report.fault:
                faults += 1
                print(graph, report.fault, report.schedule, file=sys.stderr)
        seconds = time.process_time() - begin
        print(
            f"| {name} | {states:,} | {transitions:,} | {ends:,} | {largest:,} | {seconds:.0f} | {faults} |", flush=True
        )
        well = well and not faults
    return well


def sample(nodes: int, count: int, seed: int) -> list[SmallGraph]:
    """Random graphs whose nodes are all reachable and have one or two successors."""
    draw = random.Random(seed)
    graphs: list[SmallGraph] = []
    while len(graphs) < count:
        targets = [tuple(sorted(draw.sample(range(nodes), draw.choice((1, 1, 2))))) for _ in range(nodes)]
        graph = SmallGraph(targets, frozenset(node for node in range(nodes) if draw.random() < 0.4))
        if len(reachable(graph)) == nodes:
            graphs.append(graph)
    return graphs


def show_planted() -> bool:
    """Explore each planted mistake until it shows."""
    print("| Mistake | Nodes | Workers | Global states | Steps to the fault | Fault |")
    print("|---|---|---|---|---|---|")
    well = True
    for kernel, graph, workers, bounds, fault in MISTAKES:
        report = explore_all(kernel, graph, workers, **bounds)
        name = kernel.__name__.removeprefix("search_").replace("_", " ")
        steps = len(report.schedule)
        print(
            f"| {name} | {len(graph.targets)} | {workers} | {report.states:,} | {steps} | {report.fault} |", flush=True
        )
        well = well and report.fault == fault
    return well


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["complete", "sample", "planted"])
    parser.add_argument("--algorithm", action="append", choices=names("cycle", "team"))
    parser.add_argument("--nodes", type=int, default=0, help="3 for the complete part, 4 for the sample, if not given")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preemptions", type=int, default=-1, help="bound them; any number, if not given")
    parser.add_argument("--eager", action="store_true", help="no schedule differs only in when a worker polls")
    arguments = parser.parse_args()
    bounds = {"preemptions": arguments.preemptions, "eager": arguments.eager}
    algorithms = arguments.algorithm or names("cycle", "team")
    if arguments.part == "planted":
        well = show_planted()
    elif arguments.part == "complete":
        graphs = list(representatives(all_graphs(arguments.nodes or 3)))
        well = campaign(graphs, algorithms, arguments.workers, **bounds)
    else:
        graphs = sample(arguments.nodes or 4, arguments.count, arguments.seed)
        well = campaign(graphs, algorithms, arguments.workers, **bounds)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
