"""Mistakes planted in the store, the ranks and the machine code of reduction: the certificate that comes of them is
refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracles.certificates import confirmed, written
from oracles.engine.planted_stores import planted_store
from tests.engine.test_planted import AMPLE, MODELS

from everafter.certificates.certification import Checker
from everafter.certificates.file import CertificateError
from everafter.certificates.native import listing, row_writer
from everafter.certificates.native.job_words import COMPONENTS
from everafter.engine.code.intrinsics import load as load_word
from everafter.engine.code.intrinsics import word
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import NARROW
from everafter.engine.run import native_search
from everafter.questions.request import Request
from everafter.user_model import load, parse

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKERS: tuple[Checker, ...] = ("native", "reference")


# In the store


def hash_of_little(row: int, words: int) -> int:
    """Of all rows, only a few bits."""
    return (load_word(row + 8) & 0xFF) * 0x5851F42D4C957F2D


def always_same(one: int, other: int, words: int) -> bool:
    """Rows with the same tag are the same."""
    return one != other + words


def same_but_for_the_end(one: int, other: int, words: int) -> bool:
    """The last word is not looked at."""
    place = 8
    while place < (words - 1) << 3:
        if load_word(one + place) != load_word(other + place):
            return False
        place += 8
    return True


STORE: dict[str, dict[str, Callable[..., Any]]] = {
    "a hash decides": {"hash_row": hash_of_little, "same_row": always_same},
    "the last word does not count": {"hash_row": hash_of_little, "same_row": same_but_for_the_end},
}


@cache
def store_with(name: str) -> Loaded:
    return planted_store(STORE[name])


@pytest.mark.parametrize("by", CHECKERS)
@pytest.mark.parametrize("name", STORE)
def test_a_store_that_loses_states_is_noticed(
    name: str, by: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(EXAMPLES / "peterson.pml")
    with monkeypatch.context() as patch:
        patch.setattr(native_search, "store_code", lambda *_: store_with(name))
        assert written(model, Request(safety=True, algorithm="unordered"), tmp_path / "c") == ["holds"]
    with pytest.raises(CertificateError, match="refused"):
        confirmed(tmp_path / "c", model, by)


# In the ranks


def no_rank(job: int, node: int) -> int:
    """All components are one."""
    return (job - job) * node


def other_direction(job: int, node: int) -> int:
    """Components are numbered the other way round."""
    return 1_000_000 - row_writer.as_component(word(job, COMPONENTS))[node]  # type: ignore[no-any-return]


RANKS: dict[str, Callable[..., Any]] = {"no ranks": no_rank, "the other direction": other_direction}


@cache
def certificates_with(name: str) -> Loaded:
    from everafter.certificates.native import kernels as certificates

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_writer, "rank_of", renamed(RANKS[name]))
        return Loaded(certificates.build_certificates(NARROW))


def renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function under the name, and in the module, of the one that it replaces."""
    from types import FunctionType

    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__, row_writer.__dict__ | {"row_writer": row_writer}, "rank_of")


@pytest.mark.parametrize("by", CHECKERS)
@pytest.mark.parametrize("name", RANKS)
def test_ranks_that_are_wrong_are_noticed(
    name: str, by: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(EXAMPLES / "peterson.pml")
    with monkeypatch.context() as patch:
        patch.setattr(listing, "certificate_code", lambda *_: certificates_with(name))
        assert written(model, Request(formulas=["first_gets_in"]), tmp_path / "c") == ["holds"]
    with pytest.raises(CertificateError, match="refused"):
        confirmed(tmp_path / "c", model, by)


# In the code of reduction


@pytest.mark.parametrize(("name", "where", "what", "mistake"), AMPLE.values(), ids=AMPLE.keys())
def test_a_mistake_in_the_code_of_ample_sets_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, where: object, what: str, mistake: Callable[..., Any]
) -> None:
    """By the reference, which knows nothing of that code; and by the code itself, which is mended when it decides.

    Where nothing may be taken alone, all states are listed: more than reduced steps lead to.
    """
    model = parse(MODELS[name])
    request = Request(safety=True, ignore=("end-states",), reduction="ample")
    with monkeypatch.context() as patch:
        patch.setattr(where, what, mistake)
        patch.setattr("everafter.check.follow_up", lambda _question, _outcome, result, *_: (result, False))
        assert written(model, request, tmp_path / "c") == ["holds"]
    refused = []
    for by in CHECKERS:
        try:
            confirmed(tmp_path / "c", model, by, request)
        except CertificateError:
            refused.append(by)
    assert refused == list(CHECKERS)
