"""Processes that change places: which may, what states are left, and that what treats one differently is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracles.reduction.random_symmetric import SymmetricAuthor
from oracles.reduction.symmetric import symmetry_flaws

from everafter.check import check
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.questions.smaller_program import with_smaller_program
from everafter.questions.symmetric_program import with_symmetry
from everafter.source import InputError
from everafter.symmetry.classes import ValueClasses
from everafter.user_model import load, parse
from everafter.verdict.result import Result

HEADER = """byte x, owner = 255; byte flag[4]; chan c = [2] of { byte };
typedef Pair { byte a; chan own }; Pair pair[4]; chan q[4] = [1] of { byte }; chan z = [0] of { byte };
"""
SYMMETRIC = {
    "a number of its own": "active [3] proctype P() { do :: owner == 255 -> owner = _pid; x++; x--; owner = 255 od }",
    "an array": "active [3] proctype P() { do :: flag[_pid] = 1; flag[_pid] = 0 od }",
    "a parameter": "proctype P(byte me) { byte t; do :: flag[me] = 1; t = me; flag[t] = 0 od } "
    "init { byte i; atomic { i = 1; do :: i < 4 -> run P(i); i++ :: else -> break od } }",
    "a distance": "proctype P() { do :: flag[_pid - 1] = 1; owner = _pid - 1; flag[_pid - 1] = 0 od } "
    "init { atomic { run P(); run P(); run P() } }",
    "messages": "active [3] proctype P() { do :: c!_pid :: c?eval(_pid) od }",
    "names of others": "active [3] proctype P() { byte t; do :: c!_pid :: c?t; flag[t] = 1; flag[t] = 0 od }",
    "a channel each": "active [3] proctype P() { byte t = 255; do :: q[_pid]!_pid :: q[_pid]?t; t = 255 od }",
    "a channel of its own": "active [3] proctype P() { chan own = [1] of { byte }; do :: own!1 :: own?_ od }",
    "pairs": "proctype P(byte me) { do :: q[me]!1 od } "
    "proctype Q(byte me) { do :: q[me]?_; flag[me] = 1 - flag[me] od } "
    "init { atomic { run P(0); run Q(0); run P(1); run Q(1) } }",
    "channels handed over": "proctype P(chan in) { byte t; do :: in!_pid :: in?t od } "
    "init { atomic { run P(q[2]); run P(q[1]); run P(q[0]) } }",
    "an array of arrays": "typedef Row { byte c[3] }; Row m[3]; active [3] proctype P() { byte t = 255; "
    "do :: m[_pid].c[_pid] = 1 :: t = _pid :: t != 255 -> m[_pid].c[t] = 1 - m[_pid].c[t] od }",
    "a server": "active proctype S() { byte t; do :: z?t; x = 1; z!t; x = 0 od } "
    "active [3] proctype P() { do :: z!_pid; z?eval(_pid) od }",
    "ends": "active [3] proctype P() { x++; x-- } active proctype Q() { timeout; assert(x == 0) }",
    "all by constants": "active [2] proctype P() { do :: flag[_pid] = 1; "
    "assert(!(flag[0] == 1 && flag[1] == 1)); flag[_pid] = 0 od }",
    "a fixed beginning": "byte who = 1; active [3] proctype P() { do :: who == _pid -> who = 255 "
    ":: who == 255 -> who = _pid od }",
}
"""Models of which some processes may change places."""
ASYMMETRIC = {
    "an order": ("byte t; active [2] proctype P() { t < _pid; t = _pid }", "is used in '<'"),
    "arithmetic": ("active [2] proctype P() { owner = _pid + 1; owner = _pid }", "a number is computed and assigned"),
    "a ring": ("active [3] proctype P() { flag[(_pid + 1) % 3] = flag[_pid] }", "is used in '%'"),
    "a constant": ("active [2] proctype P() { flag[_pid] = 1; owner = _pid; owner == 1 }", "named by a constant"),
    "an element": ("active [2] proctype P() { flag[_pid] = 1; flag[0] == 1 }", "named by a constant"),
    "as a truth value": ("active [2] proctype P() { owner = _pid; assert(owner) }", "treated apart"),
    "priorities": ("active [2] proctype P() priority 2 { skip } active proctype Q() { skip }", "priorities"),
    "the last one": ("active [2] proctype P() { _last == _pid }", "_last"),
    "a remote label": ("active [2] proctype P() { L: P[0]@L; goto L }", "named by a constant"),
    "the oldest": ("active [2] proctype P() { L: P@L; goto L }", "the oldest P is meant"),
    "a place": ("active [2] proctype P() { do :: pc_value(1 - _pid) == 2 od }", "pc_value"),
    "sorted messages": ("active [2] proctype P() { do :: c!!_pid :: c?_ od }", "sorted"),
    "different parameters": (
        "proctype P(byte n) { do :: n > 2 -> x = 1 od } init { atomic { run P(3); run P(2) } }",
        "differ in 'n'",
    ),
    "started one by one": ("proctype P() { x++ } init { run P(); run P() }", "started while others run"),
    "started later": ("active [2] proctype P() { do :: x == 1 -> run Q() od } proctype Q() { skip }", "started"),
    "too narrow": ("bit turn; active [3] proctype P() { do :: turn = _pid; flag[turn] = 1 od }", "no room"),
    "too short": ("byte two[2]; active [3] proctype P() { do :: two[_pid] = 1 od }", "no element for each"),
    "ends that are counted": ("active [2] proctype P() { x = 1; _nr_pr == 2 }", "how many"),
    "ends that are seen": ("active [2] proctype P() { x = 1; L: P[_pid]@L }", "where processes are"),
    "the other's channel": (
        "proctype P(chan in, out) { byte t; do :: out!1 :: in?t od } "
        "init { atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[0]) } }",
        "named by two",
    ),
    "a channel by another name": (
        "byte b; proctype P(chan in) { byte t; do :: in!1 :: in?t od } "
        "init { chan other; atomic { b = q[0]; run P(q[0]); run P(q[1]) }; other = b; other!3 }",
        "names that are not exchanged",
    ),
    "a number that is cut": (
        "short o = 256; byte b; active [2] proctype P() { do :: o = _pid :: b = o :: b == _pid -> o = 256 od }",
        "no room",
    ),
    "names of some": (
        "proctype P(byte me) { do :: flag[me] = 1 od } proctype Q(byte me) { do :: flag[me] = 0 od } "
        "init { atomic { run P(0); run P(1); run Q(1); run Q(2) } }",
        "names two processes",
    ),
    "alone": ("active proctype P() { x = 1 }", "no two processes"),
}
"""Models in which something treats processes differently, and what is said of it."""


def safety(text: str, wish: str, engine: str = "reference") -> Result:
    """The verdict on safety."""
    (result,) = check(parse(text), Request(safety=True, reduction=wish, engine=engine))
    return result


@pytest.mark.parametrize("name", SYMMETRIC)
def test_states_are_orbits_of_states_of_the_program(name: str) -> None:
    """What differs by exchanges takes the same steps, and the least of an orbit stands for it, on both engines."""
    model = parse(HEADER + SYMMETRIC[name])
    for wish in ("symmetry", "symmetry,dead,merge"):
        question = Question(model.program, SAFETY, reduction=wish)
        searched, _, asymmetric = with_symmetry(question, Request(), with_smaller_program)
        assert searched.program.symmetry is not None, asymmetric
        assert next(symmetry_flaws(searched.program, (), 300), None) is None
    whole, orbits = safety(HEADER + SYMMETRIC[name], "none"), safety(HEADER + SYMMETRIC[name], "symmetry")
    assert orbits.symmetry
    assert orbits.verdict == whole.verdict
    assert orbits.states < whole.states or whole.violated
    native = safety(HEADER + SYMMETRIC[name], "symmetry", "native")
    assert native.verdict == orbits.verdict
    assert native.states == orbits.states or native.violated


@pytest.mark.parametrize("name", ASYMMETRIC)
def test_what_treats_processes_differently_is_named(name: str) -> None:
    """Nothing is exchanged then, and the report says what, and where."""
    text, words = ASYMMETRIC[name]
    result = safety(HEADER + text, "symmetry")
    assert not result.symmetry
    assert words in result.asymmetric
    assert result.verdict == safety(HEADER + text, "none").verdict


@pytest.mark.parametrize(
    ("formula", "is_symmetric"),
    [
        ("[] !(flag[0] == 1 && flag[1] == 1 && flag[2] == 1)", True),
        ("[] <> (flag[2] == 1 || (flag[0] == 1 || flag[1] == 1))", True),
        ("[] (flag[0] == 1 -> <> (flag[1] == 1))", False),
        ("[] (flag[0] == 1 -> <> (flag[0] == 0)) && [] (flag[1] == 1 -> <> (flag[1] == 0))", False),
        ("X X (owner == 255)", True),
        ("<> (owner == 1)", False),
    ],
)
def test_a_formula_must_say_the_same_of_all(formula: str, is_symmetric: bool) -> None:
    """What it says of a state, not what it says as a whole; a counterexample is a run of the program itself."""
    text = HEADER + "active [3] proctype P() { do :: flag[_pid] = 1; owner = _pid; flag[_pid] = 0; owner = 255 od }"
    for engine in ("reference", "native"):
        (plain,), (found,) = (
            check(parse(text), Request(formulas=(formula,), reduction=wish, engine=engine))
            for wish in ("none", "symmetry")
        )
        assert bool(found.symmetry) == is_symmetric, found.asymmetric
        assert found.verdict == plain.verdict
        assert (found.counterexample is None) == (plain.counterexample is None)


PYTHON = """
from everafter import model as m

