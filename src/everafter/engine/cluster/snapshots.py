"""Checkpoints: the states of all workers between two levels, in a folder or at a URL that all of their machines see.

One file names the last complete checkpoint and the digest of each of its parts; it is replaced when a new one is
complete. It is sealed (everafter.seal): so a part that is missing, damaged, of another checkpoint or forged is noticed.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from everafter.engine.cluster.checkpoint_storage import inside, place_of
from everafter.engine.cluster.errors import ClusterError
from everafter.engine.cluster.partition import Partition
from everafter.engine.cluster.worker import JobDescription, Part
from everafter.engine.run.kernel_code import text_digest
from everafter.record import asdict, dataclass
from everafter.seal import ELSEWHERE, sealed, unsealed

_NAME: Final = "checkpoint.json"
_LEVEL: Final = "level-"


def is_any_in(place: str) -> bool:
    """Return whether there is a checkpoint at `place`."""
    with suppress(OSError):
        return place_of(place).has(_NAME)
    return False


@dataclass(frozen=True, slots=True)
class Saved:
    """The last complete checkpoint."""

    key: str
    """A digest of the model, the search and the partition function."""
    levels: int
    """How many levels are complete."""
    parts: tuple[Part, ...]
    partition: Partition
    """The partition function: which worker owns a state."""
    rounds: int | None = None
    """How many rounds of a search for accepting cycles are complete, None while states are still explored."""


class Checkpoints:
    """The checkpoints of one search at a `place`, one every `interval` seconds. Raises ClusterError where it cannot."""

    def __init__(self, place: str, description: JobDescription, interval: float) -> None:
        self._place = place_of(place)
        self.interval = interval
        searched = description.cycles, description.weak, description.ranks
        how = f"{description.past_errors} {searched} {description.store}"
        self._text = f"{text_digest()}\n{how}\n{description.code.text}"
        self._last = time.monotonic()

    def latest(self) -> Saved | None:
        """Return the last complete checkpoint, None if there is none."""
        path = inside(self._place.text, _NAME)
        try:
            with self._place.reading(_NAME) as file:
                read = unsealed(file.read())
            parts = tuple(Part(**part) for part in read["parts"])
            partition = Partition(tuple((int(index), int(bits)) for index, bits in read["partition"]["words"]))
            saved = Saved(read["key"], int(read["levels"]), parts, partition, read["rounds"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ClusterError(f"the checkpoint {path} cannot be read; {ELSEWHERE}") from error
        if saved.key != self._key(saved.partition):
            raise ClusterError(f"the checkpoint {path} is of another model, or of another version of everafter")
        return saved

    def _key(self, partition: Partition) -> str:
        return hashlib.sha256(f"{partition.digest}\n{self._text}".encode()).hexdigest()

    @property
    def is_due(self) -> bool:
        """Return whether it is time for another checkpoint."""
        return time.monotonic() - self._last >= self.interval

    def folder_for(self, levels: int) -> str:
        """Return where the parts of a new checkpoint behind this number of `levels` go."""
        return inside(self._place.text, f"{_LEVEL}{levels}")

    def complete(self, levels: int, parts: Sequence[Part], partition: Partition, rounds: int | None = None) -> None:
        """Let a checkpoint, all `parts` of which are written, take the place of the one before.

        It is behind `levels` levels and, when accepting cycles are looked for, `rounds` rounds; `partition` is its
        partition function.
        """
        saved = Saved(self._key(partition), levels, tuple(parts), partition, rounds)
        try:
            with self._place.writing(_NAME) as file:
                file.write(sealed(json.dumps(asdict(saved))))
            self._remove(f"{_LEVEL}{levels}")
        except OSError as error:
            raise ClusterError(f"no checkpoint can be written to {self._place.text}: {error}") from error
        self._last = time.monotonic()

    def remove(self) -> None:
        """Remove the checkpoints: the search has decided, and nothing is left to resume."""
        with suppress(OSError):
            self._place.remove(_NAME)
            self._remove()

    def _remove(self, kept: str = "") -> None:
        for folder in self._place.folders():
            if folder.startswith(_LEVEL) and folder != kept:
                self._place.remove(folder)
