"""The steps are the kernel's own text: with one worker they do the same, and what they could not show is refused."""

from __future__ import annotations

import ast
import inspect
import random
from collections.abc import Callable
from types import FunctionType, ModuleType

import pytest
from oracles.search.definitions import random_graph
from tests.search.test_native_text import NOT_FOR_KERNELS

from everafter.search.catalogue import TEAM, names
from everafter.search.parallel import acyclic, cndfs, framework, pndfs, swarm
from everafter.search.parallel.framework import enter_own
from everafter.search.parallel.run import run_workers
from everafter.search.parallel.space import SharedStore
from everafter.search.parallel.stepwise import is_kernel, perform, stepwise
from everafter.search.parallel.table import worker_spaces

MODULES: tuple[ModuleType, ...] = (framework, swarm, pndfs, cndfs, acyclic)
KERNELS = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, FunctionType) and is_kernel(value)
}


def test_the_kernels_are_found() -> None:
    assert {"descend_shared", "await_uncounted", "pndfs_red_leave", "search_cndfs", "swarm_leave"} <= set(KERNELS)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_uses_plain_constructs_only(name: str) -> None:
    tree = ast.parse(inspect.getsource(KERNELS[name]))
    inner = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)][1:]
    assert inner == []
    assert [node for node in ast.walk(tree) if isinstance(node, NOT_FOR_KERNELS)] == []


@pytest.mark.parametrize("name", names("cycle", "team"))
def test_one_worker_does_the_same_in_steps_and_at_once(name: str) -> None:
    draw = random.Random(3)
    algorithm = TEAM[name]
    for _ in range(300):
        graph = random_graph(draw)
        [at_once] = worker_spaces(graph, 1, algorithm.columns)
        [in_steps] = worker_spaces(graph, 1, algorithm.columns)
        assert [algorithm.kernel(at_once)] == run_workers(algorithm.kernel, [in_steps])
        for column in ("states", "colour", "own", "count", "abort", "stack", "found", "deepest"):
            assert getattr(at_once, column) == getattr(in_steps, column)


def test_steps_ask_before_everything_that_is_shared() -> None:
    [space] = worker_spaces(random_graph(random.Random(1)), 1)
    steps = stepwise(enter_own)(space, 0, 0, 8)
    assert next(steps) == ("abort", 0)
    assert space.own[0] == 0
    assert steps.send(perform(space, ("abort", 0))) == ("own",)
    assert space.own[0] == 8
    assert steps.send(None) == ("expand", 0, 0)
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    assert end.value.value == 0


def changes_without_asking(space: SharedStore) -> None:
    space.colour[0] |= 16


def keeps_what_it_has_read(space: SharedStore) -> int:
    return space.colour[0] + space.colour[1]


def forgets_what_it_has_read(space: SharedStore) -> bool:
    return space.colour[0] == 1 or space.colour[1] == 1


@pytest.mark.parametrize("kernel", [changes_without_asking, keeps_what_it_has_read])
def test_a_text_whose_steps_would_not_show_all_is_refused(kernel: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="line"):
        stepwise(kernel)


def test_operands_that_are_forgotten_are_no_reason_to_refuse() -> None:
    steps = stepwise(forgets_what_it_has_read)(None)
    assert next(steps) == ("colour", 0)
    assert steps.send(0) == ("colour", 1)
