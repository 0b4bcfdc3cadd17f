"""What is vacuous in a formula that holds, from the definition.

A formula that holds does so vacuously in a part, at one place in it, if it holds whatever stands there; where more
truth of the part is more truth of the formula, or less, `true` and `false` are enough to try (Kupferman, Vardi, 2003).
The premise of an implication is never true if its negation holds in every state of every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from everafter.choices import Fairness
from everafter.hints.facts import Vacuity
from everafter.ltl import FALSE, TRUE, Always, And, Atom, Constant, Equivalent, Formula, Implies, Not, Xor, text_of
from everafter.ltl.formula import operands, rebuild
from everafter.promela.model import Expression
from oracles.hints.runs import is_true, is_valid
from oracles.hints.whole import Whole

Path = tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """A part of a formula, and where it is: which operand of which operand."""

    path: Path
    formula: Formula


def parts(formula: Formula, path: Path = ()) -> Iterator[Part]:
    """Every part at every place, in the order of the text."""
    yield Part(path, formula)
    for position, operand in enumerate(operands(formula)):
        yield from parts(operand, (*path, position))


def at(formula: Formula, path: Path) -> list[Formula]:
    """What is around a place, from the whole formula down to the part there."""
    found = [formula]
    for position in path:
        found.append(operands(found[-1])[position])
    return found


def replaced(formula: Formula, path: Path, part: Formula) -> Formula:
    """The formula with something else at one place."""
    if not path:
        return part
    inner = list(operands(formula))
    inner[path[0]] = replaced(inner[path[0]], path[1:], part)
    return rebuild(formula, tuple(inner))


@dataclass(frozen=True)
class Question:
    """A formula of a model, of its runs or its fair runs."""

    graph: Whole
    formula: Formula
    expressions: Mapping[str, Expression]
    fairness: Fairness | None = None

    def holds(self, formula: Formula) -> bool:
        """Whether a formula over the same propositions holds."""
        return is_true(self.graph, formula, self.expressions, self.fairness)

    def is_needless(self, part: Part) -> bool:
        """Whether the formula holds with either value in the place of a part."""
        return all(self.holds(replaced(self.formula, part.path, value)) for value in (TRUE, FALSE))

    def is_forced(self, part: Part) -> bool:
        """Whether the part is required or forbidden, and not both at once."""
        return not any(isinstance(each, Equivalent | Xor) for each in at(self.formula, part.path)[:-1])

    def is_required(self, part: Part) -> bool:
        """Whether more truth of the part is more truth of the formula: it is under an even number of negations."""
        around = at(self.formula, part.path)
        negations = sum(
            isinstance(outer, Not) or (isinstance(outer, Implies) and position == 0)
            for outer, position in zip(around, part.path, strict=False)
        )
        return negations % 2 == 0

    def is_always(self, part: Part) -> bool:
        """Whether the part must hold in every state: nothing but conjunctions and [] around it, [] at least once."""
        around = at(self.formula, part.path)[:-1]
        return all(isinstance(each, Always | And) for each in around) and any(isinstance(e, Always) for e in around)


def occurrence(formula: Formula, part: Part) -> tuple[int, int]:
    """Which of the parts that read the same this one is, and how many there are."""
    same = [each.path for each in parts(formula) if each.formula == part.formula]
    return same.index(part.path) + 1, len(same)


Claims = tuple[bool, frozenset[str], frozenset[tuple[str, bool, int, int]]]


def expected(question: Question, everything: bool) -> Claims:
    """What must be told: whether it is valid, the premises that are never true, and the parts that are needless."""
    if is_valid(question.formula):
        return True, frozenset(), frozenset()
    unmet, needless = set(), set()
    for part in parts(question.formula):
        if not question.is_forced(part):
            continue
        is_required = question.is_required(part)
        if everything and isinstance(part.formula, Atom) and question.is_needless(part):
            needless.add((text_of(part.formula), not is_required, *occurrence(question.formula, part)))
        if isinstance(part.formula, Implies) and is_required and not isinstance(part.formula.right, Constant):
            premise, conclusion = part.formula.left, Part((*part.path, 1), part.formula.right)
            if question.is_always(part):
                if question.holds(Always(Not(premise))):
                    unmet.add(text_of(premise))
            elif question.is_needless(conclusion):
                needless.add((text_of(conclusion.formula), False, *occurrence(question.formula, conclusion)))
    return False, frozenset(unmet), frozenset(needless)


def told(vacuity: Vacuity) -> Claims:
    """What is told, in the same form."""
    needless = ((each.part, each.could_be, each.occurrence, each.occurrences) for each in vacuity.needless)
    return vacuity.is_valid, frozenset(vacuity.unmet), frozenset(needless)


def is_true_line(question: Question, line: str) -> bool:
    """Whether a sentence of a report on vacuity is true of the formula, read as it stands."""
    if line == "it is true of every run, whatever the model does":
        return is_valid(question.formula)
    everywhere = list(parts(question.formula))
    if (said := re.fullmatch(r"the premise (.*) is never true", line)) is not None:
        return any(question.holds(Always(Not(each.formula))) for each in everywhere if text_of(each.formula) == said[1])
    said = re.fullmatch(
        r"it would hold even if (.*?)(, at place (\d+) of \d+ and only there,)? were always (true|false)", line
    )
    if said is None:
        return False
    same = [each for each in everywhere if text_of(each.formula) == said[1]]
    chosen = same if said[3] is None else [same[int(said[3]) - 1]]
    changed = question.formula
    for part in chosen:
        changed = replaced(changed, part.path, TRUE if said[4] == "true" else FALSE)
    return question.holds(changed)
