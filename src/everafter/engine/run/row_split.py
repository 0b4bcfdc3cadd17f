"""Which words of a row should be in its left half, where rows are kept as trees: so that both halves are few.

A state is a pair of halves, each kept once. The best split is another for each model: where two words hold one queue
they should be apart, where two belong to one process, together. So some states are met by a short search, and the split
under which few halves make up these states is taken. It decides how much memory is needed and nothing else.
"""

from __future__ import annotations

import ctypes
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from operator import add, sub

from everafter.engine.memory.areas import Areas
from everafter.engine.memory.stored_trees import EVERY_OTHER, MASKED

EXPANDED = 4096  # states whose successors are met
ELSEWHERE = 0.1  # how often the search goes on from another state than the last
MOST_SUCCESSORS = 256  # of one state
SAMPLE = 2048  # of the states that were met
SECONDS = 0.25  # a model with long atomic sequences is sampled no longer
MOST_SWAPPED = 16  # words up to which exchanges are tried: there are as many as pairs
MOST_STEPS = 16  # by which a split is made better
WORTH_IT = 0.98  # of the estimate before, at most, for another step
LONGER = 16  # one of so many rows may be longer than usual ones
MOST_KEPT = 4  # words of a half that is kept whole
MOST_BYTES = 1 << 24  # of all rows that are met

Row = tuple[int, ...]
_Sums = tuple[list[int], list[int]]


def sampled_split(expand: int, initial: int, control: int) -> tuple[int, int]:
    """Return the split for the model with the code `expand` and `initial`, and `control`, and how many words rows have.

    The split has a bit for each word that is in the left half; the number of words is that of most rows.
    """
    rows = sampled_rows(expand, initial, control)
    split = best_split(rows)
    return split, expected_words(rows, split)


def sampled_rows(expand: int, initial: int, control: int) -> list[Row]:
    """Return the words of some states of the model with the code `expand` and `initial`, and `control`."""
    chance = random.Random(0)  # the same each time
    met = dict.fromkeys(row for _, rows in sampled_steps(expand, initial, control, chance) for row in rows)
    return [_words(each) for each in chance.sample(list(met), min(SAMPLE, len(met)))]


def sampled_steps(
    expand: int, initial: int, control: int, chance: random.Random
) -> Iterator[tuple[bytes, Sequence[bytes]]]:
    """Yield some rows and the successors of each, met by a search that mostly goes on from the last one.

    `expand` and `initial` are the addresses of the model's code, `control` that of its block; `chance` draws. The
    initial rows are those of an empty one.
    """
    expanded = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(expand)
    end = time.process_time() + SECONDS
    with Areas() as areas:
        out, row = areas.model_area().address, areas.model_area(1 << 20).address
        count = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3)(initial)(out, control)
        waiting = _rows(out, count)
        yield b"", tuple(waiting)
        met = dict.fromkeys(waiting)
        room = MOST_BYTES
        for _ in range(EXPANDED):
            if not waiting or room < 0 or time.process_time() > end:
                break
            which = chance.randrange(len(waiting)) if chance.random() < ELSEWHERE else -1
            waiting[which], waiting[-1] = waiting[-1], waiting[which]
            source = waiting.pop()
            ctypes.memmove(row, source, len(source))
            found = _rows(out, expanded(row, out, control))
            yield source, found
            new = [each for each in found if each not in met]
            room -= sum(map(len, new))
            met |= dict.fromkeys(new)
            chance.shuffle(new)
            waiting += new


def _rows(place: int, count: int) -> list[bytes]:
    """`count` rows, one behind the other, or as many as a sample has room for; none where the model failed."""
    rows: list[bytes] = []
    while len(rows) < min(count, MOST_SUCCESSORS) and sum(map(len, rows)) < MOST_BYTES:
        rows.append(ctypes.string_at(place, 8 * _length(place)))
        place += len(rows[-1])
    return rows


def _length(row: int) -> int:
    return ctypes.c_uint16.from_address(row + 2).value


def _words(row: bytes) -> Row:
    """The words of a row, as far as a split tells where they are."""
    return tuple(memoryview(row[: 8 * MASKED]).cast("Q"))


