"""How long and how large a check may become, and where it has got to."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from everafter.search import Meter

_PAGE = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check has come."""

    states: int
    transitions: int
    depth: int
    seconds: float
    memory: int
    """Bytes this process uses."""


Observer = Callable[[Progress], None]


@dataclass(slots=True)
class Limits:
    """Bounds of a check. When one is reached the verdict is `incomplete`, and `reached` says which."""

    seconds: float | None = None
    memory: int | None = None
    states: int | None = None
    observer: Observer | None = None
    tell: Callable[[str], None] = lambda _: None
    """Is told what takes its time before a search begins."""
    started: float = field(default_factory=time.monotonic)
    reached: str | None = None

    def meter(self) -> Meter:
        """A meter that stops a search at these bounds and reports its progress."""
        return Meter(self._report, every=256)

    def _report(self, meter: Meter) -> bool:
        return self.passed(meter.states, meter.transitions, meter.depth)

    def passed(self, states: int, transitions: int, depth: int) -> bool:
        """Report how far a search has come; whether it has come too far."""
        elapsed = time.monotonic() - self.started
        used = memory_in_use()
        if self.observer is not None:
            self.observer(Progress(states, transitions, depth, elapsed, used))
        if self.seconds is not None and elapsed > self.seconds:
            self.reached = f"the time limit of {self.seconds:g} s was reached"
        elif self.memory is not None and used > self.memory:
            self.reached = f"the memory limit of {self.memory / 2**20:,.0f} MiB was reached"
        elif self.states is not None and states > self.states:
            self.reached = f"the limit of {self.states:,} states was reached"
        return self.reached is not None


def memory_in_use() -> int:
    """The memory this process has now, in bytes: what an earlier check has given back does not count.

    Where the system does not tell, the most it has ever had.
    """
    try:
        resident = Path("/proc/self/statm").read_bytes().split()[1]
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return int(resident) * _PAGE
