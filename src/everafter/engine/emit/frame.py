"""Whose expressions are evaluated, and on which row."""

from __future__ import annotations

from typing import Literal

from everafter.program.program import ProcessType
from everafter.record import dataclass, replace


@dataclass(frozen=True, slots=True)
class Frame:
    """A process, or a claim, in the row that it looks at."""

    row: str
    """The row that is read, and written if it is a draft."""
    own: str
    """Where the process is in it."""
    pid: str
    kind: ProcessType | None
    timeout: str
    raised: str
    """Where to go on when an expression has no value."""
    is_draft: bool = False
    """Whether it is the next row, still being made: only there processes can be started."""
    meets: Literal["nobody", "somebody"] = "nobody"
    """Whether the other half of a rendezvous may be waiting."""
    asked: int = 0
    """How many processes, each for the sake of the one before, are checked for whether they may move."""

    def on(self, row: str, own: str) -> Frame:
        """Return the same process in the draft at `row`, where `own` is the address of its part."""
        return replace(self, row=row, own=own, is_draft=True)
