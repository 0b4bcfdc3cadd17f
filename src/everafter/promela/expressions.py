"""Reading expressions. Names are resolved on the way, so a mistake is reported where it is written."""

from __future__ import annotations

import re
from typing import Literal

from everafter.nesting import DEEPEST, make_room
from everafter.promela.arithmetic import wrap
from everafter.promela.cursor import describe
from everafter.promela.model import (
    Binary,
    ChannelQuery,
    Conditional,
    Constant,
    Expression,
    NonProgress,
    ProcessQuery,
    RunExpression,
    Timeout,
    Unary,
)
from everafter.promela.references import FOREIGN, ReferenceReader, fold
from everafter.promela.tokens import Token
from everafter.promela.units import Needs
from everafter.record import dataclass, field

# Weakest first; all of them group to the left.
_STRENGTH = {
    operator: strength
    for strength, operators in enumerate(
        (
            ("||",),
            ("&&",),
            ("|",),
            ("^",),
            ("&",),
            ("==", "!="),
            ("<", ">", "<=", ">="),
            ("<<", ">>"),
            ("+", "-"),
            ("*", "/", "%"),
        )
    )
    for operator in operators
}


class ExpressionReader(ReferenceReader):
    """The part of the parser that reads expressions; declarations and statements build on it."""

    def expression(self) -> Expression:
        """A whole expression."""
        self.go_deeper(self.cursor.current)
        try:
            return self._binary(self.operand(), 0)
        finally:
            self.nesting -= 1

    def go_deeper(self, token: Token) -> None:
        """Go one level deeper into expressions within expressions."""
        self.nesting += 1
        make_room(self.nesting)
        if self.nesting > DEEPEST:
            self.cursor.fail(token, "this is nested too deeply", "split it into smaller parts")

    def expression_from(self, first: Expression) -> Expression:
        """A whole expression whose first operand has been read already."""
        return self._binary(first, 0)

    def _binary(self, left: Expression, weakest: int) -> Expression:
        run = _Run([left])
        while True:
            token = self.cursor.current
            strength = _STRENGTH.get(token.text, -1) if token.kind == "op" else -1
            if strength < weakest:
                return run.joined()
            self.cursor.advance()
            if self.cursor.at("=") and not self.cursor.current.spaced:
                self.cursor.fail(token, f"there is no '{token.text}='", f"write  x = x {token.text} …")
            right = self.operand()
            while True:
                following = self.cursor.current
                if following.kind != "op" or _STRENGTH.get(following.text, -1) <= strength:
                    break
                right = self._binary(right, strength + 1)
            if token.text not in ("&&", "||"):
                self.no_probe(run.joined())
                self.no_probe(right)
            self.whole(run.operands[-1])
            run.add(token, self.whole(right))
            make_room(self.nesting + run.joins)
            if run.is_long():
                self.cursor.fail(token, "this expression has too many operands", "compute parts of it first")

    def operand(self) -> Expression:
        """An operand with the operators before it."""
        token = self.cursor.current
        match token.text if token.kind == "op" else "":
            case "!" | "-" | "~" as operator:
                self.cursor.advance()
                return self._unary(operator, token)
            case _:
                return self._primary()

    def _unary(self, operator: Literal["!", "-", "~"], token: Token) -> Expression:
        self.go_deeper(token)
        operand = self.operand()
        self.nesting -= 1
        self.no_probe(operand)
        if operator == "-" and isinstance(operand, Constant) and operand.name is None:
            return Constant(-operand.value, token.place)
        return Unary(operator, self.whole(operand), token.place)

    def no_probe(self, value: Expression) -> None:
        """SPIN lets full, empty and their negations stand only as conditions, under && and ||."""
        opposites = {"full": "nfull", "nfull": "full", "empty": "nempty", "nempty": "empty"}
        match value:
            case ChannelQuery(query=query) if query != "len":
                self.cursor.complain(
                    value.place,
                    f"'{query}' can only be a condition, alone or under && and ||",
                    f"its negation is '{opposites[query]}'; len() may be used anywhere",
                )
            case Binary(operator="&&" | "||"):
                self.no_probe(value.left)
                self.no_probe(value.right)
            case _:
                pass

    def _primary(self) -> Expression:
        token = self.cursor.current
        if token.kind == "number":
            self.cursor.advance()
            self._check_number(token)
            return Constant(wrap(int(token.text[-18:])), token.place)
        if token.kind == "char":
            self.cursor.advance()
            return Constant(_character(token.text), token.place)
        if token.kind == "op" and token.text == "(":
            return self._parenthesised()
        if token.kind == "name":
            return self._named(token)
        if token.kind == "string":
            self.cursor.fail(token, "a string may only stand in printf")
        return self.cursor.fail(token, f"expected an expression, found {describe(token)}")

    def _check_number(self, number: Token) -> None:
        """SPIN knows decimal numbers only."""
        rest = self.cursor.ahead(0)
        if rest.kind != "name" or rest.spaced or rest.line_start:
            return
        written = number.text + rest.text
        advice = None
        if re.fullmatch("0[xX][0-9a-fA-F]+", written):
            advice = f"numbers are decimal: write {int(written, 16)}"
        self.cursor.fail(number, f"'{written}' is not a number", advice)

    def _parenthesised(self) -> Expression:
        opening = self.cursor.advance()
        inner = self.expression()
        if self.cursor.at("->"):
            arrow = self.cursor.advance()
            chosen = self.value()
            self.cursor.expect(":", "in a conditional expression (condition -> value : value)")
            other = self.value()
            self.no_probe(inner)
            inner = Conditional(self.whole(inner), chosen, other, arrow.place)
        if not self.cursor.take(")"):
            if self.cursor.at("="):
                self.cursor.fail(self.cursor.current, "an expression cannot assign", "'==' compares")
            advice = FOREIGN.get(self.cursor.current.text)
            self.cursor.fail(opening, f"'(' is not closed before {describe(self.cursor.current)}", advice)
        return inner

    def _named(self, token: Token) -> Expression:
        match token.text:
            case "true" | "skip":
                self.cursor.advance()
                return Constant(1, token.place, token.text)
            case "false":
                self.cursor.advance()
                return Constant(0, token.place, token.text)
            case "timeout":
                self.cursor.advance()
                return Timeout(token.place)
            case "np_":
                self.cursor.advance()
                if self.proctype is not None and self.proctype.role != "never":
                    self.cursor.complain(token.place, "'np_' may only be used in a never claim")
                return NonProgress(token.place)
            case "run":
                return self._run()
            case "len" | "empty" | "nempty" | "full" | "nfull":
                self.cursor.advance()
                self.cursor.expect("(", f"after '{token.text}'")
                channel = self.channel()
                self.cursor.expect(")", f"after the channel of '{token.text}'")
                return ChannelQuery(token.text, channel, token.place)
            case "enabled" | "pc_value" | "get_priority":
                self.cursor.advance()
                self.needs |= Needs(uses_priority=token.text == "get_priority")
                if token.text == "enabled":
                    self.uses_enabled = token.place
                self.cursor.expect("(", f"after '{token.text}'")
                process = self.value()
                self.cursor.expect(")", f"after the process of '{token.text}'")
                return ProcessQuery(token.text, process, token.place)
            case "c_expr":
                self.cursor.advance()
                self.embedded_c(token)
                return Constant(0, token.place)
        if self.known_proctype(token.text):
            return self._remote(token)
        if token.text in self.inlines and self.cursor.ahead(1).text == "(":
            advice = f"x = {token.text}(…) takes what it returns, if it has a 'return'"
            self.cursor.fail(token, f"inline '{token.text}' cannot be called inside an expression", advice)
        return self.polled(self.reference_or_constant())

    def embedded_c(self, token: Token) -> None:
        """Report C code, skip it, and go on checking what is around it."""
        self.cursor.complain(
            token.place,
            f"'{token.text}' embeds C code, which everafter cannot run",
            "rewrite it in Promela, or keep using SPIN for this model",
        )
        if self.cursor.take("["):
            while not self.cursor.take("]"):
                if self.cursor.current.kind == "end":
                    self.cursor.fail(token, "'[' is not closed")
                self.cursor.advance()
        self.cursor.skip_group()

    def _run(self) -> RunExpression:
        start = self.cursor.advance()
        name = self.cursor.expect_name("the name of a proctype")
        if self.proctype is None:
            self.cursor.complain(start.place, "'run' may only be used inside a process")
        self.cursor.expect("(", f"after 'run {name.text}'")
        arguments = self.arguments(")")
        self.cursor.expect(")", f"after the arguments of '{name.text}'")
        self.mention(name, "proctype")
        run = RunExpression(name.text, tuple(arguments), self.priority(), name.place)
        self.runs.append(run)
        return run

    def priority(self) -> int | None:
        """An optional `priority N`."""
        if not self.cursor.take("priority"):
            return None
        self.needs |= Needs(uses_priority=True)
        token = self.cursor.current
        value = self.constant(self.expression(), "a priority")
        if not 1 <= value <= 255:
            self.cursor.complain(token.place, f"a priority lies between 1 and 255, not {value}")
        return value

    def arguments(self, closing: str) -> list[Expression]:
        """Expressions separated by commas; a structure stands for all its fields."""
        result: list[Expression] = []
        while not self.cursor.at(closing):
            result += self.spread(self.expression())
            if not self.cursor.take(","):
                break
        return result

    def constant(self, value: Expression, what: str) -> int:
        """Return the value of the expression `value`, which must not depend on variables.

        `what` names it in the complaint.
        """
        folded = fold(value)
        if folded is None:
            self.cursor.complain(value.place, f"{what} must be a constant")
            return 1
        return folded


