"""Of which kind and order each atomic step of the store is: read off the IR that is made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from everafter.engine.code import atomics
from everafter.engine.code.compiler import function, joined_text

PROBED: Final = {
    **{"shared": 1, "share": 2, "add": 2, "swap_if": 3, "surveyed": 3, "vacant": 1},
    **{"surveyed_slots": 3, "surveyed_apart": 2},
}
"""The steps, with the number of their arguments."""
_ATOMIC = re.compile(
    r"(load atomic|store atomic|atomicrmw \w+|cmpxchg|fence) .*?(monotonic|acquire|release|acq_rel|seq_cst)"
)
ACQUIRING: Final = frozenset({"acquire", "acq_rel", "seq_cst"})
RELEASING: Final = frozenset({"release", "acq_rel", "seq_cst"})


@dataclass(frozen=True)
class Step:
    """What an atomic step is to LLVM."""

    kind: str
    order: str

    @property
    def acquires(self) -> bool:
        """Whether what its writer did before can be seen after it."""
        return self.order in ACQUIRING

    @property
    def releases(self) -> bool:
        """Whether whoever acquires what it writes can see what was done before it."""
        return self.order in RELEASING


@cache
def orders() -> dict[str, Step]:
    """Each step by the name of its function."""
    return {name: _step(name, arguments) for name, arguments in PROBED.items()}


def _step(name: str, arguments: int) -> Step:
    names = ", ".join("abc"[:arguments])
    scope: dict[str, Any] = {name: getattr(atomics, name)}
    exec(f"def probe({names}):\n    {name}({names})\n    return a", scope)
    text = joined_text({"probe": (function(scope["probe"]), arguments)})
    found = {Step(*each) for each in _ATOMIC.findall(text)}
    assert len(found) == 1, f"{name} is more than one kind of step"
    return found.pop()
