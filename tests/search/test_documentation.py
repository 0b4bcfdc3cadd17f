"""The examples in docs/search.md do what the page says they do."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "search.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_examples_print_what_the_page_says() -> None:
    names: dict[str, object] = {}
    printed: list[str] = []
    said: list[str] = []
    for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "text":
            said.append(text)
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(text, str(PAGE), "exec"), names)
        if output.getvalue():
            printed.append(output.getvalue())
    assert printed == said
    assert len(said) >= 6
