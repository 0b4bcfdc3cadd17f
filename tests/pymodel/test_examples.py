"""Every example in Python says in its docstrings what is to be expected, and that is what we find."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import everafter
from everafter.model.vocabulary import PythonModel
from everafter.pymodel.python_file import models_in
from everafter.user_model import model_of

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "examples" / "python").glob("*.py"))
_EXPECTATION = re.compile(r"expect: (holds|violated)(?: (\w+))?(; fairness weak)?\.?")
MODELS = [(path, name) for path in FILES for name in models_in(str(path), {})]


def _expected(model: type[PythonModel]) -> tuple[str, str | None, bool]:
    match = _EXPECTATION.fullmatch((model.__doc__ or "").split("\n")[0])
    assert match is not None, f"{model.__name__} does not begin with its expectation"
    return match[1], match[2], match[3] is not None


def test_there_are_examples() -> None:
    assert len(FILES) >= 20


@pytest.mark.parametrize(("path", "name"), MODELS, ids=lambda each: each.stem if isinstance(each, Path) else each)
def test_an_example_is_as_expected(path: Path, name: str) -> None:
    kind = models_in(str(path), {})[name]
    verdict, at, is_fair = _expected(kind)
    assert not model_of(kind).warnings
    results = everafter.check(kind, engine="reference", fairness="weak" if is_fair else None)
    verdicts = {result.property: result.verdict for result in results}
    if verdict == "violated":
        assert at is not None
        assert verdicts[at] == "violated"
        run = next(result.counterexample for result in results if result.property == at)
        assert run is not None
        assert {Path(row.spot.file).resolve() for row in run.rows} == {path}
    else:
        assert set(verdicts.values()) == {"holds"}, verdicts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_example_has_a_planted_bug_or_needs_none(path: Path) -> None:
    expected = {_expected(kind)[0] for kind in models_in(str(path), {}).values()}
    assert expected == {"holds", "violated"} or path.stem == "peterson"


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="mypy is made for CPython")
def test_type_checkers_accept_the_examples() -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", *map(str, FILES)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
