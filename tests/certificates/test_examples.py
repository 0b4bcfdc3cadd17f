"""Every verdict on every example is certified, however it was found, on machine code and by the reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.certificates import confirmed

from everafter.certificates.automaton.justification import Unjustified
from everafter.certificates.file import CertificateWriter
from everafter.check import check
from everafter.questions.request import Request
from everafter.user_model import load

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.pml"))
FEW = 3000
"""So many rows the reference decides in a test."""


@pytest.mark.parametrize("settings", [{}, {"reduction": "none"}, {"threads": 2}], ids=["usual", "unreduced", "team"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_verdict_is_certified(path: Path, settings: dict[str, object], tmp_path: Path) -> None:
    model = load(path)
    file = tmp_path / "certificate"
    with file.open("wb") as out:
        writer = CertificateWriter(out)
        results = check(model, Request(**settings), certificate=writer)  # type: ignore[arg-type]
        assert writer.finish()
    expected = [(result.property, result.verdict) for result in results if result.verdict != "incomplete"]
    native = confirmed(file, model)
    assert [(each.property, each.verdict) for each in native] == expected
    assert not any(isinstance(each.claim, Unjustified) for each in native)
    if max(each.rows for each in native) <= FEW:
        reference = confirmed(file, model, by="reference")
        assert [(each.property, each.verdict) for each in reference] == expected
        assert [each.rows for each in reference] == [each.rows for each in native]
