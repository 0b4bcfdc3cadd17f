"""Programs and states as plain text, as verified/README.md describes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everafter.execution.packing import Packer
from everafter.execution.plain_program import NotPlainError, plain_form
from everafter.execution.plain_states import PlainStates
from everafter.execution.state import State
from everafter.execution.step import initial_state, steps
from everafter.user_model import load, parse

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "verified" / "README.md"
EXAMPLE = "byte x; active proctype P() { do :: x < 2 -> x++ :: else -> break od; assert(x == 2) }"


def test_every_construct_has_its_word() -> None:
    """`EVERAFTER_UPDATE=1` writes the text anew."""
    found, golden = plain_form(load(HERE / "every_construct.pml").program), HERE / "every_construct.program"
    if os.environ.get("EVERAFTER_UPDATE"):
        golden.write_text(found)
    assert found == golden.read_text()


def test_what_forbids_rendezvous_has_its_word_too() -> None:
    text = "byte x; active proctype P() { enabled(1) -> x = 1 } active proctype Q() { x == 2 }"
    assert "(test (enabled 1))" in plain_form(parse(text).program)


def test_the_page_shows_an_example_as_it_is() -> None:
    program, page = parse(EXAMPLE).program, PAGE.read_text()
    assert EXAMPLE in page
    assert f"```text\n{plain_form(program)}```" in page
    texts = PlainStates(program)
    state: State | None = initial_state(program)
    while state is not None:
        assert f"{texts.text(state)}\n" in page
        state = next((step.state for step in steps(program, state)), None)


def test_a_run_within_an_expression_is_refused() -> None:
    text = "byte x; proctype P() { skip } init { x = 1 + run P() }"
    with pytest.raises(NotPlainError, match="'run' stands alone"):
        plain_form(parse(text).program)


def test_states_are_the_same_where_their_texts_are() -> None:
    """What distinguishes no states is not in their texts: hidden variables, and a rendezvous that has been."""
    text = "hidden byte h; chan q = [0] of { byte }; active proctype P() { h = 3; h = 4 }"
    program = parse(text).program
    packer, texts = Packer(program), PlainStates(program)
    state = steps(program, initial_state(program))[0].state
    assert state is not None
    assert texts.text(state) == texts.text(packer.unpack(packer.pack(state)))
