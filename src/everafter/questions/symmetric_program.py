"""The program that is searched in place of the user's where processes are exchanged: states that differ by it are one.

Its states are the orbits of those of the program, and whatever one state of an orbit can do each of them can, up to
exchanges (Clarke, Enders, Filkorn and Jha, 1996). So a property that says the same of all of them is decided on it,
and a run of it is one of the program.
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.product.claim import AutomatonClaim, Holds, NeverClaim
from everafter.program.program import Program
from everafter.questions.question import Question
from everafter.questions.request import Request, reductions
from everafter.questions.smaller_program import counts_steps
from everafter.record import replace
from everafter.symmetry.detection import Observed, SymmetricGroups, candidates, symmetric_groups
from everafter.symmetry.erasing import erasing_alike
from everafter.symmetry.exchanges import symmetry_of_rows
from everafter.symmetry.formula_texts import texts_of_states
from everafter.symmetry.start import ends, started, without_ends
from everafter.symmetry.texts import text
from everafter.symmetry.uses import AsymmetricError

Smaller = Callable[[Question], tuple[Question, str]]


def with_symmetry(question: Question, options: Request, smaller: Smaller) -> tuple[Question, str, str]:
    """Return what is searched in place of `question`, made `smaller`, and with processes exchanged if that is wanted.

    With it come what `smaller` says, and why no processes are exchanged, if they are not, by these `options`.
    """
    if "symmetry" not in reductions(question.reduction):
        return *smaller(question), ""
    try:
        _check_question(question, options)
        staying = _staying(question)
        made, whole = smaller(staying)
        found = symmetric_groups(made.program, _observed(made))
        _check_ends(question, made, found)
        symmetry = symmetry_of_rows(found)
        program = replace(made.program, erased=erasing_alike(found), symmetry=symmetry)
        return replace(made, program=program), whole, "; ".join(found.reasons)
    except AsymmetricError as error:
        return *smaller(question), str(error)


def _check_question(question: Question, options: Request) -> None:
    """Raise AsymmetricError where processes may not be exchanged, whatever the model is."""
    if question.fairness is not None and question.goal == "cycle":
        raise AsymmetricError("fairness follows each process, and an exchange changes who is who")
    if question.certificate is not None:
        raise AsymmetricError("certificates list all states, and their checker exchanges no processes")
    if options.cluster is not None or options.engine in ("gpu", "cluster"):
        raise AsymmetricError("only the engines native and reference exchange processes")


def _observed(question: Question) -> Observed:
    """What the property reads."""
    asked = question.property
    if isinstance(asked.claim, NeverClaim):
        if asked.claim.process.declaration.variables:
            raise AsymmetricError("the never claim has variables")
        return Observed(claim=asked.claim.process)
    watched = asked.watched
    if asked.kind == "ltl" and asked.formula is not None:
        propositions = asked.propositions or {}
        expressions = {name: each.expression for name, each in propositions.items() if isinstance(each, Holds)}
        formula = asked.formula
        return Observed(watched, lambda renamed: texts_of_states(formula, expressions, renamed))
    assert asked.claim is None or isinstance(asked.claim, AutomatonClaim)
    return Observed(watched, lambda renamed: [text(each, renamed) for each in watched])


# Ends


def _staying(question: Question) -> Question:
    """The question about a program in which processes that may be exchanged stay at their ends: only the youngest may
    end, so its end would tell it from others."""
    program = question.program
    kinds = candidates(program, started(program))
    if not ends(program, kinds):
        return question
    return replace(question, program=without_ends(program, kinds))


def _check_ends(question: Question, made: Question, found: SymmetricGroups) -> None:
    """Raise AsymmetricError where it may matter that processes of `made` stay at their ends."""
    kinds = _ending(question.program, found)
    if not kinds:
        return
    program, uses, kind = question.program, found.uses, question.property.kind
    reason = ""
    if uses.counts is not None:
        reason = f"{uses.counts}: it is asked how many there are"
    elif uses.asks is not None:
        reason = f"{uses.asks}: it is asked where processes are, or whether none can move"
    elif counts_steps(question) or kind not in ("safety", "ltl"):
        reason = "the property may count steps, or sees labels"
    elif any(each.created or each.declaration.exclusive for each in program.processes):
        reason = "channels end with them, or promises"
    elif not all(node.is_end and len(node.transitions) == 1 for node in ends(program, kinds)):
        reason = "they do more at their end"
    if reason:
        raise AsymmetricError(f"processes end, in the order of their numbers, and {reason}")


def _ending(program: Program, found: SymmetricGroups) -> list[int]:
    """The proctypes of several processes that may end."""
    return [kind for kind in candidates(program, found.start) if ends(program, [kind])]
