"""One HTML file with everything in it: the data of a page, and the program that shows it. It needs no network."""

from __future__ import annotations

import base64
import dataclasses
import html
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from everafter.characters import visible, visible_line
from everafter.page.content import Page
from everafter.page.state_map import StateMap

_MAP_MODULES = ("dom", "texts", "unfolding", "layers", "canvas", "states")
_MODULES = ("dom", "run", "lanes", "texts", "chart", "source", "state", "graphs", "verdicts", "explore", "main")
"""The programs of the two pages; each module may import those before it, by these names."""


def document(page: Page) -> Iterator[str]:
    """The HTML file, piece by piece."""
    return _file("page", page.model, page, _MODULES)


def states_document(states: StateMap) -> Iterator[str]:
    """The HTML file that shows `states`, piece by piece."""
    return _file("states", states.model, states, _MAP_MODULES)


def _file(shell: str, model: str, content: object, modules: tuple[str, ...]) -> Iterator[str]:
    """A shell with its style, the content as data, and the program of `modules`, the last of which shows it."""
    head, rest = _asset(f"{shell}.html").split("<!-- data -->")
    title = html.escape(visible_line(model))
    yield head.replace("{{title}}", title).replace("/* style */", _asset(f"{shell}.css"))
    yield '<script type="application/json" id="data">'
    yield as_json(content)
    yield "</script>\n"
    yield rest.replace("<!-- program -->", _program(modules))


def as_json(value: object) -> str:
    """A value of the page as JSON that may stand within HTML."""
    text = json.dumps(value, default=_fields, ensure_ascii=False, separators=(",", ":"))
    # What could end the element or begin a comment in it is written otherwise; what would be obeyed is made visible.
    return visible(text.replace("<", "\\u003c"))


def _fields(value: object) -> dict[str, Any]:
    assert dataclasses.is_dataclass(value)
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


@cache
def _program(modules: tuple[str, ...]) -> str:
    """The modules, each as an address that is its own text: files may not import one another without a server."""
    imports = {name: _address(_asset(f"{name}.js")) for name in modules}
    return (
        f'<script type="importmap">{json.dumps({"imports": imports})}</script>\n'
        '<script type="module">import { show } from "'
        f'{modules[-1]}"; show(document);</script>'
    )


def _address(text: str) -> str:
    return f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}"


@cache
def _asset(name: str) -> str:
    return (files("everafter.page") / "assets" / name).read_text(encoding="utf-8")
