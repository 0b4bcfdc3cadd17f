"""Sweeps: a model under every choice of some parameters, as a table, as JSON and as a picture."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from everafter.cli import main
from everafter.commands.sweep import values_of
from everafter.questions.outcome import Figures
from everafter.report.sweep_picture import growth_svg
from everafter.report.sweep_table import Point, bars, growth
from everafter.source import OptionError
from everafter.verdict.result import Result, Verdict

COUNTER = """
#ifndef N
#define N 1
#endif
#ifndef K
#define K 1
#endif
#if N > 8
this cannot be read
#endif
byte x;
active proctype P() { do :: x < N * K -> x++ :: else -> break od; assert(x < 6) }
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "counter.pml"
    path.write_text(COUNTER)
    return str(path)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2..4", ["2", "3", "4"]),
        ("-1..1", ["-1", "0", "1"]),
        ("3..3", ["3"]),
        ("2,4,8", ["2", "4", "8"]),
        ("2, 4", ["2, 4"]),
        ("7", ["7"]),
        ("a..b", ["a..b"]),
        ("x,y", ["x,y"]),
    ],
)
def test_values(text: str, values: list[str]) -> None:
    assert values_of(text) == values


@pytest.mark.parametrize("text", ["4..2", "1..100000"])
def test_ranges_of_no_use_are_refused(text: str) -> None:
    with pytest.raises(OptionError):
        values_of(text)


def test_each_choice_has_a_line(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", model, "-D", "N=1..3", "-D", "K=1,2", "--reduction", "none"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    table = lines[2:8]
    assert lines[1][:4] == ["N", "K", "property", "verdict"]
    assert [line[:4] for line in table] == [
        ["1", "1", "safety", "holds"],
        ["1", "2", "safety", "holds"],
        ["2", "1", "safety", "holds"],
        ["2", "2", "safety", "holds"],
        ["3", "1", "safety", "holds"],
        ["3", "2", "safety", "violated"],
    ]
    states = [int(line[4]) for line in table]
    assert table[1][5:7] == ["×", f"{states[1] / states[0]:.2f}"]
    assert "×" not in table[2]  # the first of its series
    assert states[1] == states[2]  # as many steps with N=1 K=2 as with N=2 K=1


def test_the_same_as_one_by_one(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", model, "-D", "N=2..3", "--format", "json"]) == 0
    swept = json.loads(capsys.readouterr().out)
    for number, value in enumerate((2, 3)):
        assert main(["check", model, "-D", f"N={value}", "--format", "json"]) == 0
        alone = json.loads(capsys.readouterr().out)
        assert swept[number]["defines"] == {"N": str(value)}
        assert swept[number]["results"][0]["states"] == alone["results"][0]["states"]


def test_a_choice_that_cannot_be_read_is_told_and_passed_over(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", model, "-D", "N=8,9,1", "--format", "json"]) == 2
    shown = capsys.readouterr()
    assert [len(item["results"]) for item in json.loads(shown.out)] == [1, 0, 1]
    assert "N=9:" in shown.err


def test_a_picture_is_drawn(model: str, tmp_path: Path) -> None:
    picture = tmp_path / "growth.svg"
    assert main(["check", model, "-D", "N=1..3", "--plot", str(picture)]) == 0
    root = ElementTree.fromstring(picture.read_text())
    circles = root.findall("{http://www.w3.org/2000/svg}circle")
    heights = [float(circle.attrib["cy"]) for circle in circles]
    assert len(circles) == 3
    assert heights == sorted(heights, reverse=True)  # more states stand higher


@pytest.mark.parametrize(
    "options",
    [
        ["--plot", "g.svg"],
        ["-D", "N=1..2", "--trace", "t.json"],
        ["-D", "N=1..100", "-D", "K=1..100"],
        ["other.pml", "-D", "N=1..2"],
    ],
)
def test_what_has_no_meaning_is_refused(model: str, options: list[str]) -> None:
    assert main(["check", model, *options]) == 2


def point(n: int, states: int, verdict: Verdict = "holds") -> Point:
    return Point({"N": str(n)}, Result("a <b>", "safety", verdict, "", Figures(states)))


def test_growth_and_bars() -> None:
    points = [point(1, 10), point(2, 100), point(3, 0), point(4, 5, "incomplete")]
    assert growth(points) == [None, 10.0, 0.0, None]
    heading, one, two, none, cut = bars(points, is_ascii=True)
    assert heading == "  states for a <b>, on a logarithmic scale"
    assert one.count("#") < two.count("#") == 40
    assert "#" not in none
    assert cut.endswith("5 and more")
    assert list(bars([point(5, 3, "violated")], is_ascii=True))[1].endswith("3 up to a violation")
    assert "█" in list(bars(points, is_ascii=False))[1]
    ElementTree.fromstring("\n".join(growth_svg("<m>", points)))


def test_a_picture_of_many_choices_has_room_for_its_labels() -> None:
    drawn = "\n".join(growth_svg("m", [point(n, n) for n in range(1, 101)]))
    assert drawn.count('text-anchor="middle"') <= 8
    assert drawn.count("<circle") == 100
