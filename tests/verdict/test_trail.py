"""SPIN replays the trails that everafter writes, and everafter those of SPIN."""

from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES
from oracles.promela.random_programs import program as random_program
from oracles.trails import (
    MODEL,
    OPTIMISATIONS,
    difference,
    difference_from_spin,
    place_model,
    questions_of_truth,
    trail_of_spin,
)
from oracles.truth import Row

from everafter.cli import main
from everafter.questions.limits import Limits
from everafter.user_model import load, parse
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Result
from everafter.verdict.trail import is_trail, run_of_trail

MODELS = {
    "assertion": "byte x; active [2] proctype P() { byte t; t = x; t++; x = t } active proctype W() { assert(x != 1) }",
    "rendezvous": """
        mtype = { ask, give }; chan c = [0] of { mtype, byte };
        active proctype A() { byte n; do :: c!ask(n); n++; if :: n == 2 -> assert(false) :: else fi od }
        active proctype B() { byte m; do :: c?ask(m); m = m + 1; m = 0 od }""",
    "atomic": """
        byte x; active proctype A() { atomic { x = 1; x = 2; x = 3 } x = 4 }
        active proctype B() { byte y; y = x; y = y + x; assert(y != 7) }""",
    "deadlock": "byte x; proctype Q(byte n) { x == n } init { run Q(1); run Q(2); x = 1; x = 3 }",
}
MORE = {
    "d_step": "byte x, y; active proctype P() { d_step { x = 1; if :: x == 1 -> y = 2 :: else fi; x = 3 }; x == y }",
    "ended": "byte n; proctype Q() { n++ } init { run Q(); n == 1; run Q(); _nr_pr == 1; n == 9 }",
    "unless": "byte x; active proctype P() { { do :: x++ od } unless { x == 3 -> x = 9; x == 0 } }",
    "timeout": "byte x; active proctype P() { do :: x < 2 -> x++ :: timeout -> break od; x == 7 }",
    "never": "byte x; active proctype P() { x = 1; x = 2; x == 0 } never { do :: x == 3 -> break :: else od }",
    "goto": "byte x; active proctype P() { again: x++; if :: x < 3 -> goto again :: else -> goto out fi; out: x == 0 }",
    "inline": "byte x; inline twice(n) { n++; n++ } active proctype P() { for (x : 1 .. 2) { skip } twice(x); x == 0 }",
}
LIVENESS = """
    byte x; chan c = [1] of { byte };
    active proctype P() { do :: x = 1 - x :: c!x :: c?_ od }
    ltl settles { <> [] (x == 1) }
    ltl quiet { [] (len(c) == 0) }"""
DEAD = LIVENESS.replace("byte x;", "byte x; active proctype D() { byte d; end: do :: d = 1 - d od }")


def agrees(folder: Path, result: Result) -> None:
    """SPIN follows the trail to the end, says the same of it, and stops in the same state."""
    assert result.counterexample is not None
    assert difference(folder, result.counterexample) is None


