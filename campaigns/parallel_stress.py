"""Teams of workers again and again: always the verdict of one worker, always exact counts.

    python -m campaigns.parallel_stress --count 1000 [--store tree]

Each run draws a graph or a model, an algorithm and 2 to 8 workers. Every other run on a graph uses a store in which
workers let other threads run, by chance, wherever one may come between two steps of another.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence

from oracles.corpus import EXAMPLES_FOLDER
from oracles.engine.models import node_of
from oracles.engine.teams import TableTeam, hesitating_store
from oracles.search.definitions import SmallGraph, closed, is_closed, random_graph, reachable

from everafter.check import check
from everafter.choices import StoreKind
from everafter.engine.run.search_outcome import SearchEnding
from everafter.questions.request import Request
from everafter.search import Lasso, flaw, nested_dfs
from everafter.search.catalogue import TEAM, names
from everafter.user_model import load

MODELS = (
    "alternating_bit",
    "dekker",
    "leader_election",
    "mutex_broken",
    "peterson",
    "philosophers",
    "philosophers_fixed",
)


def on_graph(rng: random.Random, kind: StoreKind) -> str:
    """One run on a random graph; what it came to."""
    graph: SmallGraph = random_graph(rng, rng.choice((5, 12, 40, 400)))
    algorithm = rng.choice(tuple(TEAM))
    if algorithm == "acyclic" and rng.random() < 0.8:
        graph = closed(graph)
    store = hesitating_store(kind) if rng.random() < 0.5 else None
    team = TableTeam(graph, algorithm, rng.randint(2, 8), store, lines=rng.choice((1, 64)), kind=kind)
    outcome = team.run()
    if algorithm in names("reachability", "team"):
        expected = any(graph.is_accepting(node) for node in reachable(graph))
        if not expected:
            figures = outcome.figures
            assert figures.states == len(reachable(graph)), (graph, figures)
            assert algorithm != "unordered" or figures.states == figures.expansions, (graph, figures)
    else:
        expected = nested_dfs(graph) is not None
    if outcome.ending is SearchEnding.UNDECIDED:
        assert algorithm == "acyclic", (graph, algorithm)
        assert not is_closed(graph), graph
        return "graph, undecided"
    assert outcome.ending is (SearchEnding.ANSWERED if expected else SearchEnding.COMPLETED), (
        graph,
        algorithm,
        outcome,
    )
    if isinstance(outcome.answer, Lasso):
        lasso = Lasso(tuple(map(node_of, outcome.answer.prefix)), tuple(map(node_of, outcome.answer.cycle)))
        assert flaw(graph, lasso) is None, (graph, algorithm, lasso)
    return f"graph, {outcome.ending.value}"


def on_model(rng: random.Random, kind: StoreKind) -> str:
    """One run on an example; what it came to."""
    model = load(EXAMPLES_FOLDER / f"{rng.choice(MODELS)}.pml")
    alone = check(model, Request(threads=1, reduction="none"))
    algorithm = rng.choice((None, *names("cycle", "team"))) if model.formulas else None
    team = check(model, Request(threads=rng.randint(2, 8), algorithm=algorithm, reduction="none", store=kind))
    for one, other in zip(alone, team, strict=True):
        assert one.verdict == other.verdict, (model.name, one.property, algorithm, one, other)
        if one.verdict == "holds":
            assert one.states == other.states, (model.name, one.property, algorithm, one.states, other.states)
    return f"model, {len(team)} properties"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and count what the runs came to. A difference ends in an error that shows it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--store", choices=("plain", "tree"), default="plain", help="how teams keep states")
    options = parser.parse_args(arguments)
    sys.setrecursionlimit(20_000)
    seen: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        rng = random.Random(seed)
        seen[(on_model if seed % 5 == 0 else on_graph)(rng, options.store)] += 1
    for what, count in sorted(seen.items()):
        print(f"{count:>6} {what}")
    print(f"{sum(seen.values()):>6} runs, none differs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
