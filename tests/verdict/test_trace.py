"""Traces of ours and trails of SPIN's lead to the same runs."""

import subprocess
from pathlib import Path

import pytest
from oracles.asking import check_safety
from oracles.spin import require_spin

from everafter.check import load, parse, program_asked
from everafter.checking.limits import Limits
from everafter.verdict.replay import ReplayError
from everafter.verdict.trace import is_trail, read_trace, run_of_trace, run_of_trail, trace_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize("name", ["mutex_broken", "philosophers"])
def test_a_trace_can_be_written_and_read(name: str) -> None:
    model = load(EXAMPLES / f"{name}.pml")
    run = check_safety(model.program, Limits()).counterexample
    assert run is not None
    trace = trace_of(run, model.name, "safety", {"N": "2"})
    text = "".join(trace.text())
    assert read_trace(text) == trace
    assert run_of_trace(model.program, read_trace(text)) == (run.start, list(run.prefix))


DAMAGED = (
    """{"format": "everafter trace 1", "model": 1, "property": "p", "defines": {}, "prefix": [[1]], "cycle": []}"""
)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "everafter trace 1"}', "no json", DAMAGED])
def test_a_damaged_trace_is_refused(text: str) -> None:
    with pytest.raises(ReplayError):
        read_trace(text)


def test_a_trace_of_another_model_is_refused() -> None:
    model = load(EXAMPLES / "mutex_broken.pml")
    run = check_safety(model.program, Limits()).counterexample
    assert run is not None
    other = parse("byte x; active proctype P() { x = 1; x = 2 }")
    with pytest.raises(ReplayError):
        run_of_trace(other.program, trace_of(run, "m", "safety", {}))


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


@pytest.mark.parametrize("options", [["-o1", "-o2", "-o3"], []], ids=["plain", "merged"])
@pytest.mark.parametrize("name", MODELS)
def test_a_trail_of_spin_is_replayed(name: str, options: list[str], tmp_path: Path) -> None:
    """Also with SPIN's merging of steps, which leaves steps out of the trail."""
    require_spin()
    (tmp_path / "m.pml").write_text(MODELS[name])
    for command in (
        ["spin", *options, "-a", "m.pml"],
        ["gcc", "-w", "-O0", "-DSAFETY", "-o", "pan", "pan.c"],
        ["./pan"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    trail = (tmp_path / "m.pml.trail").read_text()
    assert is_trail(trail)
    program = load(tmp_path / "m.pml").program
    _, taken = run_of_trail(program, trail)
    last = taken[-1]
    if name == "deadlock":
        assert last.problem is None
        assert last.state is not None
    else:
        assert last.problem is not None
        assert last.problem.kind == "assertion"


def test_a_trail_of_another_model_is_refused() -> None:
    program = parse("byte x; active proctype P() { x = 1; x = 2 }").program
    with pytest.raises(ReplayError):
        run_of_trail(program, "-4:-4:-4\n1:0:7\n")
    assert not is_trail("{}")


def test_a_run_that_depends_on_its_formula_can_be_taken_again() -> None:
    """A label on a goto is a place of control only for a formula that watches it."""
    model = parse("byte x; active proctype P() { again: goto middle; middle: x = 1 - x; goto again }")
    result = model.check("[] !(P@again && x == 1)")
    assert result.counterexample is not None
    written = trace_of(result.counterexample, model.name, result.property, model.defines)
    trace = read_trace("".join(written.text()))
    with pytest.raises(ReplayError):
        run_of_trace(model.program, trace)
    _, taken = run_of_trace(program_asked(model, trace.formula), trace)
    assert len(taken) == len(result.counterexample)
