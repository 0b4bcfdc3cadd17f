"""Mistakes planted in the stores of one worker and of teams, and in the searches: what they leave out is noticed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from oracles.certificates import confirmed, written
from oracles.engine.planted_stores import planted_store
from tests.certificates.test_planted import always_same, hash_of_little, same_but_for_the_end

from everafter.certificates.file import CertificateError
from everafter.engine.block import QUOTA, TEAM
from everafter.engine.code.atomics import add
from everafter.engine.code.intrinsics import empty, lowest, put, store, word
from everafter.engine.code.machine import Loaded
from everafter.engine.run import native_model as models
from everafter.engine.run import native_search
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.store.offsets import RESERVED
from everafter.engine.store.table import line_of, next_line, slot_of
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.search import components, framework, unordered
from everafter.search.parallel import acyclic, cndfs
from everafter.search.parallel import unordered as team_unordered
from everafter.search.parallel.space import SharedStore, colour_shared, draw_rank, give_rank
from everafter.search.space import ACCEPTING, DISCOVERED, GO_ON, STOPPED, TARGET, Store, expand
from everafter.user_model import Model, load, parse

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = Limits(memory=1 << 30)
"""So that numbers of states have the width that the code here is made for."""


def refused_by(path: Path, model: Model, request: Request | None = None) -> list[str]:
    """The checkers that refuse a certificate as an answer to `request`; without it, to what the model states."""
    found = []
    for by in ("native", "reference"):
        try:
            confirmed(path, model, by, request)
        except CertificateError:
            found.append(by)
    return found


# Stores


def give_away(_block: int, height: int) -> int:
    """What is handed over arrives nowhere."""
    return height - (height >> 1)


def insert_some_again(slots: int, lines: int, number: int, mixed: int) -> None:
    """When the table grows, some rows are not entered again."""
    if number & 32 != 0:
        return
    line = line_of(slots, lines, mixed)
    free = empty(line)
    while free == 0:
        line = next_line(slots, lines, line)
        free = empty(line)
    store(line + (lowest(free) << 3), slot_of(mixed, number))


def hand_in_nothing(block: int) -> None:
    """Where the worker's rows end is not noted."""
    add(word(block, TEAM) + RESERVED, -word(block, QUOTA))
    put(block, QUOTA, 0)


ONE_STORE: dict[str, dict[str, Callable[..., Any]]] = {
    "rows are lost as the table grows": {"insert_again": insert_some_again},
}
TEAM_STORE: dict[str, dict[str, Callable[..., Any]]] = {
    "a tag is compared alone": {"hash_row": hash_of_little, "same_row": always_same},
    "the last word does not count": {"hash_row": hash_of_little, "same_row": same_but_for_the_end},
    "a hand-over is dropped": {"give": give_away},
    "rows are lost as the table grows": {"insert_again": insert_some_again},
    "where rows end is not noted": {"hand_in": hand_in_nothing},
}


