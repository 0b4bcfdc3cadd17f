"""What a proctype, an inline or a macro takes, shown while its arguments are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everafter.editor.scanned_names import place_key
from everafter.promela.tokens import Token, scan, text_of
from everafter.record import dataclass
from everafter.source import Diagnostic, Source

_DECLARING = {"proctype", "D_proctype", "inline", "define"}


@dataclass(frozen=True, slots=True)
class Signature:
    """What stands before an opening bracket and in it, where the parameters stand in that, and which is written."""

    label: str
    parameters: tuple[tuple[int, int], ...]
    active: int


def signature_at(source: Source, line: int, column: int, others: Iterable[Source]) -> Signature | None:
    """Return what the call takes in which `line` and `column` of `source` are; it is declared there or in `others`."""
    ignored: list[Diagnostic] = []
    words = [word for word in scan(source, ignored) if word.kind != "newline"]
    before = [word for word in words if place_key(word.place) < (line, column)]
    call = _call(before)
    if call is None:
        return None
    name, active = call
    for text in (source, *others):
        declared = words if text is source else [word for word in scan(text, ignored) if word.kind != "newline"]
        found = _declared(declared, name)
        if found is not None:
            return Signature(found[0], found[1], min(active, max(len(found[1]) - 1, 0)))
    return None


def _call(before: Sequence[Token]) -> tuple[str, int] | None:
    """The name before the innermost bracket that is open, and how many commas stand in it."""
    depth = commas = 0
    for position in range(len(before) - 1, 0, -1):
        text = before[position].text
        if text in ("{", "}", ";") and depth == 0:
            return None
        depth += (text in (")", "]")) - (text in ("(", "["))
        commas += text == "," and depth == 0
        if depth < 0:
            name = before[position - 1]
            is_declared = position > 1 and before[position - 2].text in _DECLARING
            return (name.text, commas) if text == "(" and name.kind == "name" and not is_declared else None
    return None


def _declared(words: Sequence[Token], name: str) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    """The head of the declaration of that name, and where its parameters stand in it."""
    for position in range(len(words) - 2):
        keyword, named, opening = words[position : position + 3]
        if keyword.text in _DECLARING and named.text == name and opening.text == "(":
            closing = next((n for n in range(position, len(words)) if words[n].text == ")"), len(words))
            head = words[position : closing + 1]
            label = text_of(head).removeprefix("D_").strip()
            return label, _stretches(label)
    return None


def _stretches(label: str) -> tuple[tuple[int, int], ...]:
    """Where the parameters stand in `name(a, b; c)`."""
    begin = label.index("(") + 1
    inner = label[begin:].removesuffix(")")
    return tuple((begin + found.start(), begin + found.end()) for found in re.finditer(r"[^,;\s][^,;]*", inner))
