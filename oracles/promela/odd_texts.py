"""Texts that SPIN's grammar allows, or nearly, spaced as authors do and as they do not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from oracles.promela.fuzzing import VOCABULARY
from oracles.promela.grammar import words_of

_SPACES = ("\t", "  ", " /* note */ ", "\f", " \\\n", "/**/")
_LINES = ("\n", "\n\n", " // note\n", "\r\n", "/* two\nlines */")
_WORDS = [word for word in VOCABULARY if word not in ("c_code", "c_decl", "c_expr", "c_state", "c_track")]
_GLUED = ("-->", "<=<", ">=>", "!!=", "*/", "..", ";;", "->", "--", "++", ":", "::", "[]", "<>", "_", "$", "'a'")


def odd_text(seed: int) -> str:
    """The text of a seed: every second as the grammar has it, the others changed in some words."""
    rng = random.Random(seed)
    words = words_of(seed)
    for _ in range(rng.choice((0, 0, 0, 0, 1, 1, 2, 3))):
        rng.choice(_CHANGES)(rng, words)
    return _spaced(rng, words)


def _spaced(rng: random.Random, words: Sequence[str]) -> str:
    """The words with odd white space between some of them, and none where none is needed."""
    oddity = rng.choice((0.0, 0.0, 0.05, 0.3))
    tightness = rng.choice((0.0, 0.3, 0.9))
    parts: list[str] = []
    in_directive = False
    for word in words:
        before = parts[-1][-1:] if parts else "\n"
        in_directive = word.startswith("#") or (in_directive and word != "\n")
        if word == "\n" or before == "\n":
            pass
        elif not in_directive and rng.random() < oddity:
            # The end of a line may stand for a semicolon, which mostly has no meaning within a statement.
            parts.append(rng.choice(_LINES if before in ";{}>" or rng.random() < 0.02 else _SPACES))
        elif rng.random() >= tightness or _would_join(before, word[0]) or in_directive:
            parts.append(" ")
        parts.append(word)
    return "".join(parts) + "\n"


def _would_join(left: str, right: str) -> bool:
    """Whether two words would read as another one if they touched."""
    if left.isalnum() or left in "_'\"":
        return right.isalnum() or right in "_'\""
    return left in "-+<>=!?&|:.*/[#" and right in "-+<>=!?&|:.*/[]#"


# Changes


def _delete(rng: random.Random, words: list[str]) -> None:
    del words[rng.randrange(len(words))]


def _repeat(rng: random.Random, words: list[str]) -> None:
    position = rng.randrange(len(words))
    words.insert(position, words[position])


def _swap(rng: random.Random, words: list[str]) -> None:
    position = rng.randrange(len(words) - 1)
    words[position : position + 2] = reversed(words[position : position + 2])


def _replace(rng: random.Random, words: list[str]) -> None:
    words[rng.randrange(len(words))] = rng.choice((*_WORDS, *_GLUED, rng.choice(words)))


def _insert(rng: random.Random, words: list[str]) -> None:
    words.insert(rng.randrange(len(words)), rng.choice((*_WORDS, *_GLUED, rng.choice(words))))


def _move(rng: random.Random, words: list[str]) -> None:
    start = rng.randrange(len(words))
    stretch = words[start : start + rng.randrange(1, 8)]
    del words[start : start + len(stretch)]
    target = rng.randrange(len(words) + 1)
    words[target:target] = stretch


_CHANGES: Sequence[Callable[[random.Random, list[str]], None]] = (_delete, _repeat, _swap, _replace, _insert, _move)
