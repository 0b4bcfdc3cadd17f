"""A worker of PNDFS as it is proved, the text of `step` in pndfs_frames.vpr, beside the same machine in Python.

Every comparison raises AssertionError if the two differ.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any

from proofs.machines import SharingRed
from proofs.task import inside

from everafter.search.space import RED
from oracles.search.proved import Graph
from oracles.viper_methods import changed, element, functions_of

FILES = (
    "graph",
    "parallel/team",
    "parallel/steps",
    "parallel/pndfs_place",
    "parallel/pndfs_blue",
    "parallel/pndfs_frames",
)
SEARCHING, COMPLETED, ANSWERED = 2, 0, 1
Team = dict[str, Any]
"""The fields, by name."""
Making = Callable[..., SharingRed]


@cache
def text_of(change: tuple[str, str]) -> CodeType:
    """All methods, with one text changed into another."""
    texts = [inside(f"search/{file}.vpr").read_text() for file in FILES]
    assert any(change[0] in text for text in texts)
    lines = [line for text in texts for line in functions_of(text.replace(*change) if change[0] else text)]
    return compile("\n".join(lines), "pndfs_frames.vpr", "exec")


def methods_of(graph: Graph, change: tuple[str, str]) -> dict[str, Any]:
    """The methods of the machine, for a graph; one text in them may be changed into another."""
    names: dict[str, Any] = {
        "changed": changed,
        "element": element,
        "initial": lambda: tuple(graph.starts),
        "successors": lambda state: tuple(graph.successors(state)),
        "accepting": set(graph.accepting).__contains__,
        "top": lambda stack: stack[-1],
    }
    exec(text_of(change), names)
    return names


def begin(workers: int, states: int) -> Team:
    """The fields as method `begin` of pndfs.vpr leaves them."""
    empty: frozenset[int] = frozenset()
    each: dict[str, Any] = dict.fromkeys(("its_cyan", "its_blue", "its_pink", "its_mixed"), empty)
    each |= dict.fromkeys(("its_stack", "its_cursor", "its_red_stack", "its_red_cursor"), ())
    each |= dict.fromkeys(("its_root", "its_next", "its_phase"), 0) | {"its_outcome": SEARCHING}
    each |= dict.fromkeys(("its_searching", "its_waiting", "its_passed", "its_deeper"), False)
    team: Team = {name: (value,) * workers for name, value in each.items()}
    alone = {"its_red": empty, "its_special": False, "its_worker": 0, "its_way_back": (), "its_abort": False}
    return team | alone | {"its_count": (0,) * states, "its_counted": (empty,) * states}


class Shared:
    """What the machines in Python share."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.red: set[int] = set()
        self.count = [0] * len(graph.edges)

    def perform(self, name: str, state: int, number: int = 0) -> Any:
        """Do what a machine asks for; what it is to be told."""
        match name:
            case "expand":
                return list(self.graph.successors(state))
            case "colour":
                return RED if state in self.red else 0
            case "colour_shared":
                self.red.add(state)
            case "add_shared":
                self.count[state] += number
        return self.count[state]

    def step(self, machine: SharingRed, taken: int) -> bool:
        """Let a machine take its next step, with one access at most; whether it had one to take."""
        if not machine.blue_path.stack and taken == len(machine.initial):
            return False
        steps = machine.step() if machine.blue_path.stack else machine.step_next(machine.initial[taken])
        request, accesses = next(steps, None), 0
        while request is not None:
            accesses += request[0] != "expand"
            try:
                request = steps.send(self.perform(*request))
            except StopIteration:
                request = None
        assert accesses <= 1
        return True


def compare_place(graph: Graph, team: Team, w: int, machine: SharingRed) -> None:
    """Worker w is where its machine is."""
    stack, cursor = team["its_stack"][w], team["its_cursor"][w]
    assert machine.blue_path.stack == list(stack)
    assert machine.blue_path.rest == [list(graph.successors(s))[i:] for s, i in zip(stack, cursor, strict=True)]
    assert machine.phase == team["its_phase"][w]
    assert machine.blue == team["its_blue"][w]
    assert not machine.redden or machine.mixed == team["its_mixed"][w]
    if machine.phase == 2:
        stack, cursor = team["its_red_stack"][w], team["its_red_cursor"][w]
        assert machine.red_path.stack == list(stack)
        assert machine.red_path.rest == [list(graph.successors(s))[i:] for s, i in zip(stack, cursor, strict=True)]
        assert team["its_pink"][w] == set(stack)


def compare_steps(
    graph: Graph, making: Making, workers: int, seed: int, change: tuple[str, str] = ("", "")
) -> tuple[int, ...]:
    """Let a team of both kinds take the same steps, in turns drawn from the seed; what each worker comes to."""
    draw = random.Random(seed)
    methods = methods_of(graph, change)
    team, shared = begin(workers, len(graph.edges)), Shared(graph)
    machines = [making(list(graph.starts), set(graph.accepting)) for _ in range(workers)]
    while not team["its_abort"] and SEARCHING in team["its_outcome"]:
        w = draw.choice([w for w in range(workers) if team["its_outcome"][w] == SEARCHING])
        machine, taken = machines[w], team["its_next"][w]
        run, entry, _ = methods["step"](team, w, machine.early, machine.redden, False, True)
        goes_on = shared.step(machine, taken)
        assert goes_on == (team["its_outcome"][w] != COMPLETED)
        assert (machine.answer is not None) == (team["its_outcome"][w] == ANSWERED)
        if machine.answer is None:
            compare_place(graph, team, w, machine)
        else:
            assert machine.answer == (list(run), run[entry])
        assert shared.red == team["its_red"]
        assert tuple(shared.count) == team["its_count"]
    return tuple(team["its_outcome"])
