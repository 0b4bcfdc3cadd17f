"""Teams of workers on explicit graphs, and a store in which they get in each other's way as much as they can."""

from __future__ import annotations

import ctypes
from functools import cache

from tests.engine.models import TableModel, code
from tests.search.definitions import SmallGraph

from everafter.engine.atomics import shared
from everafter.engine.block import TEAM, WORKER
from everafter.engine.columns import NARROW
from everafter.engine.intrinsics import call_zero, high_product, put, word
from everafter.engine.machine import Loaded
from everafter.engine.store import FIRST_SECRET, SECOND_SECRET
from everafter.engine.team import TeamSearch
from everafter.engine.team_store import YIELD
from everafter.search.space import ACCEPTING, TARGET


class TableTeam(TeamSearch):
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
    ) -> None:
        bits = TARGET if algorithm == "unordered" else ACCEPTING
        self.table = TableModel(graph.targets, graph.starts, graph.accepting, bits, fails)
        controls = [ctypes.addressof(self.table.control)] * workers
        expand, initial = code().address("expand"), code().address("initial")
        super().__init__(algorithm, expand, initial, controls, memory, lines=lines, store=store)


def waiting(block: int) -> None:
    """Let another thread run, by chance. Word 60 of the block is nobody's. Bound to names of the store."""
    chance = word(block, 60) * FIRST_SECRET + SECOND_SECRET + word(block, WORKER)
    put(block, 60, chance)
    if high_product(chance, 16) == 0:
        call_zero(shared(word(block, TEAM) + YIELD))


@cache
def hesitating_store() -> Loaded:
    from everafter.engine.team_kernels import build_team_store

    return Loaded(build_team_store(NARROW, hesitate=waiting))
