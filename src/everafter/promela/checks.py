"""What a statement must not do, beyond being well-formed: the checks that SPIN makes, said where they fail."""

from __future__ import annotations

from everafter.promela.declarations import DeclarationReader
from everafter.promela.model import (
    Binary,
    Bind,
    Break,
    ChoiceStatement,
    Conditional,
    Constant,
    Else,
    Expression,
    Goto,
    Kind,
    Labelled,
    NonProgress,
    Predefined,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Scalar,
    Send,
    Sequence,
    Statement,
    Unary,
    Variable,
)
from everafter.promela.walk import subexpressions
from everafter.source import Place


class StatementChecks(DeclarationReader):
    """The part of the parser that complains of statements it has read."""

    def check_role(self, statement: Statement, role: str) -> None:
        """Complain of a `statement` that a process with `role` must not have.

        A trace is made of events, and a never claim watches without taking part.
        """
        while isinstance(statement, Labelled):
            statement = statement.statement
        is_event = (isinstance(statement, Send) and not statement.is_sorted) or (
            isinstance(statement, Receive) and not (statement.anywhere or statement.keeps)
        )
        control = isinstance(statement, ChoiceStatement | Goto | Break)
        if role in ("trace", "notrace") and not is_event and not control:
            advice = "a trace is made of q!… and q?…, in choices and loops"
            self.cursor.complain(statement.place, f"this is not an event, as a {role} needs", advice)
        if role == "never" and isinstance(statement, Send | Receive):
            advice = "a poll q?[…] is allowed"
            self.cursor.complain(statement.place, "a never claim cannot send or receive", advice)

    def check_run(self, condition: Expression) -> None:
        """A condition is tried before it is done, which a run cannot be: it stands alone."""
        for part in subexpressions(condition):
            if isinstance(part, RunExpression) and part is not condition:
                self.cursor.complain(part.place, "'run' cannot be part of a condition", "n = run P(…); n > 1")

    def check_provided(self, condition: Expression) -> None:
        """Whether a process may move is decided without looking into any process, as SPIN does it."""
        for part in subexpressions(condition):
            is_local = isinstance(part, Reference) and part.variable.proctype is not None
            if is_local or isinstance(part, RunExpression | RemoteLabel | RemoteVariable | NonProgress):
                self.cursor.complain(part.place, "this cannot stand in 'provided'", "use global variables, or channels")

    def check_target(self, target: Reference | Predefined) -> None:
        """Complain of an assignment to what cannot be assigned to."""
        if isinstance(target, Predefined):
            if target.name not in ("_", "_priority"):
                self.cursor.complain(target.place, f"'{target.name}' cannot be assigned to")
        else:
            self.whole(target)

    def check_arithmetic(self, value: Expression | None) -> None:
        """Complain of channels that are computed with."""
        match value:
            case Reference(selections=(), variable=Variable(type=Scalar(kind=Kind.CHAN))):
                self.cursor.complain(value.place, f"'{value.variable.name}' is a channel, it cannot be computed with")
            case Unary(operand=operand):
                self.check_arithmetic(operand)
            case Binary(left=left, right=right):
                self.check_arithmetic(left)
                self.check_arithmetic(right)
            case Conditional(condition=condition, chosen=chosen, other=other):
                for part in (condition, chosen, other):
                    self.check_arithmetic(part)
            case _:
                pass

    def check_types(self, target: Reference | Predefined, value: Expression, place: Place) -> None:
        """Complain, at `place`, of a `value` for `target` that is a constant for a channel or another mtype's name."""
        if not isinstance(target, Reference) or not isinstance(target.leaf.type, Scalar):
            return
        kind = target.leaf.type
        if kind.kind is Kind.CHAN and isinstance(value, Constant) and not target.selections:
            self.cursor.complain(place, "a constant cannot be assigned to a channel")
        is_name = isinstance(value, Constant) and value.mtype is not None
        if kind.mtype and is_name and isinstance(value, Constant) and kind.mtype != value.mtype:
            self.cursor.complain(
                place, f"'{target.leaf.name}' is an mtype:{kind.mtype}, but '{value.name}' is not one of those"
            )

    def check_distinct(self, patterns: tuple[object, ...]) -> None:
        """Complain of a variable that is to receive two fields at once."""
        seen: set[int] = set()
        for pattern in patterns:
            if isinstance(pattern, Bind) and isinstance(pattern.target, Reference):
                target = pattern.target
                if target.index is not None or target.selections:
                    continue
                if id(target.variable) in seen:
                    self.cursor.complain(
                        target.place, f"'{target.variable.name}' cannot receive two fields of a message"
                    )
                seen.add(id(target.variable))

    def check_else(self, options: list[Sequence]) -> None:
        """Complain of a second `else`."""
        elses = [option[0] for option in options if isinstance(option[0], Else)]
        for extra in elses[1:]:
            self.cursor.complain(extra.place, "a choice has at most one 'else'")
