"""Reading what formulas speak of: expressions over the global variables of a model and over its processes."""

from __future__ import annotations

from contextlib import suppress

from everafter.promela.cursor import Cursor, SyntaxProblem, TooManyProblems, describe
from everafter.promela.expressions import ExpressionReader
from everafter.promela.model import Expression, Reference, Variable
from everafter.promela.preprocess import expand_text
from everafter.promela.tokens import Token, scan, text_of
from everafter.promela.units import NO_NEEDS, Formula, ModelTree, Needs
from everafter.promela.walk import subexpressions
from everafter.source import Diagnostic, InputError, Place, Source


def proposition(model: ModelTree, text: str, place: Place) -> tuple[Expression, Needs]:
    """Return the expression that `text` is in `model`, and what it needs.

    Raises InputError at `place`, where the formula has it.
    """
    if model.reader is not None:
        return model.reader(text, place), NO_NEEDS
    problems: list[Diagnostic] = []
    source = Source(place.source.name, text)
    tokens = [token for token in scan(source, problems) if token.kind != "newline"]
    cursor = Cursor(tokens, Place(source, 1, len(text) + 1), problems)
    reader = ExpressionReader(model, cursor)
    reader.scopes.blocks[0].update({variable.name: variable for variable in model.variables})
    expression: Expression | None = None
    with suppress(SyntaxProblem, TooManyProblems):
        expression = reader.condition()
        if cursor.current.kind != "end":
            cursor.fail(cursor.current, f"unexpected {describe(cursor.current)} in a proposition")
    if problems or expression is None:
        raise InputError(Diagnostic(place, problem.message, problem.advice) for problem in problems)
    return expression, reader.needs | Needs(hidden=_hidden_in(expression))


def _hidden_in(expression: Expression) -> frozenset[Variable]:
    references = (part for part in subexpressions(expression) if isinstance(part, Reference))
    return frozenset(part.variable for part in references if part.variable.is_hidden)


def formula_text(model: ModelTree, text: str, name: str) -> Formula:
    """Return the formula `text`, called `name` and given apart from `model`, with the model's macros replaced in it."""
    problems: list[Diagnostic] = []
    source = Source(f"<{name}>", text)
    tokens = expand_text(source, model.macros, problems)
    if problems:
        raise InputError(problems)
    place = tokens[0].place if tokens else Place(source, 1, 1)
    return Formula(name, text_of(tokens), place, tuple(tokens))


def place_in(formula: Formula, start: int, length: int) -> Place:
    """Return where `length` characters of the text of `formula`, from `start` on, are written in the model."""
    position = 0
    best: Token | None = None
    for index, token in enumerate(formula.tokens):
        position += 1 if index and (token.spaced or token.line_start) else 0
        if best is None or position <= start:
            best = token
        position += len(token.text)
    if best is None:
        return formula.place
    whole = best.place
    return Place(whole.source, whole.line, whole.column, max(length, 1), whole.through)
