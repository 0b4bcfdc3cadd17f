"""Pictures as SVG, drawn here and needing no other program: light or dark, as the reader's screen is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from everafter.characters import visible
from everafter.drawing.diagram import Diagram, Text, Tone
from everafter.drawing.placement import ARROW, LINE, MARGIN, Arrow, Box, Placement, arranged, text_width
from everafter.record import dataclass

_WIDTH = 1400.0
"""Diagrams stand side by side up to this width."""
_GAP = 24.0
_TITLE = 30.0
_NOTE = 18.0
_BASELINE = 12.0
_RADIUS = {"box": 5, "round": 13, "double": 5, "queue": 2}


@dataclass(frozen=True, slots=True)
class _Palette:
    """Colours of one kind of screen; of a tone that of the inside of a box, and that of its border."""

    paper: str
    ink: str
    faint: str
    line: str
    tones: Mapping[Tone, tuple[str, str]]

    def rules(self) -> str:
        """The colours of the classes of a picture."""
        found = [
            f".everafter .paper{{fill:{self.paper}}}",
            f".everafter text{{fill:{self.ink}}}",
            f".everafter .faint{{fill:{self.faint}}}",
            f".everafter .edge path{{stroke:{self.line}}}",
            f".everafter .edge polygon,.everafter .edge circle{{fill:{self.line}}}",
        ]
        for tone, (fill, stroke) in self.tones.items():
            found.append(f".everafter .node.{tone} rect{{fill:{fill};stroke:{stroke}}}")
            if tone != "plain":
                found.append(f".everafter .edge.{tone} path{{stroke:{stroke}}}")
                found.append(f".everafter .edge.{tone} polygon{{fill:{stroke}}}")
        return "".join(found)


_LIGHT = _Palette(
    paper="#ffffff",
    ink="#1f2430",
    faint="#667085",
    line="#5b6475",
    tones={
        "plain": ("#f3f5f9", "#aab2c2"),
        "accent": ("#e6f0ff", "#3b76d6"),
        "good": ("#e7f6ec", "#2f9158"),
        "bad": ("#fdeaea", "#c93a3a"),
        "muted": ("#fafafa", "#d0d5dd"),
    },
)
_DARK = _Palette(
    paper="#14171d",
    ink="#e8eaf0",
    faint="#98a1b3",
    line="#9aa3b5",
    tones={
        "plain": ("#222732", "#4a5264"),
        "accent": ("#17294a", "#6ea0f5"),
        "good": ("#14301f", "#57bd80"),
        "bad": ("#3c191b", "#ef7a7a"),
        "muted": ("#191d25", "#343b49"),
    },
)
STYLE = (
    ".everafter text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "white-space:pre}"
    ".everafter .title{font:600 15px system-ui,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif}"
    ".everafter .faint{font-size:11.5px}"
    ".everafter path{fill:none;stroke-width:1.3}"
    ".everafter .bold path{stroke-width:2.6}"
    ".everafter .dashed path{stroke-dasharray:5 4}"
    f"{_LIGHT.rules()}@media (prefers-color-scheme:dark){{{_DARK.rules()}}}"
)
"""The rules for the classes of a picture. Every picture has them."""


def to_svg(diagrams: Sequence[Diagram]) -> str:
    """All diagrams in one picture, side by side, with their titles."""
    layouts = [arranged(diagram) for diagram in diagrams]
    places, width, height = _shelved([_outer_size(layout) for layout in layouts])
    body = "".join(_figure(layout, x, y) for layout, (x, y) in zip(layouts, places, strict=True))
    name = escape(", ".join(diagram.title for diagram in diagrams), quote=True)
    return visible(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="everafter" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{name}"><style>{STYLE}</style>'
        f'<rect class="paper" width="100%" height="100%"/>{body}</svg>\n'
    )


def _outer_size(layout: Placement) -> tuple[float, float]:
    title = max(len(layout.diagram.title) * 9.0, text_width((layout.diagram.note,))) + 2 * MARGIN
    return max(layout.width, title), layout.height + _heading(layout.diagram)


def _heading(diagram: Diagram) -> float:
    return (_TITLE if diagram.title else 0.0) + (_NOTE if diagram.note else 0.0)


def _shelved(sizes: Iterable[tuple[float, float]]) -> tuple[list[tuple[float, float]], float, float]:
    """The places of rectangles in rows from above to below, and the size of the whole."""
    places: list[tuple[float, float]] = []
    x = y = row = whole = 0.0
    for width, height in sizes:
        if x > 0 and x + width > _WIDTH:
            x, y, row = 0.0, y + row + _GAP, 0.0
        places.append((x, y))
        x += width + _GAP
        row, whole = max(row, height), max(whole, x - _GAP)
    return places, max(whole, 1.0), max(y + row, 1.0)


def _figure(layout: Placement, x: float, y: float) -> str:
    diagram = layout.diagram
    parts = [f'<g transform="translate({x:.1f} {y:.1f})">']
    if diagram.title:
        parts.append(f'<text class="title" x="{MARGIN}" y="{MARGIN + 9}">{escape(diagram.title)}</text>')
    if diagram.note:
        at = MARGIN + (_TITLE if diagram.title else 12.0) - 4
        parts.append(f'<text class="faint" x="{MARGIN}" y="{at}">{escape(diagram.note)}</text>')
    parts.append(f'<g transform="translate(0 {_heading(diagram):.1f})">')
    parts += map(_arrow, layout.arrows)
    if layout.start_at is not None:
        parts.append(_start(*layout.start_at))
    parts += map(_box, layout.boxes)
    return "".join([*parts, "</g></g>"])


def _start(x: float, y: float) -> str:
    head = f"{x:.1f},{y:.1f} {x - ARROW / 2:.1f},{y - ARROW:.1f} {x + ARROW / 2:.1f},{y - ARROW:.1f}"
    return (
        f'<g class="start edge"><circle cx="{x:.1f}" cy="{y - 18:.1f}" r="3.5"/>'
        f'<path d="M{x:.1f} {y - 18:.1f}V{y - ARROW:.1f}"/><polygon points="{head}"/></g>'
    )


def _arrow(arrow: Arrow) -> str:
    edge = arrow.edge
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in arrow.head)
    text = _lines(edge.text, *arrow.text_at, "start") if arrow.text_at is not None else ""
    return (
        f'<g class="edge {edge.line} {edge.tone}" data-source="{escape(edge.source, quote=True)}" '
        f'data-target="{escape(edge.target, quote=True)}">{_hint(edge.hint)}<path d="{arrow.path}"/>'
        f'<polygon points="{head}"/>{text}</g>'
    )


def _box(box: Box) -> str:
    node = box.node
    outline = _outline(box, 0.0) + (_outline(box, 3.0) if node.shape in ("double", "queue") else "")
    top = box.top + (box.height - len(node.text) * LINE) / 2
    text = _lines(node.text, box.left + box.width / 2, top, "middle")
    key = escape(node.key, quote=True)
    return f'<g class="node {node.shape} {node.tone}" data-key="{key}">{_hint(node.hint)}{outline}{text}</g>'


def _outline(box: Box, inset: float) -> str:
    radius = max(_RADIUS[box.node.shape] - inset / 2, 0)
    if box.node.shape == "queue":  # a second line at each side, as on a pipe
        return (
            f'<rect x="{box.left + inset:.1f}" y="{box.top:.1f}" width="{box.width - 2 * inset:.1f}" '
            f'height="{box.height:.1f}" rx="{radius}"/>'
        )
    return (
        f'<rect x="{box.left + inset:.1f}" y="{box.top + inset:.1f}" width="{box.width - 2 * inset:.1f}" '
        f'height="{box.height - 2 * inset:.1f}" rx="{radius}"/>'
    )


def _lines(text: Text, x: float, top: float, anchor: str) -> str:
    return "".join(
        f'<text x="{x:.1f}" y="{top + number * LINE + _BASELINE:.1f}" text-anchor="{anchor}">{escape(line)}</text>'
        for number, line in enumerate(text)
    )


def _hint(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""
