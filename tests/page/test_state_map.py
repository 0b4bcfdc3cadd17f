"""The page of states: its data, what it unfolds, where things stand, how much is drawn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from tests.page.browser import Browser
from tests.page.models import CIRCLE

import everafter
from everafter.cli import main
from everafter.diagrams.states import Named
from everafter.diagrams.unfolding import explored
from everafter.page.html import states_document
from everafter.page.state_map import Fact, StateMap, Way, map_of
from everafter.promela.propositions import proposition
from everafter.questions.request import Request
from everafter.record import replace
from everafter.source import Place, Source
from everafter.verdict.changes import changes

EXAMPLES = Path(__file__).parents[2] / "examples"
WRONG = "byte x, a[2]; active proctype P() { do :: x < 2 -> x++ :: x == 1 -> x = 5; a[x] = 1 od }"


@cache
def example(name: str) -> StateMap:
    model = everafter.load(EXAMPLES / f"{name}.pml")
    results = model.check_all(Request(engine="reference", safety=True))
    return map_of(model.name, model.program, 5_000, results)


def distances(states: StateMap, start: int = 0) -> dict[int, int]:
    """How many steps each state is from one."""
    found = {start: 0}
    pending = deque([start])
    while pending:
        state = pending.popleft()
        for way in states.ways:
            if way.source == state and way.target not in found:
                found[way.target] = found[state] + 1
                pending.append(way.target)
    return found


# Data


def test_every_state_tells_all_that_differs() -> None:
    model = everafter.load(EXAMPLES / "process_creation.pml")
    found = explored(model.program, 5_000)
    states = map_of(model.name, model.program, 5_000)
    assert (len(states.states), states.is_whole) == (len(found.states), True)
    facts = [{states.facts[fact] for fact in told} for told in states.states]
    for way in found.ways:
        assert way.target is not None
        said = {f"{fact.name} = {fact.value}" for fact in facts[way.target] - facts[way.source] if not fact.is_place}
        told = set(changes(model.program, found.states[way.source], found.states[way.target]))
        assert {text for text in told if not text.endswith((" starts", " is gone"))} <= said


def test_what_goes_wrong_is_told() -> None:
    states = map_of("m", everafter.parse(WRONG).program, 100)
    (failed,) = states.failed
    ((fact,),) = (tuple(states.facts[each] for each in states.states[failed]),)
    assert "index" in fact.value or "a[" in fact.value
    (way,) = [way for way in states.ways if way.target == failed]
    assert way.problem == fact.value


def test_a_counterexample_is_a_way_through_the_states() -> None:
    circle = everafter.parse(CIRCLE)
    found = map_of("circle", circle.program, 100, circle.check_all(Request(engine="reference")))
    assert any(route.cycle >= 0 for route in found.routes)
    for states in (example("mutex_broken"), example("philosophers"), found):
        steps = {(way.source, way.target) for way in states.ways}
        assert states.routes
        for route in states.routes:
            assert route.is_whole
            assert route.states[0] == 0
            assert all(pair in steps for pair in pairwise(route.states) if pair[0] != pair[1])
            if route.cycle >= 0:
                assert route.states[-1] == route.states[route.cycle]


def test_a_counterexample_beyond_the_states_ends_where_they_do() -> None:
    model = everafter.load(EXAMPLES / "mutex_broken.pml")
    (route, *_) = map_of(model.name, model.program, 3, model.check_all()).routes
    assert not route.is_whole
    assert 0 < len(route.states) < 4


def test_states_are_marked_by_expressions() -> None:
    model = everafter.load(EXAMPLES / "mutex_broken.pml")
    expression, _ = proposition(model.tree, "inside == 2", Place(Source("<where>", "inside == 2"), 1, 1))
    states = map_of(model.name, model.program, 5_000, (), [Named("inside == 2", expression)])
    (mark,) = states.marks
    fact = next(number for number, each in enumerate(states.facts) if (each.name, each.value) == ("inside", "2"))
    assert mark.states == tuple(number for number, told in enumerate(states.states) if fact in told)


def test_where_is_for_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "mutex_broken.pml")
    assert main(["graph", path, "--of", "states", "--where", "inside == 2"]) == 2
    assert "--where is for the page of states" in capsys.readouterr().err
    assert main(["graph", path, "--of", "states", "--format", "html", "--where", "inside == 2"]) == 0
    assert '{"text":"inside == 2","states":[' in capsys.readouterr().out


# In a browser

Opened = Callable[..., StateMap]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """Opens the page of some states, on a screen of some width, and returns them."""

    def open_page(states: StateMap, width: int = 1400, height: int = 900) -> StateMap:
        page = tmp_path / "states.html"
        page.write_text("".join(states_document(states)), encoding="utf-8")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.open(page, width, height)
        return states

    _of_other_pages = browser.complaints
    yield open_page
    assert browser.complaints == []
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def shown(browser: Browser) -> set[int]:
    return set(browser.run("return [...everafter.graph.shown]"))


def act(browser: Browser, name: str) -> None:
    browser.click(f"[data-do={name}]")


BOXES = "return [...everafter.canvas.boxes.values()].map((b) => [b.x - b.width / 2, b.y, b.width, b.height])"
IN_VIEW = """
const { canvas } = everafter, [width, height] = canvas.size.map((length) => length / canvas.scale);
return [...canvas.boxes.values()].every((b) => b.x - b.width / 2 >= canvas.left && b.y >= canvas.top
  && b.x + b.width / 2 <= canvas.left + width && b.y + b.height <= canvas.top + height);
