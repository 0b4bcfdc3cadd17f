"""Memory for a search over a lossy store (everafter.engine.store.lossy_store), and how many it will have missed."""

from __future__ import annotations

from typing import ClassVar, Final

from everafter.engine import block
from everafter.engine.columns import WORD_BYTES, StoreKind
from everafter.engine.memory.areas import MODEL_BYTES
from everafter.engine.memory.single_memory import FIRST_ROW, Memory
from everafter.search.algorithm import Algorithm
from everafter.search.space import DISCOVERED, KNOWN

LINE_BYTES: Final = 64
BITS_OF_STATE: Final = 3
SAMPLED_LINES: Final = 1 << 14
KEPT_BITS: Final = 32  # of a hash, where these are kept
MOST_COMPARED: Final = 64  # lines that are looked at for an estimate; this many full ones in a row are rare
TABLE_SHARE: Final = 2  # the limit divided by the size of the table


class BitMemory(Memory):
    """Everything that a depth-first search by one worker needs. A part of the limit is the table of bits."""

    store: ClassVar[StoreKind] = "bitstate"
    fixed_bytes: ClassVar[int] = 2 * MODEL_BYTES
    shares: ClassVar[float] = 4

    def _lay_out(self, algorithm: Algorithm, lines: int) -> None:
        super()._lay_out(algorithm, lines)
        words = self.words
        words[block.FRAME_ENDS] = self.area(WORD_BYTES * (words[block.FRAMES] + 4)).address
        words[block.FRAME_BYTES] += WORD_BYTES
        self.field("colour")[block.SEEN] = KNOWN | DISCOVERED

    def _settings(self, lines: int) -> dict[int, int]:
        settings = super()._settings(lines)
        settings |= {
            block.LINES: self.limit // TABLE_SHARE // LINE_BYTES,
            block.QUOTA: 1 << 62,  # the table never grows
            block.FIRST: FIRST_ROW + 1,
            block.END: FIRST_ROW + 1,
        }
        return settings

    @property
    def bytes_in_use(self) -> int:
        """The memory in use by the table, the rows that wait and stacks, as the limit counts it."""
        words = self.words
        return int(
            WORD_BYTES * words[block.HIGHEST_END]
            + LINE_BYTES * words[block.LINES]
            + words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
            + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES]
        )

    def visited(self) -> float:
        """Return an estimate, rather too low, of the share of the states that were met and not taken for others.

        A state that is met last is taken for another if its bits are set, which is so with this probability; one that
        was met earlier, with a smaller one. What lies only behind states that were missed does not count.
        """
        lines = int(self.words[block.LINES])
        sample = range(0, lines, max(1, lines // SAMPLED_LINES))
        return 1 - sum(self._share_set(line) ** BITS_OF_STATE for line in sample) / len(sample)

    def _share_set(self, line: int) -> float:
        """The share of the bits of a line that are set."""
        bits = int.from_bytes(self.slots.copied(LINE_BYTES * line, LINE_BYTES), "little")
        return bits.bit_count() / (8 * LINE_BYTES)


class CompactMemory(BitMemory):
    """The same where 32 bits of the hash of each state are kept."""

    store: ClassVar[StoreKind] = "compact"

    def visited(self) -> float:
        """Return an estimate of the share of the states that were met and not taken for others.

        A state that is met last is compared with the slots of its line, and of the next ones as long as they are full;
        each is taken for it with a probability of one in 2**32.
        """
        lines = int(self.words[block.LINES])
        sample = range(0, lines, max(1, lines // SAMPLED_LINES))
        return 1 - sum(map(self._compared, sample)) / len(sample) / (1 << KEPT_BITS)

    def _compared(self, line: int) -> int:
        """How many slots a state is compared with that belongs into this line."""
        filled = 0
        for place in range(line, line + MOST_COMPARED):
            begin = LINE_BYTES * (place % int(self.words[block.LINES]))
            slots = memoryview(self.slots.copied(begin, LINE_BYTES)).cast("I")
            filled += sum(slot != 0 for slot in slots)
            if slots[-1] == 0:
                break
        return filled