class Pair(m.Model):
    N = 3
    inside = m.Int[0, N](0)
    want = m.Array[bool, N](False)
    last = m.Int[0, N](N)

    @m.process(instances=N)
    def worker(self, me: int) -> None:
        while True:
            self.want[me] = True
            with m.atomic():
                m.wait(self.last == self.N{guard})
                self.last = me
            self.inside += 1
            self.inside -= 1
            self.last = self.N
            self.want[me] = False

    alone = m.always(lambda s: s.inside <= 1)
"""


@pytest.mark.parametrize(
    ("guard", "is_symmetric"),
    [("", True), (" and me >= 0", True), (" or me == 1", True), (" or self.last < me", False)],
)
def test_processes_of_a_python_model(guard: str, is_symmetric: bool, tmp_path: Path) -> None:
    """Each is a proctype of its own, with its parameters as constants."""
    (tmp_path / "pair.py").write_text(PYTHON.format(guard=guard))
    model = load(tmp_path / "pair.py")
    for whole, found in zip(
        *(check(model, Request(reduction=wish, engine="native")) for wish in ("none", "symmetry")), strict=True
    ):
        assert bool(found.symmetry) == is_symmetric, found.asymmetric
        assert found.verdict == whole.verdict
        assert found.states < whole.states or not is_symmetric or whole.violated


def test_a_cycle_goes_round_until_each_process_is_where_it_was() -> None:
    """The state that stands for others is back sooner."""
    text = "byte owner = 255; active [3] proctype P() { do :: owner == 255 -> owner = _pid; owner = 255 od }"
    (result,) = check(parse(text), Request(formulas=("<> [] (owner == 255)",), reduction="symmetry"))
    assert result.symmetry
    assert result.violated


def test_processes_end_before_what_waits_for_that() -> None:
    """Processes that may be exchanged stay at their ends; in a counterexample they end."""
    text = "byte x; active proctype Q() { timeout; x = 1; false } active [2] proctype P() { skip }"
    result = safety(text, "symmetry")
    assert result.symmetry
    assert result.counterexample is not None
    assert sum("-end-" in step.transition.text for step in result.counterexample.prefix) == 2


def test_processes_end_behind_an_assertion_that_a_formula_passes_over() -> None:
    """A run that stops is shown with all ends, whatever its last step is."""
    model = parse("byte x; active [2] proctype P() { assert(x == 1) }")
    (result,) = check(model, Request(formulas=("<> (x == 1)",), reduction="symmetry", engine="reference"))
    assert result.symmetry
    assert result.violated, result.disagreement


@pytest.mark.parametrize(
    ("options", "words"),
    [({"fairness": "weak"}, "fairness"), ({"cluster": "local:1"}, "only the engines"), ({"engine": "gpu"}, "only")],
)
def test_where_it_is_not_sound_it_is_left_out(options: dict[str, str], words: str) -> None:
    """Fairness follows each process; GPU and cluster have no such code."""
    program = parse("byte x; active [2] proctype P() { do :: x = 1 - x od }").program
    request = Request(formulas=("<> (x == 1)",), reduction="symmetry", **options)  # type: ignore[arg-type]
    model = parse("byte x; active [2] proctype P() { do :: x = 1 - x od }")
    if request.fairness is not None:
        (result,) = check(model, request)
        assert words in result.asymmetric
        return
    _, _, asymmetric = with_symmetry(Question(program, SAFETY, reduction="symmetry"), request, with_smaller_program)
    assert words in asymmetric


def test_a_forgotten_use_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """If arithmetic counted as harmless, states would take other steps once processes are exchanged."""
    monkeypatch.setattr(ValueClasses, "compute", lambda *_: None)
    text = HEADER + "byte t = 255; active [3] proctype P() { do :: t > _pid -> t = _pid :: t != _pid -> t = 255 od }"
    question = Question(parse(text).program, SAFETY, reduction="symmetry")
    searched, _, _ = with_symmetry(question, Request(), with_smaller_program)
    assert searched.program.symmetry is not None
    assert next(symmetry_flaws(searched.program, (), 300), None) is not None


@pytest.mark.parametrize(
    ("forgotten", "name"),
    [
        ("_named_fields", "names of others"),
        ("_named_cells", "a number of its own"),
        ("_channels_swapped", "a channel each"),
        ("_processes_swapped", "an array"),
    ],
)
def test_a_forgotten_part_of_an_exchange_is_found(forgotten: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names in messages and variables, channels, and the processes themselves."""
    nothing = (0, 0, 0) if forgotten == "_processes_swapped" else ()
    monkeypatch.setattr(f"everafter.symmetry.exchanges._Exchanges.{forgotten}", lambda *_: nothing)
    question = Question(parse(HEADER + SYMMETRIC[name]).program, SAFETY, reduction="symmetry")
    searched, _, _ = with_symmetry(question, Request(), with_smaller_program)
    assert next(symmetry_flaws(searched.program, (), 300), None) is not None


@pytest.mark.parametrize("seed", range(500, 512))
def test_verdicts_of_random_programs(seed: int) -> None:
    """With and without, by reference; campaigns/symmetry_random.py tries many more."""
    author = SymmetricAuthor(seed)
    text = author.model()
    for formula in (None, *author.formulas()):
        asked: dict[str, Any] = {"safety": True} if formula is None else {"formulas": (formula,)}
        try:
            found = [
                check(parse(text), Request(reduction=wish, engine="reference", **asked))[0]
                for wish in ("none", "symmetry", "symmetry,dead,merge")
            ]
        except InputError:
            return
        assert not any(each.disagreement for each in found)
        assert len({each.verdict for each in found}) == 1
