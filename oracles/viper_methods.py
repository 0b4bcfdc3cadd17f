"""Methods in Viper as functions in Python, so that a machine that is proved can be run as it stands.

What is asserted is passed over, and so are calls of lemmas: methods that give nothing back and are not handed the
fields of the team, `g`. A word that is not known is an error. Sets are frozen, sequences are tuples, fields are entries
of a dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from proofs.viper import braces, members, without_comments

TOKEN = re.compile(r"\s*(==>|:=|::|&&|\|\||[<>=!]=|\+\+|\.\.|\w+|\S)")
LEVELS: tuple[dict[str, str], ...] = (
    {"||": "or"},
    {"&&": "and"},
    {"==": "==", "!=": "!="},
    {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "in": "in"},
    {"+": "+", "-": "-", "++": "+", "union": "|", "setminus": "-", "intersection": "&"},
)
"""Operators, from those that bind least, and Python's."""
SKIPPED = ("assert", "invariant", "decreases")


@dataclass(slots=True)
class Reader:
    """Turns the tokens of a body into lines of Python."""

    tokens: list[str]

    def next(self, expected: str = "") -> str:
        """The next token, which must be the expected one if there is one."""
        token = self.tokens.pop(0)
        assert expected in {"", token}, (expected, token, self.tokens[:9])
        return token

    def takes(self, word: str) -> bool:
        """Whether this word comes next; if so, it is taken."""
        return self.tokens[:1] == [word] and self.tokens.pop(0) == word

    def block(self, indent: str) -> Iterator[str]:
        """The statements up to the brace that closes the block."""
        yield indent + "pass"
        while not self.takes("}"):
            yield from self.statement(indent)

    def statement(self, indent: str) -> Iterator[str]:
        """One statement."""
        if self.takes("if") or self.takes("elseif"):
            yield f"{indent}if {self.expression()}:"
            yield from self._body(indent)
            if self.tokens[0] in {"else", "elseif"}:
                yield f"{indent}else:"
                yield from self._body(indent) if self.takes("else") else self.statement(indent + " ")
        elif self.takes("while"):
            yield f"{indent}while {self.expression()}:"
            yield from self._body(indent)
        elif self.takes("assert"):  # behind something else on its line
            self.expression()
        elif self.takes("var"):
            name = self.next()
            self.next(":")
            self._type()
            yield f"{indent}{name} = {self.expression() if self.takes(':=') else None}"
        else:
            yield indent + self._assignment_or_call()

    def _body(self, indent: str) -> Iterator[str]:
        self.next("{")
        return self.block(indent + " ")

    def _type(self) -> None:
        self.next()
        if self.takes("["):
            self._type()
            self.next("]")

    def _assignment_or_call(self) -> str:
        targets = [self.postfix()]
        while self.takes(","):
            targets.append(self.postfix())
        if self.takes(":="):
            return f"{', '.join(targets)} = {self.expression()}"
        assert targets[0].endswith(")"), targets
        return targets[0] if "(g," in targets[0] or targets[0].endswith("(g)") else "pass"

    def expression(self, level: int = 0) -> str:
        """An expression; at level 0 with its choice, if it is one."""
        if level == len(LEVELS):
            return self.postfix()
        value = self.expression(level + 1)
        while self.tokens and self.tokens[0] in LEVELS[level]:
            value = f"({value} {LEVELS[level][self.next()]} {self.expression(level + 1)})"
        if level == 0 and self.takes("?"):
            chosen = self.expression()
            self.next(":")
            return f"({chosen} if {value} else {self.expression()})"
        return value

    def postfix(self) -> str:
        """A value with its indices."""
        value = self.primary()
        while self.tokens and self.tokens[0] in {"[", "."}:
            if self.takes("."):
                value = f'{value}["{self.next()}"]'
                continue
            self.next("[")
            first = "" if self.tokens[0] == ".." else self.expression()
            if self.takes(":="):
                value = f"changed({value}, {first}, {self.expression()})"
            elif self.takes(".."):
                value = f"{value}[{first}:{'' if self.tokens[0] == ']' else self.expression()}]"
            else:
                value = f"element({value}, {first})"
            self.next("]")
        return value

    def primary(self) -> str:
        """A number, a name, a call, a set or sequence, a length, a negation, or what is in brackets."""
        token = self.next()
        if token in {"!", "-"}:
            return f"({'not ' if token == '!' else '-'}{self.postfix()})"
        if token == "|":
            inner = self.expression(len(LEVELS) - 1)
            self.next("|")
            return f"len({inner})"
        if token == "(":
            inner = self.expression()
            self.next(")")
            return f"({inner})"
        if token in {"Set", "Seq"}:
            if self.tokens[0] == "[":
                self.tokens.insert(0, token)
                self._type()
            listed = "".join(f"{each}, " for each in self._given())
            return f"frozenset([{listed}])" if token == "Set" else f"({listed})"
        if token == "forall":
            return self._all()
        if self.tokens[:1] == ["("]:
            return f"{named(token)}({', '.join(self._given())})"
        return token.capitalize() if token in {"true", "false"} else named(token)

    def _all(self) -> str:
        """A quantifier over what is in a set or sequence, or over all workers."""
        name = self.next()
        for word in (":", "Int", "::", "{"):
            self.next(word)
        while not self.takes("}"):
            self.next()
        if self.takes("is_worker"):
            assert self._given() == [name]
            some = "range(workers())"
        else:
            self.next(name)
            self.next("in")
            some = self.postfix()
        self.next("==>")
        return f"all({self.expression()} for {name} in {some})"

    def _given(self) -> list[str]:
        self.next("(")
        given = []
        while not self.takes(")"):
            given.append(self.expression())
            self.takes(",")
        return given


def named(word: str) -> str:
    """The word as a name in Python."""
    return word + "_" if iskeyword(word) else word


def changed(column: Sequence[Any], index: int, content: Any) -> Sequence[Any]:
    """The sequence with another element."""
    element(column, index)
    return (*column[:index], content, *column[index + 1 :])


def element(column: Sequence[Any], index: int) -> Any:
    """An element. What is outside is an error, even where Python would count from the end."""
    assert 0 <= index < len(column), "an index outside the sequence"
    return column[index]


def without_remarks(text: str) -> str:
    """The text with blanks for what is not done: comments, assertions, invariants and measures.

    Such a remark goes on over the lines that are indented deeper than its first.
    """
    remark = re.compile(rf"^( *)(?:{'|'.join(SKIPPED)})\b.*(?:\n\1 +\S.*)*$", re.MULTILINE)
    return remark.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), without_comments(text))


def functions_of(text: str) -> Iterator[str]:
    """Each method of the file as a function in Python, and each macro that is a constant."""
    code = without_remarks(text)
    for name, number in re.findall(r"^define ([A-Z]+) (\d+) *$", code, re.MULTILINE):
        yield f"{name} = {number}"
    for each in members(text):
        if each.kind == "method" and each.body is not None:
            head = re.match(r"method (\w+)\((.*?)\)(?:\s+returns \((.*?)\))?", code[each.begin : each.body], re.DOTALL)
            assert head is not None
            given, back = (re.findall(r"(\w+):", part or "") for part in head.groups()[1:])
            end = max(place for place, opens in braces(without_comments(text), each.body, each.end) if not opens) + 1
            yield f"def {named(head[1])}({', '.join(given)}):"
            yield from (f" {name} = None" for name in back)
            yield from Reader(TOKEN.findall(code[each.body + 1 : end])).block(" ")
            yield f" return {', '.join(back) or None}"
