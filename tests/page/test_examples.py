"""The page on the counterexamples of all examples: every state that it shows is the one that was judged."""

from pathlib import Path

import pytest
from tests.page.browser import Browser
from tests.page.models import COUNTING
from tests.page.test_data import nameless

import everafter
from everafter.page.check_page import Album, page_of
from everafter.page.content import ChannelFrame, FrameView, ProcessFrame
from everafter.page.edits import frame_of
from everafter.page.html import document
from everafter.verdict.random_run import simulated
from everafter.verdict.result import Counterexample, Result

EXAMPLES = Path(__file__).parents[2] / "examples"
VIOLATED = (
    ("raft_election", None),
    ("scheduler", None),
    ("process_creation", None),
    ("philosophers_fixed", None),
    ("philosophers", None),
    ("mutex_broken", None),
    ("alternating_bit", None),
    ("leader_election", "[] (leaders == 0)"),
    ("two_phase_commit", "[] (committed < 2)"),
    ("naimi_trehel", "[] (inside == 0)"),
    ("process_creation", "[] (ended < 2)"),
)
"""The examples with the longest counterexamples, those of their own formulas first."""


def written(page: Path, model: everafter.Model, results: list[Result]) -> Path:
    page.write_text("".join(document(page_of(model.name, "1", model.program, results))), encoding="utf-8")
    return page


def shown(browser: Browser, position: int) -> FrameView:
    """The state that the page has made."""
    told = browser.run("return everafter.run.state(arguments[0])", position)
    return FrameView(
        tuple(told["cells"]),
        tuple(ProcessFrame(graph, node, tuple(cells)) for graph, node, cells in told["processes"]),
        tuple(ChannelFrame(name, kind, tuple(map(tuple, messages))) for name, kind, messages in told["channels"]),
    )


@pytest.mark.parametrize(("example", "formula"), VIOLATED, ids=lambda item: item if isinstance(item, str) else "")
def test_every_step_of_an_example_is_shown(browser: Browser, tmp_path: Path, example: str, formula: str | None) -> None:
    model = everafter.load(EXAMPLES / f"{example}.pml")
    results = model.check_all() if formula is None else [model.check(formula)]
    browser.open(written(tmp_path / "page.html", model, results))
    found = [(number, each.counterexample) for number, each in enumerate(results) if each.counterexample is not None]
    assert found
    for number, run in found:
        browser.run("everafter.choose(arguments[0])", number)
        for position, state in enumerate(run.states()):
            browser.run("everafter.go(arguments[0]); everafter.chart.draw()", position)
            assert nameless(shown(browser, position)) == nameless(frame_of(run.program, state))
    assert browser.complaints == []


def test_a_run_of_100_000_steps(browser: Browser, tmp_path: Path) -> None:
    """Its page has no more elements than that of a short one, and any state of it is soon made again."""
    program = everafter.parse(COUNTING % 1_000_000).program
    taken = simulated(program, seed=1, limit=100_000)
    run = Counterexample(program, taken.start, taken.steps)
    album = Album(program)
    answer = album.answer(Result("safety", "safety", "violated", "a long run", counterexample=run))
    page = tmp_path / "page.html"
    page.write_text("".join(document(album.page("long", "1", [answer]))), encoding="utf-8")
    browser.open(page)
    assert browser.run("return everafter.run.length") == 100_000
    browser.run("everafter.go(100000)")
    for position in (99_999, 77_777, 12_345, 256, 255, 0):
        before = browser.run("return everafter.run.applied")
        browser.run("everafter.go(arguments[0])", position)
        browser.settle()
        assert browser.run("return everafter.run.applied") - before <= 1024
        state = taken.steps[position - 1].state if position else taken.start
        assert state is not None
        assert shown(browser, position) == frame_of(program, state)
        assert browser.run("return document.querySelectorAll('*').length") < 700
    assert browser.complaints == []
