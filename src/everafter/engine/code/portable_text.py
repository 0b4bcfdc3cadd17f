"""The text of an object of machine code as packages carry it, for no processor in particular.

The same functions have the same text whenever, wherever and in whichever order they are translated: Numba's names,
which count functions and contain addresses, are replaced by numbers.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from everafter.engine.code.machine import generally_optimised

LIBRARY = ("memcpy", "memset", "memmove")
"""The functions of the C library that code may call."""
_SYMBOL = re.compile(r'@(?:"[^"]*"|[-\w$.]+)')
_GLOBAL = re.compile(r"@(\S+) = .*\bglobal\b.*")
_BLOCK = re.compile(r"_ZN[-\w$.]*")
_SCOPE = re.compile(r'!"_ZN[^"]*"')
_PREDECESSORS = re.compile(r"\s+; preds = .*")
_LEFT_OUT = (";", "source_filename", "target ")
_ADDRESS = re.compile(r"inttoptr \(i64 \d+")


def portable(text: str, names: Collection[str]) -> str:
    """Return the LLVM IR `text` optimised, with its `names` kept and all others numbered.

    Raises ValueError if it contains an address, or a variable of Numba's that is used.
    """
    return numbered(generally_optimised(text), names)


def numbered(text: str, names: Collection[str]) -> str:
    """Return the LLVM IR `text` as it is, with its `names` kept and all others numbered; raise as `portable` does."""
    lines = [_PREDECESSORS.sub("", line) for line in text.splitlines()]
    variables = [found[1] for line in lines if (found := _GLOBAL.fullmatch(line))]
    kept = [line for line in lines if line and not line.startswith(_LEFT_OUT) and not _GLOBAL.fullmatch(line)]
    code = "\n".join((*kept, ""))
    if lost := [name for name in variables if f"@{name}" in code] or _ADDRESS.findall(code):
        raise ValueError(f"the code needs what is in this process only: {min(lost)}")
    return _BLOCK.sub(_Numbers("b"), _SYMBOL.sub(_Numbers("@f", {*names, *LIBRARY}), _SCOPE.sub('!"scope"', code)))


class _Numbers:
    """Gives each name that is found a number behind `letter`, but `kept` ones and LLVM's own."""

    def __init__(self, letter: str, kept: Collection[str] = ()) -> None:
        self._letter, self._kept = letter, kept
        self._numbers: dict[str, str] = {}

    def __call__(self, found: re.Match[str]) -> str:
        name = found[0].lstrip("@")
        if name in self._kept or name.startswith("llvm."):
            return found[0]
        return self._numbers.setdefault(name, f"{self._letter}{len(self._numbers)}")
