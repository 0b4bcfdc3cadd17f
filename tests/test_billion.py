"""The benchmark of large state spaces counts what the formula says, and notices when it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.billion import Point, drawn, main, report

POINT = Point(100, "holds", 1_000_000, 0.25, 0.3, 12.0, 1 << 24, 3.5)


def test_a_point_is_right_if_everything_was_searched_and_nothing_twice() -> None:
    assert POINT.is_right
    assert not replace(POINT, states=999_999).is_right
    assert not replace(POINT, verdict="incomplete").is_right
    assert POINT.cost == 250


def test_a_point_that_is_wrong_is_called_that() -> None:
    assert "WRONG" not in report([POINT])
    assert "WRONG (holds, expected 1,000,000)" in report([replace(POINT, states=999_999)])


def test_both_costs_are_drawn() -> None:
    assert drawn([POINT]).splitlines()[2:4] == [
        "    1,000,000  state " + 60 * "#" + " 250",
        "               read  # 3.5",
    ]


@pytest.mark.spin
def test_small_sizes_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "points.json"
    assert main(["--cycles", "3", "5", "--memory", "1G", "--output", str(written)]) == 0
    printed = capsys.readouterr().out
    assert "| 27 " in printed
    assert "| 125 " in printed
    assert [point["states"] for point in json.loads(written.read_text())] == [27, 125]
