"""The models of the benchmarks say in their first lines what everafter and SPIN find."""

from pathlib import Path

import pytest
from oracles.spin import safety, verdict
from tests.test_examples_spin import CLAIM_BLOCK, expectation

from everafter.questions.request import Request
from everafter.user_model import load

FOLDER = Path(__file__).parent.parent / "benchmarks" / "models"
MODELS = [*sorted(FOLDER.glob("*.pml")), *sorted(FOLDER.glob("short/*.pml"))]


def test_there_are_models() -> None:
    assert len(MODELS) >= 6


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_model(path: Path) -> None:
    expected = expectation(path.read_text())
    assert set(expected.claims) == set(CLAIM_BLOCK.findall(path.read_text()))
    model = load(path)
    result = model.check_all(Request(safety=True, reduction="none"))[0]
    assert (result.verdict, result.states) == ("holds", expected.states)
    for name, outcome in expected.claims.items():
        assert model.check(name).verdict == outcome, name


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
@pytest.mark.spin
def test_spin_agrees_on_model(path: Path) -> None:
    expected = expectation(path.read_text())
    result = safety(path)
    assert (result.holds, result.states) == (True, expected.states)
    for name, outcome in expected.claims.items():
        assert ("holds" if verdict(path, name).holds else "violated") == outcome, name
