"""What replaces a function of the store is in a table, and a table that is wrong is refused."""

from __future__ import annotations

import re

import pytest

from everafter.engine.code.parts import bound, extended, functions_of, replaced
from everafter.engine.kernels.binding import BY_ONE, BY_TEAM, bound_kernels, operations
from everafter.engine.kernels.single_kernels import build_store
from everafter.engine.store import pool, single_store, table_room, team_bindings, team_growth, team_store
from everafter.search import trimming, unordered
from everafter.search.space import RED


def hash_of_one_argument(row: int) -> int:
    return row


def hash_row(row: int, words: int) -> int:
    return row + words


def test_only_what_is_there_can_be_replaced() -> None:
    with pytest.raises(TypeError, match="no function hash_rows"):
        replaced(single_store.FUNCTIONS, {"hash_rows": hash_row})
    with pytest.raises(TypeError, match="other parameters than hash_row"):
        build_store(4, False, replacing={"hash_row": hash_of_one_argument})


def test_a_replacement_that_the_table_forgets_is_found() -> None:
    defined = functions_of(team_growth, team_store, pool)
    for name in team_bindings.REPLACING:
        forgetful = {other: function for other, function in team_bindings.REPLACING.items() if other != name}
        with pytest.raises(TypeError, match=re.escape(f"{name} is defined again")):
            extended(single_store.FUNCTIONS, forgetful, defined)


def test_no_two_functions_of_a_store_have_one_name() -> None:
    with pytest.raises(TypeError, match="put_mark is defined in"):
        functions_of(table_room, team_store)


def test_no_two_searches_have_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unordered, "GATHERING", trimming.GATHERING._replace(visited=RED), raising=False)
    with pytest.raises(TypeError, match="called GATHERING"):
        bound_kernels(dict.fromkeys(operations(BY_ONE)))


def test_functions_are_bound_to_what_replaces_others() -> None:
    made = bound({**single_store.FUNCTIONS, "hash_row": hash_row}, {}, lambda text, _: text)
    assert made["hash_all"].__globals__["hash_row"] is made["hash_row"]
    assert made["hash_row"].__code__ is hash_row.__code__
    assert made["fill"].__globals__["insert_again"] is made["insert_again"]
    together = bound(team_bindings.FUNCTIONS, {}, lambda text, _: text)
    assert together["make_room"].__globals__["room_for_states"].__code__ is team_store.room_for_states.__code__
    assert table_room.make_room.__globals__["room_for_states"] is table_room.room_for_states


def test_a_name_that_nobody_asks_for_cannot_be_given() -> None:
    with pytest.raises(TypeError, match="as_nothing"):
        bound(single_store.FUNCTIONS, {"as_nothing": 0}, lambda text, _: text)


def test_a_store_has_every_function_that_kernels_expect_of_it() -> None:
    assert operations(BY_ONE) == {"expand"}
    assert {"colour_shared", "add_shared", "raise_abort", "pause", "give", "take"} <= operations(BY_TEAM)
    with pytest.raises(TypeError, match="add_shared"):
        bound_kernels(dict.fromkeys(operations(BY_TEAM) - {"add_shared"}), of=BY_TEAM)
