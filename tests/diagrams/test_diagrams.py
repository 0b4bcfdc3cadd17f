"""Diagrams of models say what the models say."""

from __future__ import annotations

from pathlib import Path

import pytest

import everafter
from everafter.diagrams.channel_diagram import channel_graph
from everafter.diagrams.control_diagram import control_flow
from everafter.diagrams.place_names import place_names
from everafter.diagrams.states import Named, state_graph
from everafter.diagrams.unfolding import explored
from everafter.drawing.diagram import Diagram
from everafter.drawing.svg import to_svg
from everafter.ltl import to_buchi
from everafter.ltl.picture import of_automaton
from everafter.promela.propositions import proposition
from everafter.source import Place, Source

EXAMPLES = Path(__file__).parents[2] / "examples"


def arrows(diagram: Diagram) -> set[tuple[str, str, tuple[str, ...]]]:
    """The edges, by what their nodes say first."""
    name = {node.key: node.text[0] for node in diagram.nodes}
    return {(name[edge.source], name[edge.target], edge.text) for edge in diagram.edges}


# Control flow


def test_control_flow() -> None:
    model = everafter.parse(
        """byte x;
        active proctype P() {
        again: x = 1;
            if
            :: atomic { x == 1 -> x = 2 }; x = 3; goto again
            :: else
            fi
        }"""
    )
    (diagram,) = control_flow(model.program)
    assert diagram.title == "P()"
    assert arrows(diagram) == {
        ("again", "4", ("x = 1",)),
        ("4", "5a", ("x == 1",)),
        ("5a", "5b", ("x = 2",)),
        ("5b", "again", ("x = 3",)),
        ("4", "the end", ("else",)),
    }
    shapes = {node.text[0]: node.shape for node in diagram.nodes}
    assert shapes["the end"] == "double"
    assert [edge.line for edge in diagram.edges].count("bold") == 1
    assert next(node.key for node in diagram.nodes if node.text == ("again",)) == diagram.start


def test_places_on_one_line_are_named_in_the_order_of_reading() -> None:
    model = everafter.parse("byte x; active proctype P() { x = 1; atomic { x == 1 -> x = 2 }; x = 3 }")
    (diagram,) = control_flow(model.program)
    assert [node.text[0] for node in diagram.nodes] == ["1a", "1b", "1c", "1d", "the end"]


def test_escapes_are_dashed_and_marks_coloured() -> None:
    model = everafter.parse(
        "bool stop; active proctype P() { { accept: do :: progress: skip od } unless { stop } }", {}
    )
    (diagram,) = control_flow(model.program)
    assert {edge.text for edge in diagram.edges if edge.line == "dashed"} == {("stop",)}
    assert "accent" in {node.tone for node in diagram.nodes}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.pml")), ids=lambda path: path.stem)
def test_names_of_places_differ(path: Path) -> None:
    for process in everafter.load(path).program.processes:
        names = place_names(process.graph)
        assert len(set(names.values())) == len(names) == len(process.graph.nodes)


# States


def test_states_are_those_that_the_check_counts() -> None:
    for name in ("peterson", "mutex_broken", "dekker", "unless_escape", "readers_writers", "scheduler"):
        model = everafter.load(EXAMPLES / f"{name}.pml")
        found = explored(model.program, 10_000)
        expected = (EXAMPLES / f"{name}.pml").read_text().split(" states")[0].split()[-1]
        assert (len(found.states), found.is_whole) == (int(expected), True)


def test_small_state_graph() -> None:
    model = everafter.parse("byte x; active proctype P() { x = 1; assert(x == 2) }")
    diagram = state_graph(model.program)
    assert diagram.note == "4 states"
    texts = [node.text for node in diagram.nodes]
    assert texts == [("P(0) 1a",), ("P(0) 1b", "x = 1"), ("P(0) the end", "x = 1"), ("x = 1",)]
    bad = [edge for edge in diagram.edges if edge.tone == "bad"]
    assert [edge.text for edge in bad] == [("✗ P(0): assert(x == 2)",)]
    assert bad[0].hint.endswith("assert(x == 2) failed")
    assert [node.shape for node in diagram.nodes].count("double") == 1


def test_a_deadlock_is_red() -> None:
    diagram = state_graph(everafter.load(EXAMPLES / "philosophers.pml", {"N": 2}).program)
    assert [node.tone for node in diagram.nodes].count("bad") == 1


