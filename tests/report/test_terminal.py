"""Reports in a terminal: no wider than it is; and jumps, which change nothing, are not told."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

import everafter
from everafter.cli import main
from everafter.commands.command import output_style
from everafter.questions.limits import Notice, Progress, Sharing
from everafter.report.encoding import painted, unpainted
from everafter.report.progress import ProgressLine
from everafter.report.text import PLAIN, Style, counterexample, fitted, summary
from everafter.report.text_columns import broken
from everafter.verdict.result import Counterexample

JUMPING = """
byte x;
active proctype P() {
    do :: x < 3 -> x++ :: break od; if :: goto last :: x = 9 fi; last: assert(false)
}"""
WIDE = """
int alpha, beta, gamma, delta, epsilon;
active proctype Somebody() {
    d_step { alpha = 1000001; beta = 1000002; gamma = 1000003; delta = 1000004; epsilon = 1000005 };
    (alpha + beta + gamma + delta + epsilon + alpha + beta + gamma + delta + epsilon > 1000000);
    assert(false)
}"""
EVER = "byte x; active proctype P() { L: if :: goto L :: x == 5 fi } ltl f { <> (x == 1) }"
LONG = "int x; active proctype P() { do :: x < 90 -> x++ :: else -> x = 0 od } ltl f { <> [] (x > 5) }"


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


def run_of(text: str) -> Counterexample:
    """The counterexample of the property that is violated."""
    result = next(result for result in everafter.parse(text).check_all() if result.violated)
    assert result.counterexample is not None
    return result.counterexample


def numbers(text: str) -> list[int]:
    """The numbers of the steps that are shown."""
    return [int(line.split()[0]) for line in text.splitlines() if line.split() and line.split()[0].isdigit()]


def test_jumps_are_left_out_and_the_numbers_are_those_of_the_run() -> None:
    run = run_of(JUMPING)
    jumps = [row.number for row in run.rows if row.is_jump]
    assert jumps
    told = counterexample(run, PLAIN)
    assert numbers(told) == [row.number for row in run.rows if row.number not in jumps]
    assert f"({len(jumps)} jumps left out" in told
    assert numbers(counterexample(run, PLAIN, full=True)) == [row.number for row in run.rows]


def test_a_cycle_of_jumps_alone_is_shown() -> None:
    assert "goto" in counterexample(run_of(EVER), PLAIN)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("text", [JUMPING, WIDE, LONG])
def test_lines_are_no_wider_than_the_terminal(text: str, width: int) -> None:
    lines = counterexample(run_of(text), Style(width=width)).splitlines()
    assert max(map(len, lines)) <= width


LONG_WORDS = """
int a_variable_of_forty_letters_to_be_broken = 7, x;
active proctype A_process_of_forty_letters_to_be_broken() {
    a_variable_of_forty_letters_to_be_broken = 1234567890;
    (x - a_variable_of_forty_letters_to_be_broken > 1234567 -> 12345678 : 0) > 0;
    assert(false)
}"""


@pytest.mark.parametrize("width", [*range(60, 130, 7), 80])
@pytest.mark.parametrize("text", [LONG_WORDS, WIDE, JUMPING])
def test_no_word_and_no_number_is_broken(text: str, width: int) -> None:
    """Only a long name with which a statement begins is cut, and the cut is shown."""
    results = everafter.parse(text).check_all()
    plain = "\n".join(
        f"{summary(result, 30, PLAIN)} {counterexample(result.counterexample, PLAIN)}"
        for result in results
        if result.counterexample is not None
    )
    style = Style(width=width)
    for result in results:
        if result.counterexample is not None:
            told = fitted(f"{summary(result, 30, style)}\n{counterexample(result.counterexample, style)}", style)
            assert not re.search(r"\b\d+…", told)
            assert set(re.findall(r"\w+\b(?!…)", told)) <= set(re.findall(r"\w+", plain))
            assert all(len(line) <= width or len(line.split()) == 1 for line in told.splitlines()[:3])


def test_what_changed_is_wrapped_and_nothing_of_it_is_lost() -> None:
    run = run_of(WIDE)
    narrow = counterexample(run, Style(width=60))
    for change in (change for row in run.rows for change in row.change_texts):
        assert change in " ".join(narrow.split())
    assert "…" in narrow  # the statement is cut


def test_a_line_is_broken_between_changes() -> None:
    narrow = counterexample(run_of(WIDE), Style(width=60))
    assert all(
        line.rstrip().endswith(",") for line in narrow.splitlines() if "= 1000001" in line or "= 1000003" in line
    )
    assert not any(line.endswith(" =") for line in narrow.splitlines())


def test_colours_take_no_columns() -> None:
    text = "there is room for all of these words"
    assert broken(painted(text, "31"), len(text)) == [painted(text, "31")]
    first, second = broken(painted(text, "31"), len(text) - 1, "  ")
    assert (unpainted(first), unpainted(second)) == ("there is room for all of these", "  words")


def test_wide_characters_take_two_columns() -> None:
    assert broken("\u6c34 \u6c34 \u6c34", 5) == ["\u6c34 \u6c34", "\u6c34"]


@pytest.mark.parametrize("width", range(50, 100))
def test_figures_and_values_stay_together(width: int) -> None:
    result = everafter.parse(JUMPING).check()
    told = summary(result, 6, Style(width=width))
    assert not re.search(r"(\d|depth)$", told, re.MULTILINE)
    reason = "false: taken[1] = 1, right = 1, a_long_name[12] = 345, x = 1"
    assert not any(line.endswith(("=", "]", "right", "x")) for line in broken(reason, width - 40, "  "))
    assert " ".join("\n".join(broken(reason, width - 40)).split()) == reason


def test_in_a_pipe_nothing_is_cut() -> None:
    run = run_of(WIDE)
    plain = counterexample(run, PLAIN)
    assert all(row.statement in plain and ", ".join(row.change_texts) in plain for row in run.rows)


def test_colours_and_width_are_those_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert output_style() == PLAIN
    monkeypatch.setattr("sys.stdout", Terminal())
    assert output_style() == Style(colours=True, width=70)
    monkeypatch.setenv("NO_COLOR", "1")
    assert output_style() == Style(colours=False, width=70)


def test_replay_folds_jumps_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, trace = tmp_path / "model.pml", tmp_path / "run.json"
    model.write_text(JUMPING)
    main(["check", str(model), "--trace", str(trace)])
    capsys.readouterr()
    main(["replay", str(model), str(trace)])
    assert "break" not in capsys.readouterr().out
    main(["replay", str(model), str(trace), "--full"])
    assert "break" in capsys.readouterr().out


def shown(progress: Progress) -> str:
    """What the progress line shows."""
    stream = Terminal()
    line = ProgressLine(stream)
    line._last = 0.0
    line.show(progress)
    return stream.getvalue().removeprefix("\r\x1b[K")


def test_the_progress_line_fits_and_begins_with_what_matters_most(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress("answered", 12_345_678, 98_765_432, 4_321, 20.0, 3 << 30, 2, 5, 60.0)
    monkeypatch.setenv("COLUMNS", "200")
    whole = shown(progress)
    for part in ("answered (2 of 5)", "12,345,678 states", "617,284/s", "20 of 60 s", "depth 4,321", "3,072 MiB"):
        assert part in whole
    monkeypatch.setenv("COLUMNS", "60")
    assert len(shown(progress)) == 59
    assert shown(progress)[:58] == whole[:58]


def test_what_should_stay_is_a_line_of_its_own_also_in_a_pipe() -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
    line.show("building …")
    line.show(Notice("memory is short"))
    line.clear()
    assert stream.getvalue() == "memory is short\n"


def test_the_progress_line_of_a_cluster_names_the_fullest_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    sharing = Sharing(16, 203, 7, 900 << 20, 1024 << 20, 0.93, 1234.5)
    monkeypatch.setenv("COLUMNS", "200")
    line = shown(Progress("safety", 12_345_678, 98_765_432, 0, 20.0, 3 << 30, sharing=sharing))
    for part in ("12,345,678 states", "617,284/s", "level 203", "16 workers: 7 with 900 of 1,024 MiB", "93% busy"):
        assert part in line
    assert "1,234 messages/s" in line
