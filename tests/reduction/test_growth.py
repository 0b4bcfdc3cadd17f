"""The tables of reduction take work in proportion to the model: nothing is compared cell by cell, or edge by edge."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from oracles.effort import effort
from oracles.reduction.conditions import TooLargeError, flaws, whole_graph
from tests.reduction.models import SMALL

from everafter.deadline import Deadline
from everafter.engine.emit.module import code_of
from everafter.reduction import futures
from everafter.reduction.ample import reduction_of
from everafter.reduction.soundness import Unreduced, for_safety
from everafter.user_model import parse


def _cells(size: int) -> str:
    """A loop that touches each cell of an array by itself."""
    options = "\n".join(f":: i == {k} -> a[{k}] = a[{k}] + 1; i++" for k in range(size))
    return f"int a[{size}]; active [2] proctype P() {{ int i; do\n{options}\nod }}"


def _channels(size: int) -> str:
    """A choice between operations on many channels."""
    declared = "\n".join(f"chan c{k} = [1] of {{ byte }};" for k in range(size))
    options = "\n".join(f":: c{k}!1 :: c{k}?x" for k in range(size))
    return f"{declared}\nactive [2] proctype P() {{ byte x; do\n{options}\nod }}"


def _line(size: int) -> str:
    """A long way without a loop."""
    return f"byte a[{size}]; active [2] proctype P() {{ {' '.join(f'a[{k}] = 1;' for k in range(size))} }}"


def _components(size: int) -> str:
    """Proctypes that each know many channels, one of them by a parameter."""
    declared = "\n".join(f"chan c{k} = [1] of {{ byte }};" for k in range(size))
    step = "c{}!x; c{}?x; a?x;"
    bodies = (" ".join(step.format((k + j) % size, (k + 3 * j + 1) % size) for j in range(4)) for k in range(size))
    types = "\n".join(f"proctype P{k}(chan a) {{ byte x; {body} }}" for k, body in enumerate(bodies))
    return f"{declared}\n{types}\ninit {{ {'; '.join(f'run P{k}(c{k})' for k in range(size))} }}"


@pytest.mark.parametrize(
    ("model", "small", "growth"),
    [
        pytest.param(_cells, 20, 2.5, id="cells of an array"),
        pytest.param(_channels, 8, 3.5, id="channels"),
        pytest.param(_line, 30, 4, id="places in a row"),
    ],
)
def test_twice_the_model_is_not_much_more_work(model: Callable[[int], str], small: int, growth: float) -> None:
    """What every two places say about each other is a square; no more than that, and no square inside of it."""

    def work(size: int) -> int:
        program = parse(model(size)).program
        return effort(lambda: code_of(program, reduction=reduction_of(program)))

    assert work(2 * small) < growth * work(small)


def test_twice_the_channels_are_twice_the_code() -> None:
    """Which of them others may still use is looked up, not asked one by one at every place."""

    def length(size: int) -> int:
        declared = "\n".join(f"chan c{k} = [1] of {{ byte }};" for k in range(size))
        passed = "\n".join(f"c{k}!x; c{k}?x;" for k in range(size))
        model = f"{declared}\nactive proctype P() {{ byte x; do :: x < 9 ->\n{passed}\nx++ :: else -> break od }}"
        program = parse(model).program
        return len(code_of(program, reduction=reduction_of(program)).text)

    assert length(60) < 2.5 * length(30)


def test_many_places_are_not_told_apart() -> None:
    """So that the code that leaves steps out is not many times as long as the code of the steps."""
    program = parse(_components(24)).program
    reduction = reduction_of(program)
    assert reduction.futures.is_coarse
    assert len(code_of(program, reduction=reduction).text) < 3 * len(code_of(program).text)


@pytest.mark.parametrize("name", SMALL)
def test_what_may_follow_can_be_told_for_whole_proctypes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where there are too many places: what may follow is only more, and the conditions of the theorem hold."""
    program = parse(SMALL[name]).program
    exact = reduction_of(program).futures
    monkeypatch.setattr(futures, "MOST_COMPARISONS", 0)
    reduction = reduction_of(program)
    assert reduction.futures.is_coarse
    for process in program.processes:
        for node in process.graph.nodes:
            less, more = exact.of(process.index, node), reduction.futures.of(process.index, node)
            assert less.reads <= more.reads
            assert less.writes <= more.writes
            assert less.ends <= more.ends
            assert {use.operation for use in less.uses} <= {use.operation for use in more.uses}
    with suppress(TooLargeError):
        assert not list(flaws(whole_graph(program, reduction, 1000)))


def test_no_reduction_is_made_when_the_time_is_over() -> None:
    """The search goes on without one, and says so."""
    found = for_safety(parse(_line(3)).program, Deadline.after(0))
    assert found == Unreduced("which steps could be left out was not found out in half of the time")
