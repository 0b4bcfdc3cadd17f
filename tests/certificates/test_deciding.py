"""What decides certificates accepts what is true and can be shown, and nothing else; the second half is proved, too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from everafter.certificates.deciding import accept_edges, accept_start, all_decided, decide_state
from everafter.search import ExplicitGraph, nested_dfs, strongly_connected_components

Rows = list[list[int]]


def some_graphs(count: int, most: int) -> Iterator[tuple[Rows, list[bool], list[int]]]:
    for seed in range(count):
        draw = random.Random(seed)
        size = draw.randint(1, most)
        rows = [draw.choices(range(size), k=draw.randint(0, 2)) for _ in range(size)]
        yield rows, [draw.random() < 0.3 for _ in range(size)], draw.sample(range(size), 1)


def explicit(rows: Rows, accepting: list[bool], initial: list[int]) -> ExplicitGraph[int]:
    return ExplicitGraph(dict(enumerate(rows)), initial, [state for state, mark in enumerate(accepting) if mark])


def accepted(rows: Rows, accepting: list[bool], initial: list[int], rank: dict[int, int]) -> bool:
    """Whether the states that have a rank, each numbered in turn, are a certificate."""
    number = {state: place for place, state in enumerate(rank)}
    ranks, marks = list(rank.values()), [0] * len(rank)
    for state, place in number.items():
        found = [number.get(target, -1) for target in rows[state]]
        decide_state(place, len(found), found, [accepting[state]] * len(found), ranks, len(ranks), marks, 1)
    start = [number.get(state, -1) for state in initial]
    return accept_start(len(start), start, [0] * len(start), len(ranks)) and all_decided(
        len(ranks), list(range(len(ranks))), marks, 1
    )


def ranked(graph: ExplicitGraph[int], rows: Rows, accepting: list[bool]) -> dict[int, int]:
    """Ranks of all states that can be reached, if no accepting one is on a cycle."""
    rank: dict[int, int] = {}
    for component in strongly_connected_components(graph):  # each before those that lead to it
        lower = [rank[target] + accepting[state] for state in component for target in rows[state] if target in rank]
        rank.update(dict.fromkeys(component, max(lower, default=0)))
    return rank


def test_a_true_verdict_has_ranks_that_are_accepted() -> None:
    shown = 0
    for rows, accepting, initial in some_graphs(2000, most=6):
        graph = explicit(rows, accepting, initial)
        if nested_dfs(graph) is None:
            assert accepted(rows, accepting, initial, ranked(graph, rows, accepting))
            shown += 1
    assert shown > 500


def test_what_is_accepted_is_true() -> None:
    """All ranks up to 2 of all states of small graphs, and of all states but one."""
    shown = 0
    for rows, accepting, initial in some_graphs(300, most=3):
        holds = nested_dfs(explicit(rows, accepting, initial)) is None
        for rank in product(range(3), repeat=len(rows)):
            whole = dict(enumerate(rank))
            for left_out in (None, *whole):
                part = {state: value for state, value in whole.items() if state != left_out}
                answer = accepted(rows, accepting, initial, part)
                assert holds or not answer
                shown += answer
    assert shown > 100


def test_the_answer_is_what_the_contract_says() -> None:
    """For all arguments of up to two edges among two states."""
    places, flags = product(range(-1, 3), repeat=2), product(range(2), repeat=2)
    for found, forbidden, rank in product(places, flags, [(0, 1), (1, 1)]):
        for state, count in product(range(2), range(3)):
            expected = all(
                0 <= found[k] < 2
                and rank[found[k]] <= rank[state]
                and (rank[found[k]] != rank[state] or forbidden[k] == 0)
                for k in range(count)
            )
            assert accept_edges(state, count, list(found), list(forbidden), list(rank), 2) == expected
            marks = [0, 0]
            assert decide_state(state, count, list(found), list(forbidden), list(rank), 2, marks, 7) == expected
            assert marks == [7 * (expected and place == state) for place in range(2)]
            assert all_decided(count, [0, 0], marks, 7) == (count == 0 or marks[0] == 7)
            starts = all(0 <= found[k] < 2 and forbidden[k] == 0 for k in range(count))
            assert accept_start(count, list(found), list(forbidden), 2) == starts
