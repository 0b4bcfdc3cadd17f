"""What can be asked of a model that is explored."""

import pytest
from tests.page.models import CIRCLE, STUCK, TALKING

import everafter
from everafter.page.content import AnswerView
from everafter.page.live.session import Session
from everafter.source import OptionError

CHOICE = "byte x; active proctype P() { if :: x = 1 :: x = 2 fi; assert(x == 1) }"


def session_of(text: str) -> Session:
    return Session(everafter.parse(text))


def run_length(answer: AnswerView) -> int:
    assert answer.run is not None
    return len(answer.run.moves)


def test_a_step_leads_on_and_another_one_elsewhere() -> None:
    session = session_of(CHOICE)
    first, second = session.options(0)
    assert (first.text, first.changes) == ("x = 1", ("x = 1",))
    assert (second.text, second.changes) == ("x = 2", ("x = 2",))
    left, right = session.taken(0, 0), session.taken(0, 1)
    assert left.places[0] == right.places[0] == 0
    assert left.places[1] != right.places[1]
    assert session.taken(0, 0).places == left.places
    assert session.options(left.places[-1])[0].problem == ""
    assert session.options(right.places[-1])[0].problem == "assert(x == 1) failed"


def test_a_run_may_go_wrong_and_ends_there_when_it_cannot_go_on() -> None:
    session = session_of("byte x; active proctype P() { x = 1 / x }")
    answer = session.taken(0, 0)
    assert answer.reason == "division by zero"
    assert session.options(answer.places[-1]) == ()
    with pytest.raises(OptionError):
        session.taken(answer.places[-1], 0)


def test_a_walk_is_the_same_for_the_same_seed() -> None:
    session = session_of(TALKING)
    one, same = session.walked(0, 6, seed=3), session.walked(0, 6, seed=3)
    assert one.places == same.places
    assert run_length(one) == 6
    longer = session.walked(one.places[-1], 2, seed=1)
    assert longer.places[: len(one.places)] == one.places


def test_a_walk_into_a_deadlock_says_who_waits() -> None:
    answer = session_of(STUCK).walked(0, 100, seed=0)
    assert "invalid end state" in answer.reason
    assert answer.run is not None
    assert [wait.process for wait in answer.run.waits] == ["Reader(0)", "Writer(1)"]


def test_no_run_is_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everafter.page.live.session.MOST_STEPS", 50)
    session = session_of("byte x; active proctype P() { do :: x = 1 - x od }")
    assert run_length(session.walked(0, 50, seed=0)) == 50
    with pytest.raises(OptionError, match="more than 50 steps"):
        session.walked(0, 51, seed=0)


def test_a_property_is_checked_from_here() -> None:
    session = session_of(CHOICE)
    left, right = session.taken(0, 0).places[-1], session.taken(0, 1).places[-1]
    assert session.checked(0, "safety").answer.verdict == "violated"
    assert session.checked(left, "safety").answer.verdict == "holds"
    answer = session.checked(right, "safety").answer
    assert (answer.verdict, answer.property) == ("violated", "safety, from step 1")
    assert run_length(answer) == 2
    assert answer.places[:2] == (0, right)
    assert session.checked(right, "[] (x == 2)").answer.verdict == "holds"
    assert session.checked(0, "[] (x == 2)").answer.verdict == "violated"


def test_what_a_formula_sees_begins_here() -> None:
    session = session_of(CIRCLE)
    place = session.walked(0, 3, seed=0).places[-1]
    answer = session.checked(place, "again").answer
    assert answer.verdict == "violated"
    assert answer.run is not None
    assert answer.run.positions[0] == 3
    assert len(answer.places) == len(answer.run.moves) + 1


def test_a_formula_may_need_a_program_of_its_own() -> None:
    session = session_of("byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { do :: skip od }")
    place = session.walked(0, 2, seed=0).places[-1]
    reply = session.checked(place, "[]<> (_last == 0)")
    assert reply.answer.verdict == "violated"
    assert reply.answer.run is not None
    assert reply.answer.run.system < len(reply.systems)


def test_a_state_of_another_session_is_refused() -> None:
    with pytest.raises(OptionError, match="another session"):
        session_of(CHOICE).options(17)
