"""Teams of workers on explicit graphs, and a store in which they get in each other's way as much as they can."""

from __future__ import annotations

import ctypes
from functools import cache

from everafter.choices import StoreKind
from everafter.engine.block import TEAM, WORKER
from everafter.engine.code.atomics import shared
from everafter.engine.code.intrinsics import call_zero, empty, high_product, load, lowest, put, store, tagged, word
from everafter.engine.code.machine import Loaded
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.store.arena_rows import FIRST_SECRET, SECOND_SECRET, count_row, row_at, same_row, write_row
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.offsets import YIELD
from everafter.engine.store.table import TAG, TAG_SHIFT, line_of, next_line, node_in, slot_of
from everafter.search.catalogue import TEAM as SEARCHES
from everafter.search.parallel.space import ORDERED
from everafter.search.space import ACCEPTING, TARGET
from oracles.engine.models import TableModel, code
from oracles.engine.planted_stores import planted_store
from oracles.search.definitions import SmallGraph


class TableTeam(NativeSearch):
    """A team on an explicit graph, which it keeps alive."""

    def __init__(
        self,
        graph: SmallGraph,
        algorithm: str,
        workers: int,
        store: Loaded | None = None,
        lines: int = 8,
        memory: int = 1 << 30,
        fails: tuple[int, int] = (-1, 0),
        kind: StoreKind = "plain",
    ) -> None:
        bits = TARGET if SEARCHES[algorithm].question == "reachability" else ACCEPTING | ORDERED
        self.table = TableModel(graph.targets, graph.starts, graph.accepting, bits, fails)
        controls = [ctypes.addressof(self.table.control)] * workers
        expand, initial = code().address("expand"), code().address("initial")
        super().__init__(SEARCHES[algorithm], expand, initial, controls, memory, lines=lines, store=store, kind=kind)


def waiting(block: int) -> None:
    """Let another thread run, by chance. Word 60 of the block is nobody's. Bound to names of the store."""
    chance = word(block, 60) * FIRST_SECRET + SECOND_SECRET + word(block, WORKER)
    put(block, 60, chance)
    if high_product(chance, 16) == 0:
        call_zero(shared(word(block, TEAM) + YIELD))


def careless_put(block: int, arena: int, slots: int, lines: int, row: int, words: int, mixed: int) -> int:
    """A planted mistake: look first, then write the slot, whatever has come between. Bound to names of the store."""
    line = line_of(slots, lines, mixed)
    while True:
        matches = tagged(line, mixed & TAG, TAG_SHIFT)
        while matches != 0:
            other = node_in(load(line + (lowest(matches) << 3)))
            if same_row(row_at(arena, other), row, words):
                return other
            matches &= matches - 1
        free = empty(line)
        hesitate(block)
        if free != 0:
            number = write_row(block, row, words)
            count_row(block, row, words, number)
            store(line + (lowest(free) << 3), slot_of(mixed, number))
            return number
        line = next_line(slots, lines, line)


@cache
def hesitating_store(kind: StoreKind = "plain") -> Loaded:
    return planted_store({"hesitate": waiting}, kind, team=True, level=3)


@cache
def careless_store() -> Loaded:
    return planted_store({"hesitate": waiting, "find_or_put": careless_put}, team=True)


def nothing_offered(_block: int) -> int:
    """A planted mistake: a worker without nodes does not look what others search from."""
    return 0


@cache
def unsociable_store() -> Loaded:
    return planted_store({"hesitate": waiting, "offered": nothing_offered}, team=True)
