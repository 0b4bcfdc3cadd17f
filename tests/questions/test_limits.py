"""Limits are values; each search has its own watch; a time limit bounds the whole check and says what is cut."""

import dataclasses
import re
import threading
import time
from pathlib import Path

import pytest

import everafter
from everafter import Limits, Request
from everafter.check import check
from everafter.cli import main
from everafter.commands.status import INCOMPLETE, VIOLATED
from everafter.deadline import LLVM, Deadline, OutOfTime, Unmade, made_in_time
from everafter.engine.code.machine import compile_text
from everafter.engine.run import model_object
from everafter.questions.outcome import Ending, Method, Outcome
from everafter.questions.question import Question

ENDLESS = """
    int x; active proctype P() { do :: x++ :: x == -1 -> x = -1 od } ltl small { [] (x >= 0 || x < 0) }
    ltl tiny { [] (x < 3) }
"""
TWO = "byte x; active proctype P() { do :: x++ od } ltl small { [] (x < 256) } ltl tiny { [] (x < 3) }"


def test_limits_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Limits().seconds = 3  # type: ignore[misc]


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_limit_reached_once_does_not_stop_what_comes_later(engine: str) -> None:
    """Safety has more states than the limit; the formula is violated long before it."""
    limits, request = Limits(states=5000), Request(engine=engine, threads=1, reduction="none")
    safety, small, tiny = everafter.parse(ENDLESS).check_all(request, limits)
    assert [safety.verdict, small.verdict, tiny.verdict] == ["incomplete", "incomplete", "violated"]
    assert safety.reason == small.reason == "the limit of 5,000 states was reached"


def test_every_property_has_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """With n properties left, an n-th of the time left, of which a tenth is kept for judging."""
    from everafter import check

    searching: list[float] = []

    def at_once(question: Question, _options: object) -> Outcome:
        assert question.deadline.left is not None
        searching.append(question.deadline.left)
        return Outcome(Ending.COMPLETED, Method("none", "none"))

    monkeypatch.setattr(check, "decide", at_once)
    everafter.parse(ENDLESS).check_all(Request(), Limits(seconds=6000))
    assert [round(seconds, -2) for seconds in searching] == [1800, 2700, 5400]


def test_what_a_share_has_cut_is_said() -> None:
    safety, _, _ = everafter.parse(ENDLESS).check_all(Request(reduction="none"), Limits(seconds=2))
    assert safety.verdict == "incomplete"
    assert re.search(r"its share, 0\.6\d* s, of the time limit of 2 s was reached", safety.reason)


def test_a_time_limit_bounds_reading_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.pml"
    model.write_text("active proctype P() { skip }")
    assert main(["check", str(model), "--time", "0.000001s"]) == INCOMPLETE
    assert "time limit of 1e-06 s was reached" in capsys.readouterr().err


