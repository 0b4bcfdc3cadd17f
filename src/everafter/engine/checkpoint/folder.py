"""The checkpoints of one search in a folder: the last two are kept, each in a file with a number that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from everafter.engine.checkpoint.checkpoint_file import UNFINISHED, Abandoned, CheckpointHeading, FilePart, write

KEPT: Final = 2
SUFFIX: Final = ".checkpoint"
_SHOWN: Final = 16  # so much of a key is in the name of a file


class Generations:
    """Where a search writes its checkpoints, and when. `failed` says why the last one could not be written, if so."""

    def __init__(self, folder: Path, key: str, search: str, interval: float) -> None:
        self.folder = folder
        self.key = key
        self.search = search
        self.interval = interval
        self.failed = ""
        self._last = time.monotonic()
        self._taken = 0.0

    def files(self) -> list[Path]:
        """The checkpoints there are, the oldest first."""
        found = self.folder.glob(f"{self.key[:_SHOWN]}.*{SUFFIX}")
        return sorted((path for path in found if _number(path) is not None), key=lambda path: _number(path) or 0)

    def latest(self) -> Path | None:
        """The last checkpoint, if there is one."""
        return next(reversed(self.files()), None)

    @property
    def is_due(self) -> bool:
        """Whether it is time for another one: the search had at least as long as it took to write the last."""
        return time.monotonic() - self._last >= max(self.interval, self._taken)

    def add(self, heading: CheckpointHeading, parts: Sequence[FilePart], is_over: Callable[[], bool]) -> None:
        """Write another one, of `heading` and `parts`, and delete those that are no longer needed.

        It is left when `is_over` becomes true. What keeps it from being written is noted.
        """
        begin, latest = time.monotonic(), self.latest()
        number = 1 + ((_number(latest) or 0) if latest is not None else 0)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write(self.folder / f"{self.key[:_SHOWN]}.{number}{SUFFIX}", heading, parts, is_over)
            self.failed = ""
            for path in self.files()[:-KEPT]:
                path.unlink()
        except Abandoned:
            pass
        except OSError as error:
            self.failed = f"no checkpoint could be written to {self.folder}: {error.strerror or error}"
        self._last = time.monotonic()
        self._taken = self._last - begin

    def remove(self) -> None:
        """Remove the checkpoints: the search has decided, and nothing is left to resume."""
        for path in (*self.files(), *self.folder.glob(f"{self.key[:_SHOWN]}.*{SUFFIX}{UNFINISHED}")):
            path.unlink(missing_ok=True)


def _number(path: Path) -> int | None:
    """The number in the name of a checkpoint."""
    number = path.name.split(".")[1]
    return int(number) if number.isdecimal() else None
