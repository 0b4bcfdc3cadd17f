"""The partition function: a state's owner follows from some bytes of its row, chosen so that few steps lead to another.

    partition = chosen_partition(steps, workers)
    partition.owner(row, workers)

Where the owner follows from a hash of the whole row, nearly every successor has to be sent. Where it follows from bytes
that most steps leave as they are, as those of a few processes, most successors stay (Lerda and Sisto, SPIN 1999: there,
one process tells the owner). The fewer bytes, the fewer rows are sent, but the less even the shares: a byte that takes
few values cannot tell many workers apart. So both are estimated from the steps of a sample, and the choice with the
least estimated time is taken, or the whole row if none is better. All workers must have the same choice; it decides who
does what, and nothing else.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from everafter.record import dataclass

if TYPE_CHECKING:
    import numpy

    Bytes = numpy.ndarray[tuple[int, int], numpy.dtype[numpy.uint8]]
    Keys = numpy.ndarray[tuple[int], numpy.dtype[numpy.int64]]

Steps = Iterable[tuple[bytes, Sequence[bytes]]]
"""Rows, each with its successors."""

LEAST_ROWS: Final = 256
"""From fewer rows nothing is concluded."""
HEADER_BYTES: Final = 8
"""The first word of a row belongs to no process: it has a colour, and the state of a claim."""
MOST_BYTES: Final = 512
"""Bytes of a row that may be chosen: those behind them never are."""
MOST_CANDIDATES: Final = 64
"""How many bytes are tried, those that most rows do not share."""
MOST_WORDS: Final = 6
"""Of a row, in which the bytes that are chosen may be."""
MOST_ROWS: Final = 4096
"""Of the sample, and as many steps."""
SENDING: Final = 1.5
"""What sending a successor costs, as a share of what finding and storing it does."""
LEAST_CHANGE: Final = 0.01
"""A byte that no step of the sample changes is taken to change so often."""
WORTH_IT: Final = 0.95
"""Of the estimate for the whole row, at most, for less than that to be taken."""
MOST_UNEVEN: Final = 1.3
"""The share of the fullest worker, in even shares, that a choice may be expected to lead to."""
_WORD: Final = (1 << 64) - 1
_OWNER_SECRET: Final = 0x5851F42D4C957F2D
_KEY_SECRET: Final = 0x369DEA0F31A53F85


@dataclass(frozen=True, slots=True)
class Partition:
    """The bits of a row from which its owner follows; without any, all of them."""

    words: tuple[tuple[int, int], ...] = ()
    """The index of a word in the row, and which of its bits count, as a signed number."""

    @property
    def digest(self) -> str:
        """Return a digest that distinguishes this choice from others."""
        return hashlib.sha256(repr(self.words).encode()).hexdigest()[:16]

    def owner(self, row: bytes, workers: int) -> int:
        """Return which of `workers` workers owns `row`, as the kernels compute it where bits are chosen."""
        key = _OWNER_SECRET
        for index, bits in self.words:
            value = int.from_bytes(row[8 * index : 8 * index + 8], "little") & bits & _WORD
            key = _folded(value ^ key, _KEY_SECRET)
        return _folded(key, _OWNER_SECRET) * workers >> 64


WHOLE_ROW: Final = Partition()


def _folded(one: int, other: int) -> int:
    product = one * other
    return (product & _WORD) ^ (product >> 64)


@dataclass(frozen=True, slots=True)
class PartitionChoice:
    """Some bytes of a row, as a sample of steps shows them."""

    bytes: tuple[int, ...]
    change: float
    """How many steps change one of them, as a share of all."""
    alike: float
    """How many pairs of states agree in all of them, as a share of all."""


EVERY_BYTE: Final = PartitionChoice((), 1.0, 0.0)
"""The whole row: nearly every step changes it, and no two states agree."""


def chosen_partition(steps: Steps, workers: int) -> Partition:
    """Return the partition function for `workers` workers, from the `steps` of a sample: rows and their successors."""
    return _partition(best_choice(choices_of(steps), workers).bytes)


def choices_of(steps: Steps) -> Iterator[PartitionChoice]:
    """Yield larger and larger choices, from the `steps` of a sample; none from a few."""
    sample = _Sample(steps)
    return sample.choices() if len(sample.rows) >= LEAST_ROWS else iter(())


def best_choice(choices: Iterable[PartitionChoice], workers: int) -> PartitionChoice:
    """Return which of `choices`, larger and larger, costs `workers` workers least.

    It is every byte if none is much better than that.
    """
    best, least = EVERY_BYTE, WORTH_IT * cost(EVERY_BYTE, workers)
    for each in choices if workers > 1 else ():
        if cost(PartitionChoice((), each.change, 0.0), workers) >= least:
            break  # larger choices change as often at least
        if unevenness(each.alike, workers) <= MOST_UNEVEN and cost(each, workers) < least:
            best, least = each, cost(each, workers)
    return best


def cost(choice: PartitionChoice, workers: int) -> float:
    """Return the time that `workers` workers take with this `choice`, as a share of that if nothing were sent."""
    return unevenness(choice.alike, workers) * (1 + SENDING * choice.change * (workers - 1) / workers)


def unevenness(alike: float, workers: int) -> float:
    """Return what the fullest of `workers` may be expected to own, in even shares.

    Values fall to workers at random, and a share `alike` of all pairs of states has the same, so that the shares have a
    variance of `alike / workers`; the largest of n is some sqrt(2 log n) deviations above the mean.
    """
    return 1 + math.sqrt(2 * math.log(workers) * alike * workers)


def _partition(chosen: Sequence[int]) -> Partition:
    """The bits of these bytes of a row."""
    words: dict[int, int] = {}
    for byte in sorted(chosen):
        words[byte // 8] = words.get(byte // 8, 0) | 255 << 8 * (byte % 8)
    return Partition(tuple((index, bits - (1 << 64) if bits >> 63 else bits) for index, bits in words.items()))


class _Sample:
    """Rows that were met, and which bytes each step between two of them changes."""

    def __init__(self, steps: Steps) -> None:
        import numpy  # noqa: PLC0415 # only a cluster needs it here

        self._numpy: Any = numpy
        listed = [(source, row) for source, rows in steps for row in rows]
        chance = random.Random(0)  # the same each time
        met = list(dict.fromkeys(row for _, row in listed))
        self.rows = chance.sample(met, min(len(met), MOST_ROWS))
        width = min(max(map(len, self.rows), default=0), MOST_BYTES)
        self._bytes = self._matrix(self.rows, width)
        taken = [(source, row) for source, row in listed if source]
        taken = chance.sample(taken, min(len(taken), MOST_ROWS))
        self._changes = self._matrix([source for source, _ in taken], width) != self._matrix(
            [row for _, row in taken], width
        )

    def _matrix(self, rows: Sequence[bytes], width: int) -> Bytes:
        """The bytes of rows; 0 beyond the end of one."""
        whole = b"".join(row[:width].ljust(width, b"\0") for row in rows)
        made: Bytes = self._numpy.frombuffer(whole, self._numpy.uint8).reshape(len(rows), width)
        return made

    def choices(self) -> Iterator[PartitionChoice]:
        """Larger and larger choices.

        The byte that is taken next makes the fewest pairs agree for the changes that it adds.
        """
        numpy = self._numpy
        values = numpy.random.default_rng(0).integers(0, 1 << 62, 256 * self._bytes.shape[1]).reshape(-1, 256)
        left = self._candidates()
        keys = numpy.zeros(len(self.rows), numpy.int64)
        changed = numpy.zeros(len(self._changes), bool)
        chosen: list[int] = []
        share, alike = 0.0, 1.0
        while left:
            best: tuple[float, int, float, float, Keys] | None = None
            for byte in left:
                if len({each // 8 for each in (*chosen, byte)}) > MOST_WORDS:
                    continue
                new_keys = keys ^ values[byte][self._bytes[:, byte]]
                new_alike = self._alike(new_keys)
                new_share = float((changed | self._changes[:, byte]).mean())
                gain = math.log(alike / new_alike) / (new_share - share + LEAST_CHANGE)
                if best is None or gain > best[0]:
                    best = gain, byte, new_share, new_alike, new_keys
            if best is None:
                return
            _, byte, share, alike, keys = best
            chosen.append(byte)
            left.remove(byte)
            changed |= self._changes[:, byte]
            yield PartitionChoice(tuple(chosen), share, alike)

    def _candidates(self) -> list[int]:
        """The bytes that differ between rows, most of all first."""
        width = self._bytes.shape[1]
        alike = {byte: self._alike(self._bytes[:, byte]) for byte in range(HEADER_BYTES, width)}
        return sorted((byte for byte in alike if alike[byte] < 1), key=alike.__getitem__)[:MOST_CANDIDATES]

    def _alike(self, keys: Any) -> float:
        """How many pairs of rows have the same key, as a share of all, and of one more."""
        _, counts = self._numpy.unique(keys, return_counts=True)
        pairs = len(keys) * (len(keys) - 1)
        return min(float((counts * (counts - 1)).sum() + 1) / pairs, 1.0)
