"""A certificate whose automaton misses a violation shows nothing, whoever has made it; another right one will do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.certificates import changed, confirmed, sections_of, written

from everafter.certificates.automaton.justification import Justified, Unjustified
from everafter.certificates.certification import OwnWords
from everafter.certificates.file import CertificateError
from everafter.cli import main
from everafter.ltl import Automaton, Formula, Not, to_buchi, to_hoa
from everafter.ltl import parse as formula_of
from everafter.questions.request import Request
from everafter.user_model import Model, load, parse

EXAMPLES = Path(__file__).parents[2] / "examples"
SWITCH = "bool p; active proctype P() { do :: p = !p od } ltl settles { <> [] p }"
"""It does not settle."""


def refusal(path: Path, model: Model, request: Request | None = None) -> str:
    with pytest.raises(CertificateError) as refused:
        confirmed(path, model, request=request)
    return str(refused.value)


# Translations with a mistake, which both the check and `certify` use


def without_acceptance(automaton: Automaton) -> Automaton:
    return automaton.with_edges([[edge._replace(marks=0) for edge in edges] for edges in automaton.outgoing])


def without_last_edges(automaton: Automaton) -> Automaton:
    return automaton.with_edges([edges[:-1] for edges in automaton.outgoing])


def with_narrow_labels(automaton: Automaton) -> Automaton:
    p = automaton.functions.variable(0)
    narrow = [
        [e._replace(label=automaton.functions.conjoin(e.label, p)) for e in edges] for edges in automaton.outgoing
    ]
    return automaton.with_edges(narrow)


def of_nothing(automaton: Automaton) -> Automaton:
    return automaton.with_edges([[] for _ in automaton.outgoing])


MISTAKES: dict[str, Callable[[Formula], Automaton]] = {
    "accepting states are not marked": lambda formula: without_acceptance(to_buchi(formula)),
    "an edge of each state is missing": lambda formula: without_last_edges(to_buchi(formula)),
    "labels are too narrow": lambda formula: with_narrow_labels(to_buchi(formula)),
    "there are no edges": lambda formula: of_nothing(to_buchi(formula)),
    "the formula is not negated": lambda formula: to_buchi(Not(formula)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_translation_is_noticed(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the same mistake is made when the certificate is checked."""
    monkeypatch.setattr("everafter.ltl.translation.to_buchi", MISTAKES[mistake])
    path, model = tmp_path / "certificate", parse(SWITCH)
    assert written(model, Request(formulas=["settles"], reduction="none"), path) == ["holds"]
    assert "does not accept" in refusal(path, model)


def test_a_mistake_makes_no_paranoid_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "switch.pml"
    file.write_text(SWITCH)
    assert main(["check", str(file), "--ltl", "settles"]) == 1
    monkeypatch.setattr("everafter.ltl.translation.to_buchi", MISTAKES["accepting states are not marked"])
    assert main(["check", str(file), "--ltl", "settles"]) == 0
    assert main(["check", str(file), "--ltl", "settles", "--paranoid"]) == 4


# Automata in the heading


@pytest.fixture
def peterson(tmp_path: Path) -> tuple[Path, Model]:
    model, path = load(EXAMPLES / "peterson.pml"), tmp_path / "certificate"
    assert written(model, Request(formulas=["first_gets_in"]), path) == ["holds"]
    return path, model


@pytest.mark.parametrize(
    ("automaton", "reason"),
    [
        ("", "expected HOA:"),
        ("HOA: v1", "expected"),
        ("a != b", "unexpected character"),
        (to_hoa(to_buchi(formula_of("<> inside"))), "the formula does not"),
        (to_hoa(to_buchi(formula_of("false"))), "does not accept"),
    ],
    ids=["none", "cut", "nonsense", "other propositions", "of nothing"],
)
def test_an_automaton_that_is_none_of_the_formula_is_refused(
    automaton: str, reason: str, peterson: tuple[Path, Model]
) -> None:
    path, model = peterson
    changed(path, lambda heading, rows: ({**heading, "automaton": automaton}, rows))
    assert reason in refusal(path, model)


def test_another_right_automaton_needs_rows_of_its_own(peterson: tuple[Path, Model]) -> None:
    path, model = peterson
    everything = "HOA: v1 Start: 0 AP: 0 Acceptance: 1 Inf(0) --BODY-- State: 0 {0} [t] 0 --END--"
    changed(path, lambda heading, rows: ({**heading, "automaton": everything}, rows))
    assert "refused" in refusal(path, model)


def test_an_automaton_of_another_version_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = load(EXAMPLES / "peterson.pml"), tmp_path / "certificate"
    with monkeypatch.context() as patch:
        patch.setattr("everafter.ltl.translation.to_buchi", twice)
        assert written(model, Request(formulas=["first_gets_in"]), path) == ["holds"]
    assert written(model, Request(formulas=["first_gets_in"]), tmp_path / "usual") == ["holds"]
    ((other, _),) = sections_of(path)
    ((usual, _),) = sections_of(tmp_path / "usual")
    assert other["automaton"] != usual["automaton"]
    for by in ("native", "reference"):
        (found,) = confirmed(path, model, by)
        assert isinstance(found.claim, Justified)


