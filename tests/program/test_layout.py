"""Packing loses nothing: different states have different bytes, and every state comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.corpus import EXAMPLES
from oracles.promela.random_programs import program as random_program
from tests.program.reachable import program_of, reachable
from tests.program.test_accesses import SPECIAL

from everafter.execution.packing import Packer
from everafter.execution.state import State
from everafter.execution.step import initial_state
from everafter.program.layout import WORD, PackedRow, bytes_of
from everafter.program.program import Program
from everafter.program.storage import Width

SIGNED = st.sampled_from([Width(8, signed=True), Width(16, signed=True), Width(32, signed=True)])
WIDTHS = st.builds(Width, st.integers(1, 32), st.just(False)) | SIGNED


@st.composite
def rows_with_values(draw: st.DrawFn, count: int = 1) -> tuple[PackedRow, list[tuple[int, ...]]]:
    """A row, and values that fit it."""
    widths = draw(st.lists(WIDTHS, max_size=12))
    values = [
        tuple(
            draw(
                st.integers(-(1 << (width.bits - 1)), (1 << (width.bits - 1)) - 1)
                if width.signed
                else st.integers(0, (1 << width.bits) - 1)
            )
            for width in widths
        )
        for _ in range(count)
    ]
    return PackedRow(tuple(widths)), values


@given(rows_with_values())
def test_a_row_comes_back(case: tuple[PackedRow, list[tuple[int, ...]]]) -> None:
    row, [values] = case
    packed = row.pack(values)
    assert row.unpack(packed) == values
    assert len(packed) == row.size == sum(map(bytes_of, row.widths))


@given(rows_with_values(count=2))
def test_different_rows_have_different_bytes(case: tuple[PackedRow, list[tuple[int, ...]]]) -> None:
    row, [first, second] = case
    assert (row.pack(first) == row.pack(second)) == (first == second)


@given(WIDTHS, st.integers(-(2**40), 2**40))
def test_storing_is_cutting_as_c_does(width: Width, value: int) -> None:
    stored = width.store(value)
    assert (stored - value) % 2**width.bits == 0
    assert (-(2 ** (width.bits - 1)) if width.signed else 0) <= stored < 2 ** (width.bits - width.signed)
    assert width.store(stored) == stored


@pytest.mark.parametrize(("width", "value"), [(Width(3), 8), (Width(8), -1), (Width(8, signed=True), 128)])
def test_what_does_not_fit_is_an_error(width: Width, value: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        PackedRow((width,)).pack([value])


def test_the_number_of_values_must_fit() -> None:
    with pytest.raises(ValueError, match=r"zip|argument"):
        PackedRow((Width(8),)).pack([1, 2])


def visible(program: Program, state: State) -> State:
    """The state with 0 in the variables that do not distinguish states."""
    cells = program.memory.cells
    return state._replace(memory=tuple(0 if cells[i].hidden else value for i, value in enumerate(state.memory)))


MODELS: dict[str, Path | str] = {path.stem: path for path in EXAMPLES}
MODELS |= SPECIAL
MODELS |= {f"seed {seed}": random_program(seed) for seed in range(3000, 3030)}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_states_come_back_and_are_told_apart(model: Path | str) -> None:
    program = program_of(model)
    packer = Packer(program)
    packed: dict[bytes, State] = {}
    for state in reachable(program, 500):
        data = packer.pack(state)
        assert packer.unpack(data) == visible(program, state)
        # Packers remember parts they have seen: a fresh one must agree.
        assert Packer(program).unpack(data) == visible(program, state)
        assert packed.setdefault(data, visible(program, state)) == visible(program, state)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("bit a, b, c; active proctype P() { a = 1 }", 3),
        ("byte a; short b; int c; unsigned d : 3; active proctype P() { a = 1 }", 8),
        ("bit a[3]; active proctype P() { a[0] = 1 }", 3),
        ("hidden byte a; byte b; active proctype P() { a = 1; b = 1 }", 1),
        ("mtype = { x }; mtype m; chan c; active proctype P() { m = x }", 2),
    ],
)
def test_globals_take_the_bytes_they_need(text: str, size: int) -> None:
    assert Packer(program_of(text)).layout.memory.size == size


def test_a_state_is_no_longer_than_its_parts() -> None:
    """Header, three bytes of globals, one channel of one byte with its length, one process with a byte."""
    program = program_of("bit a, b; chan q = [1] of { byte }; active proctype P() { byte x; x = 1; q!x; q?x }")
    packer = Packer(program)
    layout = packer.layout
    state = initial_state(program)
    assert (layout.first_process, layout.processes[0].size) == (WORD + 3 + 2, 3)
    assert len(packer.pack(state)) == 2 * WORD