@pytest.mark.parametrize("name", [*MODELS, *MORE])
@pytest.mark.spin
def test_spin_replays_our_trail(name: str, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text({**MODELS, **MORE}[name])
    model = load(tmp_path / "m.pml")
    result = model.check()
    assert result.violated
    agrees(tmp_path, result)


@pytest.mark.parametrize("name", ["settles", "quiet"])
@pytest.mark.spin
def test_spin_replays_a_lasso(name: str, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(LIVENESS)
    model = load(tmp_path / "m.pml")
    agrees(tmp_path, model.check(name))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.spin
def test_spin_replays_the_counterexamples_of_the_examples(path: Path, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(path.read_text())
    model = load(tmp_path / "m.pml")
    for result in model.check_all(limits=Limits(states=20_000)):
        if result.violated:
            agrees(tmp_path, result)


PLAIN = ["-o1", "-o2", "-o3"]
MERGED = {
    "SPIN's simulator keeps -1 in a bit": """typedef T { bit flags[2] }
        T w; bit v = 1; active proctype P() { w.flags[1] = -1; v = (0 - w.flags[1]) % 3; v == 1 }""",
    **MODELS,
    "behind an atomic": "bool a[2]; bool l = 1; active [2] proctype P() { atomic { a[_pid] = 1; l = 0 }; (false) }",
    "break out of an atomic": """
        byte x; active proctype P() { byte t; do :: atomic { t = 3; if :: t == 3 -> break :: t == 4 fi } od;
        x = t; t = 9; t = 8; assert(x == 4) }""",
    "promised": """
        chan c = [1] of { byte }; active proctype A() { xs c; byte n; c!1; n = 2; n = n + 1; (false) }
        active proctype B() { xr c; byte m; c?m; m = m + 3; m++; (false) }""",
    "conditional": "byte x; active [2] proctype P() { byte t; ((t < 1 -> x : 2) < 1) -> t = 1; t = 2; x++; (false) }",
    "run": "byte x; proctype Q(byte n) { byte m = n; x == m } init { byte p, q; atomic { p = run Q(3); q = p } p = 4 }",
}


@pytest.mark.parametrize("options", [PLAIN, []], ids=["plain", "merged"])
@pytest.mark.parametrize("name", MERGED)
@pytest.mark.spin
def test_a_trail_of_spin_is_replayed(name: str, options: list[str], tmp_path: Path) -> None:
    """Also with SPIN's merging of steps, which leaves steps out of the trail."""
    (tmp_path / MODEL).write_text(MERGED[name])
    trail = trail_of_spin(tmp_path, options, ["-DSAFETY"], [])
    assert trail is not None
    assert is_trail(trail)
    program = load(tmp_path / MODEL).program
    assert difference_from_spin(tmp_path, program, trail, options) is None
    last, ending = run_of_trail(program, trail).steps[-1], run_of_trail(program, trail).ending
    assert (last.problem is not None and last.problem.kind == "assertion") or "invalid end state" in (ending or "")


@pytest.mark.parametrize("options", [PLAIN, []], ids=["plain", "merged"])
@pytest.mark.parametrize(
    "model",
    [LIVENESS, DEAD],
    ids=["short", "dead"],
)
@pytest.mark.spin
def test_the_cycle_of_a_trail_is_read(options: list[str], model: str, tmp_path: Path) -> None:
    """Also where SPIN has compared states without a variable that is not read again."""
    (tmp_path / MODEL).write_text(model)
    trail = trail_of_spin(tmp_path, options, [], ["-a", "-N", "settles"])
    assert trail is not None
    program = load(tmp_path / MODEL).program
    start, taken, repeated, ending = run_of_trail(program, trail)
    assert repeated
    assert ending is None
    before = taken[-repeated - 1].state if repeated < len(taken) else start
    assert taken[-1].state == before


@pytest.mark.parametrize("seed", range(0, 12, 2))
@pytest.mark.spin
def test_random_trails_of_spin(seed: int, tmp_path: Path) -> None:
    """A fair share of campaigns/trails.py."""
    for number in (seed, seed + 1):
        (tmp_path / MODEL).write_text(random_program(number))
        program = load(tmp_path / MODEL).program
        for flags in OPTIMISATIONS[:: 1 + number % 3]:
            trail = trail_of_spin(tmp_path, flags, ["-DSAFETY"], ["-m100000"])
            different = trail and difference_from_spin(tmp_path, program, trail, flags)
            assert not different, f"seed {number} {flags}: {different}"


SMALL = ("p104.1.pml", "p123.pml", "ex_3a.pml", "ex_5.pml", "zune.pml", "loops.pml", "App.F.pftp.pml")
ROWS = [question for question in questions_of_truth() if question[0].path.endswith(SMALL)]


@pytest.mark.parametrize("question", ROWS, ids=lambda question: f"{question[0].path} {question[0].question}")
@pytest.mark.spin
def test_trails_of_examples_of_spin(question: tuple[Row, list[str], list[str]], tmp_path: Path) -> None:
    row, compiling, options = question
    place_model(tmp_path, row.model)
    trail = trail_of_spin(tmp_path, (), compiling, ["-m1000000", *options])
    assert trail is not None
    assert difference_from_spin(tmp_path, load(tmp_path / MODEL).program, trail) is None


@pytest.mark.parametrize(
    ("trail", "said"),
    [
        ("1:0:0\n", "nothing is violated: the model can go on"),
        ("1:0:0\n2:0:0\n", "entry 2 of the trail (process 0) does not fit"),
        ("-1:-1:-1\n1:0:0\n", "the trail claims a cycle, but entry 1"),
        ("1:0:0\n-1:-1:-1\n2:0:1\n", "the trail claims a cycle, but it does not lead back"),
        ("", "nothing is violated"),
    ],
)
def test_a_trail_that_ends_elsewhere_than_in_a_violation_is_said(
    trail: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = tmp_path / MODEL, tmp_path / "m.pml.trail"
    model.write_text("byte x; active proctype P() { x = 1; a: x = x + 1; goto a }")
    path.write_text(trail)
    main(["replay", str(model), str(path)])
    shown = capsys.readouterr()
    assert said in shown.out + shown.err


def test_a_trail_of_another_model_is_refused() -> None:
    program = parse("byte x; active proctype P() { x = 1; x = 2 }").program
    with pytest.raises(ReplayError):
        run_of_trail(program, "-4:-4:-4\n1:0:7\n")
    assert not is_trail("{}")


def test_a_trace_called_trail_is_one_of_spin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, trail = tmp_path / "m.pml", tmp_path / "m.pml.trail"
    model.write_text(MODELS["assertion"])
    assert main(["check", str(model), "--trace", str(trail)]) == 1
    assert is_trail(trail.read_text())
    assert "failed" in capsys.readouterr().out
    assert main(["replay", str(model), str(trail)]) == 0
    assert "failed" in capsys.readouterr().out
