"""The page for everybody: every control has a name, every text can be read, everything is reached by keys."""

from itertools import pairwise

import pytest
from selenium.webdriver.common.keys import Keys
from tests.page.browser import Browser
from tests.page.conftest import Written
from tests.page.models import CIRCLE, STUCK, TALKING

CONTRAST = """
const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const parsed = (text) => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
};
const over = ([r, g, b, a], under) => [r, g, b].map((value, n) => value * a + under[n] * (1 - a));
const behind = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.unshift(parsed(getComputedStyle(at).backgroundColor));
  return layers.reduce((under, layer) => over(layer, under), [255, 255, 255]);
};
const poor = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const drawn = element instanceof SVGElement;
  if (!own || element.matches("title, script, style, noscript, option") || !element.checkVisibility()) continue;
  const style = getComputedStyle(element);
  const back = behind(element);
  const box = element.closest(".node")?.querySelector("rect");
  const ground = drawn && box ? over(parsed(getComputedStyle(box).fill), back) : back;
  const front = over(parsed(drawn ? style.fill : style.color), ground);
  const [a, b] = [light(front), light(ground)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  const name = `${element.tagName}.${element.getAttribute("class")} ${element.textContent.slice(0, 20)}`;
  if (ratio < 4.5) poor.push(`${name}: ${ratio.toFixed(2)}`);
}
return poor;
"""

NAMELESS = """
const named = (each) => each.getAttribute("aria-label")
  || document.getElementById(each.getAttribute("aria-labelledby"))?.textContent
  || (each.matches("button") && /\\w/.test(each.textContent));
const wanted = "button, input, select, dialog, section, [role=region], [role=tabpanel], [role=img]";
return [...document.querySelectorAll(wanted)].filter((each) => each.checkVisibility() && !named(each))
  .map((each) => each.outerHTML.slice(0, 120));
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("model", [TALKING, STUCK, CIRCLE], ids=["talking", "stuck", "circle"])
def test_every_text_can_be_read(browser: Browser, written: Written, model: str, theme: str) -> None:
    browser.open(written(model))
    browser.run("everafter.theme(arguments[0])", theme)
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    poor = browser.run(CONTRAST)
    browser.press(Keys.END)
    poor += browser.run(CONTRAST)
    browser.run("everafter.theme('auto')")
    assert poor == []


def test_every_control_has_a_name(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    assert browser.run(NAMELESS) == []
    browser.run("document.getElementById('slider').removeAttribute('aria-label')")
    assert len(browser.run(NAMELESS)) == 1


def test_a_step_is_spoken(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    assert browser.one("#spoken").get_attribute("aria-live") == "polite"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.texts("#spoken") == ["Step 1. Client(0), line 6: q!ask(1)."]
    browser.press(Keys.END)
    assert "assert(got != 5) failed" in browser.texts("#spoken")[0]


def test_headings_are_in_order(browser: Browser, written: Written) -> None:
    browser.start(written(STUCK))
    levels = browser.run(
        "return [...document.querySelectorAll('h1, h2, h3, h4')].filter((each) => each.checkVisibility())"
        ".map((each) => Number(each.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_tabulator_reaches_everything(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    reached = set()
    for _ in range(40):
        browser.press(Keys.TAB)
        reached.add(
            browser.run("const e = document.activeElement; return e.id || e.dataset.go || e.className || e.tagName")
        )
    assert {
        "slider",
        "theme",
        "fold",
        "chart",
        "first",
        "on",
        "last",
        "graph",
        "tab",
        "answer violated",
        "text",
    } <= reached


def test_nothing_is_wider_than_the_screen(browser: Browser, written: Written) -> None:
    for width in (1280, 800):
        browser.open(written(TALKING), width)
        browser.press(Keys.ARROW_RIGHT)
        assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
