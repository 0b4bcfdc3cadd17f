"""A long run is told in time linear in its length, and its middle is folded unless all of it is wanted."""

import json
import sys
from pathlib import Path

import pytest

import everafter
from everafter.cli import main
from everafter.commands.status import HOLDS, VIOLATED
from everafter.report.json_report import as_json
from everafter.report.text import PLAIN, counterexample

FALLING = "int x; active proctype P() {{ do :: x < {n} -> x++ :: else -> break od; assert(false) }}"
ROUND = "int x; active proctype P() {{ do :: x < {n} -> x++ :: else -> x = 0 od }} ltl f {{ <> [] (x > 5) }}"
AFTER = """
int x; active proctype P() {{ do :: x < {n} -> x++ :: else -> break od; do :: x = {n} + 1 :: x = {n} od }}
ltl f {{ [] (x < {n} -> <> (x > {n} && [] (x > {n}))) }}"""
NEVER = """
int x; active proctype P() {{ do :: x < {n} -> x++ :: else -> x = 0 od }}
never {{ wait: do :: x <= 5 :: x > 5 -> goto accept od; accept: do :: x > 6 :: x <= 6 -> goto wait od }}"""
TALKING = """
chan c = [2] of {{ int }}; chan d = [0] of {{ int }}; int last;
active proctype A() {{ int n; do :: n < {n} -> c!n; n++ :: else -> break od }}
active proctype B() {{ int m; do :: c?m -> d!m od }}
active proctype C() {{ do :: d?last -> assert(last < {n} - 1) od }}"""


def result_of(text: str, n: int) -> everafter.Result:
    """The result that has a counterexample."""
    return next(result for result in everafter.parse(text.format(n=n)).check_all() if result.violated)


def calls(text: str, n: int) -> tuple[int, int]:
    """How many functions are called until a run is told, and how long the run is."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    result_of(text, n)  # so that nothing is done for the first time
    sys.setprofile(counted)
    try:
        result = result_of(text, n)
        run = result.counterexample
        assert run is not None
        counterexample(run, PLAIN, full=True)
        "".join(as_json("model", [result], 1.0, "1"))
    finally:
        sys.setprofile(None)
    return count, len(run)


LONG = {"falling": FALLING, "round": ROUND, "after": AFTER, "never": NEVER, "talking": TALKING}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_the_effort_is_linear(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the length takes twice the calls, beside what any run takes."""
    monkeypatch.setattr("everafter.backends.run_construction._MOST_SHORTENING", 1)  # this effort has a limit of its own
    short, middle, long = (calls(text, n) for n in (200, 400, 800))
    assert long[1] - middle[1] >= 300
    first, second = (middle[0] - short[0]) / (middle[1] - short[1]), (long[0] - middle[0]) / (long[1] - middle[1])
    assert second < 1.3 * first


def written(folder: Path, text: str) -> str:
    path = folder / "model.pml"
    path.write_text(text)
    return str(path)


def test_the_middle_is_folded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, trace = written(tmp_path, FALLING.format(n=500)), str(tmp_path / "run.json")
    assert main(["check", model, "--trace", trace]) == VIOLATED
    folded = capsys.readouterr().out
    lines = folded.splitlines()
    fold = next(number for number, line in enumerate(lines) if "…" in line)
    assert lines[fold] == "  … 922 steps, --full shows them all …"
    assert (lines[fold - 1].split()[0], lines[fold + 1].split()[0]) == ("40", "963")
    assert lines[-1].split()[0] == "1002"
    assert len(lines) < 100
    assert main(["check", model, "--full"]) == VIOLATED
    full = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in full[-1002:]] == [str(number) for number in range(1, 1003)]
    assert main(["check", model, "--format", "json"]) == VIOLATED
    report = json.loads(capsys.readouterr().out)
    assert len(report["results"][0]["counterexample"]["prefix"]) == 1002
    assert main(["replay", model, trace]) == HOLDS
    assert "  … 922 steps, --full shows them all …" in capsys.readouterr().out
    assert main(["replay", model, trace, "--full"]) == HOLDS
    assert sum(line.split()[0].isdigit() for line in capsys.readouterr().out.splitlines()) == 1002


def test_a_run_of_a_hundred_steps_is_shown_whole() -> None:
    def told(n: int) -> str:
        run = result_of("int x; active proctype P() {{ do :: x < {n} -> x++ od }}", n).counterexample
        assert run is not None
        assert len(run) == 2 * n
        return counterexample(run, PLAIN)

    assert "…" not in told(50)
    assert "  … 22 steps, --full shows them all …" in told(51)


def test_prefix_and_cycle_are_folded_by_themselves() -> None:
    text = """
    int x; active proctype P() {{ do :: x < {n} -> x++ :: else -> break od;
    do :: x < 2 * {n} -> x++ :: else -> x = {n} od }} ltl f {{ <> [] (x < {n}) }}"""
    run = result_of(text, 200).counterexample
    assert run is not None
    lines = counterexample(run, PLAIN).splitlines()
    turn = lines.index("  again and again, for ever:")
    folds = [number for number, line in enumerate(lines) if "--full" in line]
    assert len(folds) == 2
    assert folds[0] < turn < folds[1]
    assert lines[turn + 1].split()[0] == str(len(run.prefix) + 1)


def test_a_wide_truth_table_shows_its_ends_and_the_loop() -> None:
    run = result_of(AFTER, 300).counterexample
    assert run is not None
    heading = next(line for line in counterexample(run, PLAIN).splitlines() if "before step" in line)
    shown = heading.split("before step")[1].split()
    assert shown[:7] == ["1", "2", "3", "4", "5", "6", "…"]
    assert str(run.positions[run.loop] + 1) in shown
    assert shown[-1] == str(run.positions[-1] + 1)
    assert len(shown) < 25
    truth = dict(run.truth())
    assert all(len(along) == len(run.letters) for along in truth.values())
    full = next(line for line in counterexample(run, PLAIN, full=True).splitlines() if "before step" in line)
    assert len(full.split()) == 2 + len(run.letters)


def test_json_is_the_same_in_pieces() -> None:
    """One line for each step, and what is read back is what was told."""
    result = result_of(ROUND, 20)
    run = result.counterexample
    assert run is not None
    text = "".join(as_json("model", [result], 1.0, "1"))
    report = json.loads(text)
    [told] = report["results"]
    assert [step["statement"] for step in told["counterexample"]["prefix"] + told["counterexample"]["cycle"]] == [
        row.statement for row in run.rows
    ]
    assert told["counterexample"]["truth"] == {
        everafter.ltl.text_of(part): list(values) for part, values in run.truth()
    }
    assert told["counterexample"]["positions"] == list(run.positions)
    assert sum('"statement"' in line for line in text.splitlines()) == len(run)
