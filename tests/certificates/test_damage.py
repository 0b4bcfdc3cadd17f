"""Certificates that were changed below their digest are refused, or are still true."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from oracles.certificates import confirmed, is_true, sections_of, written
from oracles.damage import KINDS, Whole, damaged

from everafter.certificates.file import CertificateError
from everafter.questions.request import Request
from everafter.user_model import Model, load

EXAMPLES = Path(__file__).parents[2] / "examples"


def accepted(path: Path, model: Model) -> bool:
    """Whether a checker accepts the certificate."""
    for by in ("native", "reference"):
        try:
            confirmed(path, model, by)
        except CertificateError:
            continue
        return True
    return False


def test_damage_is_noticed_or_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    models = [load(EXAMPLES / name) for name in ("peterson.pml", "mutex_broken.pml")]
    cases = []
    for model in models:
        written(model, Request(), path)
        cases.append(Whole(model, tuple(sections_of(path))))
        assert is_true(model, sections_of(path))
    outcomes: Counter[bool] = Counter()
    kinds = set()
    for seed in range(400):
        chance = random.Random(seed)
        case = cases[seed % 2]
        change = damaged(chance, case, [models[1 - seed % 2]])
        path.write_bytes(change.content)
        passes = accepted(path, change.model)
        assert not passes or is_true(change.model, sections_of(path)), f"seed {seed}: {change.kind}"
        outcomes[passes] += 1
        kinds.add(change.kind)
    assert kinds == set(KINDS)
    assert outcomes[False] > 200


def test_a_certificate_that_lies_is_not_true(tmp_path: Path) -> None:
    """By the definition, which has the last word on what the checkers accept."""
    model, path = load(EXAMPLES / "peterson.pml"), tmp_path / "certificate"
    written(model, Request(), path)
    sections = sections_of(path)
    assert is_true(model, sections)
    (heading, rows), *others = sections
    assert not is_true(model, [({**heading, "verdict": "violated"}, []), *others])
    assert not is_true(model, [(heading, rows[:-1]), *others])
    ranked, listed = others[-1]
    assert not is_true(model, [(ranked, [(row, 0) for row, _ in listed])])
    assert not is_true(model, [])
