"""Pictures are well-formed: SVG and HTML that a parser reads, DOT that Graphviz reads."""

from __future__ import annotations

import subprocess
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from everafter.drawing.diagram import Diagram, Edge, Node, clipped, columns, joined
from everafter.drawing.dot_writer import to_dot
from everafter.drawing.picture_page import to_page
from everafter.drawing.svg import to_svg

NASTY = 'printf("<a & b>\\n")'
DIAGRAM = Diagram(
    "<P & Q>",
    (Node("a", (NASTY, "λ 漢字"), hint=NASTY), Node('b"', ("b",), "queue", "bad")),
    (Edge("a", 'b"', (NASTY, "second"), hint=NASTY), Edge('b"', 'b"', ("loop",), "dashed", "bad")),
    "a",
    note="a < b",
)
SVG = "{http://www.w3.org/2000/svg}"


def test_svg_is_xml_and_shows_every_text() -> None:
    root = ElementTree.fromstring(to_svg([DIAGRAM, DIAGRAM]))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts.count(NASTY) == 4
    assert texts.count("<P & Q>") == texts.count("a < b") == texts.count("λ 漢字") == 2
    assert root.get("aria-label") == "<P & Q>, <P & Q>"
    assert [element.get("data-key") for element in root.iter(f"{SVG}g") if element.get("data-key")] == ["a", 'b"'] * 2


def test_diagrams_stand_side_by_side_without_touching() -> None:
    root = ElementTree.fromstring(to_svg([DIAGRAM] * 12))
    places = [element.get("transform") for element in root if element.tag == f"{SVG}g"]
    assert len(set(places)) == 12
    assert float(root.get("width", "0")) <= 1400


def test_colours_follow_the_screen() -> None:
    assert "prefers-color-scheme:dark" in to_svg([DIAGRAM])


def test_a_page_is_well_nested_and_needs_no_connection() -> None:
    class Reader(HTMLParser):
        open: list[str]

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta", "rect", "path", "circle", "polygon"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if tag not in ("rect", "path", "circle", "polygon"):
                assert self.open.pop() == tag

    page = to_page([DIAGRAM], "<title>", "what & why")
    reader = Reader()
    reader.open = []
    reader.feed(page)
    assert not reader.open
    assert "<title>&lt;title&gt;</title>" in page
    assert "src=" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.spin
def test_graphviz_reads_dot() -> None:
    done = subprocess.run(["dot", "-Tplain"], input=to_dot([DIAGRAM]), text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    kinds = [line.split()[0] for line in done.stdout.splitlines()]
    assert (kinds.count("node"), kinds.count("edge")) == (3, 3)  # with the start, and the arrow from it
    assert r"printf" in done.stdout


def test_texts_are_measured_and_cut() -> None:
    assert columns("ab漢") == 4
    assert clipped("a  b\nc") == "a b c"
    cut = clipped("漢" * 40)
    assert cut.endswith("…")
    assert columns(cut) <= 46


def test_edges_that_look_alike_are_joined() -> None:
    edges = [Edge("a", "b", (str(number),), hint=f"h{number}") for number in range(5)]
    one, other = joined([*edges, Edge("a", "b", ("x",), "dashed")], 3)
    assert one.text == ("0", "1", "… 3 more")
    assert one.hint == "h0\nh1\nh2\nh3\nh4"
    assert other.text == ("x",)
