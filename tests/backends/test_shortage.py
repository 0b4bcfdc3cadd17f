"""While memory lasts, a user is told once that it is short, and what would help."""

from __future__ import annotations

from dataclasses import replace

import pytest

import everafter
from everafter.backends.engines import ENGINES
from everafter.backends.native import _NOTHING, _NativeSearch
from everafter.choices import StoreKind
from everafter.questions.plan import plan
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request

MODEL = everafter.parse("byte x; active proctype P() { do :: x++ od }")
LIMIT = 1 << 30


def told(store: StoreKind | None, reduction: str, *used: int) -> list[str]:
    """What the user is told when so many bytes are in use, one after the other."""
    said: list[str] = []

    def observe(news: object) -> None:
        if isinstance(news, str):
            said.append(news)

    question = Question(MODEL.program, SAFETY, reduction=reduction, observer=observe)
    search = _NativeSearch(plan(question, Request(engine="native", threads=1, store=store), ENGINES), question)
    for size in used:
        search._observe(replace(_NOTHING, states=9_000_000, entered=5_000_000, bytes=size), LIMIT)
    return said


def test_nothing_is_said_while_there_is_room() -> None:
    assert told(None, "none", 0, LIMIT // 2, LIMIT * 3 // 4) == []


def test_it_is_said_once() -> None:
    (line,) = told(None, "none", LIMIT // 2, LIMIT * 4 // 5, LIMIT * 9 // 10)
    assert line.startswith(
        "over 75% of the 1,024 MiB for states are in use after 5,000,000 states; what would help: more "
    )


@pytest.mark.parametrize(
    ("store", "reduction", "named"),
    [
        (None, "none", {"--memory", "--reduction", "--store tree", "--cluster", "bitstate"}),
        (None, "static", {"--memory", "--store tree", "--cluster", "bitstate"}),
        ("tree", "static", {"--memory", "--cluster", "bitstate"}),
    ],
)
def test_what_would_help_is_what_is_not_done_already(store: StoreKind | None, reduction: str, named: set[str]) -> None:
    (line,) = told(store, reduction, LIMIT)
    options = ("--memory", "--reduction", "--store tree", "--cluster", "bitstate")
    assert {option for option in options if option in line} == named


def test_a_store_that_takes_all_from_the_beginning_is_not_short() -> None:
    assert told("bitstate", "static", LIMIT) == []
