"""The program that is searched in place of the user's: with zero in what is not read again, and with merged steps.

Runs, and what a property says of them, are the same; so a search, what it lists and what it finds need to know nothing
of it. The judge alone has the program as it is written.
"""

from __future__ import annotations

from everafter.certificates.independence.observation import Seen
from everafter.ltl.stutter import is_stutter_invariant
from everafter.product.claim import accepts_inside
from everafter.program.longer_sequences import with_longer_sequences
from everafter.questions.question import Question
from everafter.questions.reduction_choice import UnsoundReductionError
from everafter.questions.request import reductions
from everafter.record import replace
from everafter.reduction.live_cells import erasure_of
from everafter.reduction.merged_steps import merged_steps
from everafter.reduction.process_numbers import numbers_matter
from everafter.reduction.visibility import Watched

_KEPT_FOR_SEARCHING = 0.8
"""The share of the time left that the analysis leaves to what follows."""


def with_smaller_program(question: Question) -> tuple[Question, str]:
    """Return `question` about the program to be searched, as far as that is wanted.

    Where something is not done, though it is wanted, because a certificate would not be believed, the reason comes with
    it.
    """
    wanted, smaller, reasons = reductions(question.reduction), question, list[str]()
    if question.certificate is None and wanted & {"ample", "merge"} and "symmetry" not in wanted:
        smaller = _without_numbers(smaller)
    for name, make, why_not in (("dead", _erasing, _why_not_erased), ("merge", _merging, _why_not_merged)):
        if name in wanted:
            made = make(smaller)
            reason = why_not(made, smaller) if question.certificate is not None and made is not smaller else ""
            reasons += [f"a certificate would not be believed: {reason}"] if reason else []
            smaller = smaller if reason else made
    return smaller, "; ".join(reasons)


def program_as_listed(question: Question, is_erased: bool, is_merged: bool) -> Question:
    """Return `question` about the program whose states a certificate lists, with zeros, and with merged steps, or not.

    Raises UnsoundReductionError if that is no program that answers it: this is decided anew, and not believed.
    """
    smaller = question
    for is_so, make, why_not in ((is_erased, _erasing, _why_not_erased), (is_merged, _merging, _why_not_merged)):
        if is_so:
            made = make(smaller)
            if why := why_not(made, smaller):
                raise UnsoundReductionError(f"its rows leave something out, but {why}")
            smaller = made
    return smaller


# Numbers of processes


def _without_numbers(question: Question) -> Question:
    """The question about a program to which numbers of processes do not matter, if they do not: its steps commute more.

    No checker of certificates decides this.
    """
    asked = question.property
    labels = asked.kind not in ("safety", "ltl")
    if numbers_matter(question.program, Watched(asked.watched, labels or asked.accept_labels, labels)):
        return question
    return replace(question, program=replace(question.program, numbers_matter=False))


# Zeros


def _erasing(question: Question) -> Question:
    """The question about a program that erases, if there is anything to erase."""
    erased = erasure_of(question.program, question.property.watched)
    return question if erased.is_empty else replace(question, program=replace(question.program, erased=erased))


def _why_not_erased(made: Question, _whole: Question) -> str:
    """What may depend on a zero, by the checker of certificates."""
    from everafter.certificates.independence.zero_cells import read_of_zeros  # noqa: PLC0415 # few programs erase

    return read_of_zeros(made.program, made.property.watched)


# Merged steps


def _merging(question: Question) -> Question:
    """The question about a program with merged steps, if there are any, and they do not matter to the property."""
    asked = question.property
    if counts_steps(question):
        return question
    labels = asked.kind == "acceptance", asked.kind == "progress"
    by = question.deadline.before_end(_KEPT_FOR_SEARCHING)
    edges = merged_steps(question.program, Watched(asked.watched, *labels), asked.claim is not None, by)
    if not edges:
        return question
    return replace(question, program=with_longer_sequences(question.program, edges))


def _why_not_merged(made: Question, whole: Question) -> str:
    """What may be interrupted, by the checker of certificates."""
    asked = made.property
    if counts_steps(made):
        return "steps may be counted"
    from everafter.certificates.independence.merged_places import unsound_merging  # noqa: PLC0415 # few programs merge

    seen = Seen(asked.watched, asked.kind == "acceptance", asked.kind == "progress")
    return unsound_merging(whole.program, made.program.merged, seen)


def counts_steps(question: Question) -> bool:
    """Return whether the property of `question` tells runs apart in which a state is repeated, or fairness may."""
    asked = question.property
    if question.goal == "cycle" and question.fairness is not None:
        return True
    if asked.claim is not None and accepts_inside(asked.claim):
        return True
    match asked.kind:
        case "safety" | "acceptance" | "progress":
            return False
        case "ltl":
            return asked.formula is None or not is_stutter_invariant(asked.formula)
        case _:
            return True
