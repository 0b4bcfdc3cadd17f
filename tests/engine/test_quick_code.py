"""Machine code is made quickly at first, does the same, and gives way to better code while a search runs."""

from __future__ import annotations

import ctypes
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import everafter
from everafter.engine.code.machine import compile_text
from everafter.engine.run import kernel_code, model_object
from everafter.engine.run.model_object import ModelObject
from everafter.engine.run.native_model import NativeModel

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.pml"))[::4]
COUNTER = """
    byte x;
    active proctype P() { do :: x < LAST -> x++ :: else -> x = 0 od }
    ltl p { []<> (x == 3) }
    ltl q { <> (x == LAST) }
"""
GRID = """
    byte x, y, z;
    active proctype P() { do :: x < 30 -> x++ :: x == 30 -> x = 0 od }
    active proctype Q() { do :: y < 30 -> y++ :: y == 30 -> y = 0 od }
    active proctype R() { do :: z < 10 -> z++ :: z == 10 -> z = 0 od }
"""
EXPAND = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)


def states(path: Path, quickly: bool) -> int:
    model = NativeModel(everafter.load(path).program, quickly=quickly)
    model.go_past_errors()
    return model.search("unordered", 1 << 28, lambda _progress: None).run(lambda _figures: False).figures.states


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_counts_the_same_states(path: Path) -> None:
    assert states(path, quickly=True) == states(path, quickly=False) > 0


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much each code is optimised that is made from now on; none is cached."""
    made: list[int] = []

    def noted(code: str, level: int) -> bytes:
        made.append(level)
        return compile_text(code, level)

    monkeypatch.setattr(model_object, "compile_text", noted)
    monkeypatch.setattr(model_object, "cached", lambda _key, make: make())
    monkeypatch.setattr(model_object, "_is_cached", lambda _text: False)
    return made


def check_everything(last: int) -> None:
    assert all(result.verdict == "holds" for result in everafter.parse(COUNTER, {"LAST": last}).check_all())


def test_a_small_model_of_each_size_gets_quick_code_alone(levels: list[int]) -> None:
    for last in (8, 9):
        check_everything(last)
    assert levels == [0] * 6


def test_checks_in_one_process_share_their_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    check_everything(7)
    monkeypatch.setattr(kernel_code, "Loaded", None)
    monkeypatch.setattr(kernel_code, "carried", None)
    check_everything(7)
    check_everything(6)


def test_code_of_long_texts_is_optimised(levels: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every value has a place of its own on the stack."""
    monkeypatch.setattr(model_object, "_MOST_QUICK_TEXT", 100)
    check_everything(9)
    assert levels == [1, 1, 1]


def test_optimised_code_that_was_made_before_is_taken(levels: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_object, "_is_cached", lambda _text: True)
    check_everything(9)
    assert levels == [1, 1, 1]


def test_better_code_is_made_once_where_it_pays_and_there_is_time(levels: list[int]) -> None:
    code = ModelObject("define i64 @f() {\n  ret i64 7\n}\n", quickly=True)
    quick = code.address("f")
    code.look(0)
    code.look(9, left=0)
    code.wait()
    assert (levels, code.improved("f")) == ([0], None)
    code.look(9, left=9)
    code.look(9)
    code.wait()
    assert levels == [0, 1]
    assert quick != code.improved("f") == code.address("f")
    optimised = ModelObject("define i64 @f() {\n  ret i64 7\n}\n")
    optimised.look(9)
    assert (levels, optimised.improved("f")) == ([0, 1, 1], None)


class Counted(ModelObject):
    """Its better code counts its calls, and then does what the other does."""

    calls = 0

    @cached_property
    def counting(self) -> Any:
        real = EXPAND(self.address("expand"))

        def called(row: int, out: int, control: int) -> int:
            self.calls += 1
            return int(real(row, out, control))

        return EXPAND(called)

    def improved(self, name: str) -> int | None:
        return ctypes.cast(self.counting, ctypes.c_void_p).value


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_goes_on_with_better_code(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = everafter.parse(GRID).program
    usual = NativeModel(program).search("unordered", 1 << 28, lambda _: None).run().figures
    monkeypatch.setattr("everafter.engine.run.native_model.ModelObject", Counted)
    model = NativeModel(program, quickly=True)
    if workers == 1:
        found = model.search("unordered", 1 << 28, lambda _: None).run(interval=1e-4).figures
    else:
        found = model.search("unordered", 1 << 28, lambda _: None, workers=workers).run(interval=1e-4).figures
    assert isinstance(model.object, Counted)
    assert model.object.calls > 0
    assert (found.states, found.transitions) == (usual.states, usual.transitions) == (62 * 62 * 22, 3 * 62 * 62 * 22)
