"""SPIN replays the trails that everafter writes, and everafter those of SPIN."""

import subprocess
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES
from oracles.trails import difference

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


@pytest.mark.parametrize("options", [["-o1", "-o2", "-o3"], []], ids=["plain", "merged"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.spin
def test_a_trail_of_spin_is_replayed(name: str, options: list[str], tmp_path: Path) -> None:
    """Also with SPIN's merging of steps, which leaves steps out of the trail."""
    trail = trail_of_spin(tmp_path, MODELS[name], options, ["-DSAFETY"])
    assert is_trail(trail)
    program = load(tmp_path / "m.pml").program
    _, taken, _ = run_of_trail(program, trail)
    last = taken[-1]
    if name == "deadlock":
        assert last.problem is None
        assert last.state is not None
    else:
        assert last.problem is not None
        assert last.problem.kind == "assertion"


@pytest.mark.parametrize("options", [["-o1", "-o2", "-o3"], []], ids=["plain", "merged"])
@pytest.mark.spin
def test_the_cycle_of_a_trail_is_read(options: list[str], tmp_path: Path) -> None:
    trail = trail_of_spin(tmp_path, LIVENESS, options, [], ["-a", "-N", "settles"])
    program = load(tmp_path / "m.pml").program
    start, taken, repeated = run_of_trail(program, trail)
    assert repeated
    before = taken[-repeated - 1].state if repeated < len(taken) else start
    assert taken[-1].state == before


def trail_of_spin(folder: Path, text: str, spin: list[str], compiler: list[str], pan: list[str] | None = None) -> str:
    (folder / "m.pml").write_text(text)
    for command in (
        ["spin", *spin, "-a", "m.pml"],
        ["gcc", "-w", "-O0", *compiler, "-o", "pan", "pan.c"],
        ["./pan", *(pan or [])],
    ):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return (folder / "m.pml.trail").read_text()


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