def test_a_translation_that_takes_long_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The translation of a formula is plain Python, and knows nothing of time."""

    def slow(*_: object) -> object:
        while True:
            time.sleep(0.001)

    monkeypatch.setattr("everafter.ltl.translation.to_buchi", slow)
    result = everafter.parse(TWO).check("small", limits=Limits(seconds=0.5))
    assert result.verdict == "incomplete"
    assert "time limit of 0.5 s was reached" in result.reason


def test_a_violation_that_could_not_be_judged_in_time_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from everafter import check

    def slow(*_: object) -> object:
        while True:
            time.sleep(0.01)

    assert everafter.parse(TWO).check("tiny").violated  # the code is there from now on
    monkeypatch.setattr(check, "judge", slow)
    result = everafter.parse(TWO).check("tiny", limits=Limits(seconds=3))
    assert result.verdict == "incomplete"
    assert result.reason == "a violation was met, but before it was judged the time limit of 3 s was reached"
    assert result.states > 0
    assert result.engine == "native"


def test_a_violation_of_safety_that_was_not_judged_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    from everafter import check

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "judge", interrupted)
    result = everafter.parse("byte x; active proctype P() { x = 1; assert(x == 2) }").check(reduction="none")
    met = "<model>:1:38: assert(x == 2) failed was met"
    assert result.reason == f"{met}, but before it was judged the check was interrupted"
    assert result.states == 2


def test_a_counterexample_that_is_not_printed_in_time_is_said_to_be_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from everafter.commands import check as command

    def slow(*_: object) -> str:
        while True:
            time.sleep(0.01)

    model = tmp_path / "model.pml"
    model.write_text(TWO)
    assert main(["check", str(model), "--ltl", "tiny"]) == VIOLATED  # the code is there from now on
    monkeypatch.setattr(command, "counterexample", slow)
    assert main(["check", str(model), "--ltl", "tiny", "--time", "4s"]) == VIOLATED
    assert "3 steps, not printed: the time limit of 4 s was reached" in capsys.readouterr().out


# Deadlines


def _run_for_ever(deadline: Deadline) -> None:
    with deadline.enforced():
        while True:
            pass


def test_code_is_left_when_its_time_is_over() -> None:
    started = time.monotonic()
    with pytest.raises(OutOfTime, match=r"the time limit of 0\.05 s was reached"):
        _run_for_ever(Deadline.after(0.05))
    assert time.monotonic() - started < 30


def test_what_ends_in_time_is_left_alone() -> None:
    for _ in range(200):
        with Deadline.after(60).enforced():
            pass
    with Deadline.after(None).enforced():
        pass


def never() -> bytes:
    time.sleep(600)
    return b""


def late() -> bytes:
    time.sleep(0.4)
    return b"code"


def test_what_is_made_for_all_uses_up_no_share() -> None:
    share = Deadline.after(600).share(4000)
    with share.enforced():
        assert made_in_time(late, "while it was made") == b"code"
        assert not share.is_over
    with pytest.raises(OutOfTime, match=r"its share, 0\.15 s, of the time limit of 600 s was reached"):
        _run_for_ever(share)


def test_what_is_made_for_all_takes_no_longer_than_the_whole() -> None:
    share = Deadline.after(0.5).share(5)
    with pytest.raises(Unmade, match=r"^the time limit of 0\.5 s was reached while it was made"), share.enforced():
        made_in_time(never, "while it was made")


def test_what_is_made_in_a_child_does_not_wait_for_a_thread_of_its_parent() -> None:
    """The child of a process in which another thread is in LLVM would wait for that thread's lock for ever."""
    entered = threading.Event()

    def in_llvm() -> None:
        with LLVM:
            entered.set()
            time.sleep(0.5)

    def make() -> bytes:
        with LLVM:
            return b"code"

    other = threading.Thread(target=in_llvm)
    other.start()
    entered.wait()
    with Deadline.after(30).enforced():
        assert made_in_time(make, "while it was made") == b"code"
    other.join()


def test_a_property_whose_code_takes_longer_than_its_share_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERAFTER_CACHE", str(tmp_path))
    monkeypatch.setattr(model_object, "compile_text", lambda text, level: late() and compile_text(text, level))
    results = check(everafter.parse(TWO), Request(), deadline=Deadline.after(600).share(500))
    assert [result.verdict for result in results] == ["holds", "holds", "violated"]


def test_nothing_is_raised_behind_the_block() -> None:
    """Blocks that end about when their time does: the exception comes inside or not at all."""
    inside = 0
    for _ in range(300):
        try:
            with Deadline.after(0.0005).enforced():
                time.sleep(0.0005)
        except OutOfTime:
            inside += 1
        for _ in range(100):
            time.sleep(0)
    assert inside > 0


def test_a_share_is_one_of_what_is_left() -> None:
    whole = Deadline.after(60)
    left = whole.share(3).left
    assert left is not None
    assert 10 < left <= 20
    assert whole.share(1) == whole
    assert Deadline.after(None).share(3) == Deadline.after(None)


# What does not come to an end by itself

ENDLESS_QUESTIONS = {
    "processes that ask each other": (
        "byte x; active proctype P() { enabled(1) -> x = 1 } active proctype Q() { enabled(0) -> x = 2 }",
        Request(safety=True),
    ),
    "a claim that loops inside atomic": (
        "byte x; active proctype P() { do :: x = 1 - x od } never { atomic { do :: x < 2 od } }",
        Request(never=True),
    ),
}


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("name", ENDLESS_QUESTIONS)
def test_a_question_without_end_is_incomplete(name: str, engine: str) -> None:
    text, request = ENDLESS_QUESTIONS[name]
    [result] = everafter.parse(text).check_all(dataclasses.replace(request, engine=engine), Limits(seconds=60))
    assert result.verdict == "incomplete"
    assert "too large" in result.reason or "do not come to an end" in result.reason


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    "model",
    [
        pytest.param("int a[90000]; int b[90000]; active proctype P() { a[0] = 1; b[0] = 1 }", id="at the start"),
        pytest.param("proctype P() { int a[90000]; a[0] = 1 } init { run P(); run P() }", id="later"),
    ],
)
def test_a_state_without_room_is_a_reason_and_no_error_of_ours(engine: str, model: str) -> None:
    result = everafter.parse(model).check(engine=engine)
    assert result.verdict == "incomplete"
    assert "room for 511" in str(result.reason) or "a state, all its successors" in str(result.reason)
