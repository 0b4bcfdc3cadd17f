"""Does the program of a Python model do what the model does as Python? States and verdicts are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from everafter.certificates.certification import certify
from everafter.model.temporal import Temporal
from everafter.model.vocabulary import PythonModel
from everafter.questions.request import Request
from everafter.reduction.endless_sequences import endless_sequences
from everafter.user_model import Model, model_of
from oracles.pymodel.exploration import ERRORS, Explored, explored
from oracles.pymodel.random_containers import random_containers, random_processes
from oracles.pymodel.random_models import model_of_text, random_text

Outcome = Literal["agrees", "differs", "too large"]
REFERENCE: Mapping[str, Any] = {"engine": "reference", "reduction": "none"}
MANNERS: tuple[Mapping[str, Any], ...] = (
    REFERENCE,
    {"engine": "native", "reduction": "none", "threads": 1},
    {"engine": "native", "threads": 1},
    {"engine": "native", "threads": 2},
)
"""How a model is searched: by the interpreter, on machine code, reduced, and by a team."""


@dataclass(frozen=True)
class Compared:
    """How a comparison ended, and in words where it differs."""

    outcome: Outcome
    explanation: str = ""


def properties_of(model: type[PythonModel]) -> dict[str, Temporal]:
    """The properties that a class states."""
    found: dict[str, Temporal] = {}
    for kind in reversed(model.__mro__):
        found |= {name: each for name, each in vars(kind).items() if isinstance(each, Temporal)}
    return found


AUTHORS: Mapping[str, Callable[[int], str]] = {
    "plain": random_text,
    "containers": random_containers,
    "processes": random_processes,
}
"""What random models are made of."""


def compared_seed(
    seed: int,
    manners: tuple[Mapping[str, Any], ...] = (REFERENCE,),
    most: int = 600,
    is_certified: bool = False,
    kind: str = "plain",
) -> Compared:
    """Compare the random model of a seed, searched in all `manners`; `is_certified`: and have certificates checked."""
    text = AUTHORS[kind](seed)
    return compared(model_of_text(text, f"random_{kind}_{seed}"), manners, most, is_certified)


def compared(
    kind: type[PythonModel],
    manners: tuple[Mapping[str, Any], ...] = (REFERENCE,),
    most: int = 600,
    is_certified: bool = False,
) -> Compared:
    """Compare a model, of which at most `most` states are looked at."""
    found = explored(kind, most)
    if not found.is_complete:
        return Compared("too large")
    expected = {"safety": "violated" if found.is_wrong else "holds"}
    if not found.is_wrong:  # what a formula says of a run that ends in an error is not compared
        for name, each in properties_of(kind).items():
            with suppress(*ERRORS):  # what a condition says of None, or at an index outside, is not compared
                expected[name] = found.verdict(each)
    model = model_of(kind)
    for manner in manners:
        difference = _difference(model, expected, found, manner)
        if difference:
            return Compared("differs", f"{dict(manner)}: {difference}")
    if is_certified and not are_certified(model, tuple(expected)):
        return Compared("differs", "a certificate is not accepted")
    return Compared("agrees")


def _request(expected: tuple[str, ...], **manner: Any) -> Request:
    return Request(safety=True, formulas=tuple(name for name in expected if name != "safety"), **manner)


def _difference(model: Model, expected: Mapping[str, str], found: Explored, manner: Mapping[str, Any]) -> str:
    results = model.check_all(_request(tuple(expected), **manner))
    verdicts = {result.property: result.verdict for result in results}
    if verdicts != expected:
        return f"{verdicts}, and as Python {expected}"
    states = results[0].states
    if manner.get("reduction") == "none" and not found.is_wrong and states != found.stored:
        return f"{states} states, and as Python {found.stored}"
    return ""


def are_certified(model: Model, expected: tuple[str, ...]) -> bool:
    """Whether a certificate of the verdicts on the `expected` properties of `model` is accepted."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "certificate"
        results = model.check_all(_request(expected), certificate=path)
        verdicts = {each.property: each.verdict for each in results}
        if endless_sequences(model.program):  # no row tells whether these end
            verdicts = {name: each for name, each in verdicts.items() if name == "safety" or each == "violated"}
        shown = certify(path, model, request=_request(tuple(verdicts)), by="reference").verdicts
        return {each.property: each.verdict for each in shown} == verdicts