def usual_words(rows: Sequence[Row]) -> int:
    """How many words usual rows have at most: no more than one in sixteen is longer. 0 without rows."""
    lengths = sorted(map(len, rows))
    return lengths[-1 - len(lengths) // LONGER] if lengths else 0


def expected_words(rows: Sequence[Row], split: int) -> int:
    """Return how many words usual rows will have, by `rows` and their `split`.

    Where those met have several lengths, longer ones may follow: as many words as both halves can be stored inline
    with, if those of the rows met can.
    """
    words = usual_words(rows)
    if len(set(map(len, rows))) > 1:
        while _most_in_half(split, words + 1) <= MOST_KEPT:
            words += 1
    return words


def _most_in_half(split: int, length: int) -> int:
    """The words in the longer half of a row with `length` words."""
    lefts = sum(split >> index & 1 for index in range(1, min(length, MASKED)))
    return max(lefts, length - 1 - lefts)


def _commonest(rows: Sequence[Row]) -> int:
    """How many words most rows have; 0 without rows."""
    lengths = Counter(map(len, rows))
    return max(lengths, key=lambda each: (lengths[each], each), default=0)


def best_split(rows: Sequence[Row]) -> int:
    """The split under which few halves make up the rows of the length that most of them have."""
    length = _commonest(rows)
    if not length:
        return EVERY_OTHER
    sample = [row for row in rows if len(row) == length]
    words = [index for index in range(1, length) if len({row[index] for row in sample}) > 1]
    if len(words) < 2:
        return EVERY_OTHER
    halves = _Halves(sample, length)
    beginnings = [each for each in _beginnings(words, length) if _is_even(each, length)]
    chosen = halves.climbed(min(beginnings, key=halves.cost), words)
    return sum(1 << index for index in range(1, MASKED) if index in chosen or (index >= length and index % 2 == 0))


def _beginnings(words: Sequence[int], length: int) -> Iterable[frozenset[int]]:
    """Splits that are good for many models: one half before the other, every other word, every other pair."""
    yield frozenset(range(1, words[len(words) // 2]))
    yield frozenset(range(1, length, 2))
    yield frozenset(index for index in range(1, length) if index & 2)
    yield frozenset(words[::2])


def _is_even(left: frozenset[int], length: int) -> bool:
    """Whether both halves are short enough to be kept whole, if those of such rows can be."""
    return length - 1 > 2 * MOST_KEPT or length - 1 - MOST_KEPT <= len(left) <= MOST_KEPT


class _Halves:
    """How many halves make up all states, estimated by how few pairs of a sample have the same.

    A half of a row is identified by the sum of random numbers, one for each word with its value: so it changes by one
    number when one word changes sides.
    """

    def __init__(self, sample: Sequence[Row], length: int) -> None:
        chance = random.Random(1)  # the same each time
        names: list[dict[int, int]] = [{} for _ in range(length)]
        for row in sample:
            for index, value in enumerate(row):
                names[index].setdefault(value, chance.getrandbits(60))
        self._columns = [[names[index][row[index]] for row in sample] for index in range(length)]
        self._length = length
        self._pairs = len(sample) * (len(sample) - 1) / 2

    def cost(self, left: frozenset[int]) -> float:
        """The estimate for this split."""
        return self._estimate(self._sums(left))

    def climbed(self, left: frozenset[int], words: Sequence[int]) -> frozenset[int]:
        """The split made better word by word, or by exchanging two, until no such step makes it much better."""
        sums = self._sums(left)
        least = self._estimate(sums)
        for _ in range(MOST_STEPS):
            steps = [{word} for word in words]
            if len(words) <= MOST_SWAPPED:
                steps += [{one, other} for one, other in product(words, words) if one in left and other not in left]
            steps = [step for step in steps if _is_even(left ^ step, self._length)]
            if not steps:
                break
            costs = [self._estimate(self._changed(sums, left, step)) for step in steps]
            if min(costs) > WORTH_IT * least:
                break
            least = min(costs)
            step = steps[costs.index(least)]
            sums, left = self._changed(sums, left, step), left ^ step
        return left

    def _sums(self, left: frozenset[int]) -> _Sums:
        """The sums of both halves of every row."""
        nothing = [0] * len(self._columns[0])
        every = frozenset(range(1, len(self._columns)))
        return self._changed((nothing, list(map(sum, zip(*self._columns[1:], strict=True)))), frozenset(), left & every)

    def _changed(self, sums: _Sums, left: frozenset[int], step: Iterable[int]) -> _Sums:
        """The sums when these words have changed sides."""
        one, other = sums
        for word in step:
            column = self._columns[word]
            signs = (sub, add) if word in left else (add, sub)
            one, other = list(map(signs[0], one, column)), list(map(signs[1], other, column))
        return one, other

    def _estimate(self, sums: _Sums) -> float:
        """How many left and right halves there are."""
        return sum(self._kinds(each) for each in sums)

    def _kinds(self, sums: Iterable[int]) -> float:
        same = sum(count * (count - 1) for count in Counter(sums).values()) / 2
        return self._pairs / (same + 0.5)
