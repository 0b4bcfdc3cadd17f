"""Whether a GPU says of a model what the native engine says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from everafter.check import check
from everafter.choices import ReductionWish
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.source import InputError
from everafter.user_model import Model, load, parse
from everafter.verdict.result import Result
from oracles.claims import formula, global_names
from oracles.corpus import EXAMPLES
from oracles.looks import without_look
from oracles.promela.random_programs import program
from oracles.truth import rows

Outcome = Literal["agrees", "differs", "too large", "passed over"]
REDUCTIONS: tuple[ReductionWish, ...] = ("none", "static")


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that is asked of a model: of a file, or of a text."""

    name: str
    source: Path | str
    request: Request

    def model(self) -> Model:
        """The model, read."""
        return load(self.source) if isinstance(self.source, Path) else parse(self.source)


def of_examples() -> Iterator[Asked]:
    """All that our examples state, with all steps and with some left out."""
    for path in EXAMPLES:
        for reduction in REDUCTIONS:
            yield Asked(f"{path.stem}, {reduction}", path, Request(reduction=reduction))


def of_installed(limit: int) -> Iterator[Asked]:
    """The questions about the models of Debian's package that a GPU can be asked, to so many states."""
    for row in rows():
        unknown = row.states is None and row.check == "safety" and row.verdict == "holds"
        if not row.fair and not unknown and (row.states or 0) <= limit:
            yield Asked(f"{row.path} {row.question}", row.model, replace(row.request, reduction="none"))


def of_seed(seed: int) -> Iterator[Asked]:
    """Of a random program: safety, and a random formula about its variables; with all steps and with some left out."""
    text, rng = program(seed), random.Random(seed)
    variables = global_names(text)
    requests = [Request(safety=True)]
    if variables:
        requests.append(Request(formulas=(formula(rng, variables, rng.randrange(2, 6)),)))
    for request in requests:
        for reduction in REDUCTIONS:
            yield Asked(f"seed {seed} {request.formulas} {reduction}", text, replace(request, reduction=reduction))


def compare(asked: Asked, memory: int, states: int | None = None) -> tuple[Outcome, str]:
    """Whether both engines say the same, and what they say. So many states are too many."""
    try:
        model = asked.model()
        expected = check(model, replace(asked.request, engine="native"), Limits(states=states))
    except InputError as error:
        return "passed over", str(error).splitlines()[0]
    if any(result.verdict == "incomplete" for result in expected):
        return "passed over", "too large for the native engine"
    with without_look():
        found = check(model, replace(asked.request, engine="gpu"), Limits(memory=memory))
    told = "; ".join(f"{_figures(native)} / {_figures(gpu)}" for native, gpu in zip(expected, found, strict=True))
    if any(result.verdict == "incomplete" for result in found):
        return "too large", "; ".join(str(result.reason) for result in found if result.verdict == "incomplete")
    return ("agrees" if all(map(same, expected, found)) else "differs"), told


def same(native: Result, gpu: Result) -> bool:
    """Whether two results agree: in the verdict, in the states where it holds, in the length of the shortest run.

    Transitions are those that a search has taken: nested ones take some twice, and atomic sequences are taken whole or
    in parts. With reduction a run may still be shortened by steps that it leaves out, which one of the two does.
    """
    if native.verdict != gpu.verdict:
        return False
    if native.verdict == "holds":
        return native.states == gpu.states
    if native.counterexample is None or gpu.counterexample is None:
        return False
    if native.is_shortest and gpu.is_shortest and native.reduction == gpu.reduction == "none":
        return len(native.counterexample) == len(gpu.counterexample)
    return True


def _figures(result: Result) -> str:
    length = len(result.counterexample) if result.counterexample is not None else None
    return f"{result.verdict} {result.states} {result.transitions} {length} {result.is_shortest}"
