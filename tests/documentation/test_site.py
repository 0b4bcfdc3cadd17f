"""The documentation site builds without a warning, holds every page, and fetches nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from tests.page.browser import started

from everafter import cli, public

ROOT = Path(__file__).parents[2]
FETCHED = re.compile(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?:)?//', re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    there = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("*.md")}
    assert there <= listed
    assert listed - there == {"reference/options.md", "reference/names.md", "examples.md"}


def test_the_reference_holds_every_option_and_every_public_name(site: Path) -> None:
    options = (site / "reference/options.html").read_text(encoding="utf-8")
    for command in cli.COMMANDS:
        assert f"everafter {command.name}" in options
    assert "--reduction" in options
    names = (site / "reference/names.html").read_text(encoding="utf-8")
    for name in public.__all__:
        if name not in ("ltl", "search"):
            assert re.search(rf'id="[\w.]+\.{name}"', names), name


def test_no_page_fetches_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        assert not FETCHED.search(page.read_text(encoding="utf-8")), page.name


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of what is requested."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of the site while it is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.browser
def test_a_search_finds_pages_from_a_server_and_from_a_folder(site: Path, tmp_path: Path) -> None:
    results = "return document.querySelectorAll('.md-search-result__link').length > 5"
    with started(tmp_path / "chromium") as browser, served(site) as address:
        browser.driver.set_window_size(1280, 900)
        for start in (f"{address}/reference/options.html", (site / "reference/options.html").as_uri()):
            browser.driver.get(start)
            browser.wait("return document.querySelector('.md-search') !== null")
            browser.click("input.md-search__input")
            browser.one("input.md-search__input").send_keys("fairness")
            browser.wait(results)
            links = [link.get_attribute("href") or "" for link in browser.all(".md-search-result__link")]
            assert all(link.startswith(start.removesuffix("reference/options.html")) for link in links)
            assert any("understanding.html" in link for link in links)
            assert browser.complaints == []


def test_the_configuration_names_no_host() -> None:
    assert "site_url" not in yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def test_what_pages_install_exists_and_is_written_alike() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    pages = [ROOT / "README.md", ROOT / "examples" / "README.md", *(ROOT / "docs").glob("*.md")]
    written = {
        each for page in pages for each in re.findall(r"""pip install ("[^"]+"|[^\s`]+)""", page.read_text("utf-8"))
    }
    known = {"everafter", ".", *(f'"everafter[{extra}]"' for extra in extras)}
    assert {"everafter", '"everafter[notebook]"'} <= written <= known
