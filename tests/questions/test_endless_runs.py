"""A property of infinite runs holds only where no run stays in an atomic sequence for ever: by machine code, by the
reference, and by the definition, on states in the middle of sequences."""

import random
from pathlib import Path

import pytest

import everafter
from everafter import Request
from everafter.certificates import certification
from everafter.certificates.file import CertificateError
from everafter.execution.packing import Packer
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import initial_state, steps
from everafter.ltl.strong_components import components_of
from everafter.program.program import Program
from everafter.questions import endless_runs
from everafter.reduction.endless_sequences import endless_sequences

ENDLESS = (
    "bool f; byte x; active proctype P() { atomic { do :: x == 0 -> x = 0 :: x != 0 -> break od } } ltl p { <> [] f }"
)
ENDING = """bool f; byte x;
active proctype P() { do :: atomic { x = 0; do :: x < 3 -> x = 3 :: x == 3 -> break od }; f = 1 od }
ltl p { [] <> f }"""
HANDED_OVER = """chan c = [0] of { bit }; bool f;
active proctype P() { atomic { do :: c!0; c?_ od } }
active proctype Q() { atomic { do :: c?_; c!0 od } }
ltl p { <> [] f }"""
OVER_BEFORE = """byte x; active proctype P() { x = 1; atomic { do :: x = 1 - x od } } ltl p { [] (x == 0) }"""
WRONG_BEHIND = """byte x;
active proctype P() { atomic { do :: x < 2 -> x = 2 * x - x + 1 :: x == 2 -> break od }; assert(x == 0) }
ltl p { <> (x == 0) }"""


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (ENDLESS, "incomplete"),
        (ENDING, "holds"),
        (HANDED_OVER, "incomplete"),
        (OVER_BEFORE, "violated"),
        (WRONG_BEHIND, "holds"),
    ],
)
def test_verdicts(text: str, verdict: str, engine: str) -> None:
    result = everafter.parse(text).check("p", engine=engine)
    assert result.verdict == verdict
    assert verdict != "incomplete" or "for ever" in result.reason


def test_safety_says_something_of_such_runs() -> None:
    assert everafter.parse(ENDLESS).check_all(Request(safety=True))[0].holds


def test_fairness_changes_nothing() -> None:
    assert everafter.parse(ENDLESS).check("p", fairness="weak").incomplete


@pytest.mark.parametrize(
    ("body", "is_known"),
    [
        ("byte i; atomic { for (i : 0 .. N - 1) { x++ } }", True),
        ("atomic { do :: x < N -> x++ :: else -> break od }", True),
        ("atomic { do :: q?_ :: empty(q) -> break od }", True),
        ("atomic { do :: q?<_> :: empty(q) -> break od }", False),
        ("atomic { do :: q?_; q!1 :: empty(q) -> break od }", False),
        ("atomic { do :: x < N -> skip :: else -> break od }", False),
        ("do :: atomic { x < N -> x++ } :: else -> break od", True),
        ("byte n = 3; byte i; atomic { do :: i < n -> i++; n++ :: else -> break od }", False),
    ],
)
def test_what_is_known_to_end(body: str, is_known: bool) -> None:
    program = everafter.parse(
        f"#define N 3\nbyte x; chan q = [2] of {{ bit }}; active proctype P() {{ {body} }}"
    ).program
    assert (endless_sequences(program) == ()) is is_known


def stays_inside(program: Program) -> bool:
    """By the definition: whether a cycle of states in the middle of an atomic sequence can be reached."""
    pack = Packer(program).pack
    start = initial_state(program)
    states: list[State] = [start]
    numbers, targets = {pack(start): 0}, []
    for state in states:  # which grows
        following = [step.state for step in steps(program, state) if step.state is not None]
        for each in following:
            if pack(each) not in numbers:
                numbers[pack(each)] = len(states)
                states.append(each)
        targets.append([numbers[pack(each)] for each in following if each.holder != NO_PROCESS])
    component = components_of(targets, list(range(len(states))))
    return any(
        component[to] == component[number] and states[number].holder != NO_PROCESS
        for number, out in enumerate(targets)
        for to in out
    )


def sequence(chance: random.Random) -> str:
    """An atomic sequence with a loop that may end or not."""
    move = ["x = 1 - x", "y = (y + 1) % 3", "x = 0", "y = 0", "skip", "x = y % 2", "q!x", "q?y", "c!1", "c?x"]
    ask = ["x == 0", "y < 2", "x == y", "y == 0", "true", "nempty(q)"]
    options = " ".join(
        f":: {chance.choice(ask)} -> {'; '.join(chance.choices(move, k=chance.randint(1, 2)))}" for _ in range(2)
    )
    leave = chance.choice(["else -> break", "y == 2 -> break", "x == 1 -> break"])
    return f"atomic {{ {chance.choice(move)}; do {options} :: {leave} od }}"


def test_random_programs_by_the_definition() -> None:
    seen = {False: 0, True: 0}
    for seed in range(150):
        chance = random.Random(seed)
        text = "bool x; byte y; chan q = [1] of { bit }; chan c = [0] of { bit };" + "".join(
            f"active proctype {name}() {{ do :: {sequence(chance)} :: y = 1 od }}" for name in "PQ"
        )
        model = everafter.parse(text + " ltl p { [] (x || !x) }")
        truth = stays_inside(model.program)
        seen[truth] += 1
        assert not truth or endless_sequences(model.program), f"seed {seed}"
        engine = "reference" if seed % 15 else "native"
        result = model.check("p", engine=engine, threads=1, reduction="none" if seed % 2 else "static")
        assert result.verdict == ("incomplete" if truth else "holds"), f"seed {seed}"
    assert min(seen.values()) > 10


def test_a_certificate_says_nothing_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was written all the same is refused; nothing is written where rows do not tell."""
    path, model = tmp_path / "certificate", tmp_path / "model.pml"
    model.write_text(ENDLESS)
    from everafter.cli import main

    assert main(["check", str(model), "--certificate", str(path)]) == 3
    assert [each.property for each in certification.certify(path, everafter.load(model)).verdicts] == ["safety"]
    path.unlink()
    with monkeypatch.context() as planted:
        planted.setattr(endless_runs, "endless_sequences", lambda _program: ())
        assert main(["check", str(model), "--certificate", str(path)]) == 0
    with pytest.raises(CertificateError, match="no row shows that the atomic sequence at line 1 ends"):
        certification.certify(path, everafter.load(model))