def test_a_certificate_has_an_automaton_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual one cannot answer step by step; the check takes another one if it is to be certified."""
    path, model = tmp_path / "certificate", parse("bool p = 1, q, r; active proctype P() { do :: r = !r od }")
    asked = Request(formulas=["!([] <> ([] p <-> (q && <> r)))"])
    assert written(model, asked, path) == ["holds"]
    assert [type(each.claim) for each in confirmed(path, model, request=asked)] == [Justified]
    with monkeypatch.context() as patch:
        patch.setattr("everafter.check.with_reason", lambda asked: asked)
        assert written(model, asked, path) == ["holds"]
    assert [type(each.claim) for each in confirmed(path, model, request=asked)] == [Unjustified]


def twice(formula: Formula) -> Automaton:
    """The automaton with every state a second time, reached by every second step."""
    once = to_buchi(formula)
    count = len(once.states)
    moved = [[e._replace(target=(e.target + count) % (2 * count)) for e in edges] for edges in once.outgoing]
    back = [[e._replace(target=e.target % count) for e in edges] for edges in once.outgoing]
    return once.with_edges([*moved, *back])


def test_an_automaton_without_a_reason_is_trusted_only_as_it_is_translated(
    peterson: tuple[Path, Model], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = peterson
    monkeypatch.setattr("everafter.certificates.certification.justify", lambda *_: Unjustified("nobody looked"))
    (found,) = confirmed(path, model)
    assert found.claim == Unjustified("nobody looked")
    assert main(["certify", str(path), str(EXAMPLES / "peterson.pml")]) == 0
    shown = capsys.readouterr().out
    assert "its claim is trusted: nobody looked" in shown
    assert "the translation of 'first_gets_in' into an automaton" in shown
    assert main(["certify", str(path), str(EXAMPLES / "peterson.pml"), "--strict"]) == 2
    assert "nothing shows that its automaton accepts every violation: nobody looked" in capsys.readouterr().err
    changed(path, lambda heading, rows: ({**heading, "automaton": heading["automaton"] + " "}, rows))
    assert "another automaton" in refusal(path, model)


# The user's own words


def test_claims_of_the_user_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    claim = "never { T0: do :: p -> goto accept :: true od; accept: do :: p od }"
    model = parse(f"bool p; active proctype P() {{ do :: p = !p od }} {claim}")
    assert written(model, Request(never=True), path) == ["holds"]
    assert [each.claim for each in confirmed(path, model)] == [OwnWords()]
    changed(path, lambda heading, rows: ({**heading, "automaton": "HOA: v1"}, rows))
    assert "the property is none" in refusal(path, model)


def test_an_automaton_of_the_user_is_the_one_that_the_user_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, mine, other = tmp_path / "switch.pml", tmp_path / "mine.hoa", tmp_path / "other.hoa"
    file.write_text(SWITCH)
    mine.write_text(to_hoa(to_buchi(formula_of("<> [] p"))))
    other.write_text(to_hoa(to_buchi(formula_of("[] <> p"))))
    path = str(tmp_path / "certificate")
    assert main(["check", str(file), "--hoa", str(mine), "--paranoid", "--certificate", path]) == 0
    assert "its claim is the user's own words" in capsys.readouterr().out
    assert main(["certify", path, str(file), "--hoa", str(mine)]) == 0
    assert "its claim is the user's own words" in capsys.readouterr().out
    assert main(["certify", path, str(file)]) == 2
    assert "it was made with --hoa mine.hoa, which you do not ask for" in capsys.readouterr().err
    assert main(["certify", path, str(file), "--hoa", str(other)]) == 2
    assert "it does not decide other, which you ask for" in capsys.readouterr().err


def test_safety_and_violations_need_no_automaton(tmp_path: Path) -> None:
    path, model = tmp_path / "certificate", parse(SWITCH)
    assert written(model, Request(safety=True, formulas=["settles"]), path) == ["holds", "violated"]
    assert [each.claim for each in confirmed(path, model)] == [None, None]


# Nothing is translated again


def test_a_formula_is_not_translated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that holds, whose automaton has a reason, nor one that a run violates for ever; nor labels."""
    text = "byte x; active proctype P() { progress: do :: x = 1 - x od } ltl turns { [] <> (x == 0) }"
    path, model = tmp_path / "certificate", parse(text)
    request = Request(formulas=["turns", "<> [] (x == 0)"], progress=True, acceptance=True)
    assert written(model, request, path) == ["holds", "violated", "holds", "holds"]

    def translated(formula: Formula) -> Automaton:
        raise AssertionError(f"{formula} is translated")

    for name in ("to_buchi", "to_answering_buchi", "translate"):
        monkeypatch.setattr(f"everafter.ltl.translation.{name}", translated)
    for by in ("native", "reference"):
        found = confirmed(path, model, by, request)
        assert [each.claim is None or isinstance(each.claim, Justified) for each in found] == [True] * 4
    with pytest.raises(AssertionError, match="is translated"):
        written(model, request, path)


def test_a_run_that_ends_is_judged_by_the_translation(tmp_path: Path) -> None:
    path, model = tmp_path / "certificate", parse("byte x; active proctype P() { do :: x = x + 1 od }")
    asked = Request(formulas=["[] (x < 3)"])
    assert written(model, asked, path) == ["violated"]
    assert sections_of(path)[0][0]["end"] == "problem"
    for by in ("native", "reference"):
        assert [each.verdict for each in confirmed(path, model, by, asked)] == ["violated"]
    changed(path, lambda heading, rows: ({**heading, "prefix": heading["prefix"][:2]}, rows))
    assert "does not show a problem" in refusal(path, model, asked)
