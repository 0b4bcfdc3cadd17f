"""One line on the terminal that says how far a check has come; nothing at all in a pipe."""

from __future__ import annotations

import time
from typing import TextIO

from everafter.verdict.limits import Progress

_PERIOD = 0.2
_SILENCE = 0.5
"""A check that is over sooner shows nothing."""


class ProgressLine:
    """Rewrites one line of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.enabled = stream.isatty()
        self._shown = False
        self._last = time.monotonic() + _SILENCE - _PERIOD

    def show(self, progress: Progress) -> None:
        """Show where the check is, not too often."""
        now = time.monotonic()
        if not self.enabled or now - self._last < _PERIOD:
            return
        self._last = now
        rate = progress.states / progress.seconds if progress.seconds > 0 else 0.0
        depth = f"depth {progress.depth:,}, " if progress.depth else ""
        text = (
            f"{progress.states:,} states, {rate:,.0f}/s, {progress.transitions:,} transitions, "
            f"{depth}{progress.memory / 2**20:,.0f} MiB, {progress.seconds:.0f} s"
        )
        self.stream.write(f"\r\x1b[K{text}")
        self.stream.flush()
        self._shown = True

    def tell(self, text: str) -> None:
        """Say what takes its time."""
        if self.enabled:
            self.stream.write(f"\r\x1b[K{text}")
            self.stream.flush()
            self._shown = True

    def clear(self) -> None:
        """Take the line away again."""
        if self._shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
