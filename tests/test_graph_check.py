"""Formulas on graphs that somebody has, compared with the definition on all lassos of small random graphs."""

from __future__ import annotations

import itertools
import random
from typing import Any

import networkx
import pytest

import everafter
from everafter import ltl
from everafter.source import OptionError

METRO = networkx.DiGraph([("north", "centre"), ("centre", "south"), ("south", "centre"), ("south", "depot")])


class Numbers:
    """Numbers that grow for ever."""

    def initial(self) -> list[int]:
        return [0]

    def successors(self, number: int) -> list[int]:
        return [number + 1]


def test_a_graph_of_networkx_is_checked_in_one_call() -> None:
    results = everafter.check(METRO, "<> centre", "<> depot", initial=["north"], labels=lambda node: [node])
    assert [each.verdict for each in results] == ["holds", "violated"]
    assert not results
    assert results[1].counterexample.cycle == ("centre", "south")
    assert "for ever:\n  centre\n  south" in str(results)


def test_attributes_of_nodes_are_propositions() -> None:
    graph = METRO.copy()
    graph.nodes["depot"]["closed"] = True
    assert everafter.check(graph, "[] (closed -> [] closed)", initial=["north"])
    assert not everafter.check(graph, "[] !closed", initial=["north"])


def test_more_states_than_are_to_be_looked_at_decide_nothing() -> None:
    result = everafter.check(Numbers(), "[] small", labels={"small": lambda number: number >= 0}, states=50)[0]
    assert result.verdict == "incomplete"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": {"small": {0}}}, "no label is called 'smal'"),
        ({"labels": {"smal": {0}}, "fairness": "weak"}, "fairness is of models"),
        ({"labels": {"smal": {0}}, "initial": []}, "the graph has no initial state"),
        ({}, "which propositions hold where is not said"),
    ],
)
def test_what_is_missing_is_told(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        everafter.check(Numbers(), "[] smal", **given)


def test_labels_are_of_graphs() -> None:
    with pytest.raises(OptionError, match="are of graphs"):
        everafter.check("model.pml", labels={})


def _lassos(edges: dict[int, list[int]], most: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All lassos from 0 that write down at most so many states."""
    found = []
    paths: list[tuple[int, ...]] = [(0,)]
    while paths:
        path = paths.pop()
        for target in edges[path[-1]] or [path[-1]]:
            found += [(path[:i], path[i:]) for i, state in enumerate(path) if state == target]
            if len(path) < most:
                paths.append((*path, target))
    return found


def test_verdicts_are_those_of_the_definition() -> None:
    rng = random.Random(7)
    formulas = ["[] p", "<> q", "[] <> p", "<> [] q", "p U q", "X (p || q)", "[] (p -> <> q)", "!p R q"]
    verdicts = set()
    for number, text in itertools.product(range(12), formulas):
        edges = {state: [to for to in range(3) if rng.random() < 0.45] for state in range(3)}
        letters = {state: frozenset(name for name in "pq" if rng.random() < 0.5) for state in range(3)}
        graph = networkx.DiGraph()
        graph.add_nodes_from(edges)
        graph.add_edges_from((state, to) for state, each in edges.items() for to in each)
        formula = ltl.parse(text)
        runs = (
            ltl.Lasso(tuple(letters[each] for each in prefix), tuple(letters[each] for each in cycle))
            for prefix, cycle in _lassos(edges, 6)
        )
        expected = "holds" if all(ltl.holds(formula, run) for run in runs) else "violated"
        (result,) = everafter.check(graph, text, initial=[0], labels=lambda state, at=letters: at[state])
        assert result.verdict == expected, (number, text, edges, letters)
        verdicts.add(expected)
    assert verdicts == {"holds", "violated"}