@dataclass(slots=True)
class _Run:
    """Operands joined from left to right.

    A long run of && or || is joined as a balanced tree, which means the same and is not as deep.
    """

    operands: list[Expression]
    operators: list[Token] = field(default_factory=list)
    joins: int = 0

    def add(self, operator: Token, operand: Expression) -> None:
        """One more operand behind an operator."""
        logical = operator.text in ("&&", "||")
        same = logical and (not self.operators or self.operators[-1].text == operator.text)
        if not same:
            self.operands, self.operators = [self.joined()], []
            self.joins += 1
        self.operands.append(operand)
        self.operators.append(operator)

    def is_long(self) -> bool:
        """Whether there are more operands than can be computed with."""
        return max(self.joins, len(self.operands)) > DEEPEST

    def joined(self) -> Expression:
        """The whole run as one expression."""
        return self._between(0, len(self.operands) - 1)

    def _between(self, first: int, last: int) -> Expression:
        if first == last:
            return self.operands[first]
        middle = (first + last) // 2
        operator = self.operators[middle]
        return Binary(operator.text, self._between(first, middle), self._between(middle + 1, last), operator.place)


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "0": "\0"}


def _character(text: str) -> int:
    inner = text[1:-1]
    return ord(_ESCAPES.get(inner[1], inner[1])) if inner.startswith("\\") else ord(inner) % 256
