"""Debian's Chromium, without a screen, and what is asked of a page in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60
"""Seconds after which a page that does not answer is given up; no test depends on how fast it answers."""


class Browser:
    """A browser with one page."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str | Path, width: int = 1280, height: int = 1000) -> None:
        """Show a page, and wait until it is drawn."""
        self.driver.set_window_size(width, height)
        self.driver.get(address.as_uri() if isinstance(address, Path) else address)
        self.wait("return globalThis.everafter !== undefined")
        self.settle()

    def start(self, address: str | Path) -> None:
        """Show a page, and go to the initial state."""
        self.open(address)
        self.press(Keys.HOME)

    def run(self, script: str, *arguments: object) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str) -> None:
        """Wait until a script returns something true."""
        WebDriverWait(self.driver, PATIENCE).until(lambda driver: driver.execute_script(script))

    def settle(self) -> None:
        """Wait until what was asked for is drawn: drawing is put off to the next frame."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    def one(self, selector: str) -> WebElement:
        """The first element that matches."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        """Every element that matches."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements that match, also of those in a drawing or out of view."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector
        )
        return found

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()
        self.settle()

    def click(self, selector: str) -> None:
        """Click an element as a person would."""
        self.one(selector).click()
        self.settle()

    @property
    def position(self) -> int:
        """The step that the page shows."""
        return int(self.one("#slider").get_property("value") or 0)  # type: ignore[arg-type] # the value is a text

    @property
    def complaints(self) -> list[str]:
        """What the browser says went wrong."""
        entries = self.driver.get_log("browser")  # type: ignore[no-untyped-call] # selenium does not say what it takes
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]


@contextmanager
def started(profile: Path) -> Iterator[Browser]:
    """A browser that runs until the end of the block."""
    options = webdriver.ChromeOptions()
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
    quiet = ("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update")
    for flag in (*flags, *quiet, "--disable-sync", "--force-device-scale-factor=1", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = shutil.which("chromium") or ""
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(PATIENCE)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
