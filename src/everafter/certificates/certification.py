"""From a certificate to what it shows: file, heading, question, rows.

Nothing of the file is believed. The question is asked anew of the model, and its reduction is made anew. The automaton
of a formula is taken from the file, and needs a reason. The rows are decided one by one; or the run is taken again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Literal, assert_never, get_args

from everafter.certificates.automaton.justification import Justified, Refuted, Unjustified, justify
from everafter.certificates.checkers import check_native, check_reference
from everafter.certificates.file import CertificateError, CertificateReader, CertificateWriter
from everafter.certificates.heading import Heading, automaton_of, run_of
from everafter.certificates.inquiry import Inquiry, in_words
from everafter.certificates.native.listed_rows import Refused
from everafter.certificates.rows import Listed
from everafter.certificates.verified import check_verified
from everafter.check import check
from everafter.choices import Fairness
from everafter.deadline import Deadline
from everafter.execution.run import Run
from everafter.flags import one_of
from everafter.ltl.automaton import nothing
from everafter.ltl.diagrams import Diagrams
from everafter.ltl.formula import Not, atoms
from everafter.ltl.functions import TooLargeError
from everafter.ltl.hoa_reader import from_hoa
from everafter.questions.endless_runs import doubtful_sequences
from everafter.questions.limits import Limits, Observer, unobserved
from everafter.questions.outcome import Disagreement
from everafter.questions.property import SAFETY, PropertyKind
from everafter.questions.question import Question
from everafter.questions.question_code import sets_of
from everafter.questions.reduction_choice import UnsoundReductionError
from everafter.questions.request import Request
from everafter.questions.smaller_program import program_as_listed
from everafter.record import dataclass, replace
from everafter.source import InputError, OptionError, Source
from everafter.stated_questions import Asked
from everafter.system import memory_size, processors
from everafter.user_model import Model
from everafter.verdict.judge import shown
from everafter.verdict.result import Result, Verdict

Checker = Literal["native", "reference", "verified"]
_WORDS: Final[Mapping[Checker, str]] = {
    "native": "on machine code",
    "reference": "by the reference",
    "verified": "by the program extracted from its proof",
}
SAMPLE = 1000
"""So many rows the reference decides once more where everything is decided twice."""
_SHARE_OF_MEMORY = 0.8
_NO_AUTOMATON: Final = nothing((), Diagrams())
_UNCONFIRMED = "another verdict of this check was not confirmed, so that this one was not looked at"
Told = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The claim is a never claim or an automaton: what must not be, as the user has said it."""


Standing = Justified | Unjustified | OwnWords
"""Why a claim says what must not be: shown, trusted, or said by the user."""


@dataclass(frozen=True, slots=True)
class Certified:
    """A verdict that a certificate shows."""

    property: str
    kind: PropertyKind
    says: str
    """What the property says: a formula in full."""
    verdict: Verdict
    rows: int
    """How many rows were decided; for a violation, how many steps were taken again."""
    by: Checker
    reduced: bool = False
    """Whether steps were left out, and found to be needless."""
    erased: bool = False
    """Whether cells are zero in rows, and found not to be read."""
    merged: bool = False
    """Whether steps were taken at once with those before them, and found to depend on no other process."""
    sampled: int = 0
    """How many rows the reference has decided once more."""
    claim: Standing | None = None
    """Of infinite runs that hold: why the claim is the right one."""


@dataclass(frozen=True, slots=True)
class Certification:
    """What a certificate shows of a question: true exactly if everything that it decides holds."""

    model: str
    conditions: Mapping[str, Any]
    """Under which the verdicts are true: definitions, lost messages, fairness, and what was ignored or expected."""
    verdicts: tuple[Certified, ...]
    undecided: tuple[str, ...]
    """The properties that the model states, and the certificate does not decide."""

    def __bool__(self) -> bool:
        return all(each.verdict == "holds" for each in self.verdicts)


@contextmanager
def opened(path: str | Path) -> Iterator[CertificateReader]:
    """The certificate in the file at `path`. Raises CertificateError if it is none, or not whole."""
    with ExitStack() as stack:
        try:
            reader = CertificateReader(stack.enter_context(Path(path).open("rb")))
        except (OSError, ValueError) as error:  # a pipe, which cannot be read twice; names that no file can have
            raise CertificateError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
        yield reader


