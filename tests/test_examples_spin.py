"""Every example says in its first lines what SPIN says of it."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from oracles.spin import safety, verdict

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.pml"))
SAFETY_LINE = re.compile(r"/\* expect: (holds|violated (assertion|end-state|runtime)); (\d+) states \*/")
CLAIM_LINE = re.compile(r"^/\* expect ltl (\w+): (holds|violated) \*/$", re.MULTILINE)
CLAIM_BLOCK = re.compile(r"^ltl (\w+) \{", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a model promises: the kind of its error if any, its states, and the outcome of each claim."""

    kind: str | None
    states: int
    claims: dict[str, str]


def expectation(text: str) -> Expectation:
    first = SAFETY_LINE.fullmatch(text.splitlines()[0])
    assert first is not None, "the first line must state what to expect"
    return Expectation(first.group(2), int(first.group(3)), dict(CLAIM_LINE.findall(text)))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 14


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_claim_has_an_expectation(path: Path) -> None:
    text = path.read_text()
    assert set(expectation(text).claims) == set(CLAIM_BLOCK.findall(text))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.spin
def test_safety_and_count_are_as_expected(path: Path) -> None:
    expected = expectation(path.read_text())
    result = safety(path, past_errors=expected.kind is not None)
    assert result.complete
    assert (result.kind, result.states) == (expected.kind, expected.states)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.spin
def test_claims_are_as_expected(path: Path) -> None:
    for name, outcome in expectation(path.read_text()).claims.items():
        result = verdict(path, name)
        assert ("holds" if result.holds else "violated" if result.errors else "incomplete") == outcome, name


@pytest.mark.spin
def test_one_node_of_the_path_reversal_model_has_the_published_count() -> None:
    """The default, two nodes, is in the model's own first line."""
    path = next(path for path in EXAMPLES if path.stem == "mulog")
    assert safety(path, ["N=1"]).states == 27
