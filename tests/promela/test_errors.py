"""Error messages, word for word: each model under errors/ has the messages it must get beside it.

`pytest tests/promela/test_errors.py --update-golden`, or EVERAFTER_UPDATE_GOLDEN=1 where the option is not known
because the whole of tests/ is run, writes what is said now; read it as a newcomer would before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everafter.program.program import build
from everafter.promela.parser import parse
from everafter.source import InputError, Source

FOLDER = Path(__file__).parent / "errors"
MODELS = sorted(FOLDER.glob("*.pml"))


def refusal(path: Path) -> InputError:
    """The error that a wrong model raises."""
    try:
        model, _ = parse(Source(str(path), path.read_text(encoding="utf-8")))
        build(model)
    except InputError as error:
        return error
    pytest.fail("the model was accepted")


def messages(path: Path) -> str:
    """Everything said of a wrong model, rendered, with places relative to the folder."""
    return refusal(path).render().replace(f"{FOLDER}{os.sep}", "").replace(str(FOLDER), ".") + "\n"


def test_there_are_many_cases() -> None:
    assert len(MODELS) >= 60


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_messages_are_as_expected(path: Path, request: pytest.FixtureRequest) -> None:
    said = messages(path)
    expected = path.with_suffix(".expected")
    updating = request.config.getoption("--update-golden", default=False) or os.environ.get("EVERAFTER_UPDATE_GOLDEN")
    if updating:
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_message_points_at_its_text(path: Path) -> None:
    """Each error names a line that exists; a caret stands under a character of it, or just behind the last one."""
    for diagnostic in refusal(path).diagnostics:
        place = diagnostic.place
        line = place.source.line(place.line)
        assert 1 <= place.line <= len(place.source.lines)
        assert 1 <= place.column <= len(line) + 1
        assert diagnostic.message


def test_no_expectation_without_a_model() -> None:
    expected = {path.stem for path in FOLDER.glob("*.expected")}
    assert expected == {path.stem for path in MODELS}


def test_what_is_no_text_is_said_once() -> None:
    for data in ("byte x; active proctype P() { skip }".encode("utf-16"), bytes(range(256)) * 20):
        with pytest.raises(InputError) as caught:
            parse(Source("m.pml", data.decode("utf-8", errors="replace")))
        assert [each.message for each in caught.value.diagnostics] == ["a text has no zero bytes"]
