"""Certificates from Python: what a check writes, `everafter.certify` confirms, and only for the same question."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest

import everafter
from everafter.certificates.automaton.justification import Justified
from everafter.flags import BEARS_ON
from everafter.questions.request import Request

MODEL = "byte x; active proctype P() { do :: x = 1 - x od } ltl turns { [] <> (x == 0) } ltl stays { [] (x == 0) }"


@pytest.fixture
def model() -> everafter.Model:
    return everafter.parse(MODEL)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "certificate"


def test_what_a_check_writes_is_confirmed(model: everafter.Model, path: Path) -> None:
    assert model.check("<> (x == 1)", fairness="weak", certificate=path)
    found = everafter.certify(path, model, "<> (x == 1)", fairness="weak", strict=True)
    assert found
    (verdict,) = found.verdicts
    assert (verdict.says, verdict.verdict, verdict.by) == ("<> (x == 1)", "holds", "native")
    assert isinstance(verdict.claim, Justified)
    assert found.conditions["fairness"] == "weak"
    assert found.undecided == ("safety", "turns", "stays")


def test_several_verdicts_are_confirmed_at_once(model: everafter.Model, path: Path) -> None:
    results = model.check_all(certificate=str(path))
    found = everafter.certify(str(path), model, by="reference", threads=1)
    assert [each.verdict for each in found.verdicts] == [each.verdict for each in results]
    assert not found, "one of them is violated"
    asked = everafter.Request(safety=True, formulas=["turns"], empty_channels=True)
    model.check_all(asked, certificate=path)
    assert everafter.certify(path, model, request=asked)


def test_another_question_is_an_error_with_the_differences(model: everafter.Model, path: Path) -> None:
    model.check("<> (x == 1)", fairness="weak", certificate=path)
    with pytest.raises(everafter.AnotherQuestionError) as refused:
        everafter.certify(path, model, "<> (x == 1)")
    assert refused.value.differences == ("it was made with --fair weak, and you ask without",)
    assert "--ltl '<> (x == 1)'" in refused.value.options
    other = everafter.parse(MODEL, {"K": 2})
    with pytest.raises(everafter.CertificateError, match="-D K=2"):
        everafter.certify(path, other, "<> (x == 1)", fairness="weak")


def test_all_that_a_check_can_ask_can_be_confirmed() -> None:
    """What changes the meaning of a verdict is taken by `certify`, too."""
    meaning = {field.name for field in fields(Request) if field.metadata[BEARS_ON] != "search"} | {"formula"}
    asked = meaning.intersection(inspect.signature(everafter.Model.check).parameters)
    assert asked == meaning.intersection(inspect.signature(everafter.certify).parameters) == {"formula", "fairness"}


def test_what_has_no_meaning_is_refused(model: everafter.Model, path: Path) -> None:
    model.check(certificate=path)
    wrong = (
        lambda: everafter.certify(path, model, "turns", request=Request()),
        lambda: everafter.certify(path, model, threads=0),
        lambda: everafter.certify(path, model, by="magic"),  # type: ignore[arg-type]
        lambda: everafter.certify(path, 5),  # type: ignore[arg-type]
        lambda: everafter.certify(path, model, strict="no"),  # type: ignore[arg-type]
        lambda: model.check(certificate=5),  # type: ignore[arg-type]
        lambda: model.check(certificate="\0"),
        lambda: model.check(certificate=path / "below"),
        lambda: model.check(engine="reference", certificate=path),
    )
    for call in wrong:
        with pytest.raises(everafter.OptionError):
            call()
    for name in ("\0", path / "below", "no such file"):
        with pytest.raises(everafter.CertificateError, match="cannot read"):
            everafter.certify(name, model)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no file that is always full")
def test_what_cannot_be_written_is_an_error(model: everafter.Model) -> None:
    with pytest.raises(everafter.CertificateError, match="no certificate was written to /dev/full: No space left"):
        model.check(certificate="/dev/full")
