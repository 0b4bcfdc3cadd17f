"""Where the system limits the addresses of a process, searches fit into them, and end honestly."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from oracles.engine.teams import TableTeam
from tests.engine.test_team import big_graph

from everafter.engine.memory import areas, search_memory
from everafter.engine.memory.areas import MODEL_BYTES
from everafter.engine.memory.search_memory import Memory
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.engine.run.search_outcome import SearchEnding
from everafter.search.catalogue import ALONE, TEAM

ROOT = Path(__file__).parent.parent.parent
COUNTING = "byte a, b, c; active proctype P() { do :: a++ :: b++ :: c++ od }"
ASKING = """
import sys
from everafter.user_model import parse
from everafter.engine.run.native_model import NativeModel
model = NativeModel(parse(sys.argv[1]).program)
workers = int(sys.argv[2])
asked = ("unordered", 64 << 30, lambda _: None)
search = model.search(*asked, workers=None if workers == 1 else workers)
outcome = search.run()
print(outcome.ending.name, outcome.figures.states, outcome.limit < 64 << 30)
"""


def asked_within(kilobytes: int, text: str, workers: int) -> list[str]:
    """What a search with so little address space says."""
    command = f'ulimit -v {kilobytes} && exec "$@"'
    arguments = [sys.executable, "-c", ASKING, text, str(workers)]
    within = ["bash", "-c", command, "bash", *arguments]
    done = subprocess.run(within, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("kilobytes", [16_000_000, 4_000_000])
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_a_small_model_needs_little_address_space(kilobytes: int, workers: int) -> None:
    text = "byte x; active proctype P() { do :: x < 9 -> x++ :: else -> x = 0 od }"
    assert asked_within(kilobytes, text, workers) == ["COMPLETED", "20", "True"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_too_large_for_the_address_space_ends_as_at_any_limit(workers: int) -> None:
    ending, states, limited = asked_within(3_000_000, COUNTING, workers)
    assert (ending, limited) == ("OUT_OF_MEMORY", "True")
    assert 100_000 < int(states) < 1 << 24


def reserved(monkeypatch: pytest.MonkeyPatch, left: int, make: Any) -> int:
    """How much is reserved where so much address space is left."""
    sizes: list[int] = []
    real = areas._reserved

    def noting(size: int) -> Any:
        sizes.append(size)
        return real(size)

    monkeypatch.setattr(areas, "address_space_left", lambda: left)
    monkeypatch.setattr(areas, "_reserved", noting)
    with make():
        return sum(sizes)


@pytest.mark.parametrize("left", [1 << 30, 3 << 30, 20 << 30])
@pytest.mark.parametrize("name", ALONE)
def test_what_is_reserved_for_one_leaves_a_margin(monkeypatch: pytest.MonkeyPatch, name: str, left: int) -> None:
    used = reserved(monkeypatch, left, lambda: Memory(ALONE[name], 1 << 40))
    assert left * 0.6 < used + min(1 << 28, left // 4) <= left + (64 << 20)


@pytest.mark.parametrize("left", [3 << 30, 20 << 30])
@pytest.mark.parametrize("name", ALONE)
def test_what_is_reserved_for_trees_leaves_a_margin(monkeypatch: pytest.MonkeyPatch, name: str, left: int) -> None:
    used = reserved(monkeypatch, left, lambda: TreeMemory(ALONE[name], 1 << 40))
    assert left * 0.6 < used + min(1 << 28, left // 4) <= left + (64 << 20)


@pytest.mark.parametrize("left", [2 << 30, 20 << 30])
@pytest.mark.parametrize("workers", [1, 3, 64])
@pytest.mark.parametrize("name", TEAM)
def test_what_is_reserved_for_a_team_leaves_a_margin(
    monkeypatch: pytest.MonkeyPatch, name: str, workers: int, left: int
) -> None:
    used = reserved(monkeypatch, left, lambda: Memory(TEAM[name], 1 << 40, workers))
    assert left * 0.5 < used + min(1 << 28, left // 4) <= left + (64 << 20)


@pytest.mark.parametrize("left", [6 << 30, 20 << 30])
@pytest.mark.parametrize("workers", [1, 3, 64])
@pytest.mark.parametrize("name", TEAM)
def test_what_is_reserved_for_a_team_that_keeps_trees_leaves_a_margin(
    monkeypatch: pytest.MonkeyPatch, name: str, workers: int, left: int
) -> None:
    used = reserved(monkeypatch, left, lambda: TreeMemory(TEAM[name], 1 << 40, workers))
    assert left * 0.5 < used + min(1 << 28, left // 4) <= left + (64 << 20)


def test_too_little_address_space_for_any_search_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(areas, "address_space_left", lambda: MODEL_BYTES)
    with pytest.raises(MemoryError, match="192 MiB of address space are too few"):
        Memory(ALONE["tarjan"], 1 << 30)


def test_where_no_function_lets_other_threads_run_a_team_still_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = search_memory.address_of_yield()

    def missing(*_arguments: Any) -> Any:
        raise OSError("no such library")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert search_memory.address_of_yield() != usual
    outcome = TableTeam(big_graph(20_000), "unordered", 4, lines=1).run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, 20_000)
