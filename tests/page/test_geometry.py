"""What a person sees as the page opens, on screens of three widths, light and dark: by the places of things."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.page.browser import Browser
from tests.page.conftest import Written
from tests.page.models import CIRCLE, STUCK

import everafter
from everafter.page.check_page import page_of
from everafter.page.html import document

EXAMPLES = Path(__file__).parents[2] / "examples"
SIZES = {1400: 900, 800: 1000, 390: 844}
STEPS = "byte x;\nactive proctype P() { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; assert(x == 7) }"
MODELS = ("mutex_broken", "alternating_bit", "raft_election", "philosophers", "process_creation")
BOXES = """
return [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility()).map((each) => {
  const { left, top, right, bottom } = each.getBoundingClientRect();
  return [left, top, right, bottom, each.textContent];
});
"""


class Area(NamedTuple):
    """A rectangle on the screen, and the text in it."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    def meets(self, other: Area) -> bool:
        """Whether the two have more than a border in common."""
        return (
            min(self.right, other.right) - max(self.left, other.left) > 1
            and min(self.bottom, other.bottom) - max(self.top, other.top) > 3
        )

    def crossed_by(self, line: Area) -> bool:
        """Whether an upright line stands in the text."""
        return self.left < line.right and line.left < self.right and line.top < self.bottom - 1


def areas(browser: Browser, selector: str) -> list[Area]:
    return [Area(*each) for each in browser.run(BOXES, selector)]


def shown(browser: Browser, page: Path, width: int, theme: str = "light") -> None:
    size = {"width": width, "height": SIZES[width], "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    )
    browser.open(page, width, SIZES[width])


@pytest.fixture
def screen(browser: Browser) -> object:
    """The browser, which has its own size and colours again afterwards."""
    yield browser
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def example(name: str, folder: Path) -> Path:
    """The page of an example, which is written once."""
    page = folder / f"{name}.html"
    if page.exists():
        return page
    model = everafter.load(EXAMPLES / f"{name}.pml")
    page.write_text("".join(document(page_of(model.name, "1", model.program, model.check_all()))), encoding="utf-8")
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", SIZES)
def test_it_opens_on_the_violation(screen: Browser, folder: Path, width: int, theme: str) -> None:
    """Run, source and control flow stand at the failing step, in the window, and the bug above the statistics."""
    shown(screen, example("mutex_broken", folder), width, theme)
    assert screen.position == screen.run("return everafter.run.length") == 7
    assert screen.one("#step").text == "Process(1), line 20: assert(inside == 1) failed."
    assert screen.one("#run").text.count("failed") == 1
    (cross,) = areas(screen, ".drawing .cross")
    (line,) = areas(screen, "#source .line.taken")
    assert line.text.endswith("assert(inside == 1);")
    (chart,) = areas(screen, "#chart")
    assert chart.left < cross.left
    assert cross.right < chart.right
    assert chart.bottom < SIZES[width]
    (panes,) = areas(screen, "#source .text")
    assert panes.top < line.top < panes.bottom
    if width > 390:
        assert line.bottom < SIZES[width]
    assert [way.text for way in areas(screen, "#graphs .edge.taken text")] == ["assert(inside == 1)"]
    (bug,) = areas(screen, ".answer[aria-pressed=true] .reason")
    (figures,) = areas(screen, "#figures")
    assert bug.bottom < chart.top < figures.top
    assert screen.run("return document.documentElement.scrollWidth") <= width
    assert screen.run("return getComputedStyle(document.body).backgroundColor") == (
        "rgb(16, 19, 26)" if theme == "dark" else "rgb(246, 247, 249)"
    )


@pytest.mark.parametrize("width", [1400, 800])
def test_the_failing_step_is_seen_in_the_source_though_much_stands_above_it(
    screen: Browser, folder: Path, width: int
) -> None:
    shown(screen, example("philosophers", folder), width)
    (panes,) = areas(screen, "#source .text")
    (line,) = areas(screen, "#source .line.taken")
    assert panes.top < line.top
    assert line.bottom < max(SIZES[width], panes.top + 100)


def test_no_option_and_no_label_is_broken_on_a_phone(screen: Browser, folder: Path) -> None:
    shown(screen, example("alternating_bit", folder), 390)
    (option,) = areas(screen, ".notes .option-name")
    assert option.text == "--fair strong"
    assert option.bottom - option.top < 30
    (again,), (chart,) = areas(screen, ".drawing .again"), areas(screen, "#chart")
    assert again.right <= chart.right


@pytest.mark.parametrize("name", MODELS)
def test_texts_lie_on_nothing_and_behind_the_line(screen: Browser, folder: Path, name: str) -> None:
    page = example(name, folder)
    for width in SIZES:
        shown(screen, page, width)
        for where in (1.0, 0.5):
            screen.run("everafter.go(Math.round(everafter.run.length * arguments[0]))", where)
            screen.settle()
            texts = areas(screen, ".drawing .statement, .drawing .carried, .drawing .ending, .drawing .again")
            assert texts
            assert [(a.text, b.text) for a, b in combinations(texts, 2) if a.meets(b)] == []
            stops = areas(screen, ".drawing .stop")
            assert [text.text for text in texts for stop in stops if text.crossed_by(stop)] == []
        names = areas(screen, "#chart .labels")[0]
        assert (names.right - names.left) * 3 <= width


def test_texts_are_whole_where_there_is_room(screen: Browser, folder: Path) -> None:
    shown(screen, example("mutex_broken", folder), 1400)
    texts = [text.text for text in areas(screen, ".drawing .statement")]
    assert sorted(texts) == sorted([*["!busy[1 - me]", "busy[me] = true", "inside++"] * 2, "assert(inside == 1)"])


@pytest.mark.parametrize("name", ["mutex_broken", "alternating_bit", "raft_election"])
def test_a_phone_shows_five_steps(screen: Browser, folder: Path, name: str) -> None:
    shown(screen, example(name, folder), 390)
    (chart,) = areas(screen, "#chart")
    (names,) = areas(screen, "#chart .labels")
    dots = areas(screen, ".drawing .event circle, .drawing .event .cross, .drawing .event rect")
    columns = {round(dot.left + dot.right) for dot in dots if names.right <= dot.left and dot.right <= chart.right}
    steps = screen.run("return everafter.columns.count") - 1
    assert len(columns) >= min(5, steps)
    assert [name.text for name in areas(screen, ".labels .name span") if name.right > names.right] == []


def test_the_steps_of_one_process_fit_a_phone_too(screen: Browser, written: Written) -> None:
    shown(screen, written(STEPS), 390)
    (chart,) = areas(screen, "#chart")
    names = areas(screen, "#chart .labels")[0]
    dots = areas(screen, ".drawing .event circle, .drawing .event .cross")
    assert len([dot for dot in dots if names.right <= dot.left and dot.right <= chart.right]) >= 5


def test_a_run_that_repeats_opens_where_the_cycle_begins(browser: Browser, written: Written) -> None:
    browser.open(written(CIRCLE))
    browser.click("li:nth-child(3) .answer")
    assert browser.position == browser.run("return everafter.run.turn") + 1
    assert browser.one("#graphs .tab[aria-selected=true]").text == "P"


def test_a_deadlock_is_said_once(browser: Browser, written: Written) -> None:
    browser.open(written(STUCK))
    assert browser.position == browser.run("return everafter.run.length")
    assert browser.one("main").text.count("invalid end state") == 1
    assert browser.one("#step").text.endswith("Nobody can move.")
    assert browser.texts(".drawing .ending") == ["stops here"]
