"""The certificate checkers accept what is true and can be shown, and nothing else; Nagini proves the second half."""

import random
from itertools import product

from everafter.search import ExplicitGraph, nested_dfs, strongly_connected_components
from everafter.verdict.certificate import accept_lasso, accept_ranks

Rows = list[list[int]]


def lists(rows: Rows) -> tuple[int, list[int], list[int]]:
    """The graph as the checkers want it."""
    first = [0]
    for row in rows:
        first.append(first[-1] + len(row))
    return len(rows), first, [target for row in rows for target in row]


def some_graph(seed: int) -> tuple[Rows, list[bool], list[int]]:
    draw = random.Random(seed)
    size = draw.randint(1, 6)
    rows = [draw.choices(range(size), k=draw.randint(0, 2)) for _ in range(size)]
    return rows, [draw.random() < 0.3 for _ in range(size)], draw.sample(range(size), 1)


def explicit(rows: Rows, accepting: list[bool], initial: list[int]) -> ExplicitGraph[int]:
    return ExplicitGraph(dict(enumerate(rows)), initial, [state for state, mark in enumerate(accepting) if mark])


def test_a_true_verdict_has_a_certificate() -> None:
    verdicts = set()
    for seed in range(2000):
        rows, accepting, initial = some_graph(seed)
        graph = explicit(rows, accepting, initial)
        lasso = nested_dfs(graph)
        verdicts.add(lasso is None)
        if lasso is None:
            member = [False] * len(rows)
            rank = [0] * len(rows)
            for component in strongly_connected_components(graph):  # each before those that lead to it
                for state in component:
                    member[state] = True
                    rank[state] = max([rank[target] + accepting[state] for target in rows[state]], default=0)
                highest = max(rank[state] for state in component)
                for state in component:
                    rank[state] = highest
            assert accept_ranks(*lists(rows), initial, accepting, member, rank)
        else:
            size, first, targets = lists(rows)
            run = list(lasso.states())
            entry = len(lasso.prefix)
            nexts = [*run[1:], run[entry]]
            places = [first[s] + rows[s].index(t) for s, t in zip(run, nexts, strict=True)]
            mark = next(k for k in range(entry, len(run)) if accepting[run[k]])
            start = initial.index(run[0])
            assert accept_lasso(size, first, targets, initial, accepting, run, places, start, entry, mark)
            wrong = [*places[:-1], places[-1] + 1]
            moved = rows[run[-1]][wrong[-1] - first[run[-1]] :][:1] == [run[entry]]
            assert accept_lasso(size, first, targets, initial, accepting, run, wrong, start, entry, mark) == moved
    assert verdicts == {True, False}


def test_what_is_accepted_is_true() -> None:
    """All ranks up to 2 for random small graphs: none is accepted if there is an accepting cycle."""
    accepted = 0
    for seed in range(300):
        rows, accepting, initial = some_graph(seed)
        if len(rows) > 3:
            continue
        holds = nested_dfs(explicit(rows, accepting, initial)) is None
        for rank in product(range(3), repeat=len(rows)):
            answer = accept_ranks(*lists(rows), initial, accepting, [True] * len(rows), list(rank))
            assert holds or not answer
            accepted += answer
    assert accepted > 100


def test_what_is_no_graph_is_not_accepted() -> None:
    assert accept_ranks(1, [0, 1], [0], [0], [False], [True], [0])
    assert not accept_ranks(1, [0, 2], [0], [0], [False], [True], [0])
    assert not accept_ranks(1, [0], [0], [0], [False], [True], [0])
    assert not accept_ranks(1, [0, 1], [1], [0], [False], [True], [0])
    assert not accept_ranks(1, [0, 1], [0], [1], [False], [True], [0])
    assert not accept_ranks(-1, [], [], [], [], [], [])
    assert accept_lasso(1, [0, 1], [0], [0], [True], [0], [0], 0, 0, 0)
    assert not accept_lasso(1, [0, 1], [0], [0], [False], [0], [0], 0, 0, 0)
    assert not accept_lasso(1, [0, 1], [0], [0], [True], [], [], 0, 0, 0)
    assert not accept_lasso(1, [0, 0], [0], [0], [True], [0], [0], 0, 0, 0)
