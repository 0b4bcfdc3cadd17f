"""Pictures as a page of their own: one file that opens in any browser, without a connection."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from everafter.characters import visible
from everafter.drawing.diagram import Diagram
from everafter.drawing.svg import to_svg

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; font: 16px/1.5 system-ui, sans-serif;
       background: #fff; color: #1f2430; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
figure { margin: 1rem 0; max-width: 100%; width: fit-content; overflow: auto;
         border: 1px solid #d0d5dd; border-radius: 8px; }
nav a { margin-right: 1rem; color: #2f66c4; }
p { color: #667085; }
@media (prefers-color-scheme: dark) {
  body { background: #14171d; color: #e8eaf0; } figure { border-color: #343b49; }
  nav a { color: #8fb6fb; } p { color: #98a1b3; }
}
@media print { figure { border: 0; } nav { display: none; } }
"""


def to_page(diagrams: Sequence[Diagram], title: str, legend: str) -> str:
    """Return an HTML page under `title` with a figure for each of `diagrams`; `legend` says what their signs mean."""
    links = "".join(f'<a href="#d{number}">{escape(each.title)}</a>' for number, each in enumerate(diagrams))
    figures = "".join(f'<figure id="d{number}">{to_svg([each])}</figure>\n' for number, each in enumerate(diagrams))
    return visible(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n<p>{escape(legend)}</p>\n<nav>{links}</nav>\n"
        f"{figures}</body></html>\n"
    )
