"""Exploring in a browser."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from selenium.webdriver.common.keys import Keys
from tests.page.browser import Browser
from tests.page.models import STUCK, TALKING

import everafter
from everafter.page.live.http_server import SessionServer
from everafter.page.live.session import Session

CHOICE = """
byte x;
active proctype P() { if :: x = 1 :: x = 2 fi; atomic { x++; x++ }; assert(x == 3) }
ltl small { [] (x < 4) }
"""
Explored = Callable[[str], None]


@pytest.fixture
def explored(browser: Browser) -> Iterator[Explored]:
    """Opens the page of a model that is explored, given its text."""
    with ExitStack() as stack:

        def explore(text: str) -> None:
            server = stack.enter_context(SessionServer(Session(everafter.parse(text)), "1"))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            browser.open(server.address)
            ready(browser)

        yield explore


def ready(browser: Browser) -> None:
    """Wait until the model has answered, and the steps are those of the state in view."""
    browser.wait("const e = everafter.explorer; return !e.busy && e.list.dataset.place === String(e.place ?? '')")
    browser.settle()


def test_a_step_is_taken_by_a_click_or_a_key(browser: Browser, explored: Explored) -> None:
    explored(CHOICE)
    assert [text.replace(" ", "") for text in browser.texts(".option code")] == ["x=1", "x=2"]
    browser.click(".options li:nth-child(2) .option")
    ready(browser)
    assert browser.position == 1
    assert browser.run("return everafter.run.state(1).cells[0]") == 2
    browser.press("1")
    ready(browser)
    assert browser.position == 2
    assert browser.complaints == []


def test_one_can_go_back_and_take_another_step(browser: Browser, explored: Explored) -> None:
    explored(CHOICE)
    browser.press("2")
    ready(browser)
    browser.press(Keys.ARROW_LEFT)
    ready(browser)
    browser.press("1")
    ready(browser)
    assert browser.position == 1
    assert browser.run("return everafter.run.length") == 1
    assert browser.run("return everafter.run.state(1).cells[0]") == 1


def test_a_step_that_goes_wrong_says_so_before_it_is_taken(browser: Browser, explored: Explored) -> None:
    explored(CHOICE)
    for key in "2111":
        browser.press(key)
        ready(browser)
    browser.press(Keys.ARROW_LEFT)
    ready(browser)
    assert "assert(x == 3) failed" in browser.one(".option.wrong").text


def test_a_random_walk_ends_where_nobody_can_move(browser: Browser, explored: Explored) -> None:
    explored(STUCK)
    browser.run("everafter.explorer.count.value = '100'")
    browser.click(".controls .row:nth-child(2) button")
    ready(browser)
    assert "No step can be taken here" in browser.one(".options").text
    assert "q is empty" in browser.one("#stuck").text


def test_a_property_is_checked_from_here(browser: Browser, explored: Explored) -> None:
    explored(CHOICE)
    browser.press("2")
    ready(browser)
    browser.run("everafter.explorer.property.value = 'small'")
    browser.click(".controls .row:nth-child(3) button")
    ready(browser)
    assert browser.texts(".answer .property") == ["your run", "small, from step 1"]
    assert browser.texts(".answer .verdict")[1].endswith("violated")
    assert browser.position == 1
    assert browser.texts("[data-truth]")[0] == "false"
    browser.press(Keys.END)
    ready(browser)
    browser.press("1")
    ready(browser)
    assert browser.one(".answer[aria-pressed=true] .property").text == "your run"


def test_a_formula_is_checked_and_a_wrong_one_explained(browser: Browser, explored: Explored) -> None:
    explored(TALKING)
    field = browser.one(".controls input")
    field.send_keys("<> (got == 5)", Keys.ENTER)
    ready(browser)
    assert "holds" in browser.one("#live .note").text
    field.clear()
    field.send_keys("<> (goot == 5)", Keys.ENTER)
    ready(browser)
    note = browser.one("#live .note").text
    assert "did you mean 'got'?" in note
    assert "^" in note
