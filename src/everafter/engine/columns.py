"""Where the fields of a native `Store` live, and in how many bytes: the same for the code and for Python.

All of it follows from what the fields say of themselves (everafter.search.fields) and from the store. In a plain store
a state's number is a word of the arena, which takes four bytes where the arena has no more than 2**32 words, else
eight; its columns are beside its row. In a tree store states are numbered one after the other, in four bytes, and each
column is an array. In a packed store a state's number tells its row, in four or eight bytes, and its only column is the
colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from everafter.choices import StoreKind
from everafter.search.algorithm import Algorithm
from everafter.search.fields import Field, Index
from everafter.search.parallel.space import SHARED_FIELDS
from everafter.search.space import STORE_FIELDS

NARROW: Final = 4
WIDE: Final = 8
NARROW_WORDS: Final = 1 << 32
WIDE_WORDS: Final = 1 << 40  # what a slot of the hash table can hold
WORD_BYTES: Final = 8  # a state's number counts words of the arena, so that its columns are as far apart as rows are


class ElementKind(NamedTuple):
    """A column of unsigned numbers of `bits` bits, one every `scale` bytes; 0 bits: nothing is kept.

    What is kept is the number plus `bias`, so that a column with bias 1 can hold -1.
    """

    bits: int
    scale: int
    bias: int = 0

    @property
    def size(self) -> int:
        """Return the bytes of one number."""
        return self.bits // 8


NOTHING: Final = ElementKind(0, 0)
LOOKED_UP: Final = ElementKind(8, 0)
"""A colour that the store finds by functions of its own."""
WORD_KIND: Final = ElementKind(64, 8)


def width_within(limit: int, store: StoreKind = "plain") -> int:
    """Return the bytes of a state's number in this `store` where memory is limited to `limit` bytes."""
    if store == "packed":
        return WIDE
    return NARROW if store == "tree" or limit // WORD_BYTES <= NARROW_WORDS else WIDE


def most_words(width: int) -> int:
    """Return how many words an arena can have whose states have numbers of `width` bytes."""
    return NARROW_WORDS - 2 if width == NARROW else WIDE_WORDS


def can_be_packed(algorithm: Algorithm) -> bool:
    """Return whether `algorithm` runs over packed rows: by one worker, and of each state it keeps the colour alone."""
    return algorithm.workers == "one" and kept("state", algorithm, WIDE).keys() == {"colour"}


def fields_for(algorithm: Algorithm) -> Mapping[str, Field]:
    """Return the fields of the store that `algorithm` runs over."""
    return STORE_FIELDS if algorithm.workers == "one" else SHARED_FIELDS


def kinds(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> dict[str, ElementKind]:
    """Return how each field is kept while `algorithm` runs over a `store` with numbers of states of `width` bytes."""
    return {
        name: _kind(field, width, store) if field.always or name in algorithm.columns else NOTHING
        for name, field in fields_for(algorithm).items()
    }


def _kind(field: Field, width: int, store: StoreKind) -> ElementKind:
    if field.index in ("once", "start") or field.holds in ("sets", "count"):
        return WORD_KIND
    if store == "packed" and field.index == "state":
        return LOOKED_UP
    size = 1 if field.holds in ("byte", "small") else width
    beside_row = field.index == "state" and store != "tree"
    return ElementKind(8 * size, WORD_BYTES if beside_row else size, -field.least)


def kept(index: Index, algorithm: Algorithm, width: int) -> dict[str, ElementKind]:
    """Return the fields with this `index` that `algorithm` needs, each with its kind, for numbers of `width` bytes."""
    fields = fields_for(algorithm)
    return {name: kind for name, kind in kinds(algorithm, width).items() if kind.bits and fields[name].index == index}


def cost(index: Index, algorithm: Algorithm, width: int) -> int:
    """Return the bytes of one element of each field with this `index` together, for `algorithm` and `width`."""
    return sum(kind.size for kind in kept(index, algorithm, width).values())


class ColumnPlaces(NamedTuple):
    """Where the columns of a state are: `at` how many bytes from its row; they take `words` words before the row."""

    at: Mapping[str, int]
    words: int


def places(algorithm: Algorithm, width: int, workers: int = 1) -> ColumnPlaces:
    """Return where the columns of `algorithm` are in a plain store, for numbers of `width` bytes.

    The colour is the first byte of the row. Before the row are the other bytes, then the numbers. A byte of each
    worker's own is as many bytes as there are `workers`, the first worker's nearest to the row.
    """
    fields = fields_for(algorithm)
    at = {"colour": 0}
    taken = 0
    by_state = kept("state", algorithm, width)
    for name in sorted(by_state, key=lambda name: by_state[name].size):  # a stable order: bytes first
        if name != "colour":
            size = by_state[name].size
            copies = workers if fields[name].team == "own" and algorithm.workers == "team" else 1
            if copies > 1 and size > 1:
                raise ValueError(f"{name} would be a number for each state and worker, which nobody has room for")
            taken = -(-taken // size) * size
            at[name] = -taken - size
            taken += copies * size
    return ColumnPlaces(at, -(-taken // WORD_BYTES))
