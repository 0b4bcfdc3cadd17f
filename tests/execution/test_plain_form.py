"""Programs and states as plain text, as verified/README.md describes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everafter.execution.packing import Packer
from everafter.execution.plain_never import plain_never
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


NEVER = """
byte x; active proctype P() { accept: x = 1 }
never {
  do :: atomic { x == 1 -> assert(x > 0) } :: timeout -> goto accept_last :: else -> printf("on") od;
  accept_last: x == 1
}
"""
PLAIN_NEVER = """\
(never 8 (accept 11) (labels (0 1))
  (at 8 (labels) (go 2 atomic 0 (test (== (shared 0) 1))) (go 11 free 0 (test (timeout))) (go 7 free 0 (else)))
  (at 7 (labels) (go 8 free 0 (skip)))
  (at 11 (labels) (go 12 free 0 (test (== (shared 0) 1))))
  (at 12 (labels end) (go 0 free 0 (end)))
  (at 2 (labels) (go 8 free 0 (assert (> (shared 0) 0))))
)"""


def test_a_never_claim_has_its_words() -> None:
    program = parse(NEVER).program
    claim = next(kind for kind in program.processes if kind.role == "never")
    assert plain_never(program, claim, accept_labels=True) == PLAIN_NEVER
    assert "(labels)\n" in plain_never(program, claim, accept_labels=False)


@pytest.mark.parametrize("text", ["x == _pid", "{ x == 1 } unless { x == 2 }"])
def test_what_is_no_plain_observation_is_refused(text: str) -> None:
    program = parse(f"byte x; active proctype P() {{ x = 1 }} never {{ {text} }}").program
    claim = next(kind for kind in program.processes if kind.role == "never")
    with pytest.raises(NotPlainError, match="in the plain form a"):
        plain_never(program, claim, accept_labels=True)


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
