"""Pictures for Graphviz: the DOT language."""

from __future__ import annotations

from collections.abc import Sequence

from everafter.characters import visible
from everafter.drawing.diagram import Diagram, Edge, Node

_SHAPES = {
    "box": "shape=box, style=rounded",
    "round": 'shape=box, style="rounded,bold"',
    "double": "shape=box, style=rounded, peripheries=2",
    "queue": "shape=box, peripheries=2",
}
_LINES = {"solid": "", "bold": "penwidth=2.4", "dashed": "style=dashed"}
_TONES = {
    "plain": "",
    "accent": "color=royalblue",
    "good": "color=seagreen",
    "bad": "color=firebrick",
    "muted": "color=gray",
}


def to_dot(diagrams: Sequence[Diagram]) -> str:
    """All diagrams as one graph of Graphviz, each in a frame of its own."""
    lines = [
        "digraph everafter {",
        '  node [fontname="monospace", fontsize=11];',
        '  edge [fontname="monospace", fontsize=10];',
    ]
    for number, diagram in enumerate(diagrams):
        lines += [f"  {line}" for line in _cluster(number, diagram)]
    return "\n".join([*lines, "}", ""])


def _cluster(number: int, diagram: Diagram) -> list[str]:
    names = {node.key: f"n{number}_{position}" for position, node in enumerate(diagram.nodes)}
    title = diagram.title + (f"\n{diagram.note}" if diagram.note else "")
    lines = [f"subgraph cluster_{number} {{", f"  label={_quoted(title)};", "  color=gray;"]
    lines += [f"  {names[node.key]} [{_node(node)}];" for node in diagram.nodes]
    if diagram.start is not None:
        lines += [f'  s{number} [shape=point, label=""];', f"  s{number} -> {names[diagram.start]};"]
    lines += [f"  {names[edge.source]} -> {names[edge.target]} [{_edge(edge)}];" for edge in diagram.edges]
    return [*lines, "}"]


def _node(node: Node) -> str:
    return _joined(
        f"label={_quoted(chr(10).join(node.text))}", _SHAPES[node.shape], _TONES[node.tone], _tooltip(node.hint)
    )


def _edge(edge: Edge) -> str:
    # Graphviz centres the lines of a label; one that ends in \l is put to the left.
    label = "".join(_escaped(line) + "\\l" for line in edge.text)
    return _joined(f'label="{label}"', _LINES[edge.line], _TONES[edge.tone], _tooltip(edge.hint))


def _tooltip(hint: str) -> str:
    return f"tooltip={_quoted(hint)}" if hint else ""


def _joined(*attributes: str) -> str:
    return ", ".join(attribute for attribute in attributes if attribute)


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
