"""One run of a prover: the text it is handed, and what it must say of it."""

from __future__ import annotations

import hashlib
import json
import pickle
import tomllib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent


class ProofError(Exception):
    """The proofs are not as they must be, whatever a prover says of them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a prover finds fault: in which method, on a line with which content; `*` stands for any."""

    method: str
    line: str

    def covers(self, others: Collection[Place]) -> bool:
        """Whether all the others are this one, and there is one at all."""
        same = (self.method == other.method and self.line in {"*", other.line} for other in others)
        return bool(others) and all(same)

    def __str__(self) -> str:
        return f"{self.method}: {self.line}"


@dataclass(frozen=True, slots=True)
class Assumption:
    """What is taken for granted: an axiom, or a declaration without a body. `says` is its text on one line."""

    file: str
    line: int
    name: str
    says: str


@dataclass(frozen=True, slots=True)
class Task:
    """One run of a prover. Without `fails`, it must find no fault; with it, a fault there and nowhere else."""

    file: str
    """The proof, from the folder of the proofs."""
    variant: str
    """`proof` for the text as it is, `tree` for how it is read, `ending` for whether its functions end, `smoke` with
    falsehoods, `control …` with a mistake."""
    text: str
    imports: tuple[tuple[str, str], ...] = ()
    """The files it needs, with their texts, each after those it needs itself."""
    proves: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    pinned: str = ""
    """What it must say, where the prover is asked for that."""
    fails: Place | None = None
    only: tuple[str, ...] = ()
    """The methods to check, if not all."""

    @property
    def name(self) -> str:
        """What the record and the report call it."""
        return self.file if self.variant == "proof" else f"{self.file} ({self.variant})"

    def fingerprint(self, prover: Sequence[str]) -> str:
        """The same for the same question to the same prover, asked in the same way."""
        expectation = [repr(self.fails), self.pinned, self.only, self.proves]
        granted = [(each.name, each.says) for each in self.assumptions]
        question = [prover, self.file, self.variant, self.text, self.imports, expectation, granted]
        return hashlib.sha256(json.dumps(question).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task."""

    task: Task
    problem: str | None
    """Why it is not as it must be; None if it is."""
    seconds: float
    processor: float
    """Seconds of processor time, of the prover and of the programs it starts."""
    notes: tuple[str, ...] = field(default=())
    """What the prover says a theorem rests on."""


def one_line(text: str) -> str:
    """The text with every stretch of white space made one blank."""
    return " ".join(text.split())


def inside(name: str) -> Path:
    """The path of a file of the proofs."""
    return FOLDER / name


def tables_of(text: str) -> dict[str, Any]:
    """What a file of tables says that has this text."""
    found: dict[str, Any] = pickle.loads(_packed(text))
    return found


@cache
def _packed(text: str) -> bytes:
    return pickle.dumps(tomllib.loads(text))


def write(files: Iterable[tuple[str, str]], folder: Path) -> None:
    """Write files with these texts into the folder."""
    for file, text in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