@pytest.mark.parametrize(
    ("workers", "name"), [*((1, name) for name in ONE_STORE), *((2, name) for name in TEAM_STORE)], ids=str
)
def test_a_mistake_in_a_store_is_noticed(
    workers: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(EXAMPLES / "alternating_bit.pml")  # of so many states that the table of a team grows
    request = Request(safety=True, algorithm="unordered", threads=workers)
    assert written(model, request, tmp_path / "c", SMALL) == ["holds"]
    assert refused_by(tmp_path / "c", model) == []
    with monkeypatch.context() as patch:
        code = planted_store(ONE_STORE[name]) if workers == 1 else planted_store(TEAM_STORE[name], team=True)
        patch.setattr(models, "NativeSearch", partial(NativeSearch, store=code, lines=1))
        patch.setattr("everafter.check.follow_up", lambda _question, _outcome, result, *_: (result, False))
        assert written(model, request, tmp_path / "c", SMALL) == ["holds"]
    assert refused_by(tmp_path / "c", model) == ["native", "reference"]


# Searches


def keep_all_but_one(space: Store, target: int, begin: int, end: int) -> int:
    """A successor is left out."""
    for position in range(begin + 1, end):
        node = space.pending[position]
        if not space.colour[node] & DISCOVERED:
            space.colour[node] |= DISCOVERED
            if space.colour[node] & TARGET:
                space.found[1] = node
                return -1
            space.pending[target] = node
            target += 1
    return target


def keep_none(space: Store, target: int, begin: int, end: int) -> int:
    """A row is done before it is begun."""
    for position in range(begin, end):
        node = space.pending[position]
        space.colour[node] |= DISCOVERED
        if not space.colour[node] & DISCOVERED:
            space.pending[target] = node
            target += 1
    return target


def keep_own_but_one(space: SharedStore, target: int, begin: int, end: int) -> int:
    """A successor is left out, by whoever of a team meets it."""
    for position in range(begin + 1, end):
        node = space.pending[position]
        if not space.colour[node] & DISCOVERED and not colour_shared(space, node, DISCOVERED) & DISCOVERED:
            if space.colour[node] & TARGET:
                space.found[1] = node
                return -1
            space.pending[target] = node
            target += 1
    return target


def enter_and_leave(space: Store, depth: int, node: int, bits: int) -> int:
    """A state is done when its first successor is."""
    space.stack[depth] = node
    space.colour[node] |= bits
    if depth >= space.deepest[0]:
        space.deepest[0] = depth + 1
    if not expand(space, node, depth):
        return STOPPED
    space.limit[depth] = min(space.limit[depth], space.cursor[depth] + 1)
    return GO_ON


def discover_without_acceptance(space: Store, depth: int, node: int) -> int:
    """An accepting state is not marked."""
    activate(space, node)  # type: ignore[name-defined] # noqa: F821 # the kernels are bound to one another
    space.low[depth + 1] = space.discovery[node]
    space.latest[depth + 1] = 0
    return GO_ON


def merge_nothing(_space: Store, _depth: int, _node: int) -> int:
    """An edge back lowers no low point."""
    return GO_ON


def complete_as_one(space: Store, node: int) -> int:
    """All components have one number."""
    last = -1
    while last != node:
        space.component_height[0] -= 1
        last = space.component[space.component_height[0]]
        space.colour[last] &= ~32
        space.member[last] = 0
    return GO_ON


def discover_without_rank(space: SharedStore, _depth: int, node: int) -> int:
    """A team forgets to rank what it is done with."""
    colour_shared(space, node, DISCOVERED)
    return GO_ON


def rank_seed_as_gathered(space: SharedStore, seed: int) -> None:
    """The seed of a red search has the rank of what it leads to."""
    rank = draw_rank(space)
    for position in range(space.component_height[0]):
        give_rank(space, space.component[position], rank)
    give_rank(space, seed, rank)


def no_cycle(_space: SharedStore, _depth: int, _node: int) -> int:
    """An edge onto the path closes no cycle."""
    return GO_ON


def no_red_search(space: SharedStore, _depth: int, node: int) -> int:
    """From an accepting state nothing is searched."""
    colour_shared(space, node, DISCOVERED | (16 if space.colour[node] & ACCEPTING else 0))
    return GO_ON


HOLDS = (EXAMPLES / "peterson.pml").read_text(encoding="utf-8"), "first_gets_in"
AGAIN = (
    "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { x = 5; x = 1; x = 5; x = 1; x = 6 }",
    "!([] <> (x == 5) && [] <> (x == 1))",
)
"""A formula whose automaton leaves accepting states, so that a team runs cndfs; it holds."""
VIOLATED = "bool p; active proctype P() { do :: p = !p od } ltl settles { <> [] p }", "settles"
ROUND = "byte x; active proctype P() { do :: x = (x + 1) % 6 od }", "<> [] (x != 2)"
"""Violated, by a cycle whose last edge touches no accepting state."""
STAYS = "bool p; active proctype P() { do :: p = p od } ltl rises { [] (!p -> <> p) }", "rises"
SAFETY = HOLDS[0], ""

SEARCHES: dict[str, tuple[tuple[str, str], int, str, ModuleType, str, Callable[..., Any]]] = {
    "a successor is left out": (SAFETY, 1, "unordered", unordered, "keep_new", keep_all_but_one),
    "a row is done too early": (SAFETY, 1, "unordered", unordered, "keep_new", keep_none),
    "a successor is left out by a team": (SAFETY, 2, "unordered", team_unordered, "keep_own", keep_own_but_one),
    "a state is left too early": (SAFETY, 1, "depth-first", framework, "enter", enter_and_leave),
    "an accepting state is not marked": (
        VIOLATED,
        1,
        "tarjan",
        components,
        "tarjan_discover",
        discover_without_acceptance,
    ),
    "an edge back counts for nothing": (HOLDS, 1, "tarjan", components, "tarjan_merge", merge_nothing),
    "all components are one": (HOLDS, 1, "tarjan", components, "complete", complete_as_one),
    "a team ranks nothing": (HOLDS, 2, "acyclic", acyclic, "discover", discover_without_rank),
    "a team sees no cycle": (STAYS, 2, "acyclic", acyclic, "onto_cycle", no_cycle),
    "a seed has the rank of what it leads to": (AGAIN, 2, "cndfs", cndfs, "rank_gathered", rank_seed_as_gathered),
    "a team searches nothing red": (ROUND, 2, "cndfs", cndfs, "cndfs_leave", no_red_search),
}


def planted(module: ModuleType, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as if the module defined it."""
    assert isinstance(function, FunctionType)
    made = FunctionType(function.__code__, function.__globals__, function.__name__)
    made.__annotations__, made.__module__ = function.__annotations__, module.__name__
    return made


@pytest.mark.parametrize(
    ("asked", "workers", "algorithm", "module", "name", "mistake"), SEARCHES.values(), ids=SEARCHES
)
def test_a_mistake_in_a_search_is_noticed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    asked: tuple[str, str],
    workers: int,
    algorithm: str,
    module: ModuleType,
    name: str,
    mistake: Callable[..., Any],
) -> None:
    from everafter.engine.kernels.single_kernels import build_search
    from everafter.engine.kernels.team_kernels import build_team_search

    text, formula = asked
    model = parse(text)
    request = Request(
        safety=not formula,
        formulas=(formula,) if formula else (),
        algorithm=algorithm,
        threads=workers,
        reduction="none",
    )
    with monkeypatch.context() as patch:
        right, wrong = getattr(module, name), planted(module, mistake)
        for other in [each for each in sys.modules.values() if each.__name__.startswith("everafter.search")]:
            if vars(other).get(name) is right:
                patch.setattr(other, name, wrong)
        build = build_search if workers == 1 else build_team_search
        patch.setattr(native_search, "search_code", lambda each, width, *_: Loaded(build(each, width)))
        patch.setattr("everafter.questions.endless_runs.endless_sequences", lambda _program: ())  # which searches, too
        patch.setattr("everafter.check.follow_up", lambda _question, _outcome, result, *_: (result, False))
        assert written(model, request, tmp_path / "c", SMALL) == ["holds"]
    assert refused_by(tmp_path / "c", model) == ["native", "reference"]