def test_atomic_sequences_are_one_arrow() -> None:
    model = everafter.parse("byte x; active proctype P() { atomic { x = 1; x = 2; x = 3 } }")
    diagram = state_graph(model.program)
    assert ("P(0): x = 1; x = 2; x = 3",) in {edge.text for edge in diagram.edges}
    assert not any("x = 1" in node.text for node in diagram.nodes)


def test_long_atomic_sequences_are_cut() -> None:
    text = "int x; active proctype P() { atomic { do :: x < COUNT -> x++ :: else -> break od } }"
    diagram = state_graph(everafter.parse(text, {"COUNT": 100}).program)
    (sequence,) = [edge for edge in diagram.edges if edge.hint.startswith("P(0): x < 100")]
    assert sequence.hint == "P(0): " + "x < 100; x++; " * 3 + "…"
    assert diagram.note == "3 states"
    endless = state_graph(everafter.parse(text, {"COUNT": 1_000_000}).program, most=10)
    assert endless.note == "1 state, the first ones; there are more"


def test_a_run_that_cannot_go_on_leads_to_what_went_wrong() -> None:
    diagram = state_graph(everafter.parse("byte x, a[2]; active proctype P() { x = 2; a[x] = 1 }").program)
    assert diagram.nodes[-1].tone == "bad"
    assert diagram.edges[-1].target == diagram.nodes[-1].key


def test_many_states_are_merged_by_places() -> None:
    model = everafter.load(EXAMPLES / "alternating_bit.pml")
    diagram = state_graph(model.program, most=5_000)
    assert diagram.note == "2,048 states; merged by the places of all processes"
    counted = [node.text[-1] for node in diagram.nodes]
    assert sum(int(text.removeprefix("(").removesuffix(" states)")) for text in counted) == 2048
    few = state_graph(model.program, most=5_000, boxes=10)
    assert few.note == "2,048 states; merged by the places of Sender(0)"
    assert len(few.nodes) == 5
    assert len(state_graph(model.program, most=5_000, boxes=1).nodes) == 1


def test_that_there_are_more_states_is_said() -> None:
    model = everafter.load(EXAMPLES / "alternating_bit.pml")
    assert state_graph(model.program, most=100).note.startswith("100 states, the first ones; there are more; merged")


def test_states_are_merged_by_expressions() -> None:
    model = everafter.load(EXAMPLES / "peterson.pml")
    expression, _ = proposition(model.tree, "inside", Place(Source("<by>", "inside"), 1, 1))
    diagram = state_graph(model.program, [Named("inside", expression)])
    assert {node.text[0] for node in diagram.nodes} == {"inside = 0", "inside = 1"}
    crossing = {(source, target) for source, target, _ in arrows(diagram)}
    assert ("inside = 0", "inside = 1") in crossing
    assert ("inside = 1", "inside = 0") in crossing


# Channels


def test_channels_are_followed_through_arguments_messages_and_assignments() -> None:
    model = everafter.parse(
        """chan q = [2] of { byte }, carrier = [0] of { chan };
        proctype Sender(chan out) { out!1 }
        active proctype Receiver() { chan mine, again; carrier?mine; again = mine; again?_ }
        active proctype Starter() { chan own = [1] of { byte, byte }; run Sender(q); carrier!q; d_step { own!1, 2 } }"""
    )
    found = arrows(channel_graph(model.program))
    assert ("Sender", "q", ("1",)) in found
    assert ("q", "Receiver", ("_",)) in found
    assert ("Starter", "Starter.own", ("1, 2",)) in found
    assert ("Starter", "carrier", ("q",)) in found
    assert ("carrier", "Receiver", ("mine",)) in found
    assert len(found) == 5


def test_a_channel_nobody_knows() -> None:
    diagram = channel_graph(everafter.parse("chan q; active proctype P() { q!1 }").program)
    assert [edge.line for edge in diagram.edges] == ["dashed"]
    silent = channel_graph(everafter.parse("active proctype P() { skip }").program)
    assert silent.note == "nobody sends or receives"


# Automata


def test_an_automaton() -> None:
    diagram = of_automaton(to_buchi(everafter.ltl.parse("<> [] p")))
    assert sorted(edge.text for edge in diagram.edges) == [("p",), ("p",), ("true",)]
    assert [node.shape for node in diagram.nodes].count("double") == 1
    assert to_svg([diagram]).startswith("<svg")
