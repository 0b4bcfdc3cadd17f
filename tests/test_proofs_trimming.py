"""The search by trimming does what the proved text does: in every round the same states, the same numbers of edges."""

import random
from collections import Counter

import pytest
from oracles.search.proved import Graph, graphs_of, random_graph
from proofs.transcribed_trimming import Round, Trimming

from everafter.search import ExplicitGraph, trimming
from everafter.search.space import ACCEPTING, ANSWERED, COMPLETED, NO_STATE, Space, Store
from everafter.search.trimming import OWCTY_ALGORITHM, keep_reached, remove_firsts, search_owcty


def wide_graph(seed: int) -> Graph:
    """A graph with more states than are expanded together, and cycles that fall apart one after the other."""
    draw = random.Random(seed)
    edges = {s: [min(89, s + draw.randrange(4)) for _ in range(draw.choice((1, 1, 2, 3)))] for s in range(89)}
    return ExplicitGraph({**edges, 89: []}, [0, 1, 2, 3], draw.sample(range(90), 1 + seed % 5))


GRAPHS = [graph for size in (1, 2) for graph in graphs_of(size)]
GRAPHS += random.Random(3).sample(list(graphs_of(3)), 500) + [random_graph(seed) for seed in range(500)]
GRAPHS += [wide_graph(seed) for seed in range(100)]


class Recorder:
    """Notes what each round of the running text comes to, by its functions, which it stands for."""

    def __init__(self) -> None:
        self.rounds: list[Round] = []

    def keep_reached(self, space: Store, size: int) -> int:
        """Note what is red, and how many edges arrive."""
        kept = keep_reached(space, size)
        self.red = [space.component[position] for position in range(kept)]
        self.count = {node: space.predecessors[node] for node in self.red}
        return kept

    def remove_firsts(self, space: Store, size: int) -> int:
        """Note what is left."""
        left = remove_firsts(space, size)
        nodes = [space.component[position] for position in range(left)]
        assert len(set(nodes)) == left
        self.rounds.append(Round(frozenset(self.red), self.count, frozenset(nodes)))
        return left


def compare_all(monkeypatch: pytest.MonkeyPatch, text: type[Trimming]) -> list[int]:
    """What the search comes to on each graph."""
    return [compare(graph, monkeypatch, text) for graph in GRAPHS]


def compare(graph: Graph, monkeypatch: pytest.MonkeyPatch, text: type[Trimming]) -> int:
    """Run both. Numbers are given as the running text meets states, so that the proved text asks it for them."""
    recorder = Recorder()
    monkeypatch.setattr(trimming, "keep_reached", recorder.keep_reached)
    monkeypatch.setattr(trimming, "remove_firsts", recorder.remove_firsts)
    space: Space[int] = Space(
        graph.initial(),
        graph.successors,
        lambda state: ACCEPTING if graph.is_accepting(state) else NO_STATE,
        columns=OWCTY_ALGORITHM.every_column,
    )
    outcome = search_owcty(space)
    numbers = {state: number for number, state in enumerate(space.states)}
    proved = text(
        lambda node: [numbers[state] for state in graph.successors(space.states[node])],
        lambda node: graph.is_accepting(space.states[node]),
    )
    assert proved.search_owcty(list(space.initial)) == (outcome == ANSWERED)
    assert proved.rounds == recorder.rounds
    return outcome


def test_rounds_are_those_of_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = compare_all(monkeypatch, Trimming)
    assert all(outcomes.count(outcome) > 100 for outcome in (COMPLETED, ANSWERED))


class OnlyOnce(Trimming):
    def reach_round(self, active: set[int]) -> tuple[set[int], Counter[int]]:
        red, _ = super().reach_round(active)
        return red, Counter({t for s in red for t in self.successors(s) if t in active})


class OneGeneration(Trimming):
    def remove_firsts(self, red: set[int], count: Counter[int]) -> set[int]:
        return {s for s in red if count[s] > 0}


@pytest.mark.parametrize("text", [OnlyOnce, OneGeneration])
def test_a_difference_is_noticed(text: type[Trimming], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        compare_all(monkeypatch, text)
