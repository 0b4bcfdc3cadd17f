"""The file of a checkpoint: a heading, and the bytes of the areas that it lists, with a seal behind each piece.

    everafter checkpoint 3
    89abcdef… {"key": …}       the seal of the heading, and the heading
    bytes, seal, bytes, seal, …

Each seal (everafter.seal) is that of all that stands before it, so that a piece that is changed, missing, of another
file or of another user is noticed before anything is believed, or given to machine code. The file is whole or not
there: it has another name until all of it is on the disk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from everafter.engine.memory.areas import Area
from everafter.json_text import read_json
from everafter.record import asdict, dataclass
from everafter.seal import ELSEWHERE, SEAL_BYTES, begun
from everafter.source import OptionError

MAGIC: Final = b"everafter checkpoint 3\n"
PIECE: Final = 1 << 24
LONGEST_HEADING: Final = 1 << 24
SEAL_DIGITS: Final = 2 * SEAL_BYTES
USUAL: Final = "delete this file to go on from the one before it, if there is one, or to begin anew"
"""What is advised where a checkpoint is refused."""
UNFINISHED: Final = ".unfinished"


class CheckpointError(OptionError):
    """A checkpoint that cannot be gone on from."""


class FilePart(NamedTuple):
    """Some bytes of an area, by name."""

    name: str
    area: Area
    begin: int
    size: int


@dataclass(frozen=True, slots=True)
class CheckpointHeading:
    """What a checkpoint says of itself."""

    key: str
    """Tells of which model, question and search it is."""
    search: str
    """The same, for people."""
    width: int
    """The bytes of a state's number."""
    point: dict[str, int]
    """Where the search is."""
    words: dict[str, int]
    """What the words of its block are, by their index."""
    sizes: dict[str, int]
    """The bytes of each area that follow, in this order."""
    notes: str
    """What the model's code has noted, as hexadecimal digits."""
    seconds: float
    """The processor time of the search so far."""


class Abandoned(Exception):
    """There was no time to write the whole checkpoint."""


def write(path: Path, heading: CheckpointHeading, parts: Sequence[FilePart], is_over: Callable[[], bool]) -> None:
    """Write a checkpoint of `heading` and `parts` to `path`.

    Raises Abandoned when `is_over` becomes true meanwhile, and OSError where it cannot be written.
    """
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            text = json.dumps(asdict(heading)).encode()
            digest = begun()
            digest.update(text)
            file.write(MAGIC + b"%s %s\n" % (digest.hexdigest().encode(), text))
            for piece in _pieces(parts):
                if is_over():
                    raise Abandoned
                digest.update(piece)
                file.write(piece)
                file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Let the new name in the folder be on the disk, too, where folders can be opened."""
    if os.name == "posix":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _pieces(parts: Sequence[FilePart]) -> Iterator[memoryview]:
    """The bytes, piece by piece, where they are: each is valid until the next is taken."""
    for part in parts:
        for begin in range(0, part.size, PIECE):
            with part.area.view(part.begin + begin, min(PIECE, part.size - begin)) as piece:
                yield piece


class Reader:
    """A checkpoint as it is read. Raises CheckpointError, which says what is wrong with the file."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self._file = file
        self._digest = begun()
        self.heading = self._heading()

    def _heading(self) -> CheckpointHeading:
        if self._read(len(MAGIC)) != MAGIC:
            raise self.refused("is none, or one of another version of everafter")
        line = self._file.readline(LONGEST_HEADING)
        text = line[SEAL_DIGITS + 1 : -1]
        self._digest.update(text)
        if line[:SEAL_DIGITS] != self._digest.hexdigest().encode():
            raise self.refused("is damaged, or was written with another key", f"{USUAL}; {ELSEWHERE}")
        try:
            heading = CheckpointHeading(**read_json(text))
        except (ValueError, TypeError) as error:
            raise self.refused("is damaged") from error
        self._check_size(len(MAGIC) + len(line), heading)
        return heading

    def _check_size(self, begin: int, heading: CheckpointHeading) -> None:
        """That the file is as long as its heading says."""
        whole = begin + sum(size + SEAL_BYTES * -(-size // PIECE) for size in heading.sizes.values())
        if os.fstat(self._file.fileno()).st_size != whole:
            raise self.refused("is cut off, or longer than it should be")

    def read_into(self, parts: Sequence[FilePart]) -> None:
        """Read what follows into these areas, all of it."""
        if {part.name: part.size for part in parts} != self.heading.sizes:
            raise self.refused("has other parts than this search")
        for piece in _pieces(parts):
            piece[:] = self._read(len(piece))
            self._digest.update(piece)
            if self._read(SEAL_BYTES) != self._digest.digest():
                raise self.refused("is damaged")

    def _read(self, count: int) -> bytes:
        """Read `count` bytes."""
        try:
            read = self._file.read(count)
        except OSError as error:
            raise self.refused(f"cannot be read: {error.strerror or error}") from error
        if len(read) < count:
            raise self.refused("is cut off")
        return read

    def refused(self, why: str, advice: str | None = None) -> CheckpointError:
        """Return the error that says `why` this checkpoint cannot be resumed, with `advice`."""
        return CheckpointError(f"the checkpoint {self.path} {why}", advice or USUAL)
