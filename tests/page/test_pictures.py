"""The pictures of the documentation are of the page as it is. EVERAFTER_UPDATE=1 takes them anew."""

import os
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from tests.page.browser import Browser

import everafter
from everafter.page.check_page import page_of
from everafter.page.html import document, states_document
from everafter.page.live.http_server import SessionServer
from everafter.page.live.session import Session
from everafter.page.state_map import map_of
from everafter.questions.request import Request

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures" / "page"
UPDATE = os.environ.get("EVERAFTER_UPDATE") == "1"
WIDTH = 1200


def opened(browser: Browser, folder: Path, example: str, theme: str, height: int, width: int = WIDTH) -> None:
    model = everafter.load(ROOT / "examples" / f"{example}.pml")
    page = folder / "page.html"
    shown = page_of(f"{example}.pml", everafter.__version__, model.program, model.check_all())
    page.write_text("".join(document(shown)), encoding="utf-8")
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.open(page, width, height)
    browser.run("everafter.theme(arguments[0])", theme)


@contextmanager
def served(example: str) -> Iterator[SessionServer]:
    model = everafter.load(ROOT / "examples" / f"{example}.pml")
    with SessionServer(Session(model), everafter.__version__) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def take(browser: Browser, name: str, selector: str) -> None:
    """Take a picture of a part of the page, or see that it is as wide as the one that the documentation has."""
    browser.settle()
    taken = browser.driver.find_element(By.CSS_SELECTOR, selector).screenshot_as_png
    browser.run("everafter.theme?.('auto')")
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    if UPDATE:
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / name).write_bytes(taken)
    kept = (PICTURES / name).read_bytes()
    assert struct.unpack(">I", taken[16:20]) == struct.unpack(">I", kept[16:20])
    assert len(kept) < 150_000


@pytest.mark.parametrize(
    ("name", "example", "theme", "position", "selector"),
    [
        ("violation.png", "mutex_broken", "light", 7, "main"),
        ("run.png", "alternating_bit", "light", 4, "main"),
        ("messages.png", "raft_election", "light", 61, "#run"),
        ("deadlock.png", "philosophers", "light", 8, "#run"),
        ("dark.png", "process_creation", "dark", 9, "main"),
    ],
)
def test_picture(
    browser: Browser, tmp_path: Path, name: str, example: str, theme: str, position: int, selector: str
) -> None:
    opened(browser, tmp_path, example, theme, 1000)
    browser.run(
        "everafter.go(arguments[0]); everafter.graphs.open(everafter.graphs.graphs.length > 1 ? 1 : 0)", position
    )
    take(browser, name, selector)


def test_picture_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    """As it opens: nothing is pressed."""
    opened(browser, tmp_path, "mutex_broken", "light", 844, 390)
    take(browser, "phone.png", "main")


def test_picture_of_states(browser: Browser, tmp_path: Path) -> None:
    """As the page opens."""
    model = everafter.load(ROOT / "examples" / "mutex_broken.pml")
    page = tmp_path / "states.html"
    results = model.check_all(Request(safety=True, engine="reference"))
    states = map_of("mutex_broken.pml", model.program, 5_000, results)
    page.write_text("".join(states_document(states)), encoding="utf-8")
    browser.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": WIDTH, "height": 760, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.open(page, WIDTH, 760)
    take(browser, "../graphs/unfolded.png", "body")


def test_picture_of_exploring(browser: Browser) -> None:
    with served("alternating_bit") as server:
        browser.open(server.address, WIDTH, 1000)
        browser.run("document.querySelector('h1').textContent = 'alternating_bit.pml'; everafter.theme('light')")
        browser.run(
            "const e = everafter.explorer;e.during(async () => e.grown(await e.ask('/walk', { steps: 9, seed: 4 })))"
        )
        browser.wait(
            "const e = everafter.explorer;"
            "return !e.busy && everafter.position === 9 && e.list.dataset.place === String(e.place)"
        )
        take(browser, "explore.png", "main")


def test_every_picture_is_shown() -> None:
    text = (ROOT / "docs" / "page.md").read_text(encoding="utf-8")
    assert all(f"pictures/page/{picture.name}" in text for picture in PICTURES.glob("*.png"))
