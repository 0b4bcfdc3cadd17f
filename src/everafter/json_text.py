"""JSON that others have written: read with a bound on how deeply it nests, so that no text exhausts the stack."""

from __future__ import annotations

import json
import re
from typing import Any, Final

DEEPEST: Final = 100
"""How many arrays and objects may lie within each other: ours nest a tenth of that."""
_BRACKET: Final = re.compile(r"[][{}]")


def read_json(text: str | bytes) -> Any:
    """The value that `text` stands for. Raises ValueError if it stands for none, or nests deeper than DEEPEST."""
    words = text.decode() if isinstance(text, bytes) else text
    if words.count("[") + words.count("{") > DEEPEST and _nests_too_deeply(words):
        raise ValueError(f"more than {DEEPEST} brackets are open at once")
    return json.loads(words)


def _nests_too_deeply(text: str) -> bool:
    """Whether more than DEEPEST brackets outside its strings are open at once."""
    depth = 0
    for outside in text.replace("\\\\", "").replace('\\"', "").split('"')[::2]:
        for bracket in _BRACKET.finditer(outside):
            depth += 1 if bracket[0] in "[{" else -1
            if depth > DEEPEST:
                return True
    return False
