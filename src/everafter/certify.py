"""From a certificate to what it shows: file, heading, question, rows.

Nothing of the file is believed. The question is asked anew of the model; its automaton and its reduction are made anew;
the rows are decided one by one, or the run is taken again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from everafter.certificates.file import CertificateError, CertificateReader
from everafter.certificates.rows import Listed
from everafter.check import Asked, Model, questions
from everafter.checking.certifying import check_native, check_reference
from everafter.checking.limits import Observer, unobserved
from everafter.checking.native import sets_of
from everafter.checking.outcome import Disagreement
from everafter.checking.property import SAFETY
from everafter.checking.question import Question
from everafter.checking.request import Request
from everafter.engine.run.certifying import Refused
from everafter.source import InputError, OptionError, Source
from everafter.system import memory_size, processors
from everafter.verdict.heading import Heading, automaton_of, run_of
from everafter.verdict.judge import shown
from everafter.verdict.result import Verdict

Checker = Literal["native", "reference"]
_SHARE_OF_MEMORY = 0.8
Told = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class Certified:
    """A verdict that a certificate shows."""

    property: str
    verdict: Verdict
    rows: int
    """How many rows were decided; for a violation, how many steps were taken again."""
    by: Checker


def headings(path: str | Path) -> list[Heading]:
    """What a certificate says in words. Raises CertificateError if it is none."""
    with _opened(path) as file:
        return [Heading.of_json(content) for content in CertificateReader(file).sections()]


def certify(
    path: str | Path,
    model: Model,
    by: Checker = "native",
    threads: int | None = None,
    observer: Observer = unobserved,
    told: Told = lambda _: False,
) -> Iterator[Certified]:
    """The verdicts in a certificate, each when it is confirmed. Raises CertificateError at the first that is not."""
    with _opened(path) as file:
        reader = CertificateReader(file)
        for content in reader.sections():
            heading = Heading.of_json(content)
            try:
                question = _question(heading, model, observer)
                if heading.verdict == "violated":
                    rows = len(shown(question, run_of(heading)))
                else:
                    listed = Listed(heading.sets, heading.reduced, reader.blocks())
                    rows = _decided(question, listed, by, threads or processors(), told)
            except (Refused, Disagreement, InputError, OptionError) as error:
                raise CertificateError(f"the certificate of '{heading.property}' is refused: {error}") from error
            yield Certified(heading.property, heading.verdict, rows, by)


@contextmanager
def _opened(path: str | Path) -> Iterator[BinaryIO]:
    """The file of a certificate that is whole."""
    try:
        file = Path(path).open("rb")  # noqa: SIM115 # it is closed below; only opening it may fail so
    except OSError as error:
        raise CertificateError(f"cannot read {path}: {error.strerror or error}") from error
    with file:
        CertificateReader.check(file)
        yield file


def _question(heading: Heading, model: Model, observer: Observer) -> Question:
    """The question that the certificate answers, asked anew of the model."""
    if heading.digest != model.tree.digest:
        raise Refused("it is one of another model, or of this one with other definitions")
    if heading.loses_messages != model.program.loses_messages:
        raise Refused(f"it is one of a model that {'loses' if heading.loses_messages else 'does not lose'} messages")
    request = _request(heading)
    judged = replace(model, program=replace(model.program, expected=request.expected))
    like = Question(model.program, SAFETY, heading.fairness, observer=observer)
    item = _asked(heading, list(questions(judged, request)))
    question = item.question(like)
    if automaton_of(question) != heading.automaton:
        raise Refused(f"everafter {heading.everafter} has made another automaton of the formula")
    return question


def _asked(heading: Heading, asked: list[Asked]) -> Asked:
    found = [item for item in asked if (item.name, item.kind) == (heading.property, heading.kind)]
    if not found:
        raise Refused(f"the model has no such property of the kind {heading.kind}")
    return found[0]


def _request(heading: Heading) -> Request:
    """The request that asks for this property alone."""
    kind, is_automaton = heading.kind, heading.kind == "never" and bool(heading.words)
    return Request(
        safety=kind == "safety",
        formulas=(heading.words,) if kind == "ltl" else (),
        never=kind == "never" and not is_automaton,
        automaton=Source(f"{heading.property}.hoa", heading.words) if is_automaton else None,
        acceptance=kind == "acceptance",
        progress=kind == "progress",
        fairness=heading.fairness,
        ignore=heading.ignore,  # type: ignore[arg-type] # Request looks at what they are
        empty_channels=heading.empty_channels,
    )


def _decided(question: Question, listed: Listed, by: Checker, threads: int, told: Told) -> int:
    """How many rows there are, all of them accepted. Raises Refused."""
    wanted = sets_of(question) if question.goal == "cycle" else 0
    if listed.sets != wanted:
        raise Refused(f"its ranks tell {listed.sets} acceptance sets apart, and there are {wanted}")
    if by == "reference":
        return check_reference(question, listed, threads, told)
    return check_native(question, listed, int(memory_size() * _SHARE_OF_MEMORY), threads, told)
