"""Who writes the checkpoints of a search while it runs, and lets it go on from the last one: alone, or for a team."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from everafter.engine import block
from everafter.engine.checkpoint.checkpoint_file import CheckpointError, CheckpointHeading, FilePart, Reader
from everafter.engine.checkpoint.fast_forward import Replay, replay_to
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.checkpoint.points import ResumePoint, parts_of, point_of
from everafter.engine.memory.search_memory import Memory
from everafter.engine.successor_calls import Asking
from everafter.record import asdict


class CheckpointKeeper(ABC):
    """Keeps what one search knows. `notes` are the bytes that the code of each worker's model writes beside it."""

    def __init__(self, generations: Generations, memory: Memory, notes: Sequence[memoryview] = ()) -> None:
        self.generations = generations
        self.memory = memory
        self.notes = notes
        self.seconds = 0.0
        """The processor time of the search before it was resumed."""

    @abstractmethod
    def _words(self) -> Mapping[str, tuple[Any, int]]:
        """The words that must be as they were, by name: the sequence that each is in, and its index there."""

    @abstractmethod
    def _parts(self, point: Mapping[str, int]) -> list[FilePart]:
        """What must be as it was for a search that is at this point."""

    @abstractmethod
    def _resumed(self, point: Mapping[str, int]) -> None:
        """All is as it was: let the search go on at this point."""

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
        heading, words = reader.heading, self._words()
        if heading.key != self.generations.key:
            raise reader.refused(f"is of another model, question or search: {heading.search}")
        if heading.width != self.memory.width:
            raise reader.refused("is of a search with another memory limit", "allow as much by --memory as before")
        if set(heading.words) != set(words):
            raise reader.refused("has other words than this search", "go on with as many threads as before")
        for name, value in heading.words.items():
            sequence, index = words[name]
            sequence[index] = value
        parts = [
            part._replace(begin=0) for part in self._parts(heading.point)
        ]  # what waits in a queue goes to its begin
        for part in parts:
            if part.size > part.area.size:
                raise reader.refused("needs more memory than there is", "allow more by --memory")
        reader.read_into(parts)
        self.seconds = heading.seconds
        if self.notes:
            self.notes[0][:] = bytes.fromhex(heading.notes)
        self._resumed(heading.point)

    def _write(self, point: Mapping[str, int], seconds: float, is_over: Callable[[], bool]) -> None:
        """Write a checkpoint of the search at this point, after `seconds` since it was begun or resumed."""
        parts = self._parts(point)
        heading = CheckpointHeading(
            key=self.generations.key,
            search=self.generations.search,
            width=self.memory.width,
            point=dict(point),
            words={name: int(sequence[index]) for name, (sequence, index) in self._words().items()},
            sizes={part.name: part.size for part in parts},
            notes=bytes(map(max, *self.notes)).hex() if len(self.notes) > 1 else b"".join(self.notes).hex(),
            seconds=self.seconds + seconds,
        )
        self.generations.add(heading, parts, is_over)


class Keeper(CheckpointKeeper):
    """Keeps what a search by one worker knows.

    When it is time for a checkpoint, the store's functions are replaced: the search, which is about to ask for
    successors, writes it first. So nothing changes meanwhile, and the search does not notice. One that has ended early
    leaves all as it was at that call.
    """

    def __init__(self, generations: Generations, memory: Memory, notes: Sequence[memoryview] = ()) -> None:
        super().__init__(generations, memory, notes)
        self._asking = Asking(memory.words)
        self._saving = self._asking.before(self._save_before)
        self._leading: Mapping[int, Any] = {}
        self._replay: Replay | None = None
        self._point = ResumePoint()
        self._through = 0
        self._is_writing = False

    # Going on

    def _words(self) -> Mapping[str, tuple[Any, int]]:
        return {str(index): (self.memory.words, index) for index in self.memory.noted}

    def _parts(self, point: Mapping[str, int]) -> list[FilePart]:
        return parts_of(self.memory, ResumePoint(**point))

    def _resumed(self, point: Mapping[str, int]) -> None:
        memory = self.memory
        self._point = ResumePoint(**point)
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
        """Write a checkpoint of a search that has ended early, if all that it has stored is still there."""
        if self.is_there and self.memory.is_whole:
            self._asking.put_back()
            self._save(point_of(self.memory, None, self._through), seconds, at_end=True)

    def _save(self, point: ResumePoint | None, seconds: float, at_end: bool = False) -> None:
        if point is None:
            return
        self._is_writing = True
        self._write(asdict(point), seconds, lambda: not at_end and self.memory.words[block.STOP] != 0)
        self._is_writing = False
