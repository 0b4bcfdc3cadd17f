"""Where everything of a picture stands: layers from above to below, edges as smooth curves, texts beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from everafter.drawing.diagram import Diagram, Edge, Node, Text, columns
from everafter.drawing.order import neighbours, ordered
from everafter.drawing.positions import Extent, placed
from everafter.drawing.ranks import LayerChain, Layers, layered
from everafter.drawing.springs import pulled
from everafter.record import dataclass

COLUMN, LINE = 7.3, 16.0
"""The width of a letter and the height of a line of text."""
PADDING = 9.0
"""Between the text of a box and its border."""
MARGIN = 14.0
ARROW = 7.0
_GAP_BESIDE, _GAP_BETWEEN = 18.0, 26.0
_BESIDE_LINE = 6.0
"""Between a line and its text."""
_LOOP = 26.0
"""How far a loop reaches out of its box."""

_WIDE = 1500.0
"""A picture this wide had better be narrow than have straight lines."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A node and its rectangle."""

    node: Node
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge: the curve from its source to its target as a path of SVG, its head, and where its text begins."""

    edge: Edge
    path: str
    head: tuple[Point, Point, Point]
    text_at: Point | None


@dataclass(frozen=True, slots=True)
class Placement:
    """A diagram with places for everything in it."""

    diagram: Diagram
    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    start_at: Point | None = None
    """Where the arrow from nowhere ends: at the top of the node where all begins."""


def arranged(diagram: Diagram) -> Placement:
    """The layout of a diagram. No two boxes or texts lie on one another, and no edge passes through a box."""
    return _Arrangement(diagram).layout()


def text_width(text: Text) -> float:
    """The width of the widest line."""
    return max((columns(line) for line in text), default=0) * COLUMN


def _box_size(node: Node) -> tuple[float, float]:
    extra = 6.0 if node.shape in ("double", "queue") else 0.0
    width = max(text_width(node.text), 2 * COLUMN) + 2 * PADDING + extra
    return width, max(len(node.text), 1) * LINE + PADDING + extra


class _Arrangement:
    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        numbers = {node.key: number for number, node in enumerate(diagram.nodes)}
        self.loops: dict[int, list[Edge]] = defaultdict(list)
        self.edges: list[Edge] = []
        for edge in diagram.edges:
            if edge.source == edge.target:
                self.loops[numbers[edge.source]].append(edge)
            else:
                self.edges.append(edge)
        pairs = [(numbers[edge.source], numbers[edge.target]) for edge in self.edges]
        self.layers: Layers = layered(len(numbers), pairs, [bool(edge.text) for edge in self.edges], diagram.in_order)
        self.texts = {
            chain.label: edge.text
            for chain, edge in zip(self.layers.chains, self.edges, strict=True)
            if chain.label is not None
        }
        self.order = ordered(self.layers)
        self.sizes = [self._node_size(number) for number in range(len(numbers))]
        self.across = self._across()
        self.tops, self.bottoms = self._down()

    # Sizes

    def _node_size(self, number: int) -> tuple[float, float]:
        """The size of a box. It is as high as its loops need."""
        width, height = _box_size(self.diagram.nodes[number])
        return width, max(height, sum(_loop_height(edge) for edge in self.loops[number]) + 4)

    def _extent(self, item: int) -> Extent:
        if item < len(self.sizes):
            half = self.sizes[item][0] / 2
            loops = self.loops[item]
            beside = max((_LOOP + _BESIDE_LINE + text_width(edge.text) for edge in loops), default=0.0)
            return Extent(half, half + beside)
        text = self.texts.get(item, ())
        return Extent(0.0, _BESIDE_LINE + text_width(text) if text else 0.0)

    def _height(self, item: int) -> float:
        return self.sizes[item][1] if item < len(self.sizes) else len(self.texts.get(item, ())) * LINE

    # Places

    def _across(self) -> list[float]:
        above, below = neighbours(self.layers)
        extents = [self._extent(item) for item in range(self.layers.items)]
        across = placed(self.order, len(self.sizes), above, below, extents, _GAP_BESIDE)
        if max(across, default=0.0) - min(across, default=0.0) > _WIDE:
            across = pulled(self.order, len(self.sizes), above, below, extents, _GAP_BESIDE)
        left = min((x - extent.left for x, extent in zip(across, extents, strict=True)), default=0.0)
        return [x - left + MARGIN for x in across]

    def _down(self) -> tuple[list[float], list[float]]:
        """Where each layer begins and ends."""
        tops: list[float] = []
        bottoms: list[float] = []
        at = MARGIN + (22.0 if self.diagram.start is not None else 0.0)
        below = neighbours(self.layers)[1]
        for layer in self.order:
            tops.append(at)
            at += max(map(self._height, layer))
            bottoms.append(at)
            slant = max((abs(self.across[a] - self.across[b]) for a in layer for b in below[a]), default=0.0)
            at += _GAP_BETWEEN + min(slant * 0.08, 40.0)
        return tops, bottoms

    def layout(self) -> Placement:
        """Boxes and arrows at their places."""
        level = {item: number for number, layer in enumerate(self.order) for item in layer}
        boxes = [self._box(number, level[number]) for number in range(len(self.sizes))]
        ends = self._ends()
        arrows = [
            self._arrow(edge, chain, ends[number], boxes, level)
            for number, (edge, chain) in enumerate(zip(self.edges, self.layers.chains, strict=True))
        ]
        for number, loops in self.loops.items():
            arrows += self._looping(boxes[number], loops)
        right = max((self.across[item] + self._extent(item).right for item in range(self.layers.items)), default=0.0)
        start = next((box for box in boxes if box.node.key == self.diagram.start), None)
        return Placement(
            self.diagram,
            right + MARGIN,
            (self.bottoms[-1] if self.bottoms else 0.0) + MARGIN,
            tuple(boxes),
            tuple(arrows),
            (start.left + start.width / 2, start.top) if start is not None else None,
        )

    def _box(self, number: int, level: int) -> Box:
        width, height = self.sizes[number]
        middle = (self.tops[level] + self.bottoms[level]) / 2
        return Box(self.diagram.nodes[number], self.across[number] - width / 2, middle - height / 2, width, height)

    # Edges

    def _ends(self) -> list[tuple[float, float]]:
        """For each edge where it leaves its upper node and reaches its lower one: side by side, and not crossing."""
        leaving: dict[int, list[tuple[float, int]]] = defaultdict(list)
        reaching: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for number, chain in enumerate(self.layers.chains):
            leaving[chain.items[0]].append((self.across[chain.items[1]], number))
            reaching[chain.items[-1]].append((self.across[chain.items[-2]], number))
        out = self._spread(leaving)
        into = self._spread(reaching)
        return [(out[number], into[number]) for number in range(len(self.layers.chains))]

    def _spread(self, edges: dict[int, list[tuple[float, int]]]) -> dict[int, float]:
        found: dict[int, float] = {}
        for node, meeting in edges.items():
            width = self.sizes[node][0] - 2 * PADDING
            apart = min(width / max(len(meeting) - 1, 1), 22.0)
            for position, (_, number) in enumerate(sorted(meeting)):
                found[number] = self.across[node] + (position - (len(meeting) - 1) / 2) * apart
        return found

    def _arrow(
        self, edge: Edge, chain: LayerChain, ends: tuple[float, float], boxes: Sequence[Box], level: dict[int, int]
    ) -> Arrow:
        upper, lower = boxes[chain.items[0]], boxes[chain.items[-1]]
        first, last = level[chain.items[0]], level[chain.items[-1]]
        stops = [(ends[0], upper.top + upper.height, self.bottoms[first])]
        stops += [(self.across[item], self.tops[level[item]], self.bottoms[level[item]]) for item in chain.items[1:-1]]
        stops.append((ends[1], self.tops[last], lower.top))
        tip = stops[0][:2] if chain.is_reversed else (stops[-1][0], stops[-1][2])
        text_at = None
        if chain.label is not None:
            middle = (self.tops[level[chain.label]] + self.bottoms[level[chain.label]]) / 2
            text_at = (self.across[chain.label] + _BESIDE_LINE, middle - len(edge.text) * LINE / 2)
        return Arrow(edge, _curve(stops, chain.is_reversed), _head(tip, chain.is_reversed), text_at)

    @staticmethod
    def _looping(box: Box, loops: Sequence[Edge]) -> list[Arrow]:
        """The loops of a node, one below the other, to the right of its box."""
        found: list[Arrow] = []
        side = box.left + box.width
        at = box.top + (box.height - sum(map(_loop_height, loops))) / 2
        for edge in loops:
            height = _loop_height(edge)
            upper, lower = at + 4, at + height - 4
            out = side + _LOOP * 4 / 3
            path = f"M{_n(side)} {_n(upper)}C{_n(out)} {_n(upper)} {_n(out)} {_n(lower)} {_n(side + ARROW)} {_n(lower)}"
            head = ((side, lower), (side + ARROW, lower - ARROW / 2), (side + ARROW, lower + ARROW / 2))
            middle = (upper + lower) / 2
            text_at = (side + _LOOP + _BESIDE_LINE, middle - len(edge.text) * LINE / 2)
            found.append(Arrow(edge, path, head, text_at))
            at += height
        return found


def _loop_height(edge: Edge) -> float:
    return max(len(edge.text) * LINE + 2, 22.0)


def _curve(stops: Sequence[tuple[float, float, float]], is_reversed: bool) -> str:
    """A path straight down through every stop, from its upper to its lower end, and in a curve from stop to stop.

    It ends, or begins, where the head of the arrow does.
    """
    (x, begin, end), *rest = stops
    begin += ARROW if is_reversed else 0.0
    path = [f"M{_n(x)} {_n(begin)}V{_n(max(begin, end))}"]
    y = max(begin, end)
    for number, (over, top, bottom) in enumerate(rest, 1):
        is_last = number == len(rest)
        under = bottom - ARROW if is_last and not is_reversed else bottom
        reach = min(top, under)
        middle = (y + reach) / 2
        path.append(f"C{_n(x)} {_n(middle)} {_n(over)} {_n(middle)} {_n(over)} {_n(reach)}V{_n(under)}")
        x, y = over, under
    return "".join(path)


def _head(tip: Point, upwards: bool) -> tuple[Point, Point, Point]:
    x, y = tip
    base = y + ARROW if upwards else y - ARROW
    return (x, y), (x - ARROW / 2, base), (x + ARROW / 2, base)


def _n(value: float) -> str:
    """A number as SVG likes it: short."""
    return f"{value:.1f}".removesuffix(".0")
