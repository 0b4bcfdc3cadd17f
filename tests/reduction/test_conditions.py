"""The conditions of the theorem hold on the whole state graph, as they are defined."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES
from oracles.promela.random_programs import program as random_program
from oracles.reduction.conditions import TooLargeError, flaws, whole_graph
from oracles.reduction.random_small import small_model
from tests.reduction.models import SMALL

from everafter.program.program import Program
from everafter.reduction.ample import reduction_of
from everafter.reduction.soundness import Unreduced, for_safety
from everafter.user_model import load, parse

LIMIT = 3000


def reduced_states(program: Program, most: int = LIMIT) -> int:
    """Check everything; how many states are reduced is returned, -1 where nothing is said."""
    reduction = for_safety(program)
    if isinstance(reduction, Unreduced):
        return -1
    try:
        graph = whole_graph(program, reduction, most)
    except TooLargeError:
        return -1
    assert not list(flaws(graph))
    return sum(ample != graph.enabled[state].keys() for state, ample in graph.ample.items())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    reduced_states(load(path).program)


@pytest.mark.parametrize("name", SMALL)
def test_small_models(name: str) -> None:
    assert reduced_states(parse(SMALL[name]).program) >= 0


def test_random_programs() -> None:
    found = [reduced_states(parse(random_program(seed)).program, 300) for seed in range(5000, 5060)]
    assert sum(count > 0 for count in found) >= 20, "most of them should be reduced"


@pytest.mark.parametrize(
    "name",
    [
        "local steps",
        "sends and receives",
        "channels in parameters",
        "rendezvous",
        "rendezvous for ever",
        "messages round a ring",
        "timeout",
        "processes that end",
    ],
)
def test_something_is_reduced(name: str) -> None:
    assert reduced_states(parse(SMALL[name]).program) > 0


def test_messages_that_get_lost() -> None:
    """Whether a message is lost depends on whether another was taken before."""
    text = "chan q = [1] of { byte }; active proctype S() { q!1; q!2 } active proctype R() { byte v; q?v; q?v }"
    program = parse(text, loses_messages=True).program
    assert not list(flaws(whole_graph(program, reduction_of(program), LIMIT)))


def test_tiny_models_in_which_everybody_is_in_the_way() -> None:
    found = [reduced_states(parse(small_model(seed)).program, 150) for seed in range(0, 40)]
    assert sum(count > 0 for count in found) >= 15
