"""Every shipped example says on its first line what is to be expected, and that is what we find."""

import re
from pathlib import Path

import pytest
from oracles.asking import Engine, check_safety
from oracles.counting import count_states

from everafter.check import check
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.user_model import load

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.pml"))
_EXPECTATION = re.compile(r"/\* expect: (holds|violated)(?: ([a-z-]+))?; ([\d,]+) states \*/")


def expectation(path: Path) -> tuple[str, str | None, int]:
    first = path.read_text().split("\n", 1)[0]
    match = _EXPECTATION.fullmatch(first)
    assert match is not None, f"{path.name} does not begin with its expectation: {first}"
    return match[1], match[2], int(match[3].replace(",", ""))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 12


_FORMULA = re.compile(r"/\* expect ltl (\w+): (holds|violated) \*/")


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_formulas_of_example(path: Path, engine: Engine) -> None:
    model = load(path)
    expected = dict(_FORMULA.findall(path.read_text()))
    assert set(expected) == set(model.formulas)
    for result in check(model, Request(formulas=tuple(expected), engine=engine)) if expected else ():
        assert result.engine == engine
        assert (result.property, result.verdict) == (result.property, expected[result.property])


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, engine: Engine) -> None:
    verdict, kind, states = expectation(path)
    program = load(path).program
    result = check_safety(program, Limits(), engine=engine)
    assert result.verdict == verdict
    if verdict == "holds":
        assert result.states == states
    else:
        assert result.counterexample is not None
        assert result.counterexample.problem is not None
        assert result.counterexample.problem.kind == kind
        assert count_states(program, engine=engine)[0] == states
