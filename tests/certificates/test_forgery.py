"""Certificates made of parts of others: what is accepted is true. `campaigns.certificates forge` tries more of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles.forgery import Target, forged, targets

from everafter.certificates.automaton.justification import Justified
from everafter.certificates.certification import Checker

FEW = 120


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    return targets(tmp_path_factory.mktemp("honest") / "certificate")


def outcomes(known: list[Target], path: Path, by: Checker, count: int = FEW) -> Iterator[str]:
    for seed in range(count):
        chance = random.Random(seed)
        target = chance.choice(known)
        kinds, content = forged(chance, target, known)
        path.write_bytes(content)
        yield f"{target.accepted(path, by)[0]} {kinds}"


def test_honest_certificates_are_true(known: list[Target], tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    for target in known:
        path.write_bytes(target.content)
        assert target.accepted(path, "native")[0] == "true"
    verdicts = [verdict for target in known for verdict in target.truth.values()]
    assert min(verdicts.count("holds"), verdicts.count("violated")) > 20


@pytest.mark.parametrize("by", ["native", "reference"])
def test_a_forgery_that_is_accepted_is_true(by: Checker, known: list[Target], tmp_path: Path) -> None:
    found = list(outcomes(known, tmp_path / "certificate", by))
    assert [each for each in found if each.startswith("FALSE")] == []
    assert len([each for each in found if each.startswith("refused")]) > FEW // 2


MISTAKES = {
    "conditions are not compared": "everafter.certificates.inquiry.differing_conditions",
    "rows are not decided": "everafter.certificates.certification._decided",
    "automata are not justified": "everafter.certificates.certification.justify",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_forgeries_notice_a_mistake(
    mistake: str, known: list[Target], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plants = {
        "everafter.certificates.inquiry.differing_conditions": lambda *_: (),
        "everafter.certificates.certification._decided": lambda *_: (1, 0),
        "everafter.certificates.certification.justify": lambda *_: Justified(1, 1),
    }
    monkeypatch.setattr(MISTAKES[mistake], plants[MISTAKES[mistake]])
    if "automata" in mistake:  # few have rows of another automaton that fits
        known = [target for target in known if "(n == 0)" in target.request.formulas]
    assert any(each.startswith("FALSE") for each in outcomes(known, tmp_path / "certificate", "native", 2000))
