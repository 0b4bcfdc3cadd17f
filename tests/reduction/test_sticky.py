"""Sticky edges meet every cycle of a control-flow graph, none of them in vain, and loops that count need none."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES
from oracles.promela.random_programs import program as random_program

from everafter.program.accesses import accesses_of
from everafter.program.program import Program
from everafter.reduction.counting_loops import Edge, Flow, counting_edges, flow_of
from everafter.reduction.sticky import sticky_edges
from everafter.user_model import load, parse


def on_cycles(flow: Flow, edges: frozenset[Edge]) -> bool:
    """Whether some cycle is left when these edges are taken out."""
    return bool(flow.without(edges).components())


def check_sticky(program: Program) -> int:
    """Check the sticky edges of every proctype; how many there are."""
    table = accesses_of(program, partners=False)
    total = 0
    for process in program.processes:
        flow = flow_of(process)
        for broken in (frozenset[Edge](), counting_edges(flow, table), frozenset(sorted(flow.edges)[::3])):
            sticky = sticky_edges(flow, broken, lambda edge: edge[0] % 3)
            assert not on_cycles(flow, sticky | broken)
            assert all(on_cycles(flow, (sticky | broken) - {edge}) for edge in sticky)
            total += len(sticky)
    return total


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    check_sticky(load(path).program)


def test_random_programs() -> None:
    assert sum(check_sticky(parse(random_program(seed)).program) for seed in range(60)) > 50


def sticky_of(body: str, declarations: str = "byte i, j; int n; bit b; short s") -> int:
    """How many edges must be sticky in a process with this body."""
    program = parse(f"byte g; chan q = [1] of {{ byte }}; active proctype P() {{ {declarations}; {body} }}").program
    flow = flow_of(program.processes[0])
    return len(sticky_edges(flow, counting_edges(flow, accesses_of(program, partners=False)), lambda _: 0))


@pytest.mark.parametrize(
    "body",
    [
        "do :: i < 5 -> i++ :: else -> break od",
        "do :: i <= 254 -> i = i + 1 :: else -> break od",
        "do :: i++; if :: i == 5 -> break :: i != 5 fi od",
        "do :: 5 > i -> j = 1 - j; i = 1 + i :: else -> break od",
        "do :: n > 0 -> n-- :: else -> break od",
        "do :: s < n && i < 9 -> g = 1; i++ :: else -> break od",
        "do :: i < j -> i++ :: else -> break od",
        "for (i : 1 .. 4) { g = i }",
        "for (i : 1 .. 4) { for (j : 1 .. 3) { g = i } }",
        "do :: b < 1 -> b = b + 1 od",
        "do :: i < 5 -> i++ :: i < 9 -> g = 1; i++ :: else -> break od",
        "do :: i != 5 -> i++ :: i > 5 -> i++ :: i == 4 -> i++ od",
        "do :: i < j -> i++ :: i < 5 -> i++ od",
        "do :: i < j -> i++ :: i != j -> i++ od",
    ],
)
def test_loops_that_count(body: str) -> None:
    assert sticky_of(body) == 0


@pytest.mark.parametrize(
    "body",
    [
        "do :: i++ od",
        "do :: i <= 255 -> i++ od",
        "do :: i >= 0 -> i++ od",
        "do :: i < 5 -> i++; i = 0 od",
        "do :: i < 5 -> i++ :: i > 0 -> i-- od",
        "do :: i < 5 -> i++ :: j == 0 -> i++ od",
        "do :: i < 5 -> i = i + 2 od",
        "do :: i <= j -> i++ od",
        "do :: i < j -> i++; j++ od",
        "do :: i < 5 -> i++ :: q?i od",
        "do :: i < 5 -> i++ :: skip od",
        "do :: i < 5 || j < 5 -> i++ od",
        "do :: g < 5 -> g++ od",
        "do :: i < g -> i++ od",
        "do :: i < 5 -> d_step { i++; i = 0 } od",
        "do :: i < n -> i++ od",
        "do :: b == 0 -> b = b + 1 :: b == 1 -> b = b + 1 od",
        "do :: i < 5 -> i++ :: i >= 5 -> i++ od",
        "do :: i < j -> i++ :: i > j -> i++ :: i == j -> i++ od",
        "do :: i != 5 -> i++ :: i != 6 -> i++ od",
    ],
)
def test_loops_that_do_not(body: str) -> None:
    assert sticky_of(body) > 0
