"""The catalogue is complete and agrees with itself: what it names is there."""

from __future__ import annotations

from typing import get_type_hints

import pytest

from everafter.search.algorithm import Algorithm
from everafter.search.catalogue import ALONE, CATALOGUE, TEAM, names
from everafter.search.parallel.space import SharedStore
from everafter.search.space import Store


def test_the_names_are_those_of_the_command_line() -> None:
    assert names("reachability", "one") == ("breadth-first", "depth-first", "unordered")
    nested, components = ("schwoon-esparza", "holzmann", "courcoubetis"), ("tarjan", "couvreur", "streett")
    assert names("cycle", "one") == (*nested, *components, "owcty")
    pndfs = ("pndfs", "pndfs-early", "pndfs-all-red", "pndfs-early-all-red")
    assert names("cycle", "team") == ("swarm", *pndfs, "cndfs", "acyclic")
    assert names("reachability", "team") == ("unordered", "depth-first")


def test_every_algorithm_has_a_name_of_its_own() -> None:
    assert len(ALONE) + len(TEAM) == len(CATALOGUE)


def told_apart(algorithm: Algorithm) -> str:
    return f"{algorithm.name} by {algorithm.workers}"


@pytest.mark.parametrize("algorithm", CATALOGUE, ids=told_apart)
def test_a_kernel_is_over_the_store_of_its_workers(algorithm: Algorithm) -> None:
    expected = Store if algorithm.workers == "one" else SharedStore
    assert get_type_hints(algorithm.kernel)["space"] is expected


@pytest.mark.parametrize("algorithm", CATALOGUE, ids=told_apart)
def test_a_column_is_a_field_of_the_store(algorithm: Algorithm) -> None:
    assert set(algorithm.every_column) <= set(get_type_hints(SharedStore))


@pytest.mark.parametrize("algorithm", CATALOGUE, ids=told_apart)
def test_a_fallback_answers_the_same_question_and_has_none(algorithm: Algorithm) -> None:
    if algorithm.fallback is not None:
        other = (ALONE if algorithm.workers == "one" else TEAM)[algorithm.fallback]
        assert (other.question, other.fallback) == (algorithm.question, None)
