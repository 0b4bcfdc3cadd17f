"""Checkpoints: the states of all workers between two levels, in a folder that all of their machines see.

One file names the last complete checkpoint and the digest of each of its parts; it is replaced when a new one is
complete. So a part that is missing, damaged or of another checkpoint is noticed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from everafter.engine.cluster.errors import CompanyError
from everafter.engine.cluster.worker import Order, Part
from everafter.engine.run.code import text_digest

_NAME: Final = "checkpoint.json"


def is_any_in(folder: Path) -> bool:
    """Whether there is a complete checkpoint in the folder."""
    return (folder / _NAME).exists()


@dataclass(frozen=True, slots=True)
class Saved:
    """The last complete checkpoint."""

    key: str
    """Tells of which model and which search it is."""
    levels: int
    """How many levels are complete."""
    parts: tuple[Part, ...]
    rounds: int | None = None
    """How many rounds of a search for accepting cycles are complete, None while states are still explored."""


class Checkpoints:
    """The checkpoints of one search in a folder, written every so many seconds. Raises CompanyError where it cannot."""

    def __init__(self, folder: Path, order: Order, interval: float) -> None:
        self.folder = folder.absolute()
        self.interval = interval
        text = f"{text_digest()}\n{order.past_errors} {order.cycles} {order.weak}\n{order.code.text}"
        self._key = hashlib.sha256(text.encode()).hexdigest()
        self._last = time.monotonic()

    def latest(self) -> Saved | None:
        """The last complete checkpoint, None if there is none."""
        path = self.folder / _NAME
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
            parts = tuple(Part(**part) for part in read["parts"])
            saved = Saved(read["key"], int(read["levels"]), parts, read["rounds"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CompanyError(f"the checkpoint {path} cannot be read") from error
        if saved.key != self._key:
            raise CompanyError(f"the checkpoint {path} is of another model, or of another version of everafter")
        return saved

    @property
    def is_due(self) -> bool:
        """Whether it is time for another one."""
        return time.monotonic() - self._last >= self.interval

    def folder_for(self, levels: int) -> Path:
        """Where the parts of a new checkpoint go."""
        folder = self.folder / f"level-{levels}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CompanyError(f"no checkpoint can be written to {self.folder}: {error.strerror}") from error
        return folder

    def complete(self, levels: int, parts: Sequence[Part], rounds: int | None = None) -> None:
        """All parts of a checkpoint are written: it takes the place of the one before."""
        path = self.folder / _NAME
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(asdict(Saved(self._key, levels, tuple(parts), rounds))), encoding="utf-8")
        unfinished.replace(path)
        self._remove(f"level-{levels}")
        self._last = time.monotonic()

    def remove(self) -> None:
        """Nothing is left to be gone on with: the search has decided."""
        (self.folder / _NAME).unlink(missing_ok=True)
        self._remove()

    def _remove(self, kept: str = "") -> None:
        for folder in self.folder.glob("level-*"):
            if folder.name != kept:
                shutil.rmtree(folder, ignore_errors=True)
