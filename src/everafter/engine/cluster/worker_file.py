"""The states of a worker in a file, and back: as they lie in its memory, behind a line that says what they are.

The file is whole or not there. Its reader knows its digest from elsewhere, so that another, or an older one, is
noticed.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
from typing import Any, Final

from everafter.engine.cluster import worker_words as Job  # noqa: N812 # its words are constants
from everafter.engine.cluster.checkpoint_storage import inside, place_of
from everafter.engine.cluster.errors import ClusterError
from everafter.engine.cluster.worker_memory import Owned
from everafter.json_text import read_json

_PIECE: Final = 1 << 24
_LONGEST_HEADING: Final = 1 << 20


def save(memory: Owned, workers: int, place: str, name: str) -> str:
    """Write the states in `memory`, of one of `workers`, to the file `name` at `place`; return its digest.

    Raises OSError where that cannot be.
    """
    heading = {
        "words": [int(memory.words[index]) for index in memory.saved],
        "level_end": int(memory.job[Job.LEVEL_END]),
        "sent": memory.sent[: 2 * workers].tolist(),
        "taken": memory.taken[: 2 * workers].tolist(),
    }
    digest = hashlib.blake2b()
    with place_of(place).writing(name) as file:
        for piece in (json.dumps(heading).encode() + b"\n", *_pieces(memory)):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def restore(memory: Owned, workers: int, place: str, name: str, expected: str) -> None:
    """Read the states of one of `workers` from the file `name` at `place` into `memory`, which has none.

    Raises ClusterError unless they have the digest `expected`.
    """
    digest, path = hashlib.blake2b(), inside(place, name)
    try:
        with place_of(place).reading(name) as file:
            first = file.readline(_LONGEST_HEADING)
            digest.update(first)
            heading = read_json(first)
            for index, value in zip(memory.saved, heading["words"], strict=True):
                memory.words[index] = value
            if any(not 0 <= size <= room for _, size, room in memory.held):
                raise ClusterError("there is less memory than when the checkpoint was written")
            for piece in _pieces(memory):
                if file.readinto(piece) != len(piece):  # type: ignore[attr-defined] # every file that is read has it
                    raise ClusterError(f"the checkpoint {path} is damaged")
                digest.update(piece)
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ClusterError(f"the checkpoint {path} cannot be read") from error
    if digest.hexdigest() != expected:
        raise ClusterError(f"the checkpoint {path} is damaged, or an older one")
    memory.job[Job.LEVEL_END] = memory.job[Job.NEXT] = heading["level_end"]
    for words, saved in ((memory.sent, heading["sent"]), (memory.taken, heading["taken"])):
        for index in range(2 * workers):
            words[index] = saved[index]


def _pieces(memory: Owned) -> list[Any]:
    """All that is held of the states: piece by piece, nothing copied."""
    return [
        memoryview((ctypes.c_uint8 * min(_PIECE, size - at)).from_address(address + at)).cast("B")
        for address, size, _ in memory.held
        for at in range(0, size, _PIECE)
    ]
