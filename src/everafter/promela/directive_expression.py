"""The value of the expression behind `#if`."""

from __future__ import annotations

import re
from collections.abc import Callable

from everafter.promela.arithmetic import quotient, remainder
from everafter.promela.tokens import Token
from everafter.source import Diagnostic, Place


def _wrap(value: int) -> int:
    """A number as the preprocessor keeps it: in 64 bits."""
    return (value + 2**63) % 2**64 - 2**63


def _shifted(a: int, b: int) -> int:
    """`a` shifted to the left by `b`, to the right if that is negative, also by more than there are bits."""
    return a << min(b, 64) if b > 0 else a >> min(-b, 64)


_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a) or bool(b))),
    "&&": (2, lambda a, b: int(bool(a) and bool(b))),
    "|": (3, lambda a, b: a | b),
    "^": (4, lambda a, b: a ^ b),
    "&": (5, lambda a, b: a & b),
    "==": (6, lambda a, b: int(a == b)),
    "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)),
    ">": (7, lambda a, b: int(a > b)),
    "<=": (7, lambda a, b: int(a <= b)),
    ">=": (7, lambda a, b: int(a >= b)),
    "<<": (8, _shifted),
    ">>": (8, lambda a, b: _shifted(a, -b)),
    "+": (9, lambda a, b: a + b),
    "-": (9, lambda a, b: a - b),
    "*": (10, lambda a, b: a * b),
    # What is divided by zero here is not used, or has been reported.
    "/": (10, lambda a, b: quotient(a, b) if b else 0),
    "%": (10, lambda a, b: remainder(a, b) if b else 0),
}
_MAXIMUM_DEPTH = 100
_INTEGER = re.compile(r"(?:0[0-7]{0,21}|(0[xX][0-9a-fA-F]{1,16}|[1-9][0-9]{0,18}))[uUlL]{0,3}")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "0": 0}


class _Malformed(Exception):
    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(place, message)


def evaluate(where: Place, tokens: list[Token]) -> tuple[int, Diagnostic | None]:
    """Return the value of `tokens`, which stand behind `where`, as a C integer expression, and what is wrong with them.

    Unknown names are 0, as C says; so is the value where something is wrong, else there is no diagnostic.
    """
    reader = _Reader(where, tokens)
    try:
        value = reader.ternary(0)
        if reader.position < len(tokens):
            raise _Malformed(tokens[reader.position].place, f"unexpected '{tokens[reader.position].text}' in #if")
    except _Malformed as malformed:
        return 0, malformed.diagnostic
    return value, None


class _Reader:
    def __init__(self, where: Place, tokens: list[Token]) -> None:
        self.where = where
        self.tokens = tokens
        self.position = 0
        self.unused = 0
        """How many operators around this place make its value irrelevant, as `0 &&` does."""

    def peek(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def ternary(self, depth: int) -> int:
        condition = self.binary(1, depth)
        if self.peek() != "?":
            return condition
        self.position += 1
        chosen = self.ignored(not condition, lambda: self.ternary(depth + 1))
        if self.peek() != ":":
            raise _Malformed(self.where, "'?' without ':' in #if")
        self.position += 1
        other = self.ignored(bool(condition), lambda: self.ternary(depth + 1))
        return chosen if condition else other

    def ignored(self, unused: bool, read: Callable[[], int]) -> int:
        """Read a part whose value may be irrelevant."""
        self.unused += unused
        value = read()
        self.unused -= unused
        return value

    def binary(self, weakest: int, depth: int) -> int:
        left = self.unary(depth)
        while True:
            strength, operation = _BINARY.get(self.peek(), (0, None))
            if operation is None or strength < weakest:
                return left
            operator = self.tokens[self.position]
            self.position += 1
            decided = (operator.text == "&&" and not left) or (operator.text == "||" and bool(left))
            right = self.ignored(decided, lambda: self.binary(strength + 1, depth + 1))  # noqa: B023 - called at once
            if operator.text in ("/", "%") and right == 0 and not self.unused:
                raise _Malformed(operator.place, "division by zero in #if")
            left = _wrap(operation(left, right))

    def integer(self, token: Token) -> int:
        """A number as C writes it, octal or hexadecimal and with a suffix too: here it is several words."""
        text = token.text
        while self.position < len(self.tokens) and not self.tokens[self.position].spaced:
            if self.tokens[self.position].kind not in ("name", "number"):
                break
            text += self.peek()
            self.position += 1
        match = _INTEGER.fullmatch(text)
        if match is None:
            raise _Malformed(token.place, f"'{text}' is no integer")
        return _wrap(int(match[1], 0) if match[1] else int(text.rstrip("uUlL"), 8))

    def unary(self, depth: int) -> int:
        if depth > _MAXIMUM_DEPTH:
            raise _Malformed(self.where, "the #if expression is nested too deeply")
        if self.position >= len(self.tokens):
            raise _Malformed(self.where, "#if needs an expression")
        token = self.tokens[self.position]
        self.position += 1
        match token.text:
            case "!":
                return int(not self.unary(depth + 1))
            case "-":
                return -self.unary(depth + 1)
            case "+":
                return self.unary(depth + 1)
            case "~":
                return ~self.unary(depth + 1)
            case "(":
                value = self.ternary(depth + 1)
                if self.peek() != ")":
                    raise _Malformed(token.place, "'(' is not closed in #if")
                self.position += 1
                return value
            case text if token.kind == "number":
                return self.integer(token)
            case text if token.kind == "char":
                return _ESCAPES.get(text[-2], ord(text[-2])) if "\\" in text[:-2] else ord(text[-2])
            case _ if token.kind == "name":
                return 0
            case text:
                raise _Malformed(token.place, f"unexpected '{text}' in #if")
