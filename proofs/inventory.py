"""The page of all that is proved, file by file, and of where the running text is not literally the proved one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from proofs.catalogue import files, listed
from proofs.links import links_in_source
from proofs.task import ROOT, ProofError, inside, one_line

PAGE = ROOT / "docs" / "inventory.md"
TABLES = "inventory.toml"
HEAD = """# What is proved, file by file

This page is written by `python -m proofs --page` from `proofs/inventory.toml` and from the `Proof:` lines of the
running text, and a test compares it. How a verdict rests on all this: [what a verdict rests on](trust.md). What is
taken for granted: [proofs.md](proofs.md). The statements themselves are in `proofs/statements/`.
"""
TITLES = {
    "search": "Searches by one worker (Viper)",
    "search/parallel": "Searches by teams (Viper)",
    "product": "The product and fair runs (Coq)",
    "store": "Stores (Viper)",
    "certificates": "Certificates (Nagini, Coq)",
    "semantics": "The meaning of programs (Coq)",
    "reduction": "Reduction (Coq)",
    "ltl": "Formulas and automata (Coq)",
    "verdict": "Verdicts (Coq)",
}
"""By the folder of a proof, the longest that fits: the title of its section."""
DIFFERENCE = ("Runs", "Proved", "Why that is the same", "Seen by")
ENDING = ("Hypothesis of `fair_team_ends` (Coq)", "Proved in Viper")
Entry = dict[str, Any]


def inventory_page() -> str:
    """Return the page as it must be. Raises ProofError if a proof is listed twice or not at all."""
    entries = listed(TABLES, "proved")
    check_listed([file for entry in entries for file in entry["files"]])
    parts = [HEAD]
    for folder, title in TITLES.items():
        inside = [entry for entry in entries if section_of(entry["files"][0]) == folder]
        parts.append(section(title, ("File", "Proved", "Of the running text"), map(row_of_proof, inside)))
    differences = [map(entry.get, ("runs", "proved", "why", "seen")) for entry in listed(TABLES, "difference")]
    parts.append(section("Where the running text is not literally the proved text", DIFFERENCE, differences))
    endings = [map(entry.get, ("asks", "shown")) for entry in listed(TABLES, "ending")]
    parts.append(section("Why teams come to their end", ENDING, endings))
    papers = map(row_of_paper, listed(TABLES, "paper"))
    parts.append(section("Theorems of the papers, and ours", ("Paper", "Its theorem", "Ours", "What differs"), papers))
    return "\n".join(parts)


def check_listed(named: list[str]) -> None:
    """Refuse an inventory in which some proof does not occur exactly once."""
    every = files()
    for file in sorted({*every, *named}):
        if every.count(file) != named.count(file):
            raise ProofError(f"{TABLES}: {file} is a proof and listed {named.count(file)} times, and must be once")


def section_of(file: str) -> str:
    """Return the folder under whose title `file` belongs."""
    return max((folder for folder in TITLES if file.startswith(f"{folder}/")), key=len)


def section(title: str, heads: tuple[str, ...], rows: Iterable[Iterable[str | None]]) -> str:
    """Return a section with one table."""
    lines = [f"## {title}", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [f"| {' | '.join(one_line(cell or '').replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join((*lines, ""))


def row_of_proof(entry: Entry) -> Iterator[str]:
    """Yield the cells of an entry: its files, what they say, and the functions whose docstrings name them."""
    yield ", ".join(f"`{file}`" for file in entry["files"])
    yield entry["says"]
    named = {function.removeprefix("everafter.") for function, file, _ in links_in_source() if file in entry["files"]}
    yield ", ".join(f"`{function}`" for function in sorted(named))


def row_of_paper(entry: Entry) -> Iterator[str]:
    """Yield the cells of a theorem of a paper: ours are names that the files declare. Raises ProofError at another."""
    for file, names in entry["ours"].items():
        for name in names:
            if re.search(rf"^(method|define|Theorem|Lemma) {name}\b", inside(file).read_text(), re.MULTILINE) is None:
                raise ProofError(f"{TABLES}: {file} has no {name}, which a theorem of a paper is to be")
    yield entry["paper"]
    yield entry["theorem"]
    yield "; ".join(f"{', '.join(f'`{name}`' for name in names)} in `{file}`" for file, names in entry["ours"].items())
    yield entry.get("differs", "")
