"""What models in Python mean: as CPython has it, and as states of their own where it would wrap or raise."""

from __future__ import annotations

from collections import Counter

import pytest
from oracles.pymodel.comparison import compared, compared_seed, properties_of
from oracles.pymodel.mistakes import planted
from oracles.pymodel.random_models import model_of_text, random_text
from tests.pymodel.models import kind_of, process_of

import everafter
from everafter.choices import Fairness
from everafter.model.vocabulary import PythonModel
from everafter.pymodel.python_text import node_of
from everafter.source import EverafterError, OptionError
from everafter.user_model import Results
from everafter.verdict.result import Counterexample


def _checked(kind: type[PythonModel], fairness: Fairness | None = None) -> Results:
    return everafter.check(kind, engine="reference", fairness=fairness)


def _run(kind: type[PythonModel], position: int = 0) -> Counterexample:
    run = _checked(kind)[position].counterexample
    assert run is not None
    return run


@pytest.mark.parametrize("seed", range(5000, 5020))
def test_a_random_model_does_what_it_does_as_python(seed: int) -> None:
    result = compared_seed(seed, most=300)
    assert result.outcome != "differs", result.explanation


@pytest.mark.parametrize("seed", [20093, 30211, 60569, 71171])
def test_a_random_model_that_once_differed_agrees(seed: int) -> None:
    """Formulas see no state within an atomic block; lambdas share a line; an `else` has several statements."""
    assert compared_seed(seed).outcome == "agrees"


@pytest.mark.parametrize("stored", ["self.x, self.x = 1, self.x", "self.xs[self.x], self.xs[0] = 1, self.xs[0]"])
def test_the_last_value_for_one_variable_counts(stored: str) -> None:
    """Also where it is the one that the variable has."""
    assert compared(kind_of(_alone(f"{stored}\nassert self.x == 0 and self.xs[0] == 2"))).outcome == "agrees"
    assert _checked(kind_of(_alone(f"{stored}\nassert self.x == 0 and self.xs[0] == 2")))[0]


@pytest.mark.parametrize("test", ["not s.h is Hue.RED", "not s.b", "s.h is not Hue.RED", "s.b if s.x else s.b", "True"])
def test_lambdas_of_one_line_are_distinguished(test: str) -> None:
    kind = kind_of(
        "x = m.Int[0, 3](0)\nb = False\nh = Hue.RED\n@m.process\ndef p(self) -> None:\n    self.x = 2\n"
        f"ok = m.implies(lambda s: {test}, m.eventually(lambda s: s.x == 3))\n"
        f"no = m.implies(lambda s: s.x == 3, m.eventually(lambda s: {test}))"
    )
    assert compared(kind).outcome == "agrees"


def test_a_lambda_that_cannot_be_identified_is_refused() -> None:
    one, other = (lambda: 1), (lambda: 1)
    for function in (one, other):
        function.__code__ = function.__code__.replace(co_linetable=b"")
        with pytest.raises(OptionError, match="which lambda of this line is meant"):
            node_of(function)


def test_random_models_are_of_many_kinds() -> None:
    texts = [random_text(seed) for seed in range(60)]
    for word in ("while", "for", "if m.either", "m.choose", "m.atomic", "m.end", "elif", "else", "return", "self.help"):
        assert any(word in text for text in texts), word


def test_a_planted_mistake_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: without the correction that Python's remainder needs, it does."""
    from everafter.pymodel import typed_values, whole_numbers

    monkeypatch.setattr(whole_numbers, "_signs_differ", lambda left, right, place: typed_values.constant(0, place))
    kind = kind_of(
        "x = m.Int[-3, 3](-3)\n@m.process\ndef p(self) -> None:\n    self.x = self.x % 2\n"
        "    self.x = 1 if self.x == 1 else 3\nok = m.always(lambda s: s.x != 3)"
    )
    assert compared(kind).outcome == "differs"


