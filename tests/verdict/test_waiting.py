"""Where each process waits at a deadlock, and for what."""

import json

import pytest
from oracles.asking import Engine

from everafter.cli import main
from everafter.user_model import parse
from everafter.verdict.result import Counterexample
from everafter.verdict.waiting import Wait


def deadlock(text: str, engine: Engine = "reference") -> Counterexample:
    found = parse(text).check(engine=engine).counterexample
    assert found is not None
    assert found.problem is not None
    assert found.problem.kind == "end-state"
    return found


def wait_of(text: str, process: str = "P(0)") -> Wait:
    return next(wait for wait in deadlock(text).waits if wait.process == process)


@pytest.mark.parametrize(
    ("text", "statement", "reason"),
    [
        ("chan q = [1] of { byte }; active proctype P() { q!1; q!2 }", "q!2", "q is full: [1]"),
        ("chan q = [1] of { byte }; active proctype P() { q?1 }", "q?1", "q is empty"),
        (
            "chan q = [1] of { byte }; byte x = 5; active proctype P() { q!1; q?eval(x) }",
            "q?eval(x)",
            "the first message does not match in q = [1]: x = 5",
        ),
        ("chan q = [1] of { byte }; active proctype P() { q!1; q??2 }", "q??2", "no message matches in q = [1]"),
        ("chan q = [0] of { byte }; active proctype P() { q!1 }", "q!1", "nobody is ready to receive this from q"),
        ("chan q = [0] of { byte }; active proctype P() { q?1 }", "q?1", "nobody is ready to send this to q"),
        (
            "byte x = 1; bool up[3]; active proctype P() { byte i = 2; x == 2 && up[i] }",
            "x == 2 && up[i]",
            "false: x = 1, up[2] = 0, i = 2",
        ),
        ("mtype = { red, green }; mtype x = red; active proctype P() { x == green }", "x == green", "false: x = red"),
        ("byte a[2], i = 2; active proctype P() { i < 2 && a[i] }", "i < 2 && a[i]", "false: i = 2"),
        ("chan q = [2] of { byte }; active proctype P() { len(q) > 0 }", "len(q)>0", "false: q = []"),
        ("byte x; active proctype P() { d_step { x == 2; x = 3 } }", "x == 2", "false: x = 0"),
        ("byte x; active proctype P() provided (x > 0) { x = 1 }", "x = 1", "what it is `provided` is false: x = 0"),
        ("active proctype P() { false }", "false", "false"),
        (
            "chan q = [0] of { byte }; active proctype P() { q!1 } active proctype R() provided (false) { q?1 }",
            "q!1",
            "R(1) could receive this from q, but may not move",
        ),
        (
            "chan q = [0] of { byte }; active proctype P() { q?2 } active proctype S() provided (false) { q!2 }",
            "q?2",
            "S(1) could send this to q, but may not move",
        ),
        (
            "chan q = [0] of { byte }; active proctype P() { q!1 } active proctype R() provided (false) { q?2 }",
            "q!1",
            "nobody is ready to receive this from q",
        ),
        (
            "chan q = [0] of { byte }; active proctype P() { q!1 }"
            " active proctype R() provided (false) { d_step { q?1; skip } }",
            "q!1",
            "R(1) could receive this from q, but may not move",
        ),
    ],
)
def test_what_a_process_waits_for(text: str, statement: str, reason: str) -> None:
    (obstacle,) = wait_of(text).obstacles
    assert (obstacle.statement.replace(" ", ""), obstacle.reason) == (statement.replace(" ", ""), reason)


CHOICE = """chan q = [0] of { byte };
byte x;
active proctype P() {
  if
  :: x == 1
  :: q?x
  fi
}
active proctype Done() { skip }
active proctype Idle() { end: x == 7 }
"""


def test_every_way_on_has_its_place() -> None:
    assert [obstacle.spot.line for obstacle in wait_of(CHOICE).obstacles] == [5, 6]


def test_a_process_that_may_stop_is_told_apart() -> None:
    assert not wait_of(CHOICE).may_stop
    assert wait_of(CHOICE, "Idle(2)").may_stop
    done = wait_of(CHOICE, "Done(1)")
    assert done.may_stop
    assert done.obstacles[0].reason == "it has ended, and goes after all younger processes"


SERVER = "chan q = [1] of { byte }; byte x;\nactive proctype P() { %s }"


@pytest.mark.parametrize(
    ("body", "is_server"),
    [
        ("do :: q?x od", True),
        ("again: q?x; x = 0; goto again", True),
        ("x = 1; do :: q?1 :: q?2 -> x = 2 od", True),
        ("do :: q?x :: x == 3 od", False),  # waits for more than messages
        ("do :: x = 1; q?x od", False),  # in the midst of its loop
        ("q?x", False),  # no loop
        ("q?x; do :: x = 1 od", False),  # a loop behind it
        ("q!2; do :: q?1 od", False),  # there is a message, which it does not take
        ("end: do :: q?x od; false", None),
    ],
)
def test_a_waiting_server_is_told_of_end_labels(body: str, is_server: bool | None) -> None:
    if is_server is None:
        assert parse(SERVER % body).check(engine="reference").holds
    else:
        assert (wait_of(SERVER % body).advice is not None) == is_server


def test_a_lower_priority_waits_for_a_higher_one() -> None:
    text = """chan q = [0] of { byte };
    active proctype Low() priority 1 { skip }
    active proctype High() priority 5 { q!1 }"""
    assert wait_of(text, "Low(0)").obstacles[0].reason == "a process of higher priority goes first"


def test_both_engines_say_the_same() -> None:
    assert deadlock(CHOICE, "native").waits == deadlock(CHOICE).waits


def test_a_run_that_stops_for_ever_says_so_too() -> None:
    model = parse("byte x; active proctype P() { x == 1 }\nltl one { <> (x == 1) }")
    found = model.check("one").counterexample
    assert found is not None
    assert found.stutters
    assert found.waits[0].obstacles[0].reason == "false: x = 0"


def test_other_runs_have_no_waits() -> None:
    found = parse("active proctype P() { assert(false) }").check().counterexample
    assert found is not None
    assert found.waits == ()


def test_text_and_json_tell_it(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    path = f"{tmp_path}/server.pml"
    with open(path, "w") as file:
        file.write(SERVER % "do :: q?x od")
    assert main(["check", path]) == 1
    text = capsys.readouterr().out
    assert f"  P(0)  {path}:2  q?x  q is empty\n    help: if P is a server" in text
    assert main(["check", path, "--format", "json"]) == 1
    (wait,) = json.loads(capsys.readouterr().out)["results"][0]["counterexample"]["waits"]
    assert wait["for"] == [{"line": 2, "statement": "q?x", "reason": "q is empty"}]
    assert not wait["may_stop"]
    assert "end" in wait["advice"]
