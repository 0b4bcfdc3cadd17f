"""The split of rows into halves is chosen so that few halves make up many states, and changes no answer."""

from __future__ import annotations

import random
from collections.abc import Sequence

from oracles.engine.rows import RowsModel, row_of

from everafter.engine.block import EXPAND, INITIAL
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.run.row_split import MOST_KEPT, SAMPLE, Row, best_split, expected_words, sampled_rows
from everafter.engine.run.search_outcome import SearchEnding


def halves(rows: Sequence[Row], split: int) -> int:
    """How many halves make up the rows."""
    sides = [[index for index in range(1, len(rows[0])) if split >> index & 1 == side] for side in (0, 1)]
    return sum(len({tuple(row[index] for index in side) for row in rows}) for side in sides)


def rows_of_two(first: Sequence[int], second: Sequence[int], length: int) -> list[Row]:
    """States of two parts that know nothing of each other: all words of a part tell one of 30 things."""
    rng = random.Random(5)
    states = [(rng.randrange(30), rng.randrange(30)) for _ in range(600)]
    return [
        tuple(one * (index + 7) if index in first else other if index in second else 0 for index in range(length))
        for one, other in states
    ]


def test_words_that_belong_together_are_in_one_half() -> None:
    for first, second in (([1, 2], [3, 4]), ([1, 3], [2, 4]), ([1, 4, 6], [2, 3]), ([2, 5], [3, 9])):
        rows = rows_of_two(first, second, 10)
        split = best_split(rows)
        assert {split >> index & 1 for index in first} != {split >> index & 1 for index in second}
        assert halves(rows, split) <= 60 < halves(rows, EVERY_OTHER) or {*first} == {1, 3}


def test_halves_of_short_rows_are_short_enough_to_be_kept_whole() -> None:
    for length in range(3, 10):
        rows = rows_of_two(range(1, length - 1), [length - 1], length)
        split = best_split(rows)
        lefts = sum(split >> index & 1 for index in range(1, length))
        assert max(lefts, length - 1 - lefts) <= MOST_KEPT


def test_longer_rows_are_expected_where_lengths_differ() -> None:
    rows: list[Row] = [(0,) * 5] * 20
    assert expected_words(rows, EVERY_OTHER) == 5
    assert expected_words([*rows, (0,) * 4], EVERY_OTHER) == 9
    assert expected_words([*rows, (0,) * 4], 0b11110) == 9
    assert expected_words([*rows, (0,) * 4], 0b111110) == 5
    assert expected_words([(0,) * 20, (0,) * 19], EVERY_OTHER) == 20


def test_without_anything_to_choose_from_every_other_word_is_in_the_left_half() -> None:
    assert best_split([]) == EVERY_OTHER
    assert best_split([(1,)]) == EVERY_OTHER
    assert best_split([(1, 2, 3), (1, 2, 4)]) == EVERY_OTHER


def test_a_sample_is_of_states_that_can_be_reached_and_never_endless() -> None:
    ring = [row_of([place, place % 7]) for place in range(3 * SAMPLE)]
    graph = {row: [ring[(place + 1) % len(ring)], row] for place, row in enumerate(ring)}
    rows = sampled(RowsModel(graph, ring[:1]))
    assert len(rows) == len(set(rows)) == SAMPLE
    assert {words[1:] for words in rows} <= {(place, place % 7) for place in range(len(ring))}


def test_a_model_that_fails_gives_a_sample_of_what_was_met_before() -> None:
    start, end = row_of([1]), row_of([2])
    assert len(sampled(RowsModel({start: [end]}, [start]))) == 2


def sampled(model: RowsModel) -> list[Row]:
    code = model.search("unordered", "tree").model
    return sampled_rows(code[EXPAND], code[INITIAL], 0)


def test_a_good_split_takes_less_memory_and_finds_the_same() -> None:
    rows = {(one, other): row_of([one, one * 3, other, other * 5]) for one in range(60) for other in range(60)}
    graph = {row: [rows[(one + 1) % 60, other], rows[one, (other + 1) % 60]] for (one, other), row in rows.items()}
    model = RowsModel(graph, [rows[0, 0]])
    sizes = []
    for split in (best_split(sampled(model)), 0b01010):
        search = model.search("unordered", "tree")
        search.split = split
        outcome = search.run()
        assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, 3600)
        sizes.append(outcome.figures.bytes)
    assert sizes[0] < 0.6 * sizes[1]
