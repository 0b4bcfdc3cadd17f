"""What can be decided of a model: safety, a formula, a never claim, an automaton, or its accept and progress labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from everafter.ltl.automaton import Automaton
from everafter.ltl.formula import Always, Atom, Eventually, Formula, Not
from everafter.ltl.formula_parser import parse_at
from everafter.product.claim import (
    AtAcceptLabel,
    AutomatonClaim,
    Claim,
    Holds,
    NeverClaim,
    Proposition,
    WithoutProgress,
)
from everafter.program.program import Program
from everafter.promela.model import Expression, RemoteLabel
from everafter.promela.propositions import place_in, proposition
from everafter.promela.units import Formula as FormulaText
from everafter.promela.units import ModelTree, Needs, together
from everafter.promela.walk import subexpressions
from everafter.record import dataclass, replace
from everafter.source import Diagnostic, InputError, Place, closest

PropertyKind = Literal["safety", "ltl", "never", "acceptance", "progress"]
_ACCEPT, _WITHOUT_PROGRESS = "at an accept label", "moving without progress"


@dataclass(frozen=True, slots=True)
class Understood:
    """A formula of which every proposition is understood as an expression of the model."""

    name: str
    formula: Formula
    expressions: Mapping[str, Expression]
    needs: Needs


@dataclass(frozen=True)
class Property:
    """A claim, and, where there is one, the formula that must hold: counterexamples are judged by it.

    Without a claim it is safety: no assertion fails, no run stops where it must not, no step goes wrong.
    """

    name: str
    kind: PropertyKind
    claim: Claim | None
    formula: Formula | None = None
    propositions: Mapping[str, Proposition] | None = None
    accept_labels: bool = False

    @property
    def watched(self) -> tuple[Expression, ...]:
        """The expressions that it reads in a state; a never claim is part of the model."""
        asked = dict(self.propositions or {})
        if isinstance(self.claim, AutomatonClaim):
            asked |= self.claim.propositions
        return tuple(item.expression for item in asked.values() if isinstance(item, Holds))


SAFETY = Property("safety", "safety", None)


def understand(model: ModelTree, text: FormulaText) -> Understood:
    """Return the formula in `text` and its propositions, read for `model`.

    Raises InputError with the places in the model's text.
    """
    expressions: dict[str, Expression] = {}
    needs: list[Needs] = []
    wrong: list[InputError] = []

    def read(words: str, place: Place) -> Formula:
        if words not in expressions:
            try:
                expressions[words], needed = proposition(model, words, place)
                needs.append(needed)
            except InputError as error:
                wrong.append(error)
        return Atom(words)

    formula = parse_at(text.text, lambda start, length: place_in(text, start, length), atom=read)
    if wrong:
        raise InputError(diagnostic for error in wrong for diagnostic in error.diagnostics)
    return Understood(text.name, formula, expressions, together(needs))


def check_labels(program: Program, expressions: Iterable[Expression]) -> None:
    """Raise InputError unless `program` has every label that one of `expressions` names."""
    for expression in expressions:
        for part in subexpressions(expression):
            if isinstance(part, RemoteLabel):
                labels = program.processes[program.by_name[part.proctype]].graph.labels
                if part.label not in labels:
                    message = f"'{part.proctype}' has no label '{part.label}'"
                    raise InputError([Diagnostic(part.place, message, closest(part.label, labels))])


def of_formula(program: Program, understood: Understood, automaton: Automaton | None = None) -> Property:
    """The property that the formula `understood` holds on every run. The `program` tells what the formula needs.

    With an `automaton` of what violates it, the formula is not translated.
    """
    assert program.needs.cover(understood.needs)
    check_labels(program, understood.expressions.values())
    propositions = {name: Holds(program, item) for name, item in understood.expressions.items()}
    claim = AutomatonClaim(automaton or _against(understood.formula), propositions)
    return Property(understood.name, "ltl", claim, understood.formula, propositions)


def _against(formula: Formula) -> Automaton:
    """The automaton of what violates `formula`."""
    from everafter.ltl.translation import to_buchi  # noqa: PLC0415 # many checks have no formula

    return to_buchi(Not(formula))


def with_reason(asked: Property) -> Property:
    """The same property; if its automaton has no reason to be trusted and another one has, with that one."""
    if asked.formula is None or asked.propositions is None or not isinstance(asked.claim, AutomatonClaim):
        return asked
    from everafter.certificates.automaton.justification import (  # noqa: PLC0415 # only certificates need reasons
        Justified,
        Unjustified,
        justify,
    )
    from everafter.ltl.translation import to_answering_buchi  # noqa: PLC0415 # likewise

    violation = Not(asked.formula)
    if isinstance(justify(violation, asked.claim.automaton), Unjustified):
        other = to_answering_buchi(violation)
        if isinstance(justify(violation, other), Justified):
            return replace(asked, claim=AutomatonClaim(other, asked.propositions))
    return asked


def of_never(program: Program, index: int) -> Property:
    """Return the property that the never claim `index` of `program` accepts no run."""
    process = program.processes[index]
    return Property(process.name, "never", NeverClaim(program, process), accept_labels=True)


def of_automaton(program: Program, automaton: Automaton, expressions: Mapping[str, Expression], name: str) -> Property:
    """Return the property, called `name`, that `automaton` accepts no run of `program`: it describes what must not be.

    `expressions` are its propositions.
    """
    check_labels(program, expressions.values())
    propositions = {text: Holds(program, item) for text, item in expressions.items()}
    return Property(name, "never", AutomatonClaim(automaton, propositions))


def no_acceptance_cycle(program: Program, automaton: Automaton | None = None) -> Property:
    """The property that no run of `program` is at accept labels again and again; `automaton` as of a formula."""
    meaning = {_ACCEPT: AtAcceptLabel(program)}
    return _about_labels("acceptance", Not(Always(Eventually(Atom(_ACCEPT)))), meaning, automaton)


def no_cycle_without_progress(program: Program, automaton: Automaton | None = None) -> Property:
    """The property that every endless run of `program` is at progress labels again and again; `automaton` as above."""
    meaning = {_WITHOUT_PROGRESS: WithoutProgress(program)}
    return _about_labels("progress", Not(Eventually(Always(Atom(_WITHOUT_PROGRESS)))), meaning, automaton)


def _about_labels(
    kind: PropertyKind, formula: Formula, meaning: Mapping[str, Proposition], automaton: Automaton | None
) -> Property:
    claim = AutomatonClaim(automaton or _against(formula), meaning)
    return Property(kind, kind, claim, formula, meaning)
