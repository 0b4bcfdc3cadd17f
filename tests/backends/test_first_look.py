"""Engines that expand whole levels begin with a look for what lies deep, and decide the rest themselves."""

from __future__ import annotations

import pytest

from everafter.backends.first_look import FirstLook
from everafter.check import answer
from everafter.questions.limits import Limits
from everafter.questions.outcome import Ending, Method, Outcome
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.user_model import parse

DEEP = """
byte a, b, c, d; int x;
active proctype A() { do :: a < 200 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 200 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 200 -> c++ :: c > 0 -> c-- od }
active proctype D() { do :: d < 200 -> d++ :: d > 0 -> d-- od }
active proctype P() { do :: x < 300 -> x++ :: else -> break od; assert(false) }
"""
"""The assertion is behind 300 steps of one process, and each level has more states than the one before."""
FEW = Limits(states=20_000, memory=1 << 40)


@pytest.mark.parametrize("engine", [Request(engine="gpu"), Request(cluster="inside:2")], ids=["gpu", "cluster"])
def test_what_lies_deep_is_found(engine: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERAFTER_GPU", "cpu")
    question = Question(parse(DEEP).program, SAFETY, reduction="none", limits=FEW)
    result = answer(question, engine)
    assert (result.verdict, result.engine, result.algorithm) == ("violated", "native", "depth-first")
    assert result.states < 1_000
    assert "before the" in result.why


def test_without_a_look_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question(parse(DEEP).program, SAFETY, reduction="none", limits=FEW)
    result = answer(question, Request(cluster="inside:2", algorithm="breadth-first"))
    assert (result.verdict, result.engine) == ("incomplete", "cluster")


class Saying:
    """A backend that comes to an end, and counts how often it was asked."""

    def __init__(self, ending: Ending, name: str) -> None:
        self.ending, self.name, self.times = ending, name, 0

    def decide(self, question: Question) -> Outcome:
        self.times += 1
        return Outcome(self.ending, Method(self.name, question.property.name))


@pytest.mark.parametrize("ending", [Ending.COMPLETED, Ending.STOPPED, Ending.INTERRUPTED])
def test_the_search_decides_what_the_look_does_not_find(ending: Ending) -> None:
    look, search = Saying(ending, "native"), Saying(Ending.COMPLETED, "gpu")
    outcome = FirstLook(look, search).decide(Question(parse("init { skip }").program, SAFETY))
    is_interrupted = ending is Ending.INTERRUPTED
    assert outcome.method.engine == ("native" if is_interrupted else "gpu")
    assert search.times == (0 if is_interrupted else 1)