def headings_of(reader: CertificateReader) -> list[Heading]:
    """What the sections of a certificate say in words. Raises CertificateError if it has none, or they are damaged."""
    said = [Heading.of_json(section.heading) for section in reader.sections]
    if not said:
        raise CertificateError("the certificate holds no verdict")
    return said


def certify(
    path: str | Path,
    model: Model,
    formula: str | None = None,
    *,
    fairness: Fairness | None = None,
    request: Request | None = None,
    by: Checker = "native",
    threads: int | None = None,
    strict: bool = False,
    observer: Observer = unobserved,
) -> Certification:
    """Confirm every verdict in the certificate at `path`: it must answer what is asked of `model` here.

    That is a `formula` under a `fairness`, or a whole `request`; what the model states need not be asked for. The rows
    are decided `by` machine code, the reference or the extracted program, by `threads` threads. Raises CertificateError
    if a verdict is not confirmed, its subclass AnotherQuestionError if the certificate answers another question. A
    `strict` check refuses a formula if nothing shows that its automaton is right.
    """
    one_of("checker", by, get_args(Checker))
    if request is not None and not (formula is None and fairness is None):
        raise OptionError("a request says all that is asked", "leave out formula and fairness, or request")
    wanted = request or Request(formulas=() if formula is None else (formula,), fairness=fairness)
    asked = replace(wanted, threads=threads)  # looks at the number
    inquiry = Inquiry.of(model, asked)
    with opened(path) as reader:
        said = headings_of(reader)
        inquiry.compare(said)
        verdicts = tuple(certified(reader, inquiry, by, asked.threads, observer, strict=strict))
    return Certification(model.name, inquiry.conditions, verdicts, tuple(each.name for each in inquiry.undecided(said)))


def certified(
    reader: CertificateReader,
    inquiry: Inquiry,
    by: Checker = "native",
    threads: int | None = None,
    observer: Observer = unobserved,
    told: Told = lambda _: False,
    sample: int = 0,
    strict: bool = False,
) -> Iterator[Certified]:
    """The verdicts in the certificate that `reader` reads, each when it is confirmed to answer `inquiry`.

    Raises CertificateError at the first that is not, or that answers another question, and TooLargeError at one that
    does not fit into memory. The certificate need not have the verdict on each of the properties. On machine code,
    `sample` rows are decided once more by the reference. A `strict` check refuses formulas for whose automaton no
    reason is found.
    """
    for section in reader.sections:
        heading = Heading.of_json(section.heading)
        item, standing = inquiry.found(heading), None
        like = Question(item.program, SAFETY, inquiry.fairness, observer=observer)
        try:
            if heading.verdict == "violated":
                run = run_of(heading)
                rows, sampled = len(shown(_about_run(item, like, run), run)), 0
            else:
                question, standing = _with_claim(item, like, heading, strict)
                if doubtful := doubtful_sequences(question):
                    raise Refused(f"no row shows that the atomic sequence at line {doubtful[0].line} ends")
                blocks = reader.blocks(section)
                listed = Listed(heading.sets, heading.reduced, heading.erased, heading.merged, blocks)
                about = program_as_listed(question, listed.erased, listed.merged)
                rows, sampled = _decided(about, listed, by, threads or processors(), told, sample)
        except (Refused, UnsoundReductionError, Disagreement, InputError, OptionError, TooLargeError) as error:
            raise CertificateError(f"the certificate of '{item.name}' is refused: {error}") from error
        except MemoryError as error:
            why = str(error) or "memory was exhausted"
            raise TooLargeError(f"the certificate of '{item.name}' is not decided: {why}") from error
        yield Certified(
            property=item.name,
            kind=item.kind,
            says=in_words(item),
            verdict=heading.verdict,
            rows=rows,
            by=by,
            reduced=heading.reduced,
            erased=heading.erased,
            merged=heading.merged,
            sampled=sampled,
            claim=standing,
        )


def check_twice(
    model: Model,
    request: Request,
    limits: Limits,
    observer: Observer,
    deadline: Deadline,
    path: Path,
    writer: CertificateWriter,
) -> list[Result]:
    """The verdicts of a check, each confirmed by its certificate; `writer` writes it to the file at the path.

    All rows are decided anew on machine code, a sample of them also by the reference. A verdict that is not confirmed
    is a disagreement, and none.
    """
    results = check(model, request, limits, observer, deadline, certificate=writer)
    if not writer.finish():
        return results
    confirmed = _confirmations(path, Inquiry.of(model, request), observer)
    return [_confirmed(result, writer, confirmed) for result in results]


