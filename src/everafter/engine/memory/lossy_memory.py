"""Memory for a search over a lossy store (everafter.engine.store.lossy_store), and how many it will have missed."""

from __future__ import annotations

from typing import ClassVar, Final

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.block import Team
from everafter.engine.columns import WORD_BYTES
from everafter.engine.memory.search_memory import FIRST_ROW, LINE_BYTES, Memory, WorkerMemory
from everafter.engine.memory.stacks import stack_shares
from everafter.search.space import DISCOVERED, KNOWN

BITS_OF_STATE: Final = 3
SAMPLED_LINES: Final = 1 << 14
KEPT_BITS: Final = 32  # of a hash, where these are kept
MOST_COMPARED: Final = 64  # lines that are looked at for an estimate; this many full ones in a row are rare
TABLE_SHARE: Final = 2  # the limit divided by the size of the table
FIRST_FORGOTTEN: Final = FIRST_ROW + 1  # behind the row of all states that were met before
MOST_ROWS: Final = 1 << 62  # the store's rows_in, which only kernels import
FILLED_SLOTS: Final = 15


class LossyMemory(Memory):
    """Everything that a depth-first search needs: a table of bits for all workers, rows and stacks for each.

    The table tells how many states were missed.
    """

    store: ClassVar[StoreKind] = "bitstate"
    shares_rows: ClassVar[bool] = False

    @property
    def table_lines(self) -> int:
        """Return how many lines the table has: a part of the limit, and no more."""
        return self.limit // TABLE_SHARE // LINE_BYTES

    def rows_in_table(self) -> int:
        """Return for how many states there is room in the table."""
        return MOST_ROWS

    def visited(self) -> float:
        """Return an estimate, rather too low, of the share of the states that were met and not taken for others.

        A state that is met last is taken for another if its bits are set, which is so with this probability; one that
        was met earlier, with a smaller one. What lies only behind states that were missed does not count.
        """
        sample = self._sample()
        return 1 - sum(self._share_set(line) ** BITS_OF_STATE for line in sample) / len(sample)

    def _sample(self) -> range:
        return range(0, self.table_lines, max(1, self.table_lines // SAMPLED_LINES))

    def _share_set(self, line: int) -> float:
        """The share of the bits of a line that are set."""
        bits = int.from_bytes(self.slots.copied(LINE_BYTES * line, LINE_BYTES), "little")
        return bits.bit_count() / (8 * LINE_BYTES)

    def _fixed_bytes(self, workers: int) -> int:
        return super()._fixed_bytes(workers) + (block.MAIL_BYTES if self.is_team else 0)

    def _shares(self, workers: int) -> float:
        return 1 + workers * (2 + stack_shares(self.algorithm, self.width, self.store))

    def _pool_bytes(self) -> int:
        return block.MAIL_BYTES

    def _lay_out_states(self, _workers: int) -> None:
        self.lines = self.table_lines
        self.slots = self.area(LINE_BYTES * self.table_lines, small=0)

    def _team_settings(self, _workers: int) -> dict[int, int]:
        self.ends = self.area(WORD_BYTES)  # every worker notes where its rows end; they are in no chunks
        return {Team.ENDS: self.ends.address}

    def _worker(self, number: int) -> WorkerMemory:
        initial = self.initial if number == 0 else self.area(WORD_BYTES)
        worker = WorkerMemory(self, number, initial, self.arena(self.limit))
        worker.words[block.FRAME_ENDS] = self.area(WORD_BYTES * (worker.words[block.FRAMES] + 4)).address
        worker.words[block.FRAME_BYTES] += WORD_BYTES
        worker.field("colour")[block.SEEN] = KNOWN | DISCOVERED
        if self.is_team:
            worker.field("own")[block.SEEN] = DISCOVERED
        return worker

    def settings_of(self, worker: WorkerMemory) -> dict[int, int]:
        """Return what the block of `worker` says of rows."""
        return {
            **super().settings_of(worker),
            block.SLOTS_BYTES: LINE_BYTES * self.table_lines,  # it never grows
            block.FIRST: FIRST_FORGOTTEN,
            block.END: FIRST_FORGOTTEN,
        }

    def _settings_alone(self) -> dict[int, int]:
        return {block.QUOTA: self.rows_in_table()}

    def share_initial(self) -> None:
        """Leave the initial states to the first worker: it shares what waits behind them."""

    def _row_bytes(self) -> int:
        """Return the bytes of rows that wait; what workers of a team have is counted with their stacks."""
        return 0 if self.is_team else int(WORD_BYTES * self.words[block.HIGHEST_END])


class CompactMemory(LossyMemory):
    """The same over a store that keeps 32 bits of the hash of each state."""

    store: ClassVar[StoreKind] = "compact"

    def rows_in_table(self) -> int:
        """Return for how many states there is room in the table."""
        return FILLED_SLOTS * self.table_lines

    def visited(self) -> float:
        """Return an estimate of the share of the states that were met and not taken for others.

        A state that is met last is compared with the slots of its line, and of the next ones as long as they are full;
        each is taken for it with a probability of one in 2**32.
        """
        sample = self._sample()
        return 1 - sum(map(self._compared, sample)) / len(sample) / (1 << KEPT_BITS)

    def _compared(self, line: int) -> int:
        """How many slots a state is compared with that belongs into this line."""
        filled = 0
        for place in range(line, line + MOST_COMPARED):
            begin = LINE_BYTES * (place % self.table_lines)
            slots = memoryview(self.slots.copied(begin, LINE_BYTES)).cast("I")
            filled += sum(slot != 0 for slot in slots)
            if slots[-1] == 0:
                break
        return filled
