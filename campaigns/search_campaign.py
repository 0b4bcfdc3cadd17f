"""Long runs of the search station against the definitions. Exits with 1 when anything disagrees, else with 0.

python -m campaigns.search_campaign exhaustive --nodes 4    every graph of up to 4 nodes, every node order
python -m campaigns.search_campaign random --count 200000   random graphs of up to 30 nodes
python -m campaigns.search_campaign generalised             random generalised graphs
python -m campaigns.search_campaign planted                 how many graphs catch each planted bug
python -m campaigns.search_campaign line --length 1000000   every search along one line of states
python -m campaigns.search_campaign native --length 1000000 the same text compiled by Numba, beside it interpreted
"""

from __future__ import annotations

import argparse
import platform
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from oracles.search.definitions import (
    SmallGeneralisedGraph,
    SmallGraph,
    all_graphs,
    disagreements,
    generalised_disagreement,
    has_accepting_cycle,
    random_generalised_graph,
    random_graph,
)
from oracles.search.native import compiled, native_store
from oracles.search.planted import WRONG_NESTED, WRONG_TARJAN

from everafter.search import (
    ALGORITHMS,
    Degeneralised,
    Meter,
    couvreur,
    find_cycle,
    nested_dfs,
    reachable_states,
    shortest_generalised_lasso,
    shortest_path,
)
from everafter.search.components import TARJAN_COLUMNS
from everafter.search.framework import forest
from everafter.search.space import ACCEPTING, ANSWERED, NO_STATE, Space


class Line:
    """0 → 1 → … → length - 1, every state accepting."""

    def __init__(self, length: int) -> None:
        self.length = length

    def initial(self) -> tuple[int]:
        """The first state."""
        return (0,)

    def successors(self, state: int, /) -> tuple[int, ...]:
        """The next state."""
        return (state + 1,) if state + 1 < self.length else ()

    def is_accepting(self, _state: int, /) -> bool:
        """Every state is accepting."""
        return True


def show(found: Iterable[list[str]]) -> int:
    """Count the graphs, print what disagrees and how long it took, and return the exit status."""
    start = time.process_time()
    graphs = wrong = 0
    for troubles in found:
        graphs += 1
        for trouble in troubles:
            wrong += 1
            print(trouble)
    seconds = time.process_time() - start
    print(f"{graphs} graphs, {wrong} disagreements, {seconds:.1f} s of processor time")
    return 1 if wrong else 0


def exhaustive(arguments: argparse.Namespace) -> int:
    return show(disagreements(graph) for graph in all_graphs(arguments.nodes))


def random_graphs(arguments: argparse.Namespace) -> int:
    rng = random.Random(arguments.seed)
    return show(disagreements(random_graph(rng, most=30)) for _ in range(arguments.count))


def generalised(arguments: argparse.Namespace) -> int:
    rng = random.Random(arguments.seed)
    return show(generalised_troubles(random_generalised_graph(rng, most=12)) for _ in range(arguments.count))


def generalised_troubles(graph: SmallGeneralisedGraph) -> list[str]:
    answers = [couvreur(graph), shortest_generalised_lasso(graph)]
    troubles = [generalised_disagreement(graph, lasso) for lasso in answers]
    if (nested_dfs(Degeneralised(graph)) is None) != (answers[0] is None):
        troubles.append(f"degeneralised: {graph}")
    return [trouble for trouble in troubles if trouble is not None]


def planted(arguments: argparse.Namespace) -> int:
    rng = random.Random(arguments.seed)
    caught: Counter[str] = Counter()
    bugs = WRONG_NESTED | WRONG_TARJAN
    for graph in (random_graph(rng) for _ in range(arguments.count)):
        expected = has_accepting_cycle(graph)
        for bug, search in bugs.items():
            space = Space(graph.initial(), graph.successors, label_of(graph), columns=TARJAN_COLUMNS)
            caught[bug] += (forest(space, search) == ANSWERED) != expected
    for bug in bugs:
        print(f"{caught[bug]:>8} of {arguments.count} random graphs catch: {bug}")
    return 0 if all(caught[bug] for bug in bugs) else 1


def label_of(graph: SmallGraph) -> Callable[[int], int]:
    return lambda node: ACCEPTING if graph.is_accepting(node) else NO_STATE


def line(arguments: argparse.Namespace) -> int:
    graph = Line(arguments.length)
    searches: dict[str, Callable[[Line, Meter], object]] = {
        **ALGORITHMS,
        "reachable states": reachable_states,
        "cycle": find_cycle,
        "shortest path": lambda graph, meter: shortest_path(graph, lambda _: False, meter),
    }
    for name, search in searches.items():
        meter = Meter()
        start = time.process_time()
        search(graph, meter)
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{name:<18} {meter.statistics} {seconds:6.2f} s, at most {peak} MB so far")
    return 0


def native(arguments: argparse.Namespace) -> int:
    names = compiled()
    length = arguments.length
    transitions: list[list[tuple[int, int]]] = [[(0, node + 1)] for node in range(length - 1)]
    graph = SmallGeneralisedGraph([*transitions, []], 1)
    for kind, search in searches_to_compile():
        names["forest"](native_store(SmallGeneralisedGraph([[]], 1), frozenset()), names[kind])
        store = native_store(graph, frozenset(range(length)))
        start = time.process_time()
        names["forest"](store, names[kind])
        compiled_seconds = time.process_time() - start
        start = time.process_time()
        search(Line(length), None)
        seconds = time.process_time() - start
        print(f"{kind:<18} interpreted {seconds:6.2f} s, compiled {compiled_seconds:6.3f} s, {length} states")
    return 0


def searches_to_compile() -> Iterator[tuple[str, Callable[[Line, Meter | None], object]]]:
    yield "SCHWOON_ESPARZA", ALGORITHMS["schwoon-esparza"]
    yield "TARJAN", ALGORITHMS["tarjan"]
    yield "COUVREUR", ALGORITHMS["couvreur"]
    yield "EVERYTHING", reachable_states


COMMANDS = {
    "exhaustive": exhaustive,
    "random": random_graphs,
    "generalised": generalised,
    "planted": planted,
    "line": line,
    "native": native,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=1_000_000)
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()} on {platform.machine()}, {arguments.command}")
    return COMMANDS[arguments.command](arguments)


if __name__ == "__main__":
    sys.exit(main())
