"""Models of the kinds that users write, in several variants each, and whether SPIN and we say the same of them.

The models are in oracles/models. Comments at the top of a model name its variants, by macros: `/* with N=3 LOSSY */`.
Where we differ from SPIN on purpose, as docs/differences-from-spin.md says, a comment behind the variant names the
question and the reason: `/* unlike SPIN about safety: … */`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from everafter.check import answer
from everafter.choices import ReductionWish
from everafter.deadline import Deadline
from everafter.questions.limits import Limits
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.search import Stopped
from everafter.source import InputError
from everafter.stated_questions import questions
from everafter.user_model import Model, load
from oracles.agreement import may_be_mistaken
from oracles.counting import count_states
from oracles.spin import ClaimKind, ModelRejectedError, SpinResult, safety, verdicts

MODELS = Path(__file__).with_name("models")
SMALL = 500
"""Up to so many states the reference is asked, too."""
FAIR = " weak"
"""How a question ends that is asked under weak fairness."""
_STATES, _MEMORY = 5_000_000, 4 << 30
"""Where we give up, whatever time there is."""
_NOTE = re.compile(r"/\* (?:with (?P<macros>[^*]*)|unlike SPIN about (?P<question>[^*:]*): (?P<reason>[^*]*)) \*/")

Outcome = Literal["agrees", "differs", "explained", "not finished"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A model with values for its macros. `unlike` has the questions on which we differ from SPIN, with the reasons."""

    path: Path
    defines: tuple[str, ...] = ()
    unlike: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model and its macros."""
        return " ".join((self.path.stem, *self.defines))

    def load(self) -> Model:
        """The model as we read it."""
        pairs = (define.partition("=") for define in self.defines)
        return load(self.path, {name: value if equals else "1" for name, equals, value in pairs})


def variants(folder: Path = MODELS) -> list[Variant]:
    """All variants of all models of a folder."""
    return [variant for path in sorted(folder.glob("*.pml")) for variant in variants_of(path)]


def variants_of(path: Path) -> list[Variant]:
    """The variants that a model names; the model as it is, if it names none."""
    found: list[Variant] = []
    for note in _NOTE.finditer(path.read_text(encoding="utf-8")):
        if note["macros"] is not None:
            found.append(Variant(path, tuple(note["macros"].split())))
        else:
            last = found.pop()
            found.append(Variant(path, last.defines, {**last.unlike, note["question"]: note["reason"]}))
    return found or [Variant(path)]


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict, `incomplete` where there is none, and for safety the number of all states, if that is known."""

    verdict: str
    states: int | None = None
    stops: bool = False
    """Whether the run that shows a violation of a claim ends somewhere, and stays there for ever."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What SPIN and we say to one question about a variant."""

    question: str
    spin: Answer
    ours: Answer
    outcome: Outcome
    reason: str = ""


def compare(variant: Variant, seconds: float = 60) -> Iterator[Finding]:
    """What both say to everything that can be asked of a variant, each with so many seconds for a question."""
    model = _read(variant)
    try:
        yield from _compared(variant, model, seconds)
    except ModelRejectedError as error:
        ours = Answer("read" if isinstance(model, Model) else f"refused: {model}")
        yield _finding(variant, "reading", Answer(f"refused: {str(error).splitlines()[-1]}"), ours)


def _read(variant: Variant) -> Model | str:
    """The model, or why we do not read it."""
    try:
        return variant.load()
    except InputError as error:
        return str(error).splitlines()[0]


def _compared(variant: Variant, model: Model | str, seconds: float) -> Iterator[Finding]:
    repaired = may_be_mistaken(variant.path.read_text(encoding="utf-8"))
    counted = safety(variant.path, variant.defines, past_errors=True, seconds=seconds, repaired=repaired)
    if isinstance(model, str):
        yield _finding(variant, "reading", Answer("read"), Answer(f"refused: {model}"))
        return
    limits = Limits(seconds=seconds, memory=_MEMORY, states=_STATES)
    for ours in our_counts(model, counted.states, limits):
        yield _finding(variant, "safety", their_count(counted), ours)
    for kind, names in asked(model):
        for name, fair, result in verdicts(variant.path, names, kind, variant.defines, seconds):
            question = " ".join(filter(None, (kind, name))) + (FAIR if fair else "")
            for ours in our_verdicts(model, kind, name, fair, limits):
                yield _finding(variant, question, their_verdict(result), ours)


