"""Memory for a search over a lossy store (everafter.engine.store.lossy_store), and how many it will have missed."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.block import Team
from everafter.engine.columns import WORD_BYTES, StoreKind
from everafter.engine.memory.areas import MODEL_BYTES, Area, Areas, Arena
from everafter.engine.memory.single_memory import FIRST_ROW, Memory
from everafter.engine.memory.stacks import stack_shares
from everafter.engine.memory.team_memory import TeamMemory, WorkerMemory
from everafter.search.algorithm import Algorithm
from everafter.search.space import DISCOVERED, KNOWN

LINE_BYTES: Final = 64
BITS_OF_STATE: Final = 3
SAMPLED_LINES: Final = 1 << 14
KEPT_BITS: Final = 32  # of a hash, where these are kept
MOST_COMPARED: Final = 64  # lines that are looked at for an estimate; this many full ones in a row are rare
TABLE_SHARE: Final = 2  # the limit divided by the size of the table
FIRST_FORGOTTEN: Final = FIRST_ROW + 1  # behind the row of all states that were met before
MOST_ROWS: Final = 1 << 62  # the store's rows_in, which only kernels import
FILLED_SLOTS: Final = 15


class BitTable:
    """The table of bits of a search that forgets states, and what it tells of how many were missed."""

    slots: Area
    limit: int

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


class CompactTable(BitTable):
    """The same where 32 bits of the hash of each state are kept."""

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


class BitMemory(BitTable, Memory):
    """Everything that a depth-first search by one worker needs."""

    store: ClassVar[StoreKind] = "bitstate"
    fixed_bytes: ClassVar[int] = 2 * MODEL_BYTES
    shares: ClassVar[float] = 4

    def _lay_out(self, algorithm: Algorithm, lines: int) -> None:
        super()._lay_out(algorithm, lines)
        _lay_out_frames(self, self.words)
        self.field("colour")[block.SEEN] = KNOWN | DISCOVERED

    def _settings(self, lines: int) -> dict[int, int]:
        settings = super()._settings(lines)
        settings |= {
            block.LINES: self.table_lines,
            block.SLOTS_BYTES: LINE_BYTES * self.table_lines,  # it never grows
            block.QUOTA: self.rows_in_table(),
            block.FIRST: FIRST_FORGOTTEN,
            block.END: FIRST_FORGOTTEN,
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


class CompactMemory(CompactTable, BitMemory):
    """The same over a store that keeps 32 bits of each hash."""

    store: ClassVar[StoreKind] = "compact"


class TeamBitMemory(BitTable, TeamMemory):
    """Everything that a depth-first search by a team needs: a table for all, rows and stacks for each worker."""

    store: ClassVar[StoreKind] = "bitstate"
    shares_rows: ClassVar[bool] = False

    def _fixed_bytes(self, workers: int) -> int:
        return super()._fixed_bytes(workers) + block.MAIL_BYTES

    def _shares(self, workers: int) -> float:
        return 1 + workers * (2 + stack_shares(self.algorithm, self.width, self.store))

    def _pool_bytes(self) -> int:
        return block.MAIL_BYTES

    def _settings(self, _workers: int, _lines: int) -> dict[int, int]:
        self.slots = self.area(LINE_BYTES * self.table_lines, small=0)
        self.ends = self.area(WORD_BYTES)  # every worker notes where its rows end; they are in no chunks
        return {Team.LINES: self.table_lines, Team.ENDS: self.ends.address}

    def _worker(self, number: int) -> WorkerMemory:
        return LossyWorkerMemory(self, number)

    def share_initial(self) -> None:
        """Leave the initial states to the first worker: it shares what waits behind them."""


class TeamCompactMemory(CompactTable, TeamBitMemory):
    """The same over a store that keeps 32 bits of each hash."""

    store: ClassVar[StoreKind] = "compact"


class LossyWorkerMemory(WorkerMemory):
    """What one worker has of its own: also its rows."""

    team: TeamBitMemory

    def __init__(self, team: TeamBitMemory, number: int) -> None:
        self._arena = team.arena(team.limit)
        super().__init__(team, number)
        _lay_out_frames(team, self.words)
        self.field("colour")[block.SEEN] = KNOWN | DISCOVERED
        self.field("own")[block.SEEN] = DISCOVERED

    @property
    def rows(self) -> Arena:
        """Return the arena of the worker's rows."""
        return self._arena

    def _initial(self) -> Area:
        return self.team.initial if self.number == 0 else self.team.area(WORD_BYTES)

    def _settings(self) -> dict[int, int]:
        return {
            **super()._settings(),
            block.SLOTS_BYTES: LINE_BYTES * self.team.table_lines,  # it never grows
            block.FIRST: FIRST_FORGOTTEN,
            block.END: FIRST_FORGOTTEN,
        }

    def row(self, node: int) -> bytes:
        """Return the row of the state `node`, its colour set to 0."""
        return self._arena.row(node)


def _lay_out_frames(areas: Areas, words: Any) -> None:
    """Give the `words` of a block, among `areas`, a word more for each frame: where the rows before it end."""
    words[block.FRAME_ENDS] = areas.area(WORD_BYTES * (words[block.FRAMES] + 4)).address
    words[block.FRAME_BYTES] += WORD_BYTES
