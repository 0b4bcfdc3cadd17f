"""The pictures of benchmarks.cliffs show what was measured, and what was not."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from benchmarks.curves import BEFORE, NOW, SPIN, Measured, picture, read, sheet, written

CURVES = {
    BEFORE: [Measured(1, 0.7), Measured(10, None)],
    SPIN: [Measured(1, 1.2), Measured(10, 3.0)],
    NOW: [Measured(1, 0.6), Measured(10, 0.9)],
}


def test_curves_come_back_from_a_file(tmp_path: Path) -> None:
    kept = {style.name: curve for style, curve in CURVES.items()}
    path = tmp_path / "curves.json"
    path.write_text(written(kept), encoding="utf-8")
    assert read(path) == kept


def test_a_picture_has_a_point_or_a_cross_for_each_size() -> None:
    root = ElementTree.fromstring(picture("a < b", CURVES))
    shapes = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert (shapes.count("circle"), shapes.count("path"), shapes.count("polyline")) == (5, 1, 3)
    shown = "".join(root.itertext())
    assert "a < b" in shown
    assert all(style.name in shown for style in CURVES)


def test_what_takes_longer_is_higher_up() -> None:
    root = ElementTree.fromstring(picture("time", {NOW: [Measured(1, 0.1), Measured(2, 1.0), Measured(4, 10.0)]}))
    heights = [float(element.attrib["cy"]) for element in root.iter() if element.tag.endswith("circle")]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 3


def test_pictures_stand_side_by_side_on_a_sheet() -> None:
    root = ElementTree.fromstring(sheet([picture(str(number), CURVES) for number in range(3)], columns=2))
    places = {(element.attrib["x"], element.attrib["y"]) for element in root if element.tag.endswith("svg")}
    assert len(places) == 3
