"""Random numbers that both simulations draw alike, the reference and machine code: words of 32 bits, one by one."""

from __future__ import annotations

import random
from array import array

_AT_ONCE = 4096


class RandomWords:
    """The words that `random.Random(seed)` gives, and numbers made of them.

    `words` from `at` on are not used yet; a user of one moves `at`.
    """

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)
        self.words = array("I")
        self.at = 0

    def below(self, count: int) -> int:
        """Return a random number less than `count`: its bits are those of a word, drawn until the number is less."""
        unused = 32 - count.bit_length()
        while True:
            if self.at == len(self.words):
                self.draw()
            number = self.words[self.at] >> unused
            self.at += 1
            if number < count:
                return number

    def draw(self) -> None:
        """Have more words; those that are used are forgotten."""
        more = self._generator.getrandbits(32 * _AT_ONCE).to_bytes(4 * _AT_ONCE, "little")
        self.words = self.words[self.at :] + array("I", more)
        self.at = 0


assert array("I").itemsize == 4
