"""The example in docs/parallel.md does what the page says it does."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from tests.search.test_documentation import BLOCK

PAGE = Path(__file__).parents[3] / "docs" / "parallel.md"


def test_the_example_prints_what_the_page_says() -> None:
    (_, program), (_, said) = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program, str(PAGE), "exec"), {})
    assert output.getvalue() == said
