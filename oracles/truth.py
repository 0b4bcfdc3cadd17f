"""What SPIN says about its own example models, and what we answer to the same questions.

spin-truth.csv holds SPIN's verdicts on the models of Debian's package with reduction off and, for safety, the exact
number of stored states with all optimisations off; for a violated model that of a search that goes on past errors.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from everafter.check import check
from everafter.choices import StoreKind
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.search.catalogue import names
from everafter.user_model import load
from everafter.verdict.result import Result
from oracles.asking import Engine, check_safety
from oracles.corpus import PACKAGE
from oracles.counting import count_states

TRUTH = Path(__file__).parent / "spin-truth.csv"
_VERDICT_ONLY_SECONDS = 900
_MEMORY = 6 * 2**30


@dataclass(frozen=True, slots=True)
class Row:
    """A question about a model, and SPIN's answer. A count is None where SPIN's is not known."""

    path: str
    check: str
    """safety, ltl, never, accept (a cycle through an accepting label) or np (a cycle without progress)."""
    claim: str
    """The name of the formula, for `ltl`."""
    fair: str
    """`weak`, or empty."""
    verdict: str
    states: int | None
    """All of them, also when something is violated."""
    reduced_states: int | None
    """With SPIN's default reduction, its other optimisations off."""

    @property
    def model(self) -> Path:
        """The file of the model."""
        return PACKAGE / self.path

    @property
    def question(self) -> str:
        """What is asked of the model, in few words."""
        return " ".join(filter(None, (self.check, self.claim, self.fair)))

    @property
    def request(self) -> Request:
        """The same question, to us."""
        asked = {
            "safety": Request(safety=True),
            "ltl": Request(formulas=(self.claim,)),
            "never": Request(never=True),
            "accept": Request(acceptance=True),
            "np": Request(progress=True),
        }[self.check]
        return replace(asked, fairness="weak" if self.fair else None)


def rows() -> Iterator[Row]:
    """The whole table."""
    with TRUTH.open(encoding="utf-8", newline="") as file:
        yield from map(_row, csv.DictReader(file))


def safety_rows() -> list[Row]:
    """The rows about finite runs."""
    return [row for row in rows() if row.check == "safety"]


def claim_rows() -> list[Row]:
    """The rows about infinite runs: formulas, never claims, acceptance and progress."""
    return [row for row in rows() if row.check != "safety"]


def _row(line: dict[str, str]) -> Row:
    return Row(
        line["path"],
        line["check"],
        line["claim"],
        line["fair"],
        line["verdict"],
        _count(line["raw_states"] or line["raw_states_past_errors"]),
        _count(line["por_raw_states_spin"]),
    )


def _count(text: str) -> int | None:
    return int(text) if text else None


def count(row: Row, engine: Engine = "reference", store: StoreKind | None = None) -> tuple[str, int]:
    """Our verdict and number of all states for a row about safety; no number where SPIN's is not known."""
    program = load(row.model).program
    if row.states is None:
        return _verdict_only(program, engine, store), 0
    if row.verdict == "holds":
        result = check_safety(program, Limits(memory=_MEMORY), engine=engine, store=store)
        return result.verdict, result.states
    states, violations = count_states(program, engine=engine, store=store or "plain")
    return "violated" if violations else "holds", states


def _verdict_only(program: Program, engine: Engine, store: StoreKind | None) -> str:
    """The verdict of the first algorithm that comes to one: some violations are near, others deep."""
    limits = Limits(seconds=_VERDICT_ONLY_SECONDS, memory=_MEMORY)
    found = (check_safety(program, limits, name, engine, store=store) for name in names("reachability", "one"))
    return next((result.verdict for result in found if result.verdict != "incomplete"), "incomplete")


def answer(row: Row, limits: Limits, engine: Engine = "reference", store: StoreKind | None = None) -> Result:
    """Our answer to the question of a row."""
    return check(load(row.model), replace(row.request, engine=engine, store=store), limits)[0]