def asked(model: Model) -> Iterator[tuple[ClaimKind, tuple[str | None, ...]]]:
    """What can be asked of a model besides safety, by kind."""
    if model.formulas:
        yield "ltl", tuple(model.formulas)
    if any(process.role == "never" for process in model.program.processes):
        yield "never", (None,)
    processes = [process for process in model.program.processes if process.role not in ("never", "trace", "notrace")]
    nodes = [node for process in processes for node in process.graph.nodes.values()]
    if any(node.is_accepting for node in nodes):
        yield "acceptance", (None,)
    if any(node.is_progress for node in nodes):
        yield "progress", (None,)


# What we say


def our_counts(model: Model, about: int, limits: Limits) -> Iterator[Answer]:
    """The number of states by each engine that can count as many, then the verdict as a user is given it."""
    for engine in ("native", "reference") if 0 < about <= SMALL else ("native",):
        try:
            states, violations = count_states(model.program, limits, engine)
            yield Answer("violated" if violations else "holds", states)
        except Stopped:
            yield Answer("incomplete")
    yield _answered(model, Request(safety=True), limits)


def our_verdicts(model: Model, kind: ClaimKind, name: str | None, fair: bool, limits: Limits) -> Iterator[Answer]:
    """The verdicts on a claim, with all steps and with those that suffice."""
    wishes: tuple[ReductionWish, ...] = ("none", "static")
    for reduction in wishes:
        request = Request(
            formulas=() if name is None else (name,),
            never=kind == "never",
            acceptance=kind == "acceptance",
            progress=kind == "progress",
            fairness="weak" if fair else None,
            reduction=reduction,
        )
        yield _answered(model, request, limits)


def _answered(model: Model, request: Request, limits: Limits) -> Answer:
    """The verdict, without what a user is told about it."""
    [item] = questions(model, request)
    like = Question(item.program, SAFETY, request.fairness, request.reduction, limits, Deadline.after(limits.seconds))
    result = answer(item.question(like))
    return Answer(result.verdict, stops=result.counterexample is not None and result.counterexample.stutters)


# What SPIN says


def their_count(result: SpinResult) -> Answer:
    """SPIN's verdict on safety, and its number of states if that means anything.

    After an index out of range SPIN goes on with foreign memory; after a fatal error it stops at once.
    """
    foreign = any("invalid array index" in message for message in result.messages)
    return Answer(_verdict(result), result.states if result.complete and not foreign else None)


def their_verdict(result: SpinResult) -> Answer:
    """SPIN's verdict on a claim."""
    return Answer(_verdict(result))


def _verdict(result: SpinResult) -> str:
    if result.errors:
        return "violated"
    return "holds" if result.complete else "incomplete"


# Whether it is the same


def _finding(variant: Variant, question: str, spin: Answer, ours: Answer) -> Finding:
    found = outcome(spin, ours)
    reason = _known(variant, question, ours) if found == "differs" else ""
    return Finding(question, spin, ours, "explained" if reason else found, reason)


def _known(variant: Variant, question: str, ours: Answer) -> str:
    """Why we differ here, if that is known."""
    if question.endswith(FAIR) and ours.stops:
        return "under weak fairness SPIN overlooks runs that stop"
    return variant.unlike.get(question, "")


def outcome(spin: Answer, ours: Answer) -> Outcome:
    """Whether two answers agree; counts only where both are known."""
    if "incomplete" in (spin.verdict, ours.verdict):
        return "not finished"
    counts_differ = None not in (spin.states, ours.states) and spin.states != ours.states
    return "differs" if spin.verdict != ours.verdict or counts_differ else "agrees"
