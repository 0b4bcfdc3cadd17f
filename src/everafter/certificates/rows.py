"""The rows of a completed search, as they stand in a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from everafter.record import dataclass

LONGEST_RANK: Final = 9
"""The most bytes of a stream that a rank takes."""
_HIGHEST_RANK: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some rows as streams of differences from the row before, the first from an empty row.

    `words` has a byte for each eight words of a row: which of them differ. `changes` has a byte for each such word:
    which of its bytes differ. `values` has these bytes. `ranks` has for each row the distance of its rank from the one
    before in groups of seven bits, lowest first, the sign in the lowest bit: at most LONGEST_RANK of them.
    """

    rows: int
    words: bytes
    changes: bytes
    values: bytes
    ranks: bytes

    @property
    def streams(self) -> tuple[bytes, ...]:
        """All four."""
        return self.words, self.changes, self.values, self.ranks


@dataclass(frozen=True, slots=True)
class Listed:
    """All rows of a completed search. They are read while the search still has them."""

    sets: int
    """How many acceptance sets a rank tells apart; 0 for rows without ranks."""
    reduced: bool
    """Whether the steps of one process, an ample set, were taken alone in some rows."""
    erased: bool
    """Whether cells that are not read again are zero in them."""
    merged: bool
    """Whether steps that depend on no other process were taken at once with the step before them."""
    blocks: Iterator[RowBlock]


Sink = Callable[[Listed], None]
"""Takes the rows, and is done with them when it returns."""


def decoded(block: RowBlock) -> Iterator[tuple[bytes, int]]:
    """The rows of a block as bytes, each with its rank, 0 without ranks. Raises ValueError if it describes none."""
    masks, changes, values, ranks = iter(block.words), iter(block.changes), iter(block.values), iter(block.ranks)
    row = bytearray(8 * 8)
    rank = 0
    for _ in range(block.rows):
        place = 0
        words = 1
        while place < words:
            if len(row) < 8 * (place + 8):
                row.extend(bytes(len(row)))
            _change_eight(row, place, next(masks, -1), changes, values)
            words = row[2] | row[3] << 8
            place += 8
        if words == 0 or row[0] != 0:
            raise ValueError("a row has no length")
        if block.ranks:
            rank += _distance(ranks)
            if not 0 <= rank <= _HIGHEST_RANK:
                raise ValueError("a rank is too low or too high")
        yield bytes(row[: 8 * words]), rank
    if any(next(stream, None) is not None for stream in (masks, changes, values, ranks)):
        raise ValueError("more is said than there are rows")


def _change_eight(row: bytearray, place: int, mask: int, changes: Iterator[int], values: Iterator[int]) -> None:
    """Take in what differs in the eight words from a place on."""
    if mask < 0:
        raise ValueError("a stream ends too early")
    while mask:
        lowest = mask & -mask
        begin = 8 * (place + lowest.bit_length() - 1)
        change = next(changes, 0)
        if change == 0:
            raise ValueError("a word is said to differ, and does not")
        while change:
            byte = change & -change
            value = next(values, -1)
            if value < 0:
                raise ValueError("a stream ends too early")
            row[begin + byte.bit_length() - 1] = value
            change ^= byte
        mask ^= lowest


def _distance(ranks: Iterator[int]) -> int:
    value = shift = 0
    while True:
        byte = next(ranks, -1)
        if byte < 0:
            raise ValueError("a stream ends too early")
        value |= (byte & 127) << shift
        if byte < 128:
            return -((value + 1) >> 1) if value & 1 else value >> 1
        shift += 7
        if shift == 7 * LONGEST_RANK:
            raise ValueError("a rank is too long")
