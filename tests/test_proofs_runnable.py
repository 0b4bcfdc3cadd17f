"""What is run beside the running text is made of the proofs as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from proofs import runnable
from proofs.runnable import ALL, Runnable, as_kept, bare, check_runnable, digest, read, texts_of
from proofs.task import ProofError
from tests.proofs_needs import NEEDS_PROVERS

TEXTS = {each: texts_of(each) for each in ALL}


@NEEDS_PROVERS
def test_what_is_kept_is_made_of_the_proofs() -> None:
    made = read([(each, bare(texts_of(each))) for each in ALL])
    for each, text in zip(ALL, made, strict=True):
        assert each.path.read_text() == as_kept(each, text), each.name


def test_nothing_else_is_kept() -> None:
    kept = {path.stem for path in runnable.KEPT.glob("*.py")} - {"__init__"}
    assert kept == {each.name for each in ALL}


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_a_changed_proof_is_noticed(each: Runnable, monkeypatch: pytest.MonkeyPatch) -> None:
    check_runnable()
    of = digest(each)
    for place, (file, text) in enumerate(TEXTS[each]):
        changed = (*TEXTS[each][:place], (file, f"{text}\nend"), *TEXTS[each][place + 1 :])
        monkeypatch.setattr(runnable, "texts_of", (TEXTS | {each: changed}).__getitem__)
        assert digest(each) != of
        with pytest.raises(ProofError, match=re.escape(f"oracles/proved/{each.name}.py was not made of")):
            check_runnable()


def test_remarks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    of = {each.name: digest(each) for each in ALL}
    remark = {".vpr": "// a remark\n", ".v": "(* a remark *)\n"}
    monkeypatch.setattr(
        runnable,
        "texts_of",
        lambda each: tuple((file, remark[re.sub(r".*(?=\.)", "", file)] + text) for file, text in TEXTS[each]),
    )
    assert {each.name: digest(each) for each in ALL} == of


def test_what_was_made_of_other_proofs_is_made_anew_if_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "oracles" / "proved").mkdir(parents=True)
    monkeypatch.setattr(runnable, "ROOT", tmp_path)
    monkeypatch.setattr(runnable, "KEPT", tmp_path / "oracles" / "proved")
    monkeypatch.setattr(runnable, "read", lambda asked: [f"made = {each.name!r}\n" for each, _ in asked])
    monkeypatch.delenv("EVERAFTER_UPDATE", raising=False)
    with pytest.raises(ProofError, match="was not made of"):
        check_runnable()
    monkeypatch.setenv("EVERAFTER_UPDATE", "1")
    check_runnable()
    monkeypatch.delenv("EVERAFTER_UPDATE")
    check_runnable()
    assert [each.path.read_text().splitlines()[-1] for each in ALL] == [f"made = {each.name!r}" for each in ALL]
