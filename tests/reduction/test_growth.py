"""The tables of reduction take work in proportion to the model: nothing is compared cell by cell, or edge by edge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from oracles.effort import effort

from everafter.engine.emit.module import code_of
from everafter.reduction.ample import reduction_of
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
