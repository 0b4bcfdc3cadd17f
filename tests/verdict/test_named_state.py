"""States by the names of the model, rows of a run as data, and the reachable states as a graph."""

from __future__ import annotations

import sys
from itertools import islice
from typing import Any

import pytest
from oracles.promela.random_programs import program

import everafter
from everafter.execution.step import initial_state, steps

TEXT = """
mtype = { red, green };
typedef T { byte a; int b[2] };
mtype colour; bool flag[2]; T t; T ts[2];
chan q = [2] of { mtype, byte }; chan r = [2] of { byte }; chan none;
proctype R(byte k) { byte i = k; { int j = 4; j++ } { int j = 6; j++ }
here: r!i }
init { colour = green; t.b[1] = -3; flag[1] = true; ts[1].a = 4; q!red, 7; run R(3); (_nr_pr == 1); assert(false) }
"""


def run_of(text: str) -> everafter.Counterexample:
    found = everafter.parse(text).check(engine="reference").counterexample
    assert found is not None
    return found


def test_a_state_has_values_by_name() -> None:
    rows = run_of(TEXT).rows
    assert dict(rows[0].before) == {
        "colour": 0,
        "flag": [0, 0],
        "t": {"a": 0, "b": [0, 0]},
        "ts": [{"a": 0, "b": [0, 0]}] * 2,
        "q": [],
        "r": [],
        "none": None,
    }
    last = rows[-1].state
    assert last is not None
    assert (last["colour"], last["flag"][1], last["t"]["b"][1], last["ts"][1]["a"]) == ("green", 1, -3, 4)
    assert (last["q"], last["r"]) == ([("red", 7)], [3])
    assert "'colour': 'green'" in repr(last)
    with pytest.raises(KeyError):
        last["colours"]


def test_a_process_has_its_place_and_its_variables() -> None:
    sending = next(row for row in run_of(TEXT).rows if row.statement == "r!i")
    init, sender = sending.before.processes
    assert (init.name, init.number, init.labels, init.values) == ("init", 0, (), {})
    assert (sender.name, sender.number, sender.spot.line, sender.labels) == ("R", 1, 7, ("here",))
    assert sender.values == {"k": 3, "i": 3, "j": 5, "j#2": 7}


def test_what_a_step_changes_is_data() -> None:
    rows = run_of(TEXT).rows
    changes: dict[str, Any] = {}
    for row in rows:
        changes |= row.changes
    assert changes["R(1)"] is None
    started = next(row for row in rows if row.statement.startswith("run")).changes["R(1)"]
    assert isinstance(started, everafter.NamedProcess)
    assert started.values["i"] == 3
    del changes["R(1)"]
    assert changes == {
        **{"colour": "green", "t.b[1]": -3, "flag[1]": 1, "ts[1].a": 4, "q": [("red", 7)], "r": [3]},
        "R(1).j": 7,
    }
    assert [list(row.changes) for row in rows] == [[text.split(" ")[0] for text in row.change_texts] for row in rows]
    assert rows[0].before != rows[0].state
    assert rows[0].state == rows[1].before


def test_a_step_that_cannot_be_completed_has_no_state_behind_it() -> None:
    (row,) = run_of("byte a[2], i = 2; active proctype P() { a[i] = 1 }").rows
    assert (row.state, row.changes, row.before["i"]) == (None, {}, 2)


@pytest.mark.parametrize("seed", range(25))
def test_states_are_those_of_the_reference_with_all_their_steps(seed: int) -> None:
    try:
        model = everafter.parse(program(seed))
    except everafter.InputError:
        return
    known, waiting = {initial_state(model.program): 0}, [initial_state(model.program)]
    for reached in islice(model.states(), 200):
        possible = steps(model.program, waiting[reached.number])
        assert len(possible) == len(reached.steps)
        for step, labelled in zip(possible, reached.steps, strict=True):
            assert (labelled.statement, labelled.target is None) == (step.transition.text, step.state is None)
            if step.state is not None:
                if step.state not in known:
                    waiting.append(step.state)
                assert labelled.target == known.setdefault(step.state, len(known))


def test_states_are_found_when_they_are_asked_for() -> None:
    endless = everafter.parse("int x; active proctype P() { do :: x++ od }").states()
    assert [reached.state["x"] for reached in islice(endless, 3)] == [0, 1, 2]
    assert [reached.number for reached in islice(endless, 2)] == [0, 1]


def test_a_limit() -> None:
    model = everafter.parse("int x; active proctype P() { do :: x++ od }")
    assert len(list(model.states(limit=7))) == 7
    graph = model.states(7).to_networkx()
    assert (len(graph), graph.number_of_edges(), graph.graph["is_whole"]) == (7, 6, False)
    with pytest.raises(everafter.OptionError, match="from 1 on"):
        model.states(0)


def test_a_graph() -> None:
    model = everafter.parse("bool x; active proctype P() { do :: x = 1 :: x = 0 :: break od; end: false }")
    graph = model.states().to_networkx()
    assert graph.graph["is_whole"]
    assert len(graph) == len(list(model.states())) == model.check(reduction="none", engine="reference").states
    assert {statement for _, _, statement in graph.edges(data="statement")} >= {"x = 1", "x = 0"}
    assert not any(dead for _, dead in graph.nodes(data="is_deadlock"))


def test_a_deadlock_is_told() -> None:
    graph = everafter.parse("active proctype P() { if :: skip :: skip; false fi }").states().to_networkx()
    stuck = [number for number in graph if graph.out_degree(number) == 0]
    assert len(stuck) == 2
    assert sum(graph.nodes[number]["is_deadlock"] for number in stuck) == 1


def test_networkx_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(everafter.OptionError, match="networkx is not installed") as missing:
        everafter.parse("active proctype P() { skip }").states().to_networkx()
    assert missing.value.advice == 'pip install "everafter[networkx]"'