"""


def test_it_fits_the_window(browser: Browser, opened: Opened) -> None:
    for width, height in ((1400, 900), (800, 1000), (390, 844)):
        opened(example("peterson"), width, height)
        sizes = "const e = document.documentElement; return [e.scrollWidth, e.scrollHeight, innerWidth, innerHeight]"
        assert browser.run(sizes) == [width, height, width, height]
        assert browser.run("return everafter.canvas.size[0]") == (width if width < 760 else width - 320)
        assert browser.run(IN_VIEW)
        assert browser.run("return everafter.canvas.scale") >= 0.6
        act(browser, "all")
        assert len(shown(browser)) == 38
        assert browser.run(IN_VIEW)


def test_no_two_boxes_overlap(browser: Browser, opened: Opened) -> None:
    for name in ("mutex_broken", "philosophers", "process_creation"):
        opened(example(name))
        act(browser, "all")
        boxes = browser.run(BOXES)
        assert len(boxes) > 20
        for (x, y, w, h), (a, b, v, g) in combinations(boxes, 2):
            assert x + w <= a or a + v <= x or y + h <= b or b + g <= y
        browser.run("const { canvas } = everafter; canvas.scale = 0.9; canvas.centre(0); canvas.draw()")
        assert len(browser.run("return everafter.canvas.named")) > 3


def test_it_unfolds_step_by_step(browser: Browser, opened: Opened) -> None:
    states = opened(example("philosophers"))
    far = distances(states)
    act(browser, "over")
    assert shown(browser) == {0}
    for steps in (1, 2, 3):
        act(browser, "further")
        assert shown(browser) == {state for state, distance in far.items() if distance <= steps}
    browser.run("everafter.choose(arguments[0])", min(state for state in far if far[state] == 3))
    chosen = browser.run("return everafter.chosen")
    act(browser, "from")
    near = distances(states, chosen)
    assert shown(browser) == {state for state, distance in near.items() if distance <= 1}
    act(browser, "fold")
    assert shown(browser) == {chosen}


def test_keys_and_the_list_of_steps_unfold_too(browser: Browser, opened: Opened) -> None:
    states = opened(example("philosophers"))
    act(browser, "over")
    browser.run("document.getElementById('drawing').focus()")
    browser.press(Keys.ENTER)
    following = {way.target for way in states.ways if way.source == 0}
    assert shown(browser) == {0, *following}
    browser.press(Keys.ARROW_DOWN)
    assert browser.run("return everafter.chosen") in following
    browser.press(Keys.ARROW_UP)
    assert browser.run("return everafter.chosen") == 0
    browser.press(Keys.BACKSPACE)
    assert shown(browser) == {0}
    browser.click("#steps button")
    assert len(shown(browser)) == 2
    assert browser.one("#panel-title").text == f"State {browser.run('return everafter.chosen')}"


def test_labels_show_what_changed(browser: Browser, opened: Opened) -> None:
    model = everafter.load(EXAMPLES / "mutex_broken.pml")
    opened(example("mutex_broken"))
    found = explored(model.program, 5_000)
    act(browser, "all")
    boxes = browser.run("return [...everafter.canvas.boxes.values()].map((b) => [b.state, b.parent, b.lines])")
    assert len(boxes) == 36
    for state, parent, lines in boxes:
        if parent is not None:
            told = changes(model.program, found.states[parent], found.states[state])
            assert set(told) <= set(lines)
            assert all(" = " not in line for line in set(lines) - set(told))


def test_it_leads_to_a_state_where_something_holds(browser: Browser, opened: Opened) -> None:
    states = opened(example("mutex_broken"))
    far = distances(states)
    fact = next(number for number, each in enumerate(states.facts) if (each.name, each.value) == ("inside", "2"))
    nearest = min(far[number] for number, told in enumerate(states.states) if fact in told)
    for text in ("inside = 2", "inside == 2 && busy[0] = 1"):
        act(browser, "over")
        browser.one("#wanted").clear()
        browser.one("#wanted").send_keys(text + Keys.ENTER)
        chosen = browser.run("return everafter.chosen")
        assert far[chosen] == nearest
        assert fact in states.states[chosen]
        assert f"{nearest} steps away" in browser.one("#note").text
        assert len(shown(browser)) == nearest + 1
    browser.run("everafter.search('something goes wrong')")
    assert any(way.problem and way.target == browser.run("return everafter.chosen") for way in states.ways)
    browser.run("everafter.search('inside = 77')")
    assert "said of no state" in browser.one("#note").text
    assert "wrong" in (browser.one("#note").get_attribute("class") or "")


def test_it_opens_on_the_counterexample(browser: Browser, opened: Opened) -> None:
    states = opened(example("philosophers"))
    (route,) = states.routes
    assert browser.run("return [...everafter.canvas.marked]") == list(route.states)
    assert browser.run("return everafter.chosen") == route.states[-1]
    assert browser.run("return [...everafter.canvas.route]") == [f"{a} {b}" for a, b in pairwise(route.states)]
    assert set(route.states) <= shown(browser)
    assert browser.one("#panel-title").text.endswith("a deadlock")
    reds = browser.run(
        "const { canvas } = everafter; canvas.draw(); const { width, height } = canvas.host;"
        "const pixels = canvas.pen.getImageData(0, 0, width, height).data; let count = 0;"
        "for (let n = 0; n < pixels.length; n += 4) count += pixels[n] === 180 && pixels[n + 1] === 35;"
        "return count"
    )
    assert reds > 200
    browser.run("const s = document.getElementById('route'); s.value = -1; s.dispatchEvent(new Event('change'))")
    assert browser.run("return everafter.canvas.marked.size") == 0


def test_the_wheel_zooms_and_dragging_moves(browser: Browser, opened: Opened) -> None:
    opened(example("peterson"))
    under = "const c = everafter.canvas; return [200 / c.scale + c.left, 100 / c.scale + c.top, c.scale]"
    x, y, scale = browser.run(under)
    wheel = "const init = { deltaY: -240, bubbles: true, cancelable: true };const e = new WheelEvent('wheel', init);"
    at = "for (const [name, value] of [['offsetX', 200], ['offsetY', 100]]) Object.defineProperty(e, name, { value });"
    browser.run(wheel + at + "everafter.canvas.host.dispatchEvent(e)")
    after = browser.run(under)
    assert after[:2] == pytest.approx([x, y])
    assert after[2] > 1.5 * scale
    left, top = browser.run("return [everafter.canvas.left, everafter.canvas.top]")
    ActionChains(browser.driver).drag_and_drop_by_offset(browser.one("#drawing"), 60, 30).perform()
    moved = browser.run("return [everafter.canvas.left, everafter.canvas.top]")
    assert [left - moved[0], top - moved[1]] == pytest.approx([60 / after[2], 30 / after[2]])
    act(browser, "fit")
    assert browser.run(IN_VIEW)


def test_a_click_chooses_and_another_unfolds(browser: Browser, opened: Opened) -> None:
    opened(example("philosophers"))
    act(browser, "over")
    browser.run(
        "const c = everafter.canvas, b = c.boxes.get(0), box = c.host.getBoundingClientRect();"
        "globalThis.spot = (y) => [box.left + (b.x - c.left) * c.scale, box.top + (y - c.top) * c.scale];"
        "const [clientX, clientY] = spot(b.y + b.height + 8);"
        "for (const name of ['pointerdown', 'pointerup'])"
        " c.host.dispatchEvent(new PointerEvent(name, { clientX, clientY, pointerId: 1, bubbles: true }));"
    )
    assert len(shown(browser)) == 5


def test_no_more_than_the_most_are_shown_at_once(browser: Browser, opened: Opened) -> None:
    opened(replace(example("philosophers"), most=50, routes=()))
    act(browser, "over")
    for _ in range(4):
        browser.run("everafter.act('further')")
    assert len(shown(browser)) == 50
    assert "50 of 256 states shown" in browser.one("#count").text
    assert browser.one("[data-do=all]").text == "The first 50"
    browser.run("everafter.from(arguments[0])", max(shown(browser)))
    assert 1 < len(shown(browser)) < 10


CALLS = """
const { canvas } = everafter, counts = { calls: 0 };
for (const name of ["fill", "stroke", "fillText", "strokeText", "fillRect"]) {
  const own = CanvasRenderingContext2D.prototype[name];
  canvas.pen[name] = function (...rest) { counts.calls++; return own.apply(this, rest); };
}
const seen = [];
for (const scale of [0.06, 0.15, 0.5, 1]) {
  canvas.scale = scale;
  canvas.centre(arguments[0]);
  counts.calls = 0;
  canvas.draw();
  seen.push([counts.calls, canvas.seen.length]);
}
return seen;
"""


def test_drawing_thousands_of_states_takes_few_strokes(browser: Browser, opened: Opened) -> None:
    """What is far away is drawn at once, and what is near is drawn alone: a frame never draws thousands of things."""
    side = 64
    corners = [(x, y) for y in range(side) for x in range(side)]
    facts = tuple(Fact(name, str(value), False) for name in "xy" for value in range(side))
    ways = [Way(y * side + x, y * side + x + 1, "P(0): x++", "") for x, y in corners if x + 1 < side]
    ways += [Way(y * side + x, y * side + x + side, "P(1): y++", "") for x, y in corners if y + 1 < side]
    told = tuple((x, side + y) for x, y in corners)
    opened(StateMap("many", facts, told, tuple(ways), (), (), (), (), (), True))
    act(browser, "all")
    assert len(shown(browser)) == side**2
    frames = browser.run(CALLS, side * side // 2 + side // 2)
    assert frames[0][1] > 2_000
    assert max(calls for calls, _ in frames[:2]) < 20
    assert max(calls for calls, _ in frames[2:]) < 2_500
    assert frames[3][0] < frames[2][0]
