"""What is asked is checked where it enters: never is something else done than what was said."""

from pathlib import Path
from typing import Any

import pytest

import everafter
from everafter import Limits, OptionError, Request
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, HOLDS

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PETERSON = str(EXAMPLES / "peterson.pml")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"algorithm": "tarjn"}, "did you mean 'tarjan'"),
        ({"algorithm": ""}, "choose one of breadth-first"),
        ({"engine": "c"}, "choose one of native, reference"),
        ({"fairness": "wek"}, "did you mean 'weak'"),
        ({"reduction": "dynamic"}, "choose one of static, none, ample, merge, dead"),
        ({"threads": 0}, "from 1 to 64"),
        ({"threads": 65}, "from 1 to 64"),
        ({"threads": True}, r"threads of Request is a whole number or None, not True \(bool\)"),
        ({"threads": "2"}, r"threads of Request is a whole number or None, not '2' \(str\)"),
        ({"formulas": (3,)}, "formulas of Request is a sequence of: a text"),
        ({"safety": "yes"}, "True or False"),
    ],
)
def test_a_request_without_meaning_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Request(**fields)


@pytest.mark.parametrize("fields", [{"seconds": 0}, {"seconds": -1.0}, {"memory": 1.5}, {"states": "many"}])
def test_a_limit_without_meaning_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"a limit of|of Limits is a"):
        Limits(**fields)


def test_one_formula_is_not_taken_for_its_letters() -> None:
    assert Request(formulas="[] p").formulas == ("[] p",)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ltl", "exclusive", "--algorithm", "depth-first"], "answers none of the questions asked"),
        (["--safety", "--algorithm", "tarjan"], "answers none of the questions asked"),
        (["--safety", "--fair", "weak"], "infinite runs only"),
        (["--fair", "weak", "--algorithm", "tarjan"], "does not look for fair runs"),
        (["--fair", "strong", "--cluster", "inside:2"], "choose native or reference"),
        (["--algorithm", "tarjn"], "did you mean 'tarjan'"),
        (["--engine", "c"], "choose one of native, reference"),
        (["--fair", "wek"], "did you mean 'weak'"),
        (["--reduction", "dynamic"], "choose one of static, none, ample, merge, dead"),
        (["--reduction", "ample,ded"], "did you mean 'dead'"),
        (["--reduction", "ample,none"], "the reduction 'none' stands alone"),
        (["--threads", "0"], "from 1 to 64"),
        (["--threads", "2", "--algorithm", "tarjan"], "several can run"),
    ],
)
def test_the_command_line_says_the_same(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", PETERSON, *options]) == BAD_INPUT
    told = capsys.readouterr()
    assert words in told.err
    assert told.out == ""


@pytest.mark.parametrize(
    "options", [["--algorithm", "tarjan"], ["--algorithm", "breadth-first"], ["--fair", "strong", "--ltl", "exclusive"]]
)
def test_what_is_of_use_to_some_question_is_taken(options: list[str]) -> None:
    assert main(["check", PETERSON, *options]) == HOLDS


def test_numbers_define_macros_as_texts_do() -> None:
    number = everafter.load(EXAMPLES / "philosophers.pml", defines={"N": 3})
    text = everafter.load(EXAMPLES / "philosophers.pml", defines={"N": "3"})
    assert number.check(reduction="none").states == text.check(reduction="none").states
    assert number.defines == text.defines == {"N": "3"}


@pytest.mark.parametrize("defines", [{"1": 2}, {"N M": 2}, {"N": 2.5}, {"N": None}, {2: "N"}])
def test_a_macro_without_meaning_is_refused(defines: dict[Any, Any]) -> None:
    with pytest.raises(OptionError):
        everafter.parse("active proctype P() { skip }", defines=defines)


def test_an_option_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="tarjn"):
        Request(algorithm="tarjn")
