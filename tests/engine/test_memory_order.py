"""Under the memory model of C11, every execution of small cases of the store's own text is right, and mistakes show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from oracles.engine.memory_order.cases import CASES, LARGER, MISTAKES
from oracles.engine.memory_order.explore import Case, explore
from oracles.engine.memory_order.orders import orders
from oracles.engine.memory_order.text import Request, Steps
from oracles.engine.memory_order.tree_cases import TREE_CASES, TREE_MISTAKES

ONE, OTHER = 8, 16


def test_steps_are_of_the_orders_that_the_page_says() -> None:
    assert {name: step.order for name, step in orders().items()} == {
        "shared": "seq_cst",
        "share": "seq_cst",
        "add": "seq_cst",
        "swap_if": "seq_cst",
        "surveyed": "monotonic",
        "vacant": "monotonic",
        "surveyed_slots": "monotonic",
        "surveyed_apart": "monotonic",
    }


@pytest.mark.parametrize("name", TREE_CASES)
def test_every_execution_over_trees_is_right(name: str) -> None:
    found = explore(TREE_CASES[name])
    assert not found.flaws
    assert found.ends > 1


@pytest.mark.parametrize("name", TREE_MISTAKES)
def test_a_mistake_over_trees_shows(name: str) -> None:
    case, flaw, changes = TREE_MISTAKES[name]
    assert explore(TREE_CASES[case], changes).flaws == {flaw}


@pytest.mark.parametrize("name", CASES)
def test_every_execution_is_right(name: str) -> None:
    found = explore(CASES[name])
    assert not found.flaws
    assert found.ends > 10


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_shows(name: str) -> None:
    case, flaw, changes = MISTAKES[name]
    assert explore({**CASES, **LARGER}[case], changes).flaws == {flaw}


# The model itself, by what is known of small programs


def asking(*requests: Request) -> Any:
    """A program of these steps: what it is told."""

    def program(_store: Any, _place: int) -> Steps:
        told: tuple[int | None, ...] = ()
        for request in requests:
            answer = yield request
            told = (*told, answer)
        return told

    return program


def ends(*programs: Any, values: Mapping[int, int] | None = None) -> tuple[set[str], set[tuple[Any, ...]]]:
    """The races of these programs, and all that they may be told."""
    told: set[tuple[Any, ...]] = set()

    def note(results: Sequence[Any], _memory: Mapping[int, int]) -> None:
        told.add(tuple(results))

    case = Case(programs, {}, values or {}, lambda _: {}, range(0), lambda _: True, note)
    return explore(case).flaws, told


def test_what_is_released_is_seen_by_who_acquires_it() -> None:
    told: Any
    flaws, told = ends(asking(("store", ONE, 1), ("share", OTHER, 1)), asking(("shared", OTHER)))
    assert (flaws, {each[1] for each in told}) == (set(), {(0,), (1,)})

    def reader(_store: Any, _place: int) -> Steps:
        flag = yield ("shared", OTHER)
        value = (yield ("load", ONE)) if flag else 1
        return value

    def weak_reader(_store: Any, _place: int) -> Steps:
        flag = yield ("weak_shared", OTHER)
        value = (yield ("load", ONE)) if flag else 1
        return value

    writer = asking(("store", ONE, 1), ("share", OTHER, 1))
    weak_writer = asking(("store", ONE, 1), ("weak_share", OTHER, 1))
    flaws, told = ends(writer, reader)
    assert (flaws, {each[1] for each in told}) == (set(), {1})
    for programs in ((weak_writer, reader), (writer, weak_reader)):
        assert ends(*programs)[0] == {"a plain read races with a write"}


def test_two_writers_see_each_other_only_if_steps_are_in_one_order() -> None:
    strong = [asking(("share", mine, 1), ("shared", yours)) for mine, yours in ((ONE, OTHER), (OTHER, ONE))]
    weak = [asking(("share", mine, 1), ("weak_shared", yours)) for mine, yours in ((ONE, OTHER), (OTHER, ONE))]
    both_miss = ((0, 0), (0, 0))
    assert both_miss not in ends(*strong)[1]
    assert both_miss in ends(*weak)[1]


def test_a_worker_never_sees_an_older_message_than_before() -> None:
    reader = asking(("weak_shared", ONE), ("weak_shared", ONE))
    told = {each[1] for each in ends(asking(("weak_share", ONE, 1), ("weak_share", ONE, 2)), reader)[1]}
    assert told == {(old, new) for old in range(3) for new in range(old, 3)}


def test_of_two_who_swap_one_succeeds() -> None:
    swap = asking(("weak_swap_if", ONE, 0, 1))
    assert ends(swap, swap)[1] == {((0,), (1,)), ((1,), (0,))}


def test_what_is_added_to_a_released_message_is_still_released() -> None:
    def reader(_store: Any, _place: int) -> Steps:
        flag = yield ("shared", OTHER)
        value = (yield ("load", ONE)) if flag == 2 else 1
        return value

    def middle(_store: Any, _place: int) -> Steps:
        before = yield ("weak_swap_if", OTHER, 1, 2)
        return before

    flaws, told = ends(asking(("store", ONE, 1), ("share", OTHER, 1)), middle, reader)
    assert (flaws, {each[2] for each in told}) == (set(), {1})


@pytest.mark.parametrize("request_", [("load", ONE), ("shared", ONE), ("store", ONE, 2), ("share", ONE, 2)])
def test_a_plain_write_races_with_all_that_is_not_ordered(request_: Request) -> None:
    assert ends(asking(("store", ONE, 1)), asking(request_))[0]
