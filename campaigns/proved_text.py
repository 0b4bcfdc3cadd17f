"""Compare the running searches with the proved ones: on every graph of so many states, or on random ones.

    python -m campaigns.proved_text [--states 4]           every graph of four states, every set of them accepting
    python -m campaigns.proved_text --random 100000        graphs of three to eight states

Four states, the default, make 1,048,576 graphs. tests/test_proofs_text.py takes a sample.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

from oracles.search.cycle_machines import MODES, compare_acyclic
from oracles.search.machines import MACHINES, compare_team
from oracles.search.proved import (
    Graph,
    behind_acceptance,
    compare_framework,
    compare_swarm,
    graphs_of,
    random_graph,
)

TEAMS = tuple(MACHINES)


def compare(graphs: Iterable[Graph]) -> tuple[int, int]:
    """How many graphs there were, and how many of them with an accepting cycle; an error if anything differs."""
    count = answers = 0
    for graph in graphs:
        count += 1
        if not graph.accepting:
            compare_framework(graph, set())
        answer = compare_swarm(graph)
        compare_team(graph, TEAMS[count % len(TEAMS)], 1 + count % 3, count)
        compare_acyclic(graph, behind_acceptance(graph), 1 + count % 3, count, mode=MODES[count % 2])
        answers += answer
    return count, answers


def main() -> None:
    """Compare, and say on how many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=4, help="every graph of so many states")
    parser.add_argument("--random", type=int, metavar="N", help="instead, so many random graphs")
    options = parser.parse_args()
    begin = time.monotonic()
    graphs = graphs_of(options.states) if options.random is None else map(random_graph, range(options.random))
    count, answers = compare(graphs)
    print(f"{count} graphs, {answers} with an accepting cycle: no difference; {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
