"""Memory for a search by one worker: the block, the arena, the hash table and the columns, within a limit of bytes."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.columns import WORD_KIND, StoreKind, kinds, most_words, places, width_within
from everafter.engine.memory.areas import MODEL_BYTES, PAGE, Area, Areas, fitting
from everafter.engine.memory.stacks import Stacks, stack_shares
from everafter.search.algorithm import Algorithm

FIRST_LINES: Final = 64
FIRST_ROW: Final = 8


class Memory(Areas):
    """Everything that a search by one worker needs. `limit` is the limit that was given, or what fits of it."""

    store: ClassVar[StoreKind] = "plain"
    fixed_bytes: ClassVar[int] = 2 * MODEL_BYTES
    """What is reserved whatever the limit is."""
    shares: ClassVar[float] = 3
    """How much is reserved beside the stacks, as a multiple of the limit."""

    noted: ClassVar[tuple[int, ...]] = (
        *(block.END, block.ROWS, block.STATES, block.TRANSITIONS, block.EXPANSIONS, block.ENTERED, block.INITIAL_ROWS),
        *(block.LINES, block.QUOTA, block.GROWTHS, block.HIGHEST_FRAME, block.HIGHEST_PENDING),
        *range(block.FIRST_SINGLE, block.END_SINGLE),
    )
    """The words of the block that a search must find again to go on."""

    def __init__(self, algorithm: Algorithm, limit: int, lines: int = FIRST_LINES) -> None:
        super().__init__()
        self.algorithm = algorithm
        self.width = self.number_bytes(limit)
        shares = self.shares + stack_shares(algorithm, self.width, self.store)
        self.limit = fitting(limit, self.fixed_bytes, shares)
        self.kinds = kinds(algorithm, self.width, self.store)
        self.places = places(algorithm, self.width)
        try:
            self._lay_out(algorithm, lines)
        except BaseException:
            self.close()
            raise

    def number_bytes(self, limit: int) -> int:
        """Return the bytes of a state's number where memory is limited to `limit` bytes."""
        return width_within(limit, self.store)

    def _lay_out(self, algorithm: Algorithm, lines: int) -> None:
        settings = self._settings(lines)
        self.initial = self.model_area(initial_bytes(self.limit))
        stacks = Stacks(self, algorithm, self.width, self.limit, self.store)
        self.columns: dict[str, Area] = {"initial": self.initial, **stacks.areas}
        settings |= {
            block.BUFFER: self.model_area().address,
            block.LIMIT_BYTES: self.limit,
            block.WANTED: 1,
        }
        self.block_area = self.word_area(block.WORDS, settings | stacks.settings)
        self.words = self.block_area.numbers(WORD_KIND)
        for field in block.FIELDS:
            self.words[block.word_of(field)] = self._address(field)

    @property
    def extents(self) -> dict[str, tuple[Area, int]]:
        """Return all that is known of states: areas by name, and how many bytes of each are in use."""
        words = self.words
        return {
            "rows": (self.rows, PAGE + 8 * int(words[block.END])),
            "slots": (self.slots, 64 * int(words[block.LINES])),
            "initial": (self.initial, 8 * int(words[block.INITIAL_ROWS])),
        }

    def _settings(self, lines: int) -> dict[int, int]:
        """Return what the block says of rows and the hash table, which begins with `lines` cache lines."""
        self.rows = self.arena(self.limit)
        self.slots = self.area(self.limit, small=0)
        return {
            block.ARENA: self.rows.origin,
            block.ARENA_WORDS: min(self.rows.words, most_words(self.width)),
            block.SLOTS: self.slots.address,
            block.SLOTS_BYTES: self.slots.size,
            block.LINES: lines,
            block.QUOTA: 7 * lines,
            block.SCRATCH: self.model_area().address,
            block.COLUMN_WORDS: self.places.words,
            block.FIRST: FIRST_ROW,
            block.END: FIRST_ROW - self.places.words,
        }

    def _address(self, field: str) -> int:
        """Return the address of element 0 of `field`, 0 if it is not kept."""
        if field in block.SINGLE:
            return self.block_area.address + 8 * block.SINGLE[field]
        if field in self.places.at:
            return self.rows.origin + self.places.at[field]
        return self.columns[field].address if field in self.columns else 0

    def field(self, field: str) -> Any:
        """Return `field` as a mutable sequence of numbers, by which Python reads the store.

        A field that the search does not keep is a dictionary: enough for an explanation, which fills it in order.
        """
        if field in block.SINGLE:
            return self.block_area.numbers(self.kinds[field], 8 * block.SINGLE[field])
        if field in self.places.at:
            return self.rows.column(self.kinds[field], self.places.at[field])
        return self.columns[field].numbers(self.kinds[field]) if field in self.columns else {}

    def row(self, node: int) -> bytes:
        """Return the row of the state `node`, its colour set to 0."""
        return self.rows.row(node)

    @property
    def blocks(self) -> list[Any]:
        """Return the words of each worker's block: there is one."""
        return [self.words]

    @property
    def bytes_in_use(self) -> int:
        """Return the memory in use by rows, hash table and stacks, as the limit counts it."""
        words = self.words
        return int(
            8 * words[block.END]
            + 64 * words[block.LINES]
            + words[block.ROWS] * words[block.STATE_BYTES]
            + words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
            + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES]
        )

    def stop(self) -> None:
        """Ask the search to end."""
        self.words[block.STOP] = 1


def initial_bytes(limit: int) -> int:
    """Return the room for the numbers of all initial states within `limit`: each takes twice as much elsewhere."""
    return min(MODEL_BYTES, limit // 2)
