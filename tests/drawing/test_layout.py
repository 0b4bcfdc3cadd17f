"""Pictures keep their promises on random graphs: nothing lies on anything else, and every edge joins its nodes."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest

from everafter.drawing.diagram import Diagram, Edge, Node
from everafter.drawing.order import crossings, neighbours, ordered
from everafter.drawing.placement import COLUMN, LINE, Arrow, Placement, arranged
from everafter.drawing.ranks import layered

Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom."""
SLACK = 0.2
"""Paths are written with one digit."""


def random_diagram(seed: int) -> Diagram:
    """A graph with cycles, loops, parallel edges, long texts and none."""
    chance = random.Random(seed)
    count = chance.randint(1, 14)
    nodes = tuple(
        Node(str(key), tuple("x" * chance.randint(1, 14) for _ in range(chance.randint(1, 4))), shape="double")
        for key in range(count)
    )
    edges = tuple(
        Edge(
            str(chance.randrange(count)),
            str(chance.randrange(count)),
            tuple("y" * chance.randint(1, 30) for _ in range(chance.choice((0, 1, 1, 3)))),
        )
        for _ in range(chance.randint(0, 2 * count))
    )
    return Diagram("random", nodes, edges, "0", in_order=chance.random() < 0.3)


def boxes_of(layout: Placement) -> list[Rectangle]:
    return [(box.left, box.top, box.left + box.width, box.top + box.height) for box in layout.boxes]


def texts_of(layout: Placement) -> list[Rectangle]:
    found = []
    for arrow in layout.arrows:
        if arrow.edge.text:
            assert arrow.text_at is not None
            x, y = arrow.text_at
            width = max(map(len, arrow.edge.text)) * COLUMN
            found.append((x, y, x + width, y + LINE * len(arrow.edge.text)))
    return found


def overlap(one: Rectangle, other: Rectangle) -> bool:
    return (
        one[0] < other[2] - SLACK
        and other[0] < one[2] - SLACK
        and one[1] < other[3] - SLACK
        and other[1] < one[3] - SLACK
    )


def points_of(arrow: Arrow) -> list[tuple[float, float]]:
    """Points all along the path of an arrow."""
    found: list[tuple[float, float]] = []
    x = y = 0.0
    for command, numbers in re.findall(r"([MVC])([^MVC]*)", arrow.path):
        values = [float(text) for text in numbers.split()]
        match command:
            case "M":
                x, y = values
            case "V":
                found += [(x, y + (values[0] - y) * part / 20) for part in range(21)]
                y = values[0]
            case _:
                a, b, c, d, e, f = values
                for part in range(21):
                    t = part / 20
                    s = 1 - t
                    found.append(
                        (
                            s**3 * x + 3 * s * s * t * a + 3 * s * t * t * c + t**3 * e,
                            s**3 * y + 3 * s * s * t * b + 3 * s * t * t * d + t**3 * f,
                        )
                    )
                x, y = e, f
    return found


def inside(point: tuple[float, float], box: Rectangle) -> bool:
    x, y = point
    return box[0] + SLACK < x < box[2] - SLACK and box[1] + SLACK < y < box[3] - SLACK


@pytest.mark.parametrize("seed", range(150))
def test_nothing_lies_on_anything_else(seed: int) -> None:
    layout = arranged(random_diagram(seed))
    solid = boxes_of(layout) + texts_of(layout)
    assert not any(overlap(one, other) for one, other in combinations(solid, 2))
    assert all(left >= 0 and top >= 0 for left, top, _, _ in solid)
    assert all(right <= layout.width and bottom <= layout.height for _, _, right, bottom in solid)
    for arrow in layout.arrows:
        assert not any(inside(point, box) for point in points_of(arrow) for box in solid)


@pytest.mark.parametrize("seed", range(50))
def test_every_edge_joins_its_nodes(seed: int) -> None:
    diagram = random_diagram(seed)
    layout = arranged(diagram)
    box = {each.node.key: each for each in layout.boxes}
    assert sorted(map(repr, diagram.edges)) == sorted(repr(arrow.edge) for arrow in layout.arrows)
    assert list(box) == [node.key for node in diagram.nodes]
    for arrow in layout.arrows:
        tip_x, tip_y = arrow.head[0]
        points = points_of(arrow)
        if arrow.edge.source == arrow.edge.target:
            continue
        source, target = box[arrow.edge.source], box[arrow.edge.target]
        assert min(abs(tip_y - target.top), abs(tip_y - target.top - target.height)) < SLACK
        assert target.left < tip_x < target.left + target.width
        far = max(points[0], points[-1], key=lambda point: abs(point[1] - tip_y))
        assert min(abs(far[1] - source.top), abs(far[1] - source.top - source.height)) < SLACK
        assert source.left < far[0] < source.left + source.width


def test_a_chain_is_one_straight_line() -> None:
    nodes = tuple(Node(str(key), ("x" * (key + 1),)) for key in range(6))
    edges = tuple(Edge(str(key), str(key + 1), ("step",)) for key in range(5))
    layout = arranged(Diagram("chain", nodes, edges))
    assert len({round(box.left + box.width / 2, 3) for box in layout.boxes}) == 1
    assert [box.top for box in layout.boxes] == sorted(box.top for box in layout.boxes)


def test_crossings_are_counted_and_avoided() -> None:
    pairs = [(0, 3), (0, 4), (1, 4), (1, 5), (2, 5), (2, 3)]
    layers = layered(6, pairs, [False] * 6)
    below = neighbours(layers)[1]
    assert crossings([[0, 1, 2], [5, 4, 3]], below) == 6
    assert crossings(ordered(layers), below) == 2  # a cycle of six cannot be drawn on two lines with fewer


def test_nodes_in_order_stand_in_order() -> None:
    nodes = tuple(Node(str(key), (str(key),)) for key in range(4))
    edges = (Edge("0", "1"), Edge("1", "0"), Edge("3", "0"), Edge("2", "3"), Edge("1", "2"))
    tops = [box.top for box in arranged(Diagram("", nodes, edges, in_order=True)).boxes]
    assert tops == sorted(tops)


def test_nothing_to_draw() -> None:
    layout = arranged(Diagram("empty", (), ()))
    assert not layout.boxes
    assert not layout.arrows


def test_a_wide_graph_becomes_narrow() -> None:
    chance = random.Random(1)
    nodes = tuple(Node(str(key), ("x" * 20,) * 2) for key in range(40))
    edges = tuple(
        Edge(str(a), str(b), ("y" * 20,)) for b in range(1, 40) for a in [chance.randrange(b)] for _ in (0, 1)
    )
    layout = arranged(Diagram("wide", nodes, edges, "0", in_order=True))
    solid = boxes_of(layout) + texts_of(layout)
    assert not any(overlap(one, other) for one, other in combinations(solid, 2))
