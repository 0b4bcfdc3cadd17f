"""A text without something that SPIN stumbles over. If SPIN reads the mended text, it stumbled over nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_GAP = r"(?:\s|\\\n|/\*.*?\*/|//[^\n]*\n)*"
_SEPARATORS = re.compile(rf"(?:(?:;|->){_GAP})+(?=\}})", re.DOTALL)
_WORD = re.compile(
    r"(?P<gap>(?:\s|\\\n|/\*.*?\*/|//[^\n]*\n)+)|\w+|\"[^\"\n]*\"|'[^'\n]*'"
    r"|->|<->|--|\+\+|!!|\?\?|&&|\|\||==|!=|<=|>=|<<|>>|::|\.\.|.",
    re.DOTALL,
)


def without_last_separators(text: str) -> str:
    """The text without the separators before closing braces, of which SPIN passes over just one in a structure."""
    return _SEPARATORS.sub("", text)


def with_plain_arguments(text: str) -> str:
    """The text with 1 for every argument of an inline that SPIN garbles on its way, also if it has a comma within."""
    names = frozenset(name for keyword, name in pairwise(_words(text)) if keyword == "inline")
    for start, end in reversed(list(_arguments(text, names))):
        words = _words(text[start:end])
        if "," in words or _as_spin_passes(words) != words:
            text = f"{text[:start]} 1 {text[end:]}"
    return text


def _as_spin_passes(words: list[str]) -> list[str]:
    """SPIN glues the words together again, says `timeout` twice, and loses what follows an arrow but is no number."""
    kept = [
        word * 2 if word == "timeout" else word
        for before, word in zip(["", *words], words, strict=False)
        if before != "->" or word.isdigit()
    ]
    return _words("".join(kept))


def _words(text: str) -> list[str]:
    return [found.group() for found in _WORD.finditer(text) if found.lastgroup != "gap"]


def _arguments(text: str, names: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where the arguments of calls stand, declarations of inlines left out."""
    words = [found for found in _WORD.finditer(text) if found.lastgroup != "gap"]
    for position, word in enumerate(words[:-1]):
        declared = position > 0 and words[position - 1].group() == "inline"
        if word.group() not in names or declared or words[position + 1].group() != "(":
            continue
        depth, start = 0, words[position + 1].end()
        for following in words[position + 2 :]:
            if depth == 0 and following.group() in (",", ")"):
                yield start, following.start()
                start = following.end()
                if following.group() == ")":
                    break
            depth += (following.group() in "([") - (following.group() in ")]")
