"""Machine code that is made quickly does the same, and is made where few states are expected."""

from pathlib import Path

import pytest

import everafter
from everafter.engine.code.machine import compile_text
from everafter.engine.run import native_model as running
from everafter.engine.run.native_model import NativeModel
from everafter.questions.question import FEW

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.pml"))[::4]
COUNTER = """
    byte x;
    active proctype P() { do :: x < 9 -> x++ :: else -> x = 0 od }
    ltl p { []<> (x == 3) }
    ltl q { <> (x == 9) }
"""


def states(path: Path, quickly: bool) -> int:
    model = NativeModel(everafter.load(path).program, quickly=quickly)
    model.go_past_errors()
    return model.search("unordered", 1 << 28, lambda _progress: None).run(lambda _figures: False).figures.states


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_counts_the_same_states(path: Path) -> None:
    assert states(path, quickly=True) == states(path, quickly=False) > 0


def levels(monkeypatch: pytest.MonkeyPatch, text: str) -> list[int]:
    """How much each code is optimised that is made to check everything."""
    made: list[int] = []

    def noted(code: str, level: int) -> bytes:
        made.append(level)
        return compile_text(code, level)

    with monkeypatch.context() as patch:
        patch.setattr(running, "compile_text", noted)
        patch.setattr(running, "cached", lambda _key, make: make())
        assert all(result.verdict == "holds" for result in everafter.parse(text).check_all())
    return made


def test_formulas_about_few_states_get_code_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(monkeypatch, COUNTER) == [1, 0, 0]


def test_formulas_about_many_states_get_quick_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everafter.check.FEW", 5)
    assert FEW > 5
    assert levels(monkeypatch, COUNTER) == [1, 1, 1]


def test_code_of_long_texts_is_optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every value has a place of its own on the stack."""
    monkeypatch.setattr(running, "_MOST_QUICK_TEXT", 100)
    assert levels(monkeypatch, COUNTER) == [1, 1, 1]