def test_division_rounds_as_in_python() -> None:
    kind = kind_of(
        "a, b = m.Int[-4, 4](0), m.Int[-3, 3](1)\n@m.process\ndef p(self) -> None:\n"
        "    for x in (-4, -3, 0, 3):\n        for y in (-3, -2, 1, 2):\n            self.a, self.b = x, y\n"
        "            assert self.a // self.b == x // y and self.a % self.b == x % y"
    )
    assert _checked(kind)[0]


def test_leaving_a_range_is_an_error_with_a_run() -> None:
    run = _run(process_of("self.x += 1", "self.x = self.x + 1"))
    assert run.problem is not None
    assert run.problem.message == "self.x = 4 is outside 0..3"
    assert [row.statement for row in run.rows][-1] == "self.x = self.x + 1"
    assert run.rows[-1].spot.line == 22


def test_a_negative_index_is_an_error_with_a_run() -> None:
    run = _run(process_of("self.xs[self.x - 1] = 1"))
    assert run.problem is not None
    assert run.problem.message == "index -1 is outside xs[0..1]"


def test_a_deadlock_is_found_and_named() -> None:
    problem = _run(process_of("m.wait(self.b)")).problem
    assert problem is not None
    assert problem.message.endswith("work(0), work(1) cannot stop there")
    assert _checked(process_of("m.end()", "m.wait(self.b)"))[0]


def test_values_are_shown_as_python_has_them() -> None:
    run = _run(process_of("self.h = Hue.GREEN", "self.b, self.x = True, 2", "assert not self.b"))
    assert {change for row in run.rows for change in row.change_texts} >= {"h = GREEN", "b = True", "x = 2"}


def test_several_values_are_stored_in_one_step() -> None:
    assert _checked(process_of("self.xs = [1, 2]", "self.xs[0], self.xs[1] = self.xs[1], self.xs[0]"))[0].states < 40
    swapped = "self.x, self.xs[0] = 1, self.x\nassert self.xs[0] == 0"
    assert _checked(kind_of(_alone(swapped)))[0]


def _alone(lines: str) -> str:
    inner = "\n".join(f"    {line}" for line in lines.split("\n"))
    return f"x = m.Int[0, 3](0)\nxs = m.Array[m.Int[0, 3], 2](2)\n@m.process\ndef work(self) -> None:\n{inner}"


def test_properties_are_text_as_well() -> None:
    kind = kind_of(_alone("self.x = 3") + '\ngrows = m.ltl("<> (x == 3)")\nfalls = m.ltl("[] (s.x < 3)")')
    assert [result.verdict for result in _checked(kind)] == ["holds", "holds", "violated"]
    assert everafter.check(kind, "<> (xs[0] == 2 && x == 3)", engine="reference")
    with pytest.raises(EverafterError, match="unknown name 'y'"):
        everafter.check(kind, "<> (y == 3 && x == 3)", engine="reference")


def test_propositions_that_would_read_alike_are_told_apart() -> None:
    """A name of a comprehension hides a global one."""
    text = random_text(0).split("class Random")[0] + (
        "i = 1\nclass Random(m.Model):\n    f = m.Array[bool, 2]([True, False])\n"
        "    @m.process\n    def p(self) -> None:\n        self.f[0] = True\n"
        "    one = m.always(lambda s: s.f[i])\n    some = m.always(lambda s: any(s.f[i] for i in range(2)))\n"
    )
    assert [each.verdict for each in _checked(model_of_text(text, "hidden_names"))] == ["holds", "violated", "holds"]


def test_a_mistake_is_refused_at_its_place_or_makes_a_model() -> None:
    """Whatever is wrong is said, and nothing else is raised; `campaigns.python_mistakes` plants more."""
    found = Counter(planted(seed) for seed in range(60))
    assert found["no place"] == 0
    assert found["refused"] + found["refused without advice"] > 5
    assert found["a model"] > 5


def test_what_a_class_states_is_found() -> None:
    kind = kind_of(_alone("self.x = 1") + "\nok = m.always(lambda s: s.x < 2)")
    assert set(properties_of(kind)) == {"ok"}
    assert repr(_checked(kind)) == "<Results: safety holds, ok holds>"
