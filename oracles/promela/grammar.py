"""SPIN's grammar as data, rule by rule, and texts made from it.

In grammar.txt a colon follows the name of a rule, and what it may stand for is indented below it. `<rule>` is
another rule, `<new>` a name that nothing has yet and `<same>` the last of these, `<line>` the end of a line,
`<nothing>` no word at all; any other word stands for itself. An alternative that is written twice is taken twice as
often, and one behind a question mark is rare: the grammar allows it, but mostly it has no meaning.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_DEEPEST = 12
"""From this depth on the shortest way to an end is taken."""
_RARE = 0.02


@dataclass(frozen=True, slots=True)
class Grammar:
    """The alternatives of each rule, and how many rules deep the shallowest of them goes."""

    rules: dict[str, list[list[str]]]
    rare: dict[str, list[list[str]]]
    heights: dict[str, int]

    def choices(self, rule: str, rng: random.Random, depth: int) -> list[list[str]]:
        """The alternatives from which one is taken."""
        if depth >= _DEEPEST:
            lowest = min(map(self.height, self.rules[rule]))
            return [words for words in self.rules[rule] if self.height(words) == lowest]
        return self.rare[rule] if self.rare[rule] and rng.random() < _RARE else self.rules[rule]

    def height(self, words: list[str]) -> int:
        """How many rules deep an alternative goes at least."""
        return max((self.heights.get(word, 0) for word in words), default=0)


@cache
def grammar() -> Grammar:
    """The grammar in grammar.txt."""
    rules: dict[str, list[list[str]]] = {}
    rare: dict[str, list[list[str]]] = {}
    name = ""
    for line in Path(__file__).with_name("grammar.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(" ? "):
            rare[name].append(line.split()[1:])
        elif line.startswith(" "):
            rules[name].append(line.split())
        elif line.endswith(":"):
            name = f"<{line[:-1]}>"
            rules[name], rare[name] = [], []
    return Grammar(rules, rare, _heights(rules))


def _heights(rules: dict[str, list[list[str]]]) -> dict[str, int]:
    heights = dict.fromkeys(rules, 10**6)
    changed = True
    while changed:
        changed = False
        for name, alternatives in rules.items():
            best = 1 + min(max((heights.get(word, 0) for word in words), default=0) for words in alternatives)
            changed = changed or best < heights[name]
            heights[name] = min(best, heights[name])
    return heights


@dataclass(slots=True)
class _Author:
    """Writes words by the grammar."""

    rng: random.Random
    names: int = 0
    words: list[str] = field(default_factory=list)

    def write(self, word: str, depth: int = 0) -> None:
        if word in grammar().rules:
            for part in self.rng.choice(grammar().choices(word, self.rng, depth)):
                self.write(part, depth + 1)
        elif word == "<line>":
            self.words.append("\n")
        elif word != "<nothing>":
            self.names += "<new>" in word
            self.words.append(word.replace("<new>", f"new{self.names}").replace("<same>", f"new{self.names}"))


def words_of(seed: int) -> list[str]:
    """The words of the model of a seed."""
    author = _Author(random.Random(seed))
    author.write("<model>")
    return author.words
