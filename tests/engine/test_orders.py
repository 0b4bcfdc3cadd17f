"""What workers share is touched by atomic steps of the orders that docs/memory-order.md says, as LLVM is told it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from oracles.engine.accesses import COLUMNS, ENDS, NODE_TABLE, OFFER, TABLE, TEAM_WORDS, Access, accesses
from oracles.engine.teams import careless_put

from everafter.choices import LOSSY, StoreKind
from everafter.engine.block import GROWTHS, OFFERED, TEAM
from everafter.engine.code.atomics import share, shared, swap_if
from everafter.engine.code.compiler import Entries
from everafter.engine.code.intrinsics import empty, half, load, lowest, put, store, tagged, word
from everafter.engine.code.parts import Functions
from everafter.engine.columns import NARROW
from everafter.engine.kernels import binding, single_kernels
from everafter.engine.kernels import team_kernels as team
from everafter.engine.store.backoff import relaxed
from everafter.engine.store.offsets import ABORT, GROWTH, LOCK, STOP
from everafter.engine.store.offsets import ENDS as ENDS_AT
from everafter.engine.store.single_store import COLOUR_COLUMN
from everafter.engine.store.table import TAG_SHIFT, line_of, next_line, node_in, slot_of
from everafter.engine.store.team_growth import take_part
from everafter.engine.store.tree.slots import number_in
from everafter.search.catalogue import TEAM as SEARCHES


def wrong(found: list[Access]) -> set[Access]:
    return {each for each in found if each.wrong}


def test_every_access_of_the_store_to_what_is_shared_is_of_its_order() -> None:
    found = accesses(team.team_store_entries(NARROW))
    assert not wrong(found)
    orders = {(each.what, each.opcode, each.order) for each in found}
    assert orders >= {
        (TABLE, "load", "monotonic"),
        (TABLE, "load", "seq_cst"),
        (TABLE, "load", "hint"),
        (TABLE, "cmpxchg", "seq_cst"),
        (TABLE, "call", "cleared"),
        (TEAM_WORDS, "load", "seq_cst"),
        (TEAM_WORDS, "atomicrmw", "seq_cst"),
        (TEAM_WORDS, "cmpxchg", "seq_cst"),
        (ENDS, "atomicrmw", "seq_cst"),
        (ENDS, "load", "seq_cst"),
    }


@pytest.mark.parametrize("kind", LOSSY)
def test_every_access_of_a_lossy_store_to_what_is_shared_is_of_its_order(kind: StoreKind) -> None:
    found = accesses(team.team_store_entries(NARROW, store=kind))
    assert not wrong(found)
    change = "atomicrmw" if kind == "bitstate" else "cmpxchg"
    orders = {(each.what, each.opcode, each.order) for each in found}
    assert orders >= {(TABLE, change, "seq_cst"), (TEAM_WORDS, "cmpxchg", "seq_cst")}


@pytest.mark.parametrize("store", single_kernels.ALONE)
def test_a_worker_alone_touches_nothing_in_an_order(store: StoreKind, monkeypatch: pytest.MonkeyPatch) -> None:
    found = accesses(single_kernels.store_entries(NARROW, False, store=store))
    assert {each.order for each in found} <= {"plain", "cleared", "hint"}
    assert TABLE in {each.what for each in found}
    monkeypatch.setattr(single_kernels, "ONE", {})
    others = {each.order for each in accesses(single_kernels.store_entries(NARROW, False, store=store))}
    assert ("seq_cst" in others) is (store != "packed")  # which no team has


def tree_entries(monkeypatch: pytest.MonkeyPatch, planted: Functions = MappingProxyType({})) -> Entries:
    """The store of trees, in which every function knows which set of nodes it works on."""
    monkeypatch.setattr(single_kernels, "APART", tuple(name for name in single_kernels.APART if name != "number_of"))
    return team.team_store_entries(NARROW, planted, "tree")


def test_every_access_of_a_store_of_trees_to_what_is_shared_is_of_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    found = accesses(tree_entries(monkeypatch))
    assert not wrong(found)
    orders = {(each.what, each.opcode, each.order) for each in found}
    assert orders >= {
        (what, *access)
        for what in (TABLE, NODE_TABLE)
        for access in (
            ("load", "monotonic"),
            ("load", "seq_cst"),
            ("load", "hint"),
            ("cmpxchg", "seq_cst"),
            ("atomicrmw", "seq_cst"),  # a tag
            ("call", "cleared"),
        )
    }
    assert {("colour", "store", "monotonic"), ("colour", "load", "seq_cst")} <= orders
    assert {(TEAM_WORDS, "load", "seq_cst"), (TEAM_WORDS, "cmpxchg", "seq_cst")} <= orders


def plain_number_at(line: int, index: int, bits: int) -> int:
    """Bound to names of the store."""
    return number_in(half(line + (index << 2)), bits)


def plain_colour_now(block: int, node: int) -> int:
    """Bound to names of the store."""
    return load(word(block, COLOUR_COLUMN) + node)


def test_plain_accesses_in_a_store_of_trees_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    planted: Functions = {"number_at": plain_number_at, "colour_now": plain_colour_now}
    found = wrong(accesses(tree_entries(monkeypatch, planted)))
    assert {(each.what, each.order) for each in found} == {(what, "plain") for what in (TABLE, NODE_TABLE, "colour")}


@pytest.mark.parametrize("store", ["plain", "tree"])
@pytest.mark.parametrize("algorithm", SEARCHES)
def test_every_access_of_a_search_to_what_is_shared_is_of_its_order(algorithm: str, store: StoreKind) -> None:
    found = accesses(team.team_search_entries(SEARCHES[algorithm].keeping(), NARROW, store))
    assert not wrong(found)
    assert {each.what for each in found} >= {"colour", "abort"}
    assert algorithm != "acyclic" or {each.what for each in found} >= {OFFER, "parent", "below"}
    assert not algorithm.startswith("pndfs") or "count" in {each.what for each in found}
    assert {each.what for each in found} <= {*COLUMNS, OFFER}


# Planted mistakes


def plain_candidate(line: int, tag: int) -> int:
    """Bound to names of the store."""
    matches = tagged(line, tag, TAG_SHIFT)
    return node_in(load(line + (lowest(matches) << 3))) if matches != 0 else 0


def plain_insert_again(slots: int, lines: int, number: int, mixed: int) -> None:
    """Bound to names of the store."""
    line = line_of(slots, lines, mixed)
    while True:
        free = empty(line)
        if free == 0:
            line = next_line(slots, lines, line)
        elif swap_if(line + (lowest(free) << 3), 0, slot_of(mixed, number)) == 0:
            return


def plain_unlock(team: int) -> None:
    """Bound to names of the store."""
    turn = 0
    while swap_if(team + LOCK, 0, 1) != 0:
        store(team + LOCK, 0)
        relaxed(team, turn)
        turn += 1


def plain_must_stop(block: int) -> bool:
    """Bound to names of the store."""
    team = word(block, TEAM)
    if shared(team + GROWTH) & 1:
        take_part(block)
    return load(team + STOP) != 0


def plain_hand_in(block: int) -> None:
    """Bound to names of the store."""
    team = word(block, TEAM)
    store(shared(team + ENDS_AT), word(block, GROWTHS))
    share(team + ABORT, 0)


PLANTS: dict[str, tuple[Functions, set[str]]] = {
    "a slot is written, a flag and an end touched, plainly": (
        {"find_or_put": careless_put, "must_stop": plain_must_stop, "hand_in": plain_hand_in},
        {TABLE, TEAM_WORDS, ENDS},
    ),
    "a hint is taken for the truth, a lock is opened plainly": (
        {"candidate": plain_candidate, "lock": plain_unlock},
        {TABLE, TEAM_WORDS},
    ),
    "free slots are looked for plainly": ({"insert_again": plain_insert_again}, {TABLE}),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_plain_access_in_the_store_is_seen(name: str) -> None:
    planted, where = PLANTS[name]
    found = wrong(accesses(team.team_store_entries(NARROW, planted)))
    assert {(each.what, each.order) for each in found} == {(what, "plain") for what in where}


def plain_offer(space: Any, node: int) -> None:
    put(space.block, OFFERED, node)


@pytest.mark.parametrize(
    ("planted", "what", "order"),
    [
        ({"own": "", "same": "monotonic", "shared": ""}, "colour", "plain"),
        ({"own": "", "same": "monotonic", "shared": "monotonic"}, "abort", "monotonic"),
        ({"own": "", "same": "", "shared": "seq_cst"}, "parent", "plain"),
    ],
)
def test_a_weaker_column_of_a_search_is_seen(
    monkeypatch: pytest.MonkeyPatch, planted: dict[str, str], what: str, order: str
) -> None:
    monkeypatch.setattr(binding, "ORDERS", planted)
    assert (what, order) in {(each.what, each.order) for each in wrong(accesses(search_entries()))}


def test_a_plain_offer_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_offer.__name__ = "offer"
    monkeypatch.setattr(team, "_ATOMIC", tuple(plain_offer if each is team.offer else each for each in team._ATOMIC))
    assert wrong(accesses(search_entries())) == {Access(OFFER, "store", "plain")}


def search_entries() -> Entries:
    return team.team_search_entries(SEARCHES["acyclic"], NARROW)
