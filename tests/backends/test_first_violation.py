"""How many states a search takes up to its answer: counted as SPIN counts them, and few."""

from __future__ import annotations

import pytest
from oracles.corpus import EXAMPLES_FOLDER
from oracles.spin import safety, verdict

import everafter
from everafter.ltl import parse, to_buchi

VIOLATED = ("mutex_broken.pml", "philosophers.pml")
WAITING = """
byte x;
active [3] proctype P() { do :: x < 30 -> x++ :: x > 0 -> x-- od }
active proctype Q() { x == 3; assert(false) }
"""
"""Every state has successors that are not yet searched from when the first violation is met."""
ALGORITHMS = ("depth-first", "breadth-first", "unordered")
BUSY = """
byte turns[4];
active [4] proctype P() { do :: turns[_pid] = (turns[_pid] + 1) % 9 od }
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("name", VIOLATED)
@pytest.mark.spin
def test_states_are_counted_up_to_the_violation_as_spin_counts_them(name: str, engine: str) -> None:
    path = EXAMPLES_FOLDER / name
    result = everafter.load(path).check(algorithm="depth-first", engine=engine, reduction="none")
    assert result.violated
    assert result.states == safety(path).states


def test_states_that_only_wait_do_not_count() -> None:
    model = everafter.parse(WAITING)
    counts = {
        engine: model.check(algorithm="depth-first", engine=engine, reduction="none").states
        for engine in ("native", "reference")
    }
    assert counts["native"] == counts["reference"]


@pytest.mark.parametrize("threads", [1, 3])
def test_after_a_complete_search_all_states_count(threads: int) -> None:
    model = everafter.parse(WAITING.replace("assert(false)", "x = 30"))
    expected = model.check(engine="reference", reduction="none").states
    counts = {model.check(algorithm=name, reduction="none", threads=threads).states for name in ALGORITHMS}
    assert counts == {expected}


@pytest.mark.parametrize(
    "formula", ["!(<> [] p)", "!([] <> p)", "p U (q U r)", "[] (p -> <> q)", "<> (p && X p)", "false", "p W (<> [] q)"]
)
def test_an_eager_automaton_has_the_same_edges_and_tries_acceptance_first(formula: str) -> None:
    plain = to_buchi(parse(formula))
    eager = plain.eager()
    assert [set(edges) for edges in eager.outgoing] == [set(edges) for edges in plain.outgoing]
    accepting = eager.accepting_states
    assert accepting == plain.accepting_states
    for edges in eager.outgoing:
        reached = [edge.target in accepting for edge in edges]
        assert reached == sorted(reached, reverse=True)


@pytest.mark.spin
def test_a_cycle_without_progress_is_met_as_soon_as_by_spin() -> None:
    """The claim guesses at once that there is no more progress; else all states come first."""
    (ours,) = everafter.parse(BUSY).check_all(everafter.Request(progress=True, reduction="none"))
    assert ours.violated
    assert ours.states <= verdict(BUSY, kind="progress").states
