"""When reduction is sound, and why not where it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, assert_never

from everafter.deadline import NEVER, Deadline
from everafter.ltl import Formula, is_stutter_invariant
from everafter.program.effect_parts import expressions_in
from everafter.program.program import Program
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
NEVER_CLAIM = Unreduced("a never claim may count steps, which reduction does not preserve")
AUTOMATON = Unreduced("an automaton may count steps, which reduction does not preserve")


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
    if any(process.provided is not None for process in program.processes):
        return "the model uses provided clauses, which are asked before every step"
    for expression in _expressions(program):
        reason = _against(expression)
        if reason is not None:
            return f"the model {reason}"
    return None


def _against_expressions(expressions: Iterable[Expression]) -> str | None:
    for expression in expressions:
        for part in subexpressions(expression):
            if isinstance(part, Timeout):
                return "the property asks for timeout, which every step may change"
        reason = _against(expression)
        if reason is not None:
            return f"the property {reason}"
    return None


def _against(expression: Expression) -> str | None:
    for part in subexpressions(expression):
        match part:
            case ProcessQuery(query=query):
                return f"asks {query}, which depends on where processes are"
            case RemoteVariable():
                return "asks for the variable of another process"
            case NonProgress():
                return "asks np_, which depends on where processes are"
            case Predefined(name="_last"):
                return "asks _last, which every step changes"
            case (
                Constant()
                | Reference()
                | Predefined()
                | Unary()
                | Binary()
                | Conditional()
                | Within()
                | RunExpression()
                | Timeout()
            ):
                continue
            case ChannelQuery() | Poll() | RemoteLabel():
                continue
            case _:
                assert_never(part)
    return None


def _expressions(program: Program) -> Iterator[Expression]:
    for process in program.processes:
        if process.role != "never":
            for step in process.graph.transitions():
                yield from expressions_in(step.effect)
