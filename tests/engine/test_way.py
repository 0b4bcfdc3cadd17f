"""The way to what a search without an order has found goes through what is stored: short, cheap, and cut honestly."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from oracles.engine.models import TableModel, node_of
from oracles.engine.teams import TableTeam, hesitating_store
from oracles.search.definitions import SmallGraph

from everafter.choices import StoreKind
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures, SearchOutcome
from everafter.search import path_flaw
from everafter.search.space import TARGET

KINDS: tuple[StoreKind, ...] = ("plain", "tree")


def wide_graph(seed: int, size: int) -> SmallGraph:
    """Every node leads to some later ones, and some lead back; a few near the end are targets."""
    rng = random.Random(seed)
    targets = [
        [rng.randrange(node + 1, min(size, node + size // 8)) for _ in range(rng.randrange(1, 5))]
        + ([rng.randrange(size)] if rng.random() < 0.2 else [])
        for node in range(size - 1)
    ]
    starts = tuple({0, *(rng.randrange(size // 2) for _ in range(rng.choice((0, 0, 3))))})
    accepting = frozenset(rng.randrange(size // 2, size) for _ in range(3))
    return SmallGraph([*targets, []], starts=starts, accepting=accepting)


def search_of(graph: SmallGraph, workers: int, kind: StoreKind, hesitating: bool = False) -> NativeSearch:
    """The search without an order, by one worker or by a team."""
    if workers == 0:
        model = TableModel(graph.targets, graph.starts, graph.accepting, TARGET)
        search = model.search("unordered", 1 << 28, kind=kind)
        search.__dict__["kept"] = model  # alive
        return search
    store = hesitating_store() if hesitating and kind == "plain" else None
    return TableTeam(graph, "unordered", workers, store=store, kind=kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_the_way_is_one_of_the_graph_and_costs_no_more_than_the_search(workers: int, kind: StoreKind) -> None:
    """Each state that the search expanded is expanded once again at most, and hardly any is stored."""
    seen: Counter[str] = Counter()
    for seed in range(40):
        graph = wide_graph(seed, 40 if seed % 2 else 1500)
        outcome = search_of(graph, workers, kind, hesitating=seed % 3 == 0).run()
        if outcome.ending is not SearchEnding.ANSWERED:
            assert outcome.ending is SearchEnding.COMPLETED
            continue
        assert isinstance(outcome.answer, tuple)
        path = tuple(map(node_of, outcome.answer))
        assert path_flaw(graph, path) is None
        assert path[-1] in graph.accepting
        figures = outcome.figures
        slack = 16 * max(workers, 1)  # that were taken to be expanded together when the search ended
        assert outcome.expansions <= figures.expansions + slack
        assert outcome.stored <= 8 * slack
        seen["long"] += len(path) > 5
        seen["many"] += figures.states > 300
    assert seen["long"] > 5
    assert seen["many"] > 5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [0, 2])
def test_a_search_for_the_way_that_is_cut_keeps_the_figures_and_says_where_it_was_met(
    workers: int, kind: StoreKind
) -> None:
    cut = 0
    for seed in range(20):
        graph = wide_graph(seed, 600)
        shown: list[SearchFigures] = []

        def observe(figures: SearchFigures, shown: list[SearchFigures] = shown) -> bool:
            if figures.has_met:
                shown.append(figures)
            return figures.has_met

        outcome = search_of(graph, workers, kind).run(observe)
        if outcome.ending is SearchEnding.ANSWERED:
            cut += 1
            assert outcome.cut is SearchEnding.STOPPED_BY_CALLER
            assert outcome.answer is None
            assert [(each.states, each.transitions) for each in shown] == [_size(outcome)]
            assert outcome.figures.states > 1
            last = [node_of(row) for row in outcome.candidates]
            assert set(last) & set(graph.starts) or any(set(graph.targets[node]) & graph.accepting for node in last)
    assert cut > 10


def _size(outcome: SearchOutcome) -> tuple[int, int]:
    return outcome.figures.states, outcome.figures.transitions


@pytest.mark.parametrize("workers", [0, 2])
def test_memory_that_does_not_suffice_for_the_way_cuts_it(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from everafter.engine.run import violation_path

    search = search_of(wide_graph(1, 30_000), workers, "plain")
    assert search.run().answer is not None
    monkeypatch.setattr(violation_path.ViolationPath, "room", 1000)
    outcome = search.run()
    assert outcome.ending is SearchEnding.ANSWERED
    assert outcome.cut is SearchEnding.OUT_OF_MEMORY
    assert outcome.answer is None
    assert outcome.figures.states > 1000
