"""What is known beside a verdict, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FairVerdict = Literal["holds", "violated", "not decided"]


@dataclass(frozen=True, slots=True)
class UnderFairness:
    """What becomes of a violated property if only fair runs count. What holds under weak holds under strong."""

    weak: FairVerdict = "not decided"
    strong: FairVerdict = "not decided"
