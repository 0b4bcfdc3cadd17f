"""Who writes the checkpoints of a search by one worker while it runs, and lets it go on from the last one.

When it is time for one, the store's functions are replaced: the search, which is about to ask for successors, writes
the checkpoint first. So nothing changes meanwhile, and the search does not notice. One that has ended early leaves all
as it was at that call.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from everafter.engine import block
from everafter.engine.checkpoint.checkpoint_file import CheckpointError, CheckpointHeading, FilePart, Reader
from everafter.engine.checkpoint.fast_forward import Replay, replay_to
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.checkpoint.points import ResumePoint, parts_of, point_of
from everafter.engine.memory.single_memory import Memory
from everafter.engine.successor_calls import Asking


class Keeper:
    """Keeps what one search knows. `notes` are the bytes that the model's code writes beside the search, if any."""

    def __init__(self, generations: Generations, memory: Memory, notes: memoryview | None = None) -> None:
        self.generations = generations
        self.memory = memory
        self.notes = notes
        self.seconds = 0.0
        """The processor time of the search before it was resumed."""
        self._asking = Asking(memory.words)
        self._saving = self._asking.before(self._save_before)
        self._leading: Mapping[int, Any] = {}
        self._replay: Replay | None = None
        self._point = ResumePoint()
        self._through = 0
        self._is_writing = False

    # Going on

    def go_on(self) -> bool:
        """Read the last checkpoint, if there is one, and lead the search to where it was. Raises CheckpointError."""
        path = self.generations.latest()
        if path is None:
            return False
        try:
            with path.open("rb") as file:
                self._restore(Reader(path, file))
        except OSError as error:
            raise CheckpointError(f"the checkpoint {path} cannot be read: {error.strerror or error}") from error
        return True

    def _restore(self, reader: Reader) -> None:
        heading, memory = reader.heading, self.memory
        if heading.key != self.generations.key:
            raise reader.refused(f"is of another model, question or search: {heading.search}")
        if heading.width != memory.width:
            raise reader.refused("is of a search with another memory limit", "allow as much by --memory as before")
        if set(heading.words) != {str(index) for index in memory.noted}:
            raise reader.refused("has other words than this search")
        for index, value in heading.words.items():
            memory.words[int(index)] = value
        self._point = ResumePoint(**heading.point)
        parts = [_at_start(part) for part in parts_of(memory, self._point)]
        for part in parts:
            if part.size > part.area.size:
                raise reader.refused("needs more memory than there is", "allow more by --memory")
        reader.read_into(parts)
        self.seconds = heading.seconds
        if self.notes is not None:
            self.notes[:] = bytes.fromhex(heading.notes)
        self._through = int(memory.words[block.EXPANSIONS]) - 1
        self._replay = replay_to(memory, self._asking.real, self._asking.put_back, self._point)
        self._leading = self._asking.replaced(self._replay.successors, self._replay.successors_of_all)
        self._asking.put(self._leading)

    def check_arrival(self, stopped: bool) -> None:
        """The search has ended. Raises CheckpointError if it never came to where it was, and nothing kept it.

        What else went wrong on the way, or in writing a checkpoint, is raised, too. Calls for successors from now
        on explain an answer: nothing is written then, though it may just have been time.
        """
        self._asking.put_back()
        if self._asking.error is not None:
            raise self._asking.error
        if self._replay is None:
            return
        self._replay.finish()
        if not self._replay.has_arrived and not (stopped and self.memory.words[block.REASON] != block.NO_REASON):
            path = self.generations.latest()
            raise CheckpointError(f"the checkpoint {path} does not lead the search to where it was", "begin anew")

    @property
    def levels_before(self) -> int:
        """How many levels there were before those that the search counts: it counts the first state once more."""
        return self._point.level - 2 if self._point.level else 0

    # Saving

    def look(self) -> None:
        """Let the search write a checkpoint, if it is time for one."""
        if self.is_there and not self._is_writing and self.generations.is_due:
            self._asking.put(self._saving)

    @property
    def is_there(self) -> bool:
        """Whether the search is where it was, and is not led any more."""
        return self._replay is None or self._replay.is_over

    def _save_before(self, frame: int) -> None:
        """Save while the search waits for successors in this frame."""
        self._save(point_of(self.memory, frame, self._through), time.thread_time())

    def save_at_end(self, seconds: float) -> None:
        """Write a checkpoint of a search that has ended early."""
        if self.is_there:
            self._asking.put_back()
            self._save(point_of(self.memory, None, self._through), seconds, at_end=True)

    def _save(self, point: ResumePoint | None, seconds: float, at_end: bool = False) -> None:
        if point is None:
            return
        memory = self.memory
        parts = parts_of(memory, point)
        heading = CheckpointHeading(
            key=self.generations.key,
            search=self.generations.search,
            width=memory.width,
            point=asdict(point),
            words={str(index): int(memory.words[index]) for index in memory.noted},
            sizes={part.name: part.size for part in parts},
            notes="" if self.notes is None else self.notes.hex(),
            seconds=self.seconds + seconds,
        )
        self._is_writing = True
        self.generations.add(heading, parts, lambda: not at_end and memory.words[block.STOP] != 0)
        self._is_writing = False


def _at_start(part: FilePart) -> FilePart:
    """Where the part is read to: what waits in a queue goes to its beginning."""
    return part._replace(begin=0)
