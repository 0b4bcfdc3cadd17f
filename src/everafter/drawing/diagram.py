"""What a picture shows: boxes with text, and arrows between them."""

from __future__ import annotations

from typing import Literal
from unicodedata import east_asian_width

from everafter.record import dataclass

Shape = Literal["box", "round", "double", "queue"]
Tone = Literal["plain", "accent", "good", "bad", "muted"]
Line = Literal["solid", "bold", "dashed"]
Text = tuple[str, ...]
"""Some lines of text."""

MOST_COLUMNS = 46
"""A longer line is cut; its whole text is in the hint."""


@dataclass(frozen=True, slots=True)
class Node:
    """A box. `key` is its name among the nodes of its diagram, `hint` what is shown where one points at it."""

    key: str
    text: Text
    shape: Shape = "box"
    tone: Tone = "plain"
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow from one node to another, or to itself."""

    source: str
    target: str
    text: Text = ()
    line: Line = "solid"
    tone: Tone = "plain"
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A graph to be drawn. An arrow from nowhere leads to `start`; `note` is a sentence below the title.

    `in_order`: earlier nodes stand above later ones where an edge joins them; else as a depth-first walk meets them.
    """

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    start: str | None = None
    note: str = ""
    in_order: bool = False


def columns(text: str) -> int:
    """How many columns a line takes where every letter is as wide as any other, and an ideograph twice as wide."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def clipped(text: str, most: int = MOST_COLUMNS) -> str:
    """Return `text` on one line that takes at most `most` columns."""
    line = " ".join(text.split())
    if columns(line) <= most:
        return line
    while columns(line) >= most:
        line = line[:-1]
    return line.rstrip() + "…"


def joined(edges: list[Edge], most: int = 8) -> tuple[Edge, ...]:
    """Return `edges` with those that look alike and join the same nodes in one, whose text has a line for each.

    Of more than `most` lines the last ones are counted, and shown in the hint.
    """
    alike: dict[tuple[str, str, Line, Tone], list[Edge]] = {}
    for edge in edges:
        alike.setdefault((edge.source, edge.target, edge.line, edge.tone), []).append(edge)
    return tuple(_as_one(group, most) for group in alike.values())


def _as_one(group: list[Edge], most: int) -> Edge:
    lines = list(dict.fromkeys(line for edge in group for line in edge.text))
    hints = dict.fromkeys(edge.hint for edge in group if edge.hint)
    kept = lines if len(lines) <= most else [*lines[: most - 1], f"… {len(lines) - most + 1} more"]
    first = group[0]
    return Edge(first.source, first.target, tuple(kept), first.line, first.tone, "\n".join(hints))
