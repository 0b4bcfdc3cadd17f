"""How the searches of a sweep grow, as a picture: states on a logarithmic scale, a line for each property."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from everafter.report.sweep_table import Point, by_property

_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 200, 40, 60
_MOST_LABELS = 8
"""Of more choices only every second, third, … one has its label."""
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Colours that people with any kind of sight can tell apart."""
_STYLE = """
svg { background: white; color: #222; font: 13px sans-serif }
text { fill: currentColor } .grid { stroke: #8886; } .line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { svg { background: #1a1a1a; color: #ddd } }
"""


def growth_svg(title: str, points: Sequence[Point]) -> Iterator[str]:
    """Yield the text of a picture of `points`, under `title`, line by line.

    A result that is not complete has a hollow mark.
    """
    labels = list(dict.fromkeys(point.label for point in points))
    decades = max(1, math.ceil(math.log10(max(1, *(point.result.states for point in points)))))
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
    yield f"<title>{escape(title)}: states for each choice of parameters</title>"
    yield f"<style>{_STYLE}</style>"
    yield f'<text x="{_LEFT}" y="24">{escape(title)}: states</text>'
    for power in range(decades + 1):
        y = _y(10**power, decades)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>'
    for position, label in list(enumerate(labels))[:: math.ceil(len(labels) / _MOST_LABELS)]:
        x = _x(position, len(labels))
        yield f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 24}" text-anchor="middle">{escape(label)}</text>'
    for number, (name, series) in enumerate(by_property(points).items()):
        yield from _line(name, series, labels, decades, number)
    yield "</svg>"


def _line(name: str, series: Sequence[Point], labels: Sequence[str], decades: int, number: int) -> Iterator[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    places = [(_x(labels.index(point.label), len(labels)), _y(point.result.states, decades)) for point in series]
    along = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline class="line" stroke="{colour}" points="{along}"/>'
    for point, (x, y) in zip(series, places, strict=True):
        inside = "none" if point.result.incomplete else colour
        told = f"{point.label}, {name}: {point.result.verdict}, {point.result.states:,} states"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" stroke="{colour}" fill="{inside}">'
        yield f"<title>{escape(told)}</title></circle>"
    x, y = _WIDTH - _RIGHT + 16, _TOP + 20 * number
    yield f'<line class="line" stroke="{colour}" x1="{x}" x2="{x + 20}" y1="{y}" y2="{y}"/>'
    yield f'<text x="{x + 26}" y="{y + 4}">{escape(name)}</text>'


def _x(position: int, count: int) -> float:
    """Where the label at a position stands."""
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (position + 0.5) / count


def _y(states: int, decades: int) -> float:
    """How high a number of states stands; none at all as high as one."""
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * math.log10(max(states, 1)) / decades
