"""Curves of seconds over size: kept as JSON, and drawn as SVG."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 420, 300
_SIZE = f"width='{_WIDTH}' height='{_HEIGHT}'"
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 34, 58
_LEAST, _MOST = 0.05, 40.0
"""The seconds that a picture shows."""
_FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"


@dataclass(frozen=True, slots=True)
class Measured:
    """What one size took: seconds of the processor, None where it was given up or refused."""

    size: int
    seconds: float | None


Curve = Sequence[Measured]


@dataclass(frozen=True, slots=True)
class Style:
    """How a curve is drawn."""

    name: str
    colour: str
    dashes: str = ""


NOW = Style("everafter", "#0b6e4f")
BEFORE = Style("everafter before", "#8a8f98", "5 4")
SPIN = Style("SPIN with gcc", "#c8553d")


def written(curves: Mapping[str, Curve]) -> str:
    """The curves as JSON, one line for each."""
    lines = (
        f"  {json.dumps(name)}: {json.dumps([[each.size, each.seconds] for each in curve])}"
        for name, curve in curves.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path) -> dict[str, Curve]:
    """The curves of a file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return {name: [Measured(size, seconds) for size, seconds in curve] for name, curve in content.items()}


def picture(title: str, curves: Mapping[Style, Curve]) -> str:
    """Both axes logarithmic. A cross at the upper edge is a size that was given up or refused."""
    sizes = sorted({each.size for curve in curves.values() for each in curve})
    scale = _Scale(max(sizes[0], 1), max(sizes[-1], 2))
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' {_SIZE}>",
        f"<rect {_SIZE} fill='white'/>",
        _text(_LEFT, 20, title, size=14, weight="bold"),
        *_grid(scale, sizes),
        *(part for rank, (style, curve) in enumerate(curves.items()) for part in _drawn(scale, style, curve, rank)),
        *_legend(curves),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def sheet(pictures: Sequence[str], columns: int = 2) -> str:
    """Many pictures as one, row by row."""
    width, height = columns * _WIDTH, -(-len(pictures) // columns) * _HEIGHT
    placed = (
        each.replace("<svg ", f"<svg x='{rank % columns * _WIDTH}' y='{rank // columns * _HEIGHT}' ", 1)
        for rank, each in enumerate(pictures)
    )
    size = f"viewBox='0 0 {width} {height}' width='{width}' height='{height}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size}>\n{''.join(placed)}</svg>\n"


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where sizes and seconds are in a picture."""

    least: int
    most: int

    def across(self, size: int) -> float:
        """How far to the right a size is."""
        share = math.log(max(size, 1) / self.least) / math.log(self.most / self.least)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def down(self, seconds: float) -> float:
        """How far down a time is."""
        share = math.log(min(max(seconds, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _grid(scale: _Scale, sizes: Sequence[int]) -> list[str]:
    parts = []
    for seconds in (0.1, 1.0, 10.0):
        y = scale.down(seconds)
        parts.append(f"<line x1='{_LEFT}' x2='{_WIDTH - _RIGHT}' y1='{y:.1f}' y2='{y:.1f}' stroke='#dddddd'/>")
        parts.append(_text(_LEFT - 6, y + 4, f"{seconds:g} s", anchor="end"))
    bottom = _HEIGHT - _BOTTOM
    for size in sizes:
        x = scale.across(size)
        parts.append(f"<line x1='{x:.1f}' x2='{x:.1f}' y1='{bottom}' y2='{bottom + 4}' stroke='#555555'/>")
        anchor = "end" if size == sizes[-1] else "middle"
        parts.append(_text(min(x, _WIDTH - _RIGHT + 6), bottom + 17, _short(size), anchor=anchor))
    parts.append(f"<line x1='{_LEFT}' x2='{_WIDTH - _RIGHT}' y1='{bottom}' y2='{bottom}' stroke='#555555'/>")
    return parts


def _drawn(scale: _Scale, style: Style, curve: Curve, rank: int) -> list[str]:
    """The line through what was measured, its points, and crosses for the rest, beside those of other curves."""
    places = [(scale.across(each.size), scale.down(each.seconds)) for each in curve if each.seconds is not None]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dashes = f" stroke-dasharray='{style.dashes}'" if style.dashes else ""
    parts = [f"<polyline points='{path}' fill='none' stroke='{style.colour}' stroke-width='2'{dashes}/>"]
    parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{style.colour}'/>" for x, y in places]
    for each in curve:
        if each.seconds is None:
            x, y = scale.across(each.size) - 12 * rank, scale.down(_MOST)
            cross = f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"
            parts.append(f"<path d='{cross}' stroke='{style.colour}' stroke-width='2'/>")
    return parts


def _legend(styles: Mapping[Style, Curve]) -> list[str]:
    parts, x = [], float(_LEFT)
    for style in styles:
        y = _HEIGHT - 14
        dashes = f" stroke-dasharray='{style.dashes}'" if style.dashes else ""
        parts.append(
            f"<line x1='{x:.0f}' x2='{x + 22:.0f}' y1='{y}' y2='{y}' stroke='{style.colour}' stroke-width='2'{dashes}/>"
        )
        parts.append(_text(x + 27, y + 4, style.name))
        x += 40 + 6.6 * len(style.name)
    return parts


def _text(x: float, y: float, text: str, size: int = 11, anchor: str = "start", weight: str = "normal") -> str:
    place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'"
    return f"<text {place} {_FONT} font-size='{size}' font-weight='{weight}' fill='#222222'>{escape(text)}</text>"


def _short(size: int) -> str:
    """A size as few characters say it."""
    for unit, word in ((1_000_000, " M"), (1_000, " k")):
        if size >= unit and size % (unit // 100) == 0:
            return f"{size / unit:g}{word}"
    return str(size)
