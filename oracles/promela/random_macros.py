"""Random texts for a C preprocessor: macros of every kind, nested conditionals, calls over lines and directives."""

from __future__ import annotations

import random

from everafter.promela.preprocess import preprocess
from everafter.promela.tokens import scan
from everafter.source import Diagnostic, Source
from oracles.spin import by_preprocessor

_OBJECTS = ("A", "B", "C", "N")
_FUNCTIONS = {"F": 1, "G": 2, "H": 0, "V": 1, "W": 0, "L": 1}
"""The macros with parentheses, each with how many parameters it has at least; V, W and L take any number more."""
_PLAIN = ("x", "y", "1", "27", "+", "<", "==", ";", '"s\\n A"', "'c'", "a.b", "->", "[", "]", "{", "}", "~")


class TextAuthor:
    """Writes one text."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.depth = 0

    def text(self) -> str:
        """Some lines."""
        return "\n".join(self.lines(self.chance.randrange(3, 16))) + "\n"

    def lines(self, count: int) -> list[str]:
        """So many pieces: definitions, conditionals and text."""
        written: list[str] = []
        for _ in range(count):
            kind = self.chance.random()
            if kind < 0.4:
                written.append(self.definition())
            elif kind < 0.55 and self.depth < 4:
                written += self.conditional()
            else:
                written.append(self.words(self.chance.randrange(1, 7), ()))
        return written

    def definition(self) -> str:
        """`#define` or `#undef`; sometimes the line goes on."""
        if self.chance.random() < 0.15:
            return f"#undef {self.chance.choice((*_OBJECTS, *_FUNCTIONS))}"
        if self.chance.random() < 0.4:
            return f"#define {self.chance.choice(_OBJECTS)} {self.words(self.chance.randrange(4), ())}"
        name = self.chance.choice(list(_FUNCTIONS))
        names = ["p", "q"][: _FUNCTIONS[name]]
        further = {"V": "...", "W": "...", "L": "r..."}.get(name)
        body = self.body([*names, *({"r"} if name == "L" else {"__VA_ARGS__"} if further else set())])
        return f"#define {name}({', '.join([*names, *([further] if further else [])])}) {body}"

    def body(self, parameters: list[str]) -> str:
        """What a macro with parameters stands for, with quoting and pasting of them."""
        parts: list[str] = []
        for _ in range(self.chance.randrange(5)):
            kind = self.chance.random()
            if parameters and kind < 0.15:
                parts.append(f"#{self.space()}{self.chance.choice(parameters)}")
            elif parameters and kind < 0.25:
                parts.append(f"z{self.space()}##{self.space()}{self.chance.choice(parameters)}")
            elif parameters and kind < 0.3 and parameters[-1] in ("r", "__VA_ARGS__"):
                parts.append(f"y, ##{self.space()}{parameters[-1]}")
            else:
                parts.append(self.words(1, parameters))
        return " ".join(parts).replace("\n", " \\\n")

    def words(self, count: int, parameters: tuple[str, ...] | list[str]) -> str:
        """Plain words, names of macros, parameters and calls."""
        return "".join(self.word(parameters) + self.space() for _ in range(count))

    def word(self, parameters: tuple[str, ...] | list[str]) -> str:
        kind = self.chance.random()
        if kind < 0.3:
            return self.chance.choice(_PLAIN) + " "
        if parameters and kind < 0.6:
            return self.chance.choice(parameters) + " "
        if kind < 0.7:
            return self.chance.choice(_OBJECTS) + " "
        if kind < 0.75:
            return self.chance.choice(list(_FUNCTIONS)) + " "
        return self.call(parameters)

    def call(self, parameters: tuple[str, ...] | list[str]) -> str:
        """A call with the right number of arguments, most often; directives may stand among them."""
        name = self.chance.choice(list(_FUNCTIONS))
        count = _FUNCTIONS[name] + (self.chance.randrange(3) if name in "VWL" else 0)
        self.depth += 1
        given = [self.words(self.chance.randrange(3) if self.depth < 4 else 0, parameters) for _ in range(count)]
        self.depth -= 1
        if not parameters and self.depth == 0 and self.chance.random() < 0.15 and given:
            self.depth += 1
            given[0] += "\n" + "\n".join(self.conditional()) + "\n"
            self.depth -= 1
        return f"{name}{self.space()}({','.join(given)})"

    def conditional(self) -> list[str]:
        """A conditional with its branches."""
        self.depth += 1
        opening = self.chance.choice((f"#if {self.condition()}", "#ifdef A", "#ifndef F", "# ifdef N"))
        lines = [opening, *self.lines(self.chance.randrange(3))]
        while self.chance.random() < 0.3:
            lines += [f"#elif {self.condition()}", *self.lines(self.chance.randrange(3))]
        if self.chance.random() < 0.5:
            lines += ["#else", *self.lines(self.chance.randrange(3))]
        self.depth -= 1
        return [*lines, "#endif /* here */"]

    def condition(self) -> str:
        """An expression for `#if`."""
        if self.chance.random() < 0.35:
            operator = self.chance.choice(
                ("+", "-", "*", "<", ">=", "==", "&&", "||", "&", "|", "^", "<<", "%2-", "?2:")
            )
            return f"({self.condition()} {operator} {self.condition()})"
        return self.chance.choice(
            ("1", "0", "010", "0x1F", "7L", "'a'", "'\\n'", "defined(A)", "defined N", "!defined F", "-3", "~2", "x")
        )

    def space(self) -> str:
        return self.chance.choice(("", "", " ", "  ", "\t", " /* , */ "))


def compare(seed: int) -> tuple[str, str]:
    """How our tokens for the text of a seed compare with gcc's, and where they differ."""
    text = TextAuthor(seed).text()
    expected = by_preprocessor(text)
    problems: list[Diagnostic] = []
    ours = [token.text for token in preprocess(Source("text", text), {}, problems)]
    if expected is None:
        return "refused", ""
    if problems:
        return "differs", f"{problems[0].render()}\n{text}"
    theirs = [token.text for token in scan(Source("gcc", expected), []) if token.kind != "newline"]
    return ("agrees", "") if ours == theirs else ("differs", f"{ours}\n{theirs}\n{text}")
