"""The page in a browser: keys, clicks, the slider, folds, themes, and runs of any length."""

import re
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from tests.page.browser import Browser
from tests.page.conftest import Written
from tests.page.models import CIRCLE, COUNTING, STUCK, TALKING

import everafter
from everafter.page.check_page import page_of
from everafter.page.html import document


def test_keys_move_along_the_run(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    length = int(browser.one("#slider").get_attribute("max") or 0)
    assert browser.position == 0
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert browser.position == 2
    browser.press(Keys.ARROW_LEFT)
    assert browser.position == 1
    browser.press(Keys.END)
    assert browser.position == length
    browser.press(Keys.ARROW_RIGHT)
    assert browser.position == length
    browser.press(Keys.HOME)
    assert browser.position == 0
    assert browser.complaints == []


def test_the_slider_takes_keys_only_once(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    browser.run("document.getElementById('slider').focus()")
    browser.press(Keys.ARROW_RIGHT)
    assert browser.position == 1
    assert (
        browser.one("#slider").get_attribute("aria-valuetext")
        == f"1 of {browser.run('return everafter.run.length')} steps"
    )


def test_buttons_and_slider_move_too(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    browser.click("[data-go=on]")
    assert browser.position == 1
    browser.click("[data-go=last]")
    assert browser.position == browser.run("return everafter.run.length")
    browser.run("const s = document.getElementById('slider'); s.value = 2; s.dispatchEvent(new Event('input'))")
    assert browser.run("return everafter.position") == 2
    assert browser.one("#step").text.startswith("Server(1), line 7: q?ask(n)")


def test_a_click_on_the_chart_goes_there(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    browser.run(
        "const box = document.querySelector('.drawing').getBoundingClientRect();"
        "document.querySelector('.drawing').dispatchEvent(new MouseEvent('click',"
        " { bubbles: true, clientX: box.left + 2.5 * everafter.chart.width, clientY: box.top + 60 }))"
    )
    assert browser.position == 2


def test_the_chart_has_lanes_messages_and_the_rendezvous(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    assert browser.texts(".labels .name") == ["Client(0)", "Server(1)"]
    titles = browser.texts(".arrow title")
    assert "q: ask, 1" in titles
    assert "r: 5" in titles
    assert "q: ask, 2, not received within this run" in titles
    assert len(browser.all(".message.meets")) == 1


def test_the_cycle_has_a_bracket(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    browser.click("li:nth-child(3) .answer")
    assert len(browser.all(".bracket")) == 1
    assert "for ever" in browser.one(".again").text
    browser.press("c")
    assert browser.position == browser.run("return everafter.run.turn") + 1
    assert "In the cycle, step 1 of" in browser.one("#step").text


def test_atomic_sequences_fold_and_unfold(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    columns = browser.run("return everafter.columns.count")
    assert browser.texts(".fold .count") == ["3"]
    first, last = browser.run("return everafter.run.data.folds[0]")
    browser.run("everafter.go(arguments[0])", first - 1)
    browser.press(Keys.ARROW_RIGHT)
    assert browser.position == last
    assert browser.texts("#state .changed") == ["1→5"]
    browser.click(".fold .count")
    assert browser.all(".fold") == []
    assert browser.run("return everafter.columns.count") == columns + 2
    assert browser.position == first
    browser.press("f")
    browser.press("f")
    assert browser.texts(".fold .count") == ["3"]


def test_a_long_name_in_the_source_keeps_its_number(browser: Browser, written: Written) -> None:
    text = "active [2] proctype Philosopher() {\n if\n :: _pid == 0 ->\n (false)\n :: else\n fi;\n (false)\n }"
    browser.open(written(text))
    assert sorted(browser.texts("#source .mark")) == ["Philosop…(0)", "Philosop…(1)"]
    marks = "[...document.querySelectorAll('#source .mark')]"
    assert not browser.run(f"return {marks}.some((mark) => mark.scrollWidth > mark.clientWidth)")


def test_the_source_marks_each_process(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    browser.press(Keys.ARROW_RIGHT)
    assert sorted(browser.texts("#source .mark")) == ["Client(0)", "Server(1)"]
    taken = browser.texts("#source .line.taken")
    assert len(taken) == 1
    assert "active proctype Client" in taken[0]


def test_statements_that_nobody_comes_to_are_underlined(browser: Browser, written: Written) -> None:
    browser.open(written("byte x;\nactive proctype P() { if :: x = 1 :: x == 3 ->\n x = 5 fi }"))
    assert browser.texts("#source .unreached .at") == ["2", "3"]
    assert "underlined" in browser.one("#details .notes").text


def test_the_state_tells_what_changed(browser: Browser, written: Written) -> None:
    browser.start(written(TALKING))
    assert browser.all("#state .changed") == []
    browser.press(Keys.ARROW_RIGHT)
    changed = browser.texts("#state .channel.changed")
    assert len(changed) == 1
    assert "1 of 2" in changed[0]
    assert "ask, 1" in changed[0]
    browser.press(Keys.END)
    browser.press("[")
    browser.run("everafter.go(everafter.run.length - 1)")
    assert "got" in browser.one("#state").text


def test_the_truth_of_subformulas_stands_under_the_chart(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    texts = browser.texts(".labels .formula .text")
    assert "(x == 9)" in texts or "x == 9" in texts
    assert len(browser.all(".drawing .true")) > 0
    inner = next(number for number, text in enumerate(texts) if re.fullmatch(r"\(?x != 2\)?", text))
    values = []
    for position in range(browser.run("return everafter.run.length") + 1):
        browser.run("everafter.go(arguments[0])", position)
        values.append(
            (
                browser.texts("[data-truth]")[inner],
                browser.run("return everafter.run.state(arguments[0]).cells[0]", position),
            )
        )
    assert all((value == "true") == (x != 2) for value, x in values)
    assert {value for value, _ in values} == {"true", "false"}


def test_the_graphs_show_where_everybody_is(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    browser.click("li:nth-child(3) .answer")
    assert browser.texts("#graphs .tab") == ["claim: again", "P"]
    browser.press(Keys.HOME)
    browser.click("#graphs .tab:nth-child(1)")
    key = browser.one("#graphs .node.here").get_attribute("data-key")
    assert key == str(browser.run("return everafter.run.data.claim[0]"))
    browser.press("c")
    assert browser.one("#graphs .node.here").get_attribute("data-key") == str(
        browser.run("return everafter.run.data.claim[everafter.run.letter(everafter.position)]")
    )
    browser.click("#graphs .tab:nth-child(2)")
    edge = browser.one("#graphs .edge.taken")
    here = browser.one("#graphs .node.here").get_attribute("data-key")
    assert (
        edge.get_attribute("data-target")
        == here
        == str(browser.run("return everafter.run.state(everafter.position).processes[0][1]"))
    )
    assert browser.one("#graphs .tab[aria-selected=true]").text == "P"
    browser.run("document.querySelector('#graphs .tab[aria-selected=true]').focus()")
    browser.press(Keys.ARROW_LEFT)
    assert browser.one("#graphs .tab[aria-selected=true]").text == "claim: again"


def test_a_graph_too_large_for_a_picture_is_a_list(
    browser: Browser, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everafter.page.program_view.MOST_DRAWN", 1)
    browser.start(written(TALKING))
    browser.press(Keys.ARROW_RIGHT)
    assert browser.all("#graphs svg") == []
    assert "q!ask" in browser.one("#graphs .edge.taken").text


def test_a_deadlock_is_explained(browser: Browser, written: Written) -> None:
    browser.start(written(STUCK))
    browser.press(Keys.END)
    text = browser.one("#stuck").text
    assert "Reader(0)" in text
    assert "q is empty" in text
    assert "turn = 1" in text


def test_another_verdict_can_be_chosen(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    assert browser.texts(".answer .property") == ["safety", "never_two", "again"]
    assert browser.one(".answer[aria-pressed=true] .property").text == "never_two"
    browser.click("li:nth-child(3) .answer")
    assert browser.one(".answer[aria-pressed=true] .property").text == "again"
    assert browser.run("return everafter.data.answers[everafter.chosen].run === everafter.run.data")
    assert browser.texts("#source .mark") == ["P(0)"]
    browser.click("li:nth-child(1) .answer")
    assert not browser.one("#run").is_displayed()
    assert browser.texts("#source .mark") == []
    assert browser.one("#source").is_displayed()
    assert browser.complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_follows_the_system_or_the_button(browser: Browser, written: Written, theme: str) -> None:
    browser.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    )
    try:
        browser.start(written(CIRCLE))
        browser.run("everafter.theme('auto')")
        is_dark = "return getComputedStyle(document.body).backgroundColor === 'rgb(16, 19, 26)'"
        assert browser.run(is_dark) == (theme == "dark")
        browser.click("#theme")
        assert not browser.run(is_dark)
        browser.press("t")
        assert browser.run(is_dark)
    finally:
        browser.run("everafter.theme('auto')")
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_help_lists_the_keys(browser: Browser, written: Written) -> None:
    browser.start(written(CIRCLE))
    browser.press("?")
    assert "one step back" in browser.one("#help").text
    browser.press(Keys.ARROW_RIGHT)
    assert browser.position == 0
    browser.press(Keys.ESCAPE)
    assert not browser.one("#help").is_displayed()


# Long runs


def nodes(browser: Browser) -> int:
    count: int = browser.run("return document.querySelectorAll('*').length")
    return count


def test_a_long_run_has_no_more_elements_than_a_short_one(browser: Browser, written: Written) -> None:
    browser.open(written(COUNTING % 100))
    short = nodes(browser)
    browser.open(written(COUNTING % 5_000))
    assert browser.run("return everafter.run.length") >= 10_000
    for position in (0, 5_000, 10_000):
        browser.run("everafter.go(arguments[0])", position)
        browser.settle()
        assert nodes(browser) < short + 60
        assert len(browser.all(".drawing .event")) < 60


def test_a_step_of_a_long_run_takes_one_step_again(browser: Browser, written: Written) -> None:
    browser.open(written(COUNTING % 5_000))
    browser.press(Keys.END)
    for position in (9_000, 300, 7_777):
        browser.run("everafter.go(arguments[0])", position)
        before = browser.run("return everafter.run.applied")
        browser.press(Keys.ARROW_RIGHT)
        assert browser.run("return everafter.run.applied") - before <= 512
        again = browser.run("return everafter.run.state(arguments[0]).cells[0]", position + 1)
        assert again == pytest.approx((position + 1) / 2, abs=3)


def test_zoom_keeps_the_position_in_view(browser: Browser, written: Written) -> None:
    browser.open(written(COUNTING % 500))
    browser.run("everafter.go(600)")
    for key in "---++++++++":
        browser.press(key)
        x, width = browser.run(
            "return [everafter.chart.x(everafter.columns.ofStep[600]), everafter.chart.host.clientWidth]"
        )
        assert 0 <= x <= width


def test_a_step_in_an_included_file_is_shown_there(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("byte x;\nproctype Q() {\n  x = 2;\n  assert(x == 1)\n}\n")
    main = tmp_path / "main.pml"
    main.write_text('#include "part.h"\ninit { run Q() }\n')
    model = everafter.load(main)
    page = tmp_path / "page.html"
    page.write_text("".join(document(page_of(model.name, "1", model.program, model.check_all()))), encoding="utf-8")
    browser.start(page)
    assert browser.texts("#source .tab") == ["main.pml", "part.h"]
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert browser.texts("#source .tab[aria-pressed=true]") == ["part.h"]
    assert browser.texts("#source .line.taken .at") == ["3"]
    browser.click("#source .tab")
    assert browser.texts("#source .mark") == ["init(0)"]
