"""Where the fields of a native `Store` live, and in how many bytes: the same for the code and for whoever reads it.

Numbers of states take four bytes where the arena has no more than 2**32 words, else eight.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from everafter.engine.block import FIELDS, SINGLE, TEAM_FIELDS
from everafter.search.algorithm import Algorithm

NARROW: Final = 4
WIDE: Final = 8
NARROW_WORDS: Final = 1 << 32
WIDE_WORDS: Final = 1 << 40  # what a slot of the hash table can hold

BY_STATE: Final = ("discovery", "finish", "parent", "member")
BY_DEPTH: Final = ("stack", "cursor", "limit", "low", "latest", "root", "gathered", "arriving")
BY_ROW: Final = ("queue", "component")
ALWAYS: Final = ("stack", "cursor", "limit", "pending")
SETS: Final = ("masks", "gathered", "arriving")  # acceptance sets, as bits of a word


class Kind(NamedTuple):
    """A column of unsigned numbers of so many bits, one every `scale` bytes; 0 bits: nothing is kept.

    What is kept is the number plus the bias, so that a column with bias 1 can hold -1.
    """

    bits: int
    scale: int
    bias: int = 0

    @property
    def size(self) -> int:
        """The bytes of one number."""
        return self.bits // 8


NOTHING: Final = Kind(0, 0)


def kind(field: str, algorithm: Algorithm, width: int) -> Kind:
    """How the field is kept while the algorithm runs."""
    if field == "colour":
        return Kind(8, 8)
    if field in SINGLE:
        return Kind(64, 8)
    if field == "masks":
        return Kind(64, 8) if algorithm.reads_sets else NOTHING
    if field not in algorithm.columns and field not in ALWAYS:
        return NOTHING
    if field in SETS:
        return Kind(64, 8)
    return Kind(8 * width, 8 if field in BY_STATE else width, 1 if field == "parent" else 0)


def kinds(algorithm: Algorithm, width: int) -> dict[str, Kind]:
    """How each field is kept, except `initial`, which is an array of words."""
    return {field: kind(field, algorithm, width) for field in FIELDS if field != "initial"}


def team_kind(field: str, columns: tuple[str, ...], width: int) -> Kind:
    """How the field is kept while each worker of a team runs an algorithm that needs these columns."""
    if field in ("colour", "own", "count"):
        return Kind(8, 8)
    if field in SINGLE or field == "abort":
        return Kind(64, 8)
    if field == "parent" and field in columns:
        return Kind(8 * width, 8, 1)
    return Kind(8 * width, width) if field in ALWAYS or field in columns else NOTHING


def team_kinds(columns: tuple[str, ...], width: int) -> dict[str, Kind]:
    """How each field is kept in a team, except `initial`, which is an array of words."""
    return {field: team_kind(field, columns, width) for field in TEAM_FIELDS if field != "initial"}


def team_column_words(workers: int, columns: tuple[str, ...], width: int) -> int:
    """How many words before each row hold, from the last byte on, its count and a byte of each worker, and `parent`."""
    return -(-(1 + workers + (width if "parent" in columns else 0)) // 8)


def state_columns(algorithm: Algorithm) -> tuple[str, ...]:
    """The columns before each row, the nearest first."""
    return tuple(field for field in BY_STATE if field in algorithm.columns)


def column_words(algorithm: Algorithm, width: int) -> int:
    """How many words before each row its columns take."""
    return -(-len(state_columns(algorithm)) * width // 8)


def cost(fields: tuple[str, ...], algorithm: Algorithm, width: int) -> int:
    """The bytes of one element of each of these fields together."""
    return sum(kind(field, algorithm, width).size for field in fields)
