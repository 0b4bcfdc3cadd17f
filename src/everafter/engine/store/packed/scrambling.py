"""Packed rows one-to-one onto well mixed numbers of as many bits, and back.

A shift by half of the bits and more is undone by the same shift, a product with an odd number by that with its inverse.
"""

from __future__ import annotations

from typing import Final

MOST_BITS: Final = 61
"""Of a packed row: beside all numbers of that size there are those of rows that are not packed."""
# Any odd constants with about as many ones as zeros will do.
FIRST_FACTOR: Final = 0x2D358DCCAA6C78A5
SECOND_FACTOR: Final = 0x1B03738712FAD5C9
FIRST_INVERSE: Final = pow(FIRST_FACTOR, -1, 1 << MOST_BITS)
SECOND_INVERSE: Final = pow(SECOND_FACTOR, -1, 1 << MOST_BITS)


def scrambled(packed: int, bits: int) -> int:
    """Return the number of `bits` bits that stands for `packed`, another for each."""
    mask = (1 << bits) - 1
    shift = (bits + 1) >> 1
    packed ^= packed >> shift
    packed = packed * FIRST_FACTOR & mask
    packed ^= packed >> shift
    packed = packed * SECOND_FACTOR & mask
    return packed ^ packed >> shift


def unscrambled(mixed: int, bits: int) -> int:
    """Return the number of `bits` bits that `mixed` stands for: what `scrambled` undoes, and the other way around."""
    mask = (1 << bits) - 1
    shift = (bits + 1) >> 1
    mixed ^= mixed >> shift
    mixed = mixed * SECOND_INVERSE & mask
    mixed ^= mixed >> shift
    mixed = mixed * FIRST_INVERSE & mask
    return mixed ^ mixed >> shift
