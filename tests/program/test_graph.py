"""Our control-flow graphs are SPIN's own: same states, same numbers, same transitions in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES, installed_models
from oracles.promela.random_programs import program
from oracles.spin import ModelRejectedError
from oracles.spin_tables import Row, Tables, read_tables, spin_tables

from everafter.program.control_flow import DeterministicStep, Node, Transition
from everafter.program.program import ProcessType, build
from everafter.promela.parser import parse
from everafter.source import Source

#: Formulas with X, which Debian's SPIN does not read.
REFUSED_BY_SPIN = {"patterns.pml"}
SEEDS = range(1000, 1060)


def rows_of(process: ProcessType) -> list[Row]:
    return [_row(node, step) for node in process.graph.nodes.values() for step in node.transitions]


def _row(node: Node, step: Transition) -> Row:
    mode = "D" if isinstance(step.effect, DeterministicStep) else "A" if step.keeps_atomic else "-"
    return Row(node.number, step.target, mode, node.is_accepting, node.is_end, node.is_progress)


def our_tables(text: str, name: str = "model.pml") -> Tables:
    names = {":init:": "init", ":trace:": "trace assertion", ":notrace:": "trace assertion"}
    model, _ = parse(Source(name, text))
    return {names.get(process.name, process.name): rows_of(process) for process in build(model).processes}


def by_state(rows: list[Row]) -> dict[int, list[Row]]:
    """The transitions of every state that control reaches, in order.

    SPIN lists the initial state first, and also the starts of escapes, which are reached only if some step leads there.
    """
    table: dict[int, list[Row]] = {}
    for row in rows:
        table.setdefault(row.source, []).append(row)
    reached: set[int] = set()
    pending = [rows[0].source] if rows else []
    while pending:
        state = pending.pop()
        if state not in reached:
            reached.add(state)
            pending += [row.target for row in table.get(state, ())]
    return {state: found for state, found in table.items() if state in reached}


def differences(ours: Tables, theirs: Tables) -> list[str]:
    """What differs; claims that SPIN makes of formulas are no graphs of ours."""
    found = [f"{name}: not in SPIN's tables" for name in ours.keys() - theirs.keys()]
    for name in ours.keys() & theirs.keys():
        left, right = by_state(ours[name]), by_state(theirs[name])
        found += [
            f"{name}, state {state}: ours {left.get(state)}, SPIN's {right.get(state)}"
            for state in sorted(left.keys() | right.keys())
            if left.get(state) != right.get(state)
        ]
    return found


@pytest.mark.parametrize("path", [*EXAMPLES, *installed_models()], ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.spin
def test_graphs_of_examples_are_those_of_spin(path: Path) -> None:
    ours = our_tables(path.read_text(errors="replace"), str(path))
    if path.name in REFUSED_BY_SPIN:
        with pytest.raises(ModelRejectedError):
            spin_tables(path)
    else:
        assert not differences(ours, spin_tables(path))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.spin
def test_graphs_of_random_programs_are_those_of_spin(seed: int) -> None:
    text = program(seed)
    assert not differences(our_tables(text), spin_tables(text))


#: Bodies of the one process, over a global byte x.
BODIES = {
    "a loop with a range": 'for (x : 1 .. 3) { printf("x"); x = 2 }',
    "a short selection": "select (x : 1 .. 3); x = 0",
    "a long selection": "select (x : 1 .. 99); x = 0",
    "an escape behind a loop": "do :: x++ :: x > 3 -> break od unless { x == 9 -> skip }",
    "an escape behind a choice": "if :: x++ :: x-- fi unless if :: x == 1 :: x == 2 fi",
    "an escape behind an atomic": "atomic { x++; x-- } unless atomic { x == 1; x = 0 }",
    "an escape behind a statement": "x = 1 unless x == 1; x = 2",
    "an escape within an escape": "{ x = 1 } unless { { x == 2; x = 3 } unless { x == 4 } }",
    "a labelled escape": "L: { x = 1; x = 2 } unless { x == 2 }; goto L",
    "a labelled atomic with an escape": "L: atomic { x = 1; x = 2 } unless { x == 2 }",
    "gotos with special labels": "S: x = 1; end0: goto S",
    "labels that accept and progress": "do :: accept: x = 1; progress_1: x = 2 od",
    "a goto out of an atomic": "L: x = 1; atomic { x = 2; goto L; x = 3 }",
    "a goto between atomics": "atomic { x = 1; L: x++; x = 2 }; atomic { x = 3; goto L }",
    "nested atomics and d_steps": "atomic { x = 1; atomic { x = 2; d_step { x = 3 } } }",
    "labels of options": "do :: end1: x == 1 -> x = 2 :: accept: x = 3 :: progress: x = 4; x = 5 od",
    "labels of choices in choices": "if :: accept: if :: x = 1; x = 2 :: x = 3 fi :: x = 4 fi",
    "labels of groups": "do :: progress: { x = 1; x = 2 } :: end: atomic { x = 3; x = 4 } od",
    "skips in options": "if :: skip; skip; skip; x = 1 :: skip; skip fi",
    "a dead option": "if :: false -> x = 1 :: x = 2 fi",
}
MODELS = {
    "a loop over an array": "byte x, a[3]; active proctype P() { for (x in a) { a[x] = 1 } }",
    "a selection up to a variable": "byte x, n = 3; active proctype P() { select (x : 1 .. n); x = 0 }",
    "a watched goto": "byte x; active proctype P() { L: goto M; M: x = 1; goto L } active proctype Q() { P@L }",
    "a declaration between statements": "active proctype P() { byte x; x = 1; byte y = 2; int z[3]; x = y }",
    "inlines": "byte x; inline i(a) { a = 1; if :: a = 2 :: a = 3 fi } active proctype P() { i(x); L: i(x); goto L }",
} | {name: f"byte x; active proctype P() {{ {body} }}" for name, body in BODIES.items()}


@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS.keys())
@pytest.mark.spin
def test_graphs_of_single_constructs_are_those_of_spin(text: str) -> None:
    assert not differences(our_tables(text), spin_tables(text))


LISTING = """proctype P
\tstate   1 -(tr   3)-> state   2  [id   0 tp   2] [A---G] m.pml:1 => x = 1
\tstate   2 -(tr   4)-> state   0  [id   1 tp 3500] [--e-L] m.pml:1 => -end-
"""


def test_the_comparison_sees_each_part_of_a_transition() -> None:
    """A planted difference in state, target, mode, label or order is found."""
    theirs = read_tables(LISTING)
    assert theirs == {"P": [Row(1, 2, "A", False, False, False), Row(2, 0, "-", False, True, False)]}
    for right, wrong in (
        ("state   1 -", "state   3 -"),
        ("> state   2", "> state   1"),
        ("[A---", "[----"),
        ("[A---", "[Aa--"),
        ("[--e-", "[----"),
        ("[A---", "[A--p"),
        ("x = 1", "D_STEP1"),
    ):
        assert differences(theirs, read_tables(LISTING.replace(right, wrong)))
    assert differences(theirs, {})
    both = [Row(1, 2, "-", False, False, False), Row(1, 3, "-", False, False, False)]
    assert differences({"P": both}, {"P": both[::-1]})
