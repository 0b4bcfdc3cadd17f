"""Symmetry of a program, as what may be exchanged in its rows: two processes with all that is theirs, or names them.

Elements of a set are processes that are distinguished by their numbers alone. Rows that differ by exchanges of elements
have the same future, up to these exchanges, so one of them stands for all: the least one, byte by byte.
"""

from __future__ import annotations

from typing import NamedTuple

from everafter.record import dataclass

_COUNT = 1  # as in layout.py, which knows of programs
ALWAYS = -1
"""In place of a process, or of a channel, that must be there."""


class NameExchange(NamedTuple):
    """A number in a row that may name an element: where it is, its bytes, and the values that are exchanged.

    It counts only while process `slot` is alive, and while the channel whose length is at `length` has more than
    `position` messages.
    """

    place: int
    size: int
    pairs: tuple[tuple[int, int], ...]
    slot: int = ALWAYS
    length: int = ALWAYS
    length_size: int = 1
    position: int = 0


class Exchange(NamedTuple):
    """Two neighbouring elements that change places: two places each and their bytes, then what is renamed.

    `processes` are the numbers of the processes that change places.
    """

    processes: tuple[tuple[int, int], ...]

    swaps: tuple[tuple[int, int, int], ...]
    renamings: tuple[NameExchange, ...]


class Prefix(NamedTuple):
    """The places of control of process `slot`, of `size` bytes at `place`, while it still starts others."""

    slot: int
    place: int
    size: int
    nodes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """What may be exchanged in rows of `least` processes or more, once none is in a prefix."""

    names: tuple[str, ...]
    """Each set in words."""
    order: int
    """In how many ways elements can be exchanged."""
    exchanges: tuple[Exchange, ...]
    least: int
    size: int
    """The bytes of a row in which all processes are there."""
    prefixes: tuple[Prefix, ...]
    visits: tuple[int, ...]
    """The exchanges that lead through all ways, one behind the other. Empty where neighbours are exchanged until no row
    becomes less."""
    is_exact: bool
    """Whether one row alone stands for all. Else several may: neighbours are exchanged, and elements name others."""

    @property
    def words(self) -> str:
        """The sets in words."""
        return " and ".join(self.names)

    @property
    def round(self) -> tuple[int, ...]:
        """The exchanges that are tried one behind the other, forth and back, so that each element may come far."""
        there = range(len(self.exchanges))
        return (*there, *reversed(there))

    def representative(self, row: bytes) -> bytes:
        """Return the least of the rows that `row` becomes by exchanges."""
        return self.ordered(row)[0]

    def ordered(self, row: bytes) -> tuple[bytes, tuple[int, ...]]:
        """Return the representative of `row`, and the exchanges that lead to it, one behind the other."""
        if not self.applies(row):
            return row, ()
        return self._least_of_all(row) if self.visits else self._sorted(row)

    def exchanged(self, row: bytes, number: int) -> bytes:
        """Return the row that the exchange `number` makes of `row`."""
        other = bytearray(row)
        _exchange(other, self.exchanges[number])
        return bytes(other)

    def applies(self, row: bytes) -> bool:
        """Return whether all elements are there in `row`, and all others have done what treats them differently."""
        count = row[_COUNT]
        return count >= self.least and not any(
            prefix.slot < count and _number(row, prefix.place, prefix.size) in prefix.nodes for prefix in self.prefixes
        )

    def _least_of_all(self, row: bytes) -> tuple[bytes, tuple[int, ...]]:
        least, count, other = row, 0, bytearray(row)
        for number, visited in enumerate(self.visits, 1):
            _exchange(other, self.exchanges[visited])
            if other < least:
                least, count = bytes(other), number
        return least, self.visits[:count]

    def _sorted(self, row: bytes) -> tuple[bytes, tuple[int, ...]]:
        taken: list[int] = []
        before = -1
        while len(taken) > before:
            before = len(taken)
            for number in self.round:
                other = self.exchanged(row, number)
                if other < row:
                    row = other
                    taken.append(number)
        return row, tuple(taken)


def _exchange(row: bytearray, exchange: Exchange) -> None:
    for one, other, size in exchange.swaps:
        row[one : one + size], row[other : other + size] = row[other : other + size], row[one : one + size]
    count = row[_COUNT]
    for place, size, pairs, slot, length, length_size, position in exchange.renamings:
        if slot >= count or (length != ALWAYS and _number(row, length, length_size) <= position):
            continue
        value = _number(row, place, size)
        for left, right in pairs:
            if value in (left, right):
                renamed = right if value == left else left
                row[place : place + size] = renamed.to_bytes(size, "little")


def _number(row: bytes | bytearray, place: int, size: int) -> int:
    return int.from_bytes(row[place : place + size], "little")


def all_orders(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return exchanges of neighbours that lead through all orders of sets of these `sizes`, by their numbers.

    Of each set they are plain changes (Johnson 1963, Trotter 1962); the exchanges of the sets are numbered through.
    """
    found: list[int] = []
    first = 0
    for size in sizes:
        back = found[::-1]
        for turn, change in enumerate(_plain_changes(size)):
            found += [first + change, *(back if turn % 2 == 0 else back[::-1])]
        first += size - 1
    return tuple(found)


def _plain_changes(size: int) -> list[int]:
    """The exchanges of neighbours that lead through all orders of a set, each once."""
    if size < 2:
        return []
    found: list[int] = []
    for turn, change in enumerate([*_plain_changes(size - 1), None]):
        is_down = turn % 2 == 0
        found += range(size - 2, -1, -1) if is_down else range(size - 1)
        if change is not None:
            found.append(change + 1 if is_down else change)
    return found
