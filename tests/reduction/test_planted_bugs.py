"""The checks bite: each mistake, planted on purpose, is found."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import pytest
from oracles.reduction.conditions import flaws, whole_graph
from oracles.reduction.stuttering import trace_difference
from tests.reduction.models import SMALL

from everafter.execution.state import State
from everafter.execution.step import holds
from everafter.program import accesses
from everafter.program.accesses import AccessTable, accesses_of
from everafter.program.control_flow import Terminate, Transition
from everafter.program.locations import Accesses, Location
from everafter.program.program import ProcessType, Program
from everafter.promela.propositions import proposition
from everafter.reduction import ample, candidates, counting_loops, dependence, footprint, futures, sharing, visibility
from everafter.reduction.ample import reduction_of
from everafter.reduction.visibility import Watched
from everafter.source import Place
from everafter.user_model import parse


def without_writes(program: Program, *, partners: bool = True) -> AccessTable:
    def forget(item: Accesses) -> Accesses:
        return replace(item, writes=frozenset(location for location in item.writes if location.space != "global"))

    table = accesses_of(program, partners=partners)
    return tuple({node: tuple(map(forget, row)) for node, row in rows.items()} for rows in table)


def found(program: Program) -> list[str]:
    return [flaw.split(":")[0] for flaw in flaws(whole_graph(program, reduction_of(program), 3000))]


def nothing(*_: Any) -> Any:
    return frozenset()


def no_places(*_: Any) -> Any:
    return {}


_asked, _of_transition, _footprint = sharing._asked, accesses._Finder.of_transition, footprint.footprint


def not_of_others(item: Location) -> tuple[Hashable, ...]:
    return () if item.space == "remote" else _asked(item)


def without_clause(finder: accesses._Finder, process: ProcessType, number: int, step: Transition) -> Accesses:
    return _of_transition(finder, replace(process, provided=None), number, step)


def ending_alone(program: Program, process: ProcessType, step: Transition, found: Accesses) -> footprint.Footprint:
    if isinstance(step.effect, Terminate):
        return footprint.Footprint(ends=frozenset({process.index}))
    return _footprint(program, process, step, found)


def never(*_: Any) -> bool:
    return False


def always(*_: Any) -> bool:
    return True


PLANTED: list[tuple[str, object, str, Callable[..., Any], str]] = [
    ("a shared variable", ample, "accesses_of", without_writes, "independent"),
    ("atomic that writes later", dependence, "gathered", lambda *_: {}, "independent"),
    ("a loop that counts and one that does not", candidates, "sticky_edges", nothing, "wellfounded"),
    ("counting round", counting_loops, "_is_asked", always, "wellfounded"),
    ("a guard that is no bound", counting_loops.Comparison, "excludes", always, "wellfounded"),
    ("guards that are no bound together", counting_loops.Comparison, "excludes", always, "wellfounded"),
    ("atomic without end", candidates, "sticky_edges", nothing, "nonempty"),
    ("issue 78", sharing.Summary, "shares_processes", never, "independent"),
    ("channels that die", dependence, "_lifetime_clashes", nothing, "independent"),
    ("promises", dependence, "promises_of", nothing, "independent"),
    ("a trace", dependence, "_events", nothing, "independent"),
    ("two receivers", dependence, "_exception", lambda *_: "not empty", "independent"),
    ("a receive beside a choice", ample._Asked, "_is_excepted", always, "independent"),
    ("sorted and matching", dependence, "_exception", lambda *_: None, "independent"),
    ("the same channel in parameters", ample._Asked, "_may_mean", never, "independent"),
    ("messages round a ring", ample._Asked, "_is_waived", always, "wellfounded"),
    ("messages round a ring, backwards", ample._Asked, "_is_waived", always, "wellfounded"),
    ("to itself", ample._Asked, "_is_waived", always, "wellfounded"),
    ("rendezvous for ever", ample._Asked, "may_be_answered", always, "wellfounded"),
    ("rendezvous with a choice", ample._Asked, "may_be_woken_by", never, "independent"),
    ("an escape that waits for a receiver", dependence, "_attended", no_places, "independent"),
    ("an atomic that waits for a receiver", dependence, "_attended", no_places, "independent"),
    ("a variable that another process reads", sharing, "_asked", not_of_others, "independent"),
    ("a label that another process waits for", accesses._Finder, "_asked_places", nothing, "independent"),
    ("a meeting that another process sees", accesses._Finder, "_asked_places", nothing, "independent"),
    ("a clause that another process changes", accesses._Finder, "of_transition", without_clause, "independent"),
    ("a clause before the end", futures, "footprint", ending_alone, "independent"),
    ("a clause about a channel before the end", dependence, "footprint", ending_alone, "independent"),
    ("a place that another process asks for", sharing.Summary, "shares_variables", never, "independent"),
    ("a process that asks whether another can move", sharing.Summary, "shares_variables", never, "independent"),
    ("a process started late", futures, "runs_in", lambda *_: iter(()), "independent"),
]


@pytest.mark.parametrize(("name", "where", "what", "mistake", "condition"), PLANTED)
def test_a_planted_mistake_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, where: object, what: str, mistake: Callable[..., Any], condition: str
) -> None:
    program = parse(SMALL[name]).program
    assert not found(program)
    monkeypatch.setattr(where, what, mistake)
    assert condition in found(program)


def test_a_visible_action_taken_as_invisible_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    model = parse("byte x, y; active proctype A() { x = 1; x = 0 } active proctype B() { y = 1; y = 0 }")
    program = model.program
    expressions = [proposition(model.tree, text, Place(model.tree.source, 1, 1))[0] for text in ("x == 1", "y == 1")]

    def letter(state: State) -> Hashable:
        return tuple(holds(program, state, item) for item in expressions)

    def graph_flaws() -> tuple[list[str], str | None]:
        graph = whole_graph(program, reduction_of(program, Watched(tuple(expressions))), 3000)
        return list(flaws(graph, letter)), trace_difference(program, graph, letter)

    assert graph_flaws() == ([], None)
    monkeypatch.setattr(visibility.Visibility, "is_visible", never)
    seen, difference = graph_flaws()
    assert any(flaw.startswith("invisible") for flaw in seen)
    assert difference is not None, "the order of the two is lost"
