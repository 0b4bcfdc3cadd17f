"""What a section of a certificate says in words: which model and property, under which conditions, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from everafter.certificates.file import CertificateError, CertificateWriter
from everafter.certificates.rows import Listed
from everafter.execution.run import Choice, Run, RunEnd
from everafter.ltl.hoa_writer import to_hoa
from everafter.product.claim import AutomatonClaim
from everafter.questions.property import PropertyKind
from everafter.questions.question import Question
from everafter.record import asdict, dataclass, field, fields, replace
from everafter.verdict.result import Counterexample, Verdict


@dataclass(frozen=True, slots=True)
class Heading:
    """One verdict, and all that bears on it but the rows."""

    everafter: str
    """The version that has written it."""
    model: str
    digest: str
    """Of the words of the model, as the preprocessor leaves them."""
    conditions: Mapping[str, Any]
    """Under which the verdict is true, whatever the property: see `everafter.questions.request.conditions_of`."""
    property: str
    kind: PropertyKind
    words: str
    """The formula or its name, or the automaton in HOA format: as in the request."""
    automaton: str | None
    """The automaton of what must not be, if it was made of a formula."""
    verdict: Verdict
    sets: int = 0
    """How many acceptance sets the ranks tell apart; 0 for rows without ranks."""
    reduced: bool = False
    erased: bool = False
    merged: bool = False
    prefix: list[list[int]] = field(default_factory=list)
    """The choices of the run that shows a violation …"""
    cycle: list[list[int]] = field(default_factory=list)
    """… and of what it repeats for ever."""
    end: str = ""

    def as_json(self) -> dict[str, Any]:
        """The heading as JSON has it."""
        return asdict(self)

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Heading:
        """The heading that JSON describes. Raises CertificateError if it is none."""
        if content.keys() != {each.name for each in fields(cls)}:
            raise CertificateError("the heading of the certificate is not one of this version")
        for each in fields(cls):
            if not _is(str(each.type), content[each.name]):
                raise CertificateError(f"the heading of the certificate is damaged: {each.name}")
        if content["verdict"] not in ("holds", "violated"):
            raise CertificateError("the heading of the certificate does not say that the property holds or is violated")
        return cls(**content)


@dataclass(frozen=True, slots=True)
class Section:
    """Where the verdict on one property is certified. As it is begun, the heading says that it holds."""

    heading: Heading
    writer: CertificateWriter

    def take(self, listed: Listed) -> None:
        """Write the rows of a search that shows that the property holds."""
        sets, reduced, erased, merged = listed.sets, listed.reduced, listed.erased, listed.merged
        heading = replace(self.heading, sets=sets, reduced=reduced, erased=erased, merged=merged)
        self.writer.section(heading.as_json(), listed.blocks)

    def add_run(self, run: Counterexample) -> None:
        """Write the run that shows a violation."""
        prefix, cycle = ([_numbers(Choice.of(step)) for step in steps] for steps in (run.prefix, run.cycle))
        end = "problem" if run.problem is not None else "stop" if run.stutters else "cycle"
        heading = replace(self.heading, verdict="violated", prefix=prefix, cycle=cycle, end=end)
        self.writer.section(heading.as_json())


def automaton_of(question: Question) -> str | None:
    """The automaton that a formula was translated to, as text."""
    claim = question.property.claim
    if question.property.formula is None or not isinstance(claim, AutomatonClaim):
        return None
    return to_hoa(claim.automaton)


def _is(kind: str, value: Any) -> bool:
    """Whether a value of JSON is what a field of this type has."""
    match kind:
        case "bool" | "int" | "str":
            return type(value).__name__ == kind
        case "PropertyKind" | "Verdict":
            return isinstance(value, str)
        case "str | None":
            return value is None or isinstance(value, str)
        case "list[list[int]]":
            return isinstance(value, list) and all(isinstance(each, list) for each in value)
        case "Mapping[str, Any]":
            return isinstance(value, dict)
        case _:
            raise AssertionError(f"no field of a heading is a {kind}")


def run_of(heading: Heading) -> Run:
    """The run that shows the violation. Raises CertificateError if the numbers are none."""
    if heading.end not in get_args(RunEnd):
        raise CertificateError("the certificate is damaged: its run has no end")
    prefix, cycle = (tuple(map(_choice, steps)) for steps in (heading.prefix, heading.cycle))
    if bool(cycle) != (heading.end == "cycle"):
        raise CertificateError("the certificate is damaged: its run repeats nothing, or what it must not")
    return Run(prefix, cycle, cast(RunEnd, heading.end))


def _choice(numbers: Any) -> Choice:
    if not isinstance(numbers, list) or len(numbers) not in (2, 4) or not all(type(each) is int for each in numbers):
        raise CertificateError("the certificate is damaged: a step is 2 or 4 numbers")
    return Choice(*numbers)


def _numbers(taken: Choice) -> list[int]:
    if taken.partner is None or taken.partner_element is None:
        return [taken.process, taken.element]
    return [taken.process, taken.element, taken.partner, taken.partner_element]
