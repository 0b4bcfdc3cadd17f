"""When reduction is sound, and why not where it is not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, assert_never

from everafter.deadline import NEVER, Deadline
from everafter.ltl.automaton import Automaton
from everafter.ltl.formula import Formula
from everafter.ltl.stutter import is_stutter_invariant
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    Binary,
    ChannelQuery,
    Conditional,
    Constant,
    Expression,
    NonProgress,
    Poll,
    Predefined,
    ProcessQuery,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Timeout,
    Unary,
    Within,
)
from everafter.promela.walk import subexpressions
from everafter.record import dataclass
from everafter.reduction.ample import Reduction, TakesTooLongError, reduction_of
from everafter.reduction.visibility import NOTHING_WATCHED, Watched


@dataclass(frozen=True, slots=True)
class Unreduced:
    """There is no sound reduction, and the reason to tell."""

    reason: str


FAIRNESS = Unreduced("reduction does not keep apart the runs that are fair")
SYMMETRY = Unreduced("which steps may wait depends on the numbers of processes, and these are exchanged")
_MAY_COUNT = "may count steps, which reduction does not preserve"


def for_safety(program: Program, by: Deadline = NEVER) -> Reduction | Unreduced:
    """Return the reduction of `program` that preserves failed assertions, run-time errors and end states.

    It is known `by` then, or there is none.
    Proof: proofs/reduction/errors.v, theorem reduction_keeps_errors.
    """
    reason = _against_model(program)
    return Unreduced(reason) if reason is not None else _in_time(program, NOTHING_WATCHED, by)


def for_formula(
    program: Program, formula: Formula, expressions: Iterable[Expression], by: Deadline = NEVER
) -> Reduction | Unreduced:
    """Return the reduction of `program` that preserves whether `formula`, over `expressions`, holds.

    Where there is none, or none is known `by` then, the result says why.
    """
    watched = tuple(expressions)
    reason = _against_model(program) or _against_expressions(watched)
    if reason is None and not is_stutter_invariant(formula):
        reason = "the formula counts steps (its X matters), which reduction does not preserve"
    return Unreduced(reason) if reason is not None else _in_time(program, Watched(watched), by)


def for_never_claim(program: Program, claim: ProcessType, by: Deadline = NEVER) -> Reduction | Unreduced:
    """Return the reduction of `program` that preserves whether `claim`, a never claim of it, accepts a run.

    Where there is none, or none is known `by` then, the result says why. The theorem is `reduction_preserves_claims` of
    proofs/reduction/preservation.v.
    """
    from everafter.reduction.claim_language import language_of  # noqa: PLC0415 # few models have a claim

    language = language_of(program, claim)
    if isinstance(language, str):
        return Unreduced(f"{language}, so it {_MAY_COUNT}")
    return _for_claim(
        program, "a never claim", language.automaton, Watched(language.expressions, accept_labels=True), by
    )


def for_automaton(
    program: Program, automaton: Automaton, expressions: Iterable[Expression], by: Deadline = NEVER
) -> Reduction | Unreduced:
    """Return the reduction of `program` that preserves whether `automaton`, over `expressions`, accepts a run.

    Where there is none, or none is known `by` then, the result says why.
    """
    return _for_claim(program, "an automaton", automaton, Watched(tuple(expressions)), by)


def _for_claim(
    program: Program, name: str, automaton: Automaton, watched: Watched, by: Deadline
) -> Reduction | Unreduced:
    from everafter.ltl.stutter_closure import is_seen_closed  # noqa: PLC0415 # automata are seldom given

    reason = _against_model(program) or _against_expressions(watched.expressions)
    if reason is None and not is_seen_closed(automaton):
        reason = f"{name} {_MAY_COUNT}"
    return Unreduced(reason) if reason is not None else _in_time(program, watched, by)


def for_labels(
    program: Program, kind: Literal["acceptance", "progress"], by: Deadline = NEVER
) -> Reduction | Unreduced:
    """Return the reduction of `program` that preserves whether a run is at labels of this `kind` for ever.

    Acceptance means accept labels, progress means progress labels. Where there is none, or none is known `by` then, the
    result says why.
    """
    reason = _against_model(program)
    if reason is not None:
        return Unreduced(reason)
    watched = Watched(accept_labels=kind == "acceptance", progress_labels=kind == "progress")
    return _in_time(program, watched, by)


def _in_time(program: Program, watched: Watched, by: Deadline) -> Reduction | Unreduced:
    """The reduction, or why it is not known by then."""
    try:
        return reduction_of(program, watched, by)
    except TakesTooLongError as error:
        return Unreduced(str(error))


def _against_model(program: Program) -> str | None:
    """Why no reduction is sound for a model, if none is."""
    if program.uses_priority:
        return "the model uses priorities, so every step depends on all others"
    if program.uses_last:
        return "the model uses _last, which every step changes"
    return None


def _against_expressions(expressions: Iterable[Expression]) -> str | None:
    """Why no reduction is sound for a property that asks for these, if none is."""
    parts = (part for expression in expressions for part in subexpressions(expression))
    return next((reason for part in parts if (reason := _against(part)) is not None), None)


def _against(part: Expression) -> str | None:
    """Why every step may change the value of a part of an expression, if every step may."""
    match part:
        case ProcessQuery(query=query):
            return f"the property asks {query}, which every step may change"
        case Predefined(name="_last"):
            return "the property asks _last, which every step changes"
        case (
            Constant()
            | Reference()
            | Predefined()
            | Unary()
            | Binary()
            | Conditional()
            | Within()
            | RunExpression()
            | ChannelQuery()
            | Poll()
            | RemoteLabel()
            | RemoteVariable()
            | NonProgress()
            | Timeout()
        ):
            return None
        case _:
            assert_never(part)
