"""The text of the store run by Python: memory is words by address, and every intrinsic is said again in Python.

Numbers have no sign here, and a word is below 2**64: what the text does with them is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

WORD = 1 << 64
LINE = range(0, 64, 8)


class Words:
    """Memory by address: words, which are zero until they are written. Bytes are kept in the words they lie in."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}

    def load(self, address: int) -> int:
        """The word at an address that is a multiple of 8."""
        assert address % 8 == 0
        return self.words.get(address, 0)

    def store(self, address: int, value: int) -> None:
        """Write the word there."""
        assert address % 8 == 0
        self.words[address] = value % WORD

    def bits(self, address: int, size: int) -> int:
        """So many bytes from any address on, as one number."""
        base = address & ~7
        both = self.load(base) | (self.load(base + 8) << 64)
        return (both >> (8 * (address - base))) & ((1 << (8 * size)) - 1)

    def put_bits(self, address: int, size: int, value: int) -> None:
        """Write so many bytes from any address on."""
        base = address & ~7
        mask = ((1 << (8 * size)) - 1) << (8 * (address - base))
        both = (self.load(base) | (self.load(base + 8) << 64)) & ~mask
        both |= (value << (8 * (address - base))) & mask
        self.store(base, both)
        self.store(base + 8, both >> 64)

    def bits_where(self, line: int, holds: Callable[[int], bool]) -> int:
        """A bit for each of the 8 words of the line of which it holds."""
        return sum(1 << index for index, place in enumerate(LINE) if holds(self.load(line + place)))

    def empty(self, line: int) -> int:
        """A bit for each of the 8 words of the line that is zero."""
        return self.bits_where(line, lambda slot: slot == 0)

    def matches(self, line: int, tag: int, shift: int) -> int:
        """A bit for each of the 8 words of the line that is the tag when shifted right."""
        return self.bits_where(line, lambda slot: slot >> shift == tag)

    def swap_if(self, address: int, expected: int, value: int) -> int:
        """Write the word there if it is as expected; what it was."""
        before = self.load(address)
        if before == expected:
            self.store(address, value)
        return before

    def unequal(self, one: int, other: int, bits: int, count: int) -> int:
        """A bit for each of up to 8 words in which the two places differ."""
        different = 0
        for index in range(min(count, 8)):
            mask = bits if index == 0 else WORD - 1
            if (self.load(one + 8 * index) ^ self.load(other + 8 * index)) & mask:
                different |= 1 << index
        return different

    def copy_line(self, target: int, source: int) -> None:
        """Copy 8 words."""
        for place, value in zip(LINE, [self.load(source + place) for place in LINE], strict=True):
            self.store(target + place, value)

    def clear(self, address: int, size: int) -> None:
        """Set so many bytes to zero."""
        for place in range(address, address + size, 8):
            self.store(place, 0)

    def intrinsics(self) -> dict[str, Callable[..., Any]]:
        """What the text of the store calls, by name."""
        return {
            "clear": self.clear,
            "copy_line": self.copy_line,
            "empty": self.empty,
            "hinted": self.matches,
            "half": lambda address: self.bits(address, 4),
            "high_product": lambda a, b: (a * b) >> 64,
            "load": self.load,
            "load_anywhere": lambda address: self.bits(address, 8),
            "lowest": lambda bits: (bits & -bits).bit_length() - 1,
            "ones": lambda bits: bits.bit_count(),
            "prefetch": lambda _address: None,
            "prefetch_to_write": lambda _address: None,
            "put": lambda block, index, value: self.store(block + 8 * index, value),
            "put_half": lambda address, value: self.put_bits(address, 4, value),
            "shared": self.load,
            "shifted_right": lambda bits, count: bits >> count,
            "store": self.store,
            "store_anywhere": lambda address, value: self.put_bits(address, 8, value),
            "surveyed": lambda line, tag, shift: self.matches(line, tag, shift) | self.empty(line) << len(LINE),
            "swap_if": self.swap_if,
            "tagged": self.matches,
            "unequal": self.unequal,
            "vacant": self.empty,
            "word": lambda block, index: self.load(block + 8 * index),
        }


def interpreted(modules: tuple[ModuleType, ...], given: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """The functions of the modules, of which later ones count, run by Python; what is given takes their places."""
    names: dict[str, Any] = {}
    for module in modules:
        names |= vars(module)
    texts = {name: each for name, each in names.items() if isinstance(each, FunctionType)}
    names |= {name: FunctionType(each.__code__, names, name) for name, each in texts.items()}
    names |= given
    return names
