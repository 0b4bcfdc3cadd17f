"""One line on the terminal that says how far a check has come; in a pipe nothing but what should stay."""

from __future__ import annotations

import shutil
import time
from typing import TextIO

from everafter.characters import visible_line
from everafter.questions.limits import Notice, Progress, Sharing
from everafter.report.encoding import behind
from everafter.report.text_columns import cut

_PERIOD = 0.2
_SILENCE = 0.5
"""A check that is over sooner shows nothing."""


class ProgressLine:
    """Rewrites one line of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = behind(stream)
        self.enabled = stream.isatty()
        self._shown = False
        self._last = time.monotonic() + _SILENCE - _PERIOD

    def show(self, progress: Progress | str, often: bool = False) -> None:
        """Show `progress`, where the check is, not too often; or at once what takes its time, or what should stay.

        `often`: it tells in words where the check is.
        """
        if isinstance(progress, Notice):
            self.clear()
            self.stream.write(f"{visible_line(progress)}\n")
            return
        now = time.monotonic()
        often = often or isinstance(progress, Progress)
        if not self.enabled or (often and now - self._last < _PERIOD):
            return
        self._last = now
        text = visible_line(progress if isinstance(progress, str) else _line(progress))
        # A line that is too wide would go on in the next one, and could not be taken away again.
        self.stream.write(f"\r\x1b[K{cut(text, shutil.get_terminal_size().columns - 1)}")
        self.stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away again."""
        if self._shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self._shown = False


def _line(progress: Progress) -> str:
    rate = progress.states / progress.seconds if progress.seconds > 0 else 0.0
    depth = f"depth {progress.depth:,}, " if progress.depth else ""
    which = f"{progress.property} ({progress.number} of {progress.total}): " if progress.total > 1 else ""
    limit = f" of {progress.limit:.0f}" if progress.limit is not None else ""
    begun = f"{which}{progress.states:,} states, {rate:,.0f}/s, {progress.seconds:.0f}{limit} s, "
    if progress.sharing is not None:
        return begun + _shared(progress.sharing)
    return f"{begun}{depth}{progress.memory / 2**20:,.0f} MiB, {progress.transitions:,} transitions"


def _shared(sharing: Sharing) -> str:
    """How the workers of a cluster share a search: the fullest of them will be the first to have no more memory."""
    return (
        f"level {sharing.level:,}, fullest of {sharing.workers} workers: {sharing.fullest} with "
        f"{sharing.memory / 2**20:,.0f} of {sharing.room / 2**20:,.0f} MiB, {sharing.load:.0%} busy, "
        f"{sharing.messages:,.0f} messages/s"
    )
