"""Runs the Viper text that `proofs.kernels` makes of kernels, so that it can be compared with the Python that it is of.

Only what is done counts: declarations, invariants and measures are passed over. This reader shares nothing with the
translator. Columns are lists; a column of bits holds frozen sets.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

TOKEN = re.compile(r"\s*(:=|&&|\|\||[<>=!]=|Set\[Int\]|[\w.]+|\S)")
LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("==", "!="),
    ("<", "<=", ">", ">=", "in"),
    ("+", "-", "union", "intersection", "setminus"),
    ("*",),
)
"""Operators, from those that bind least."""
MEANING: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda one, other: one in other,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "union": operator.or_,
    "intersection": operator.and_,
    "setminus": operator.sub,
}
Store = dict[str, Any]
"""The columns, or the variables, by name."""
Value = Callable[[], Any]


@dataclass(slots=True)
class Expression:
    """Reads one expression, whose value can then be asked for."""

    tokens: list[str]
    variables: Store
    store: Store

    def next(self, expected: str = "") -> str:
        """The next token, which must be the expected one if there is one."""
        token = self.tokens.pop(0)
        assert expected in {"", token}, (expected, token)
        return token

    def starts(self, *words: str) -> bool:
        """Whether one of these comes next."""
        return bool(self.tokens) and self.tokens[0] in words

    def whole(self) -> Value:
        """An expression with its choice, if it is one."""
        test = self.level(0)
        if not self.starts("?"):
            return test
        self.next("?")
        yes = self.whole()
        self.next(":")
        no = self.whole()
        return lambda: yes() if test() else no()

    def level(self, number: int) -> Value:
        """Operators of this level and below."""
        if number == len(LEVELS):
            return self.postfix()
        value = self.level(number + 1)
        while self.starts(*LEVELS[number]):
            value = both(self.next(), value, self.level(number + 1))
        return value

    def postfix(self) -> Value:
        """A value with its indices."""
        value = self.primary()
        while self.starts("["):
            self.next("[")
            index = self.whole()
            if self.starts(":="):
                self.next(":=")
                value = changed(value, index, self.whole())
            else:
                value = element(value, index)
            self.next("]")
        return value

    def primary(self) -> Value:
        """A number, a name, a set, a length, a negation, or what is in brackets."""
        token = self.next()
        if token in {"!", "-"}:
            operand = self.postfix()
            return lambda: not operand() if token == "!" else -operand()
        if token in {"|", "("}:
            inner = self.postfix() if token == "|" else self.whole()
            self.next("|" if token == "|" else ")")
            return (lambda: len(inner())) if token == "|" else inner
        if token in {"Set", "Set[Int]"}:
            self.next("(")
            members = None if self.starts(")") else self.whole()
            self.next(")")
            return lambda: frozenset() if members is None else frozenset({members()})
        if token == "bit_number":
            return bit_number(self.postfix())
        if token.isdecimal() or token in {"true", "false"}:
            return lambda: int(token) if token.isdecimal() else token == "true"
        if token.startswith("space._"):
            return lambda: self.store[token.removeprefix("space._")]
        return lambda: self.variables[token]


def both(word: str, one: Value, other: Value) -> Value:
    """Two values joined by an operator; the second is looked at only if the first does not decide."""
    if word in {"&&", "||"}:
        return lambda: (one() and other()) if word == "&&" else (one() or other())
    return lambda: MEANING[word](one(), other())


def bit_number(number: Value) -> Value:
    """The number of a bit, which is not negative."""

    def value() -> Any:
        assert number() >= 0, "no bit has a negative number"
        return number()

    return value


def element(column: Value, index: Value) -> Value:
    """An element of a column. What is outside is an error, even where Python would count from the end."""

    def value() -> Any:
        assert 0 <= index() < len(column()), "an index outside the column"
        return column()[index()]

    return value


def changed(column: Value, index: Value, content: Value) -> Value:
    """The column with another element."""

    def value() -> Any:
        element(column, index)()
        return [*column()[: index()], content(), *column()[index() + 1 :]]

    return value


@dataclass(slots=True)
class Method:
    """A method that can be run."""

    parameters: list[str]
    lines: list[str]

    @staticmethod
    def read(head: str, body: list[str]) -> Method:
        """The method with this first line and these lines between its braces."""
        said = re.fullmatch(r"method \w+\((.*?)\)( returns .*)?", head)
        assert said is not None
        names = [part.partition(":")[0].strip() for part in said[1].split(",")]
        return Method(names[1:], [line.partition("//")[0].strip() for line in body])


Methods = Mapping[str, Method | Callable[..., Any]]


@dataclass(slots=True)
class Run:
    """One call of a method on a store."""

    method: Method
    methods: Methods
    store: Store
    variables: Store = field(default_factory=dict)

    def answer(self) -> Any:
        """Run it to its end."""
        self.block(0)
        return self.variables.get("answer")

    def evaluate(self, text: str) -> Any:
        """The value of an expression."""
        reader = Expression(TOKEN.findall(text), self.variables, self.store)
        value = reader.whole()
        assert not reader.tokens, text
        return value()

    def block(self, place: int) -> int:
        """Do what stands from this line on, up to the brace that closes it; where that is."""
        lines = self.method.lines
        while place < len(lines) and not lines[place].startswith("}"):
            place = self.statement(place)
        return place

    def statement(self, place: int) -> int:
        """Do one statement; where the next one is."""
        line = self.method.lines[place]
        if line.startswith("var "):
            return place + 1
        if line.startswith("if "):
            return self.choice(place)
        if line.startswith("while "):
            return self.loop(place)
        target, _, value = line.partition(" := ") if " := " in line.partition("(")[0] else ("", "", line)
        called = re.fullmatch(r"(\w+)\(space(?:, )?(.*)\)", value)
        result = self.call(called[1], called[2]) if called else self.evaluate(value)
        assert target or called, line
        if target.startswith("space._"):
            self.store[target.removeprefix("space._")] = result
        elif target:
            self.variables[target] = result
        return place + 1

    def call(self, name: str, given: str) -> Any:
        """Call a method."""
        arguments = [self.evaluate(each) for each in split(given)]
        method = self.methods[name]
        if not isinstance(method, Method):
            return method(self.store, *arguments)
        constants = {name: value for name, value in self.variables.items() if name.isupper()}
        variables = {**constants, **dict(zip(method.parameters, arguments, strict=True))}
        return Run(method, self.methods, self.store, variables).answer()

    def choice(self, place: int) -> int:
        """`if`."""
        holds = self.evaluate(self.method.lines[place].removeprefix("if ").removesuffix(" {"))
        middle = self.end(place + 1)
        has_other = self.method.lines[middle] == "} else {"
        if holds:
            self.block(place + 1)
        elif has_other:
            self.block(middle + 1)
        return (self.end(middle + 1) if has_other else middle) + 1

    def loop(self, place: int) -> int:
        """`while`."""
        lines = self.method.lines
        begin = next(i for i in range(place, len(lines)) if lines[i] == "{") + 1
        while self.evaluate(lines[place].removeprefix("while ")):
            self.block(begin)
        return self.end(begin) + 1

    def end(self, place: int) -> int:
        """The line of the brace that closes the block that begins here."""
        depth = 1
        while True:
            line = self.method.lines[place]
            depth -= line.startswith("}")
            if not depth:
                return place
            depth += line.endswith("{")
            place += 1


def split(given: str) -> Iterator[str]:
    """The arguments of a call."""
    depth, begin = 0, 0
    for place, letter in enumerate(given):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and not depth:
            yield given[begin:place]
            begin = place + 1
    if given.strip():
        yield given[begin:]
