"""The page of everything that is not proved: axioms, exemptions, arguments made by people, and the provers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from proofs.catalogue import files, listed
from proofs.provers import VERSIONS
from proofs.task import ROOT, one_line

PAGE = ROOT / "docs" / "proofs.md"
HEAD = """# Everything that is taken for granted

This page is written by `python -m proofs --page` from `proofs/trusted.toml`, and a test compares it. A proof that
assumes anything that is not here fails, and so does an entry here that no proof needs. What follows from all this,
and what it has to do with the running program: [what a verdict rests on](trust.md).
"""
Entry = dict[str, Any]


def page() -> str:
    """The page, as it must be."""
    trusted = listed("trusted.toml", "trusted")
    endless = [entry for entry in trusted if "not shown to end" in entry["says"]]
    axioms = [entry for entry in trusted if entry not in endless]
    parts = (
        HEAD,
        _section("Axioms of the proofs in Viper and in Python", _axioms(axioms)),
        _section("Axioms of the theorems in Coq, from its library", _of_coq(listed("trusted.toml", "coq"))),
        _section("What is not shown to end", _endless(endless)),
        _section("Arguments made by people", _arguments(listed("trusted.toml", "argument"))),
        _section("The provers", _provers()),
        _section("What is pinned", _pinned()),
    )
    return "\n".join(parts)


def _section(title: str, lines: Iterable[str]) -> str:
    return "\n".join((f"## {title}", "", *lines, ""))


def _axioms(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        yield f"- `{entry['file']}`, {entry['name']}: `{one_line(entry['says'])}`. {entry['why']}"


def _of_coq(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        yield f"- `{entry['name']}`: `{one_line(entry['says'])}`. {entry['why']}"


def _endless(entries: Sequence[Entry]) -> Iterator[str]:
    measured = "Every loop, and whatever comes back to itself, has a measure that falls; Silicon checks it."
    if not entries:
        yield f"Nothing. {measured}"
        return
    yield f"{measured} Not so, and why:"
    yield ""
    for entry in entries:
        yield f"- `{entry['file']}`, {entry['name']} {one_line(entry['says'])}. {entry['why']}"


def _arguments(entries: Iterable[Entry]) -> Iterator[str]:
    yield "No machine checks these. Who doubts a verdict begins here."
    yield ""
    for entry in entries:
        yield f"- **{entry['name']}.** {one_line(entry['says'])}"


def _provers() -> Iterator[str]:
    yield "They are part of every fingerprint in `proofs/checked.json`: with another version, all is proved anew."
    yield ""
    for program, version in VERSIONS.items():
        yield f"- {program}: {version}"


def _pinned() -> Iterator[str]:
    yield (
        "For every proof `proofs/statements/` holds the contracts and theorems that matter, with the definitions that "
        "they are made of. Read these to know what is proved; a change of any of them shows in review."
    )
    yield ""
    yield from (f"- `proofs/statements/{file}.txt`" for file in files())
