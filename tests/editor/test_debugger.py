"""The debug adapter as a debugger meets it: a counterexample stepped through forwards and back, by pipes."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.editor.dap_client import Debugger, fits

from everafter.editor.debugger.run_positions import RunPositions
from everafter.editor.debugger.state_variables import channels_of, evaluated, globals_of, locals_of
from everafter.editor.framing import Messages
from everafter.user_model import load, parse
from everafter.verdict.trace import trace_of
from everafter.verdict.trail import trail_of

MODEL = """mtype = { red, green };
typedef Point { byte x; byte y[2] }
byte total; byte rows[3]; Point at; mtype colour = red;
chan q = [2] of { mtype, byte };
inline put(n) { at.y[1] = n; total = total + n }
active proctype Sender() {
    byte mine = 1;
    put(2);
    q!green,mine; printf("sent %d\\n", mine);
    rows[2] = 7;
    total++
}
active proctype Receiver() {
    byte got;
    q?colour,got;
    assert(total != 3)
}
ltl small { [] (total < 2) }
"""
LOOP = """byte x;
active proctype P() {
    x = 2;
    do
    :: x = 1
    :: x = 0
    od
}
ltl p { <> [] (x == 1) }
"""


def written(folder: Path, text: str, formula: str | None = None) -> tuple[Path, str]:
    """A model in a file, and a file with the counterexample that the reference has found."""
    path, trace = folder / "m.pml", folder / "m.json"
    path.write_text(text)
    model = load(path)
    result = model.check(formula, engine="reference")
    assert result.counterexample is not None
    trace.write_text("".join(trace_of(result.counterexample, str(path), result.property, {}).text()))
    return path, str(trace)


@pytest.fixture
def model(tmp_path: Path) -> tuple[Path, str]:
    return written(tmp_path, MODEL)


def test_a_counterexample_is_stepped_through_forwards_and_back(model: tuple[Path, str]) -> None:
    with Debugger() as debugger:
        debugger.launch(model[0], trace=model[1])
        assert debugger.event("output")["output"].startswith("safety: violated: assert(total != 3)")
        assert debugger.event("stopped")["reason"] == "entry"
        assert debugger.ask("threads")["threads"][0]["name"] == "counterexample to safety"
        assert [frame["name"].split(":")[0] for frame in debugger.frames()] == ["Sender(0)", "Receiver(1)"]
        assert debugger.where() == ("Sender(0): at.y[1] = 2", 8)  # seen where the inline is called
        assert debugger.scope("Sender(0)")["mine"]["value"] == "1"
        seen = []
        while (stop := debugger.move("next"))["reason"] == "step":
            seen.append((*debugger.where(), debugger.scope("Globals")["total"]["value"]))
        assert stop["text"] == debugger.ask("exceptionInfo", threadId=1)["description"]
        assert debugger.where()[1] == 16
        assert debugger.scope("Run")["violation"]["value"] == "assert(total != 3) failed"
        for expected in reversed(seen):
            assert debugger.move("stepBack")["reason"] == "step"
            assert (*debugger.where(), debugger.scope("Globals")["total"]["value"]) == expected
        debugger.move("stepBack")
        assert debugger.where() == ("Sender(0): at.y[1] = 2", 8)
        assert debugger.scope("Run")["step"]["value"].startswith("0 of ")
        assert debugger.move("reverseContinue")["reason"] == "entry"


def test_structures_arrays_and_channels_unfold(model: tuple[Path, str]) -> None:
    with Debugger() as debugger:
        stop_at = {"source": {"path": str(model[0])}, "breakpoints": [{"line": 15}]}
        begin = partial(debugger.ask, "setBreakpoints", **stop_at)
        debugger.launch(model[0], begin, stopOnEntry=False, trace=model[1])
        assert debugger.event("stopped")["reason"] == "breakpoint"
        assert debugger.where() == ("Receiver(1): q?colour,got", 15)
        channel = debugger.scope("Channels")["q"]
        assert channel["value"] == "[(green, 1)]"
        assert channel["type"] == "chan [2] of { mtype, byte }"
        assert debugger.unfold(channel["variablesReference"])["[0]"]["value"] == "green, 1"
        known = debugger.scope("Globals")
        point = debugger.unfold(known["at"]["variablesReference"])
        assert debugger.unfold(point["y"]["variablesReference"])["[1]"]["value"] == "2"
        assert known["rows"]["indexedVariables"] == 3
        row = debugger.ask("variables", variablesReference=known["rows"]["variablesReference"], start=1, count=1)
        assert [each["name"] for each in row["variables"]] == ["[1]"]
        assert known["colour"]["value"] == "red"
        assert any(
            event["body"]["output"] == "sent 1\n" for event in debugger.events if event["event"] == "output"
        ) or (debugger.scope("Run")["last step"]["value"].startswith("Sender(0): q!"))


def test_expressions_are_evaluated_where_a_process_is(model: tuple[Path, str]) -> None:
    with Debugger() as debugger:
        debugger.launch(model[0], trace=model[1])
        debugger.event("stopped")
        debugger.move("next")
        debugger.move("next")
        assert debugger.ask("evaluate", expression="at.y[1] + mine + _pid", frameId=1)["result"] == "3"
        assert debugger.ask("evaluate", expression="rows", context="hover")["result"] == "[0, 0, 0]"
        assert debugger.ask("evaluate", expression="len(q) == 0", frameId=2)["result"] == "1"
        assert "unknown variable 'mine'" in debugger.refused("evaluate", expression="mine", frameId=2)
        assert "does not exist" in debugger.refused("evaluate", expression="total", frameId=9)
        assert "expected" in debugger.refused("evaluate", expression="total +", frameId=1)
        assert "'run'" in debugger.refused("evaluate", expression="run Sender()", frameId=1)


def test_a_cycle_is_repeated(tmp_path: Path) -> None:
    path, trace = written(tmp_path, LOOP, "p")
    with Debugger() as debugger:
        debugger.launch(path, trace=trace)
        debugger.event("stopped")
        values = []
        for _ in range(40):
            stop = debugger.move("next")
            assert stop["reason"] == "step"
            values.append(debugger.scope("Globals")["x"]["value"])
            if "anew" in stop.get("description", ""):
                break
        end = debugger.scope("Run")["step"]["value"]
        assert len(set(end.split(" of "))) == 1
        debugger.move("continue")
        assert debugger.scope("Run")["step"]["value"] == end  # one turn of the cycle
        conditional = {"path": str(path)}, [{"line": 3, "condition": "x == 9"}, {"line": 6, "condition": "x == 1"}]
        answers = debugger.ask("setBreakpoints", source=conditional[0], breakpoints=conditional[1])["breakpoints"]
        assert [(each["verified"], each["line"]) for each in answers] == [(True, 3), (True, 6)]
        if "1" in values:
            assert debugger.move("reverseContinue")["reason"] in ("breakpoint", "entry")
        lines = debugger.ask("breakpointLocations", source=conditional[0], line=1, endLine=9)["breakpoints"]
        assert [each["line"] for each in lines] == [3, 5, 6]
        unmet = debugger.ask("setBreakpoints", source=conditional[0], breakpoints=[{"line": 99}])["breakpoints"][0]
        assert not unmet["verified"]
        debugger.move("restart")
        assert debugger.scope("Run")["step"]["value"].startswith("0 of ")


def test_step_out_goes_on_to_where_another_process_moves(model: tuple[Path, str]) -> None:
    with Debugger() as debugger:
        debugger.launch(model[0], trace=model[1])
        debugger.event("stopped")
        debugger.move("stepOut")
        assert debugger.where()[0].startswith("Receiver(1)")


def test_what_has_no_counterexample_ends(model: tuple[Path, str]) -> None:
    with Debugger() as debugger:
        debugger.launch(model[0], property="[] (total < 9)")
        assert "holds" in debugger.event("output")["output"]
        assert debugger.event("exited")["exitCode"] == 0
        debugger.event("terminated")
        assert "no run" in debugger.refused("stackTrace", threadId=1)


def test_a_trail_of_spin_is_stepped_through(model: tuple[Path, str]) -> None:
    trail = model[0].with_name("m.trail")
    run = load(model[0]).check(engine="reference").counterexample
    assert run is not None
    trail.write_text("".join(trail_of(run)))
    with Debugger() as debugger:
        debugger.launch(model[0], trace=str(trail))
        debugger.event("stopped")
        assert debugger.where()[1] == 8
        assert debugger.move("continue")["reason"] == "exception"
        assert debugger.where()[1] == 16


def test_mistakes_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.pml"
    path.write_text("active proctype P() { y = 1 }")
    with Debugger() as debugger:
        debugger.ask("initialize")
        assert "'program'" in debugger.refused("launch")
        assert "unknown variable 'y'" in debugger.refused("launch", program=str(path))
        assert "cannot read" in debugger.refused("launch", program=str(tmp_path / "none.pml"))
        assert "not supported" in debugger.refused("dance")
        assert "no run yet" in debugger.refused("next", threadId=1)
        path.write_text("byte y; active proctype P() { y = 1 }")
        debugger.launch(path, property="nonsense?")
        assert debugger.event("output")["category"] == "stderr"
        assert debugger.event("exited")["exitCode"] == 2


def test_a_check_that_goes_on_ends_with_the_debugger(tmp_path: Path) -> None:
    path = tmp_path / "endless.pml"
    path.write_text("int x, y; active proctype P() { do :: x++ :: y++ od }")
    with Debugger() as debugger:
        debugger.launch(path, property="safety")
        assert debugger.ask("threads")["threads"][0]["name"] == "check"


def test_lines_may_be_counted_from_nought(model: tuple[Path, str]) -> None:
    with Debugger() as debugger:
        debugger.ask("initialize", linesStartAt1=False, columnsStartAt1=False, pathFormat="uri")
        debugger.ask("launch", program=str(model[0]), trace=model[1])
        where = {"path": model[0].as_uri()}
        answer = debugger.ask("setBreakpoints", source=where, breakpoints=[{"line": 14}])["breakpoints"]
        assert answer == [{"verified": True, "line": 14}]
        debugger.ask("configurationDone")
        debugger.event("stopped")
        top = debugger.frames()[0]
        assert (top["line"], top["source"]["path"]) == (7, model[0].as_uri())


def test_a_rule_can_fail() -> None:
    with pytest.raises(AssertionError):
        fits({"stackFrames": [{"id": 1, "name": "P", "line": 1}]}, {})
    with pytest.raises(AssertionError):
        fits({"exitCode": True}, {"exitCode": int})


@pytest.mark.parametrize("sent", [b"Content-Length: 9999999999999\r\n\r\n", b"Content-Le"])
def test_what_is_no_message_is_bad_input(sent: bytes) -> None:
    command = [sys.executable, "-m", "everafter", "dap"]
    told = subprocess.run(command, input=sent, capture_output=True, check=False, timeout=120)
    assert told.returncode == 2
    assert told.stderr.startswith(b"everafter: the editor has")


def test_what_is_no_request_is_passed_over() -> None:
    bodies = [b"[]", b"{", b"\xff", b'{"type": "request"}', b'{"type": "response", "seq": 1}', b"[" * 60_000]
    last = json.dumps({"seq": 1, "type": "request", "command": "disconnect"}).encode()
    sent = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in (*bodies, last))
    command = [sys.executable, "-m", "everafter", "dap"]
    told = subprocess.run(command, input=sent, capture_output=True, check=False, timeout=120)
    assert (told.returncode, told.stderr) == (0, b"")
    assert json.loads(told.stdout.split(b"\r\n\r\n")[1])["success"]


def test_a_check_finds_the_run(model: tuple[Path, str]) -> None:
    """As an editor starts it: the command, and a check by it, in processes of their own."""
    wanted = {"program": str(model[0]), "property": "small"}
    messages: list[tuple[str, dict[str, str]]] = [("initialize", {}), ("launch", wanted), ("configurationDone", {})]
    command, pipe = [sys.executable, "-m", "everafter", "dap"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as it:
        assert it.stdin is not None
        assert it.stdout is not None
        output = it.stdout.fileno()
        for number, (asked, arguments) in enumerate(messages, 1):
            request = {"seq": number, "type": "request", "command": asked, "arguments": arguments}
            body = json.dumps(request).encode()
            it.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            it.stdin.flush()
        incoming = Messages(lambda count: os.read(output, count))
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1].get("event") != "stopped":
            heard.append(json.loads(incoming.next() or b""))
        it.stdin.close()
        assert it.wait(60) == 0
    assert any("small: violated" in each.get("body", {}).get("output", "") for each in heard)
    order = [each.get("event") or each["command"] for each in heard if each.get("event") != "output"]
    assert order == ["initialize", "launch", "initialized", "configurationDone", "stopped"]


def test_what_is_seen_is_the_state() -> None:
    """At every position the variables are those of the state, and what changed is what a step changes."""
    run = parse(MODEL).check(engine="reference").counterexample
    assert run is not None
    positions = RunPositions(run)
    for position, state in enumerate(positions.states):
        cells = [cell.name for cell in run.program.memory.cells]
        for name, value in zip(cells, state.memory, strict=True):
            if name not in ("q", "colour"):
                assert evaluated(run.program, state, 0, name).value == str(value)
        assert len(channels_of(run.program, state)) == len(state.channels)
        assert {each.name for each in globals_of(run.program, state)} == {"total", "rows", "at", "colour", "q"}
        assert [each.name for each in locals_of(run.program, state, 1)] == ["got", "_pid"]
        assert sorted(number for number, _ in positions.places(position)) == list(range(len(state.processes)))