def _confirmations(path: Path, inquiry: Inquiry, observer: Observer) -> Iterator[Certified]:
    """The verdicts in the certificate at `path`, each when it is confirmed by both checkers."""
    with opened(path) as reader:
        yield from certified(reader, inquiry, observer=observer, sample=SAMPLE)


def _confirmed(result: Result, writer: CertificateWriter, confirmed: Iterator[Certified]) -> Result:
    """A result with what has confirmed it. Properties come in the same order in both."""
    if result.incomplete or result.property not in writer.properties:
        return result
    try:
        found = next(confirmed)
    except CertificateError as error:
        return replace(result, verdict="incomplete", reason=str(error), disagreement=str(error))
    except TooLargeError as error:
        return replace(result, verdict="incomplete", reason=str(error))
    except StopIteration:
        return replace(result, verdict="incomplete", reason=_UNCONFIRMED)
    claim = "" if found.claim is None else f"; its claim {told_of_claim(found.claim)}"
    return replace(result, certified=told_of(found) + claim)


def told_of(found: Certified) -> str:
    """What has confirmed a verdict, in words."""
    if found.verdict == "violated":
        return f"its run of {found.rows:,} steps was taken again"
    also = f", {found.sampled:,} of them also by the reference" if found.sampled else ""
    return f"{found.rows:,} rows, each decided {_WORDS[found.by]}{also}"


def told_of_claim(claim: Standing) -> str:
    """Why a claim is the right one, in words."""
    match claim:
        case Justified(guesses, pairs):
            return f"accepts every violation, by {pairs:,} pairs with {guesses:,} states of the textbook automaton"
        case Unjustified(why):
            return f"is trusted: {why}"
        case OwnWords():
            return "is the user's own words"
        case _:
            assert_never(claim)


def _about_run(item: Asked, like: Question, run: Run) -> Question:
    """The question about `item`, asked like `like`, by which `run` is judged.

    Of a formula that is the formula itself. Only where the run ends before it is a word is its automaton needed, too.
    """
    is_judged_by_formula = item.make_with is not None and run.end != "problem"
    return item.question(like, _NO_AUTOMATON if is_judged_by_formula else None)


def _with_claim(item: Asked, like: Question, heading: Heading, strict: bool) -> tuple[Question, Standing | None]:
    """The question about `item`, asked like `like`, with the automaton of `heading` that the rows are about.

    Why it accepts all that violates the formula comes with it. An automaton without a reason is trusted only if the
    formula is translated to the very same again; otherwise nothing is translated.
    """
    if item.make_with is None:
        if heading.automaton is not None:
            raise Refused("it has an automaton of a formula, and the property is none")
        question = item.question(like)
        return question, None if question.property.claim is None else OwnWords()
    asked = item.question(like, _NO_AUTOMATON).property
    assert asked.formula is not None
    formula = Not(asked.formula)
    source = Source(f"automaton of {heading.property}", heading.automaton or "")
    automaton = from_hoa(source, only=atoms(formula), most_sets=1)
    found = justify(formula, automaton)
    if isinstance(found, Refuted):
        raise Refused(f"its automaton does not accept {found.word}, which violates the formula")
    if isinstance(found, Unjustified) and strict:
        raise Refused(f"nothing shows that its automaton accepts every violation: {found.why}")
    if isinstance(found, Unjustified) and heading.automaton != automaton_of(item.question(like)):
        raise Refused(f"everafter {heading.everafter} has made another automaton of the formula, and {found.why}")
    return item.question(like, automaton), found


def _decided(question: Question, listed: Listed, by: Checker, threads: int, told: Told, sample: int) -> tuple[int, int]:
    """How many rows there are, all of them accepted, and how many were decided twice. Raises Refused."""
    wanted = sets_of(question) if question.goal == "cycle" else 0
    if listed.sets != wanted:
        raise Refused(f"its ranks tell {listed.sets} acceptance sets apart, and there are {wanted}")
    if by == "reference":
        return check_reference(question, listed, threads, told), 0
    if by == "verified":
        return check_verified(question, listed), 0
    return check_native(question, listed, int(memory_size() * _SHARE_OF_MEMORY), threads, told, sample)
