"""One browser for all tests of the page."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.page.browser import Browser, started

import everafter
from everafter.page.check_page import page_of
from everafter.page.html import document


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with started(tmp_path_factory.mktemp("chromium")) as running:
        yield running


Written = Callable[[str], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes the page of a model, given its text, and says where."""

    def write(text: str) -> Path:
        model = everafter.parse(text)
        path = tmp_path / "page.html"
        path.write_text("".join(document(page_of(model.name, "1", model.program, model.check_all()))), encoding="utf-8")
        return path

    return write
