"""Memory for a search that keeps rows as trees (everafter.engine.store.tree), by one worker or a team."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.block import SEGMENT_SHIFT, Team
from everafter.engine.columns import cost, kept
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.engine.memory.search_memory import LINE_BYTES, Memory, WorkerMemory
from everafter.engine.memory.stacks import ROW_BYTES, SPARE_STATES, stack_shares
from everafter.engine.memory.stored_trees import (
    EVERY_OTHER,
    EVERY_WORD,
    HEADER_LINES,
    MASKED,
    NODE_BYTES,
    PLACES_BYTES,
    REMEMBERED_BYTES,
    ROW_ROOM,
    SCRATCH_BYTES,
    SEGMENT_BYTES,
    SETS,
    SIDES,
    Trees,
    as_signed,
    first_bits,
)
from everafter.search.algorithm import Algorithm
from everafter.search.parallel.space import SHARED_FIELDS

SPARE_ROOTS: Final = 1 << 23  # for segments that are begun before another is full
MOST_LEAVES: Final = 2
"""A half of more leaves is a tree: where halves are many, they would take too much."""
TEAM_STATE_BYTES: Final = 8  # a state of a team takes more, of root, hash table and columns together
TEAM_ROOT_BYTES: Final = 12  # the most that a root of a team takes
SPARE_SEGMENTS: Final = 64  # for each worker of a team
PARTS: Final = {block.NODE_SET: 256, block.HEADER_SET: 32, block.SEGMENT_SET: 4}
"""How many numbers a worker of a team takes at once."""
TEAM_WORDS: Final = {block.NODE_SET: Team.NODE_LINES, block.HEADER_SET: Team.HEADER_LINES}
"""The sets that a team has, and the first of their words among those that it shares."""


class TreeMemory(Trees, Memory):
    """Everything that the search by `algorithm` needs, within a `limit`; `workers` and `lines` are as in `Memory`.

    `split` says which words are in the left half of a row, and `usual_words` how many words most rows have.
    """

    store: ClassVar[StoreKind] = "tree"
    worker_bytes: ClassVar[int] = SCRATCH_BYTES + MODEL_BYTES + 4 * ROW_ROOM + REMEMBERED_BYTES
    sizes: ClassVar[tuple[int, ...]] = (
        *(block.LINES, block.ROOT_BITS),
        *(each + word for each in TEAM_WORDS for word in (block.SET_LINES, block.SET_BITS)),
    )
    noted: ClassVar[tuple[int, ...]] = (
        *Memory.noted,
        *(each + word for each in SETS for word in (block.SET_LINES, block.SET_BITS, block.SET_COUNT)),
        *(block.ROOT_BITS, block.ROOTS_END, block.NEXT, block.SEGMENT, block.REMEMBERED_LINES, block.LEFT_MASK),
        *(block.HIGHEST_LEFT, block.HIGHEST_RIGHT, *(each + block.SET_LEAVES for each in SIDES)),
    )

    noted_in_team: ClassVar[tuple[int, ...]] = (
        *(set(Memory.noted_in_team) | set(sizes)),
        *(block.REMEMBERED_LINES, block.LEFT_MASK, block.NEXT, block.SEGMENT, block.SEGMENT_END),
        *(
            each + word
            for each in PARTS
            for word in (block.SET_OWN, block.SET_OWN_END, block.SET_SPARE, block.SET_SPARE_END, block.SET_PART)
        ),
    )
    noted_of_team: ClassVar[tuple[int, ...]] = (
        *Memory.noted_of_team,
        *(word + each for word in TEAM_WORDS.values() for each in (0, 1)),
        *(Team.ROOT_BITS, Team.NODES_TAKEN, Team.HEADERS_TAKEN, Team.SEGMENTS_TAKEN),
        *(Team.ROOTS_END, Team.SEGMENTS_BEGUN),
    )

    def __init__(
        self,
        algorithm: Algorithm,
        limit: int,
        workers: int = 1,
        lines: int = 0,
        split: int = EVERY_OTHER,
        usual_words: int = 0,
    ) -> None:
        self.split = split & EVERY_WORD
        self._usual_words = usual_words
        super().__init__(algorithm, limit, workers, lines)
        self.rebuilder = self.workers[0].block_area

    @property
    def _sets(self) -> dict[int, int]:
        """Return the sets of nodes that there are, each with the lines that its hash table begins with."""
        first = {block.NODE_SET: self.lines, block.HEADER_SET: min(self.lines, HEADER_LINES)}
        return first if self.is_team else {**first, **dict.fromkeys(SIDES, self.lines)}

    def column_bytes(self, workers: int) -> int:
        """Return what one more number of a state costs in all columns of this number of `workers` together."""
        by_state = kept("state", self.algorithm, self.width)
        own = sum(kind.size for name, kind in by_state.items() if _is_own(name))
        return sum(kind.size for kind in by_state.values()) + own * (workers - 1)

    def _numbers(self, workers: int) -> int:
        """How many numbers of states a team has room for."""
        return self.limit // TEAM_STATE_BYTES + (SPARE_SEGMENTS * workers << SEGMENT_SHIFT)

    def _fixed_bytes(self, workers: int) -> int:
        fixed = super()._fixed_bytes(workers) + 4 * PLACES_BYTES
        if not self.is_team:
            return fixed + SPARE_ROOTS
        by_state = (SPARE_SEGMENTS * workers << SEGMENT_SHIFT) * (TEAM_ROOT_BYTES + self.column_bytes(workers))
        return fixed + by_state + SPARE_STATES["tree"] * workers * cost("row", self.algorithm, self.width)

    def _shares(self, workers: int) -> float:
        if not self.is_team:
            return 8.5 + stack_shares(self.algorithm, self.width, self.store)
        stacks = 2 + cost("row", self.algorithm, self.width) / ROW_BYTES[self.store]
        by_state = (TEAM_ROOT_BYTES + self.column_bytes(workers)) / TEAM_STATE_BYTES
        return 4.6 + by_state + workers * stacks

    def _lay_out_states(self, workers: int) -> None:
        numbers = self._room = self._numbers(workers) if self.is_team else self.limit
        self.slots = self.area(self.limit, small=0)
        self.roots = self.area(numbers * TEAM_ROOT_BYTES if self.is_team else self.limit + SPARE_ROOTS, small=0)
        self.segments = self.area(SEGMENT_BYTES * (numbers >> SEGMENT_SHIFT))
        self.set_slots = {each: self.area(self.limit // 2, small=0) for each in self._sets}
        self.set_values = {each: self.area(self.limit, small=0) for each in self._sets}
        self.left_places, self.right_places = (self.places_in_half(self.split, side) for side in (True, False))
        self.remembered_lines = max(1, (self.lines >> block.REMEMBERED_SHIFT) // workers)

    def _worker(self, number: int) -> WorkerMemory:
        return WorkerMemory(self, number, self.initial, None)

    def _team_settings(self, workers: int) -> dict[int, int]:
        self.state_columns = self._state_columns(is_own=False)
        return {
            Team.ROOT_BITS: first_bits(self.lines),
            **{TEAM_WORDS[each]: lines for each, lines in self._sets.items()},
            **{TEAM_WORDS[each] + 1: first_bits(lines) for each, lines in self._sets.items()},
            Team.STACK_BYTES: LINE_BYTES * workers * self.remembered_lines,
        }

    def _state_columns(self, is_own: bool) -> dict[str, Area]:
        """The columns of a team by state, those that each worker has of its own or those that all share."""
        by_state = kept("state", self.algorithm, self.width)
        return {name: self.area(self._room * kind.size) for name, kind in by_state.items() if _is_own(name) == is_own}

    def settings_of(self, worker: WorkerMemory) -> dict[int, int]:
        """Return what the block of `worker` says of rows."""
        return {
            **self.worker_areas(),
            **{index: value for each, lines in self._sets.items() for index, value in self._set(each, lines).items()},
            block.FIRST: 1,
            block.ROOT_BITS: first_bits(self.lines),
            block.ROOTS: self.roots.address,
            block.ROOTS_BYTES: self.roots.size,
            block.SEGMENTS: self.segments.address,
            block.REMEMBERED_LINES: self.remembered_lines,
            block.LEFT_MASK: as_signed(self.split),
            block.LEFT_PLACES: self.left_places.address,
            block.RIGHT_PLACES: self.right_places.address,
            **(self._settings_in_team(worker) if self.is_team else self._settings_alone()),
        }

    def _set(self, first: int, lines: int) -> dict[int, int]:
        """What the block says of a set of nodes."""
        return {
            first + block.SET_SLOTS: self.set_slots[first].address,
            first + block.SET_BYTES: self.set_slots[first].size,
            first + block.SET_VALUES: self.set_values[first].address,
            first + block.SET_LINES: lines,
            first + block.SET_BITS: first_bits(lines),
        }

    def _settings_alone(self) -> dict[int, int]:
        leaves = dict(zip((each + block.SET_LEAVES for each in SIDES), self._whole_leaves(), strict=True))
        return {block.ROOM_END: 1 << 62, **leaves}  # there is no arena that could be full

    def _settings_in_team(self, worker: WorkerMemory) -> dict[int, int]:
        """What the block of a worker of a team says beside that; it gets its columns."""
        workers = int(self.words[Team.WORKERS])
        by_state = kept("state", self.algorithm, self.width)
        worker.state_columns = {**self.state_columns, **self._state_columns(is_own=True)}
        room = min(worker.state_columns[name].size // kind.size for name, kind in by_state.items())
        return {
            **{each + block.SET_PART: part for each, part in PARTS.items()},
            block.STATE_ROOM: min(room, self.segments.size // SEGMENT_BYTES << SEGMENT_SHIFT),
            block.COLUMN_BYTES: self.column_bytes(workers),
        }

    def _whole_leaves(self) -> tuple[int, int]:
        """How many leaves a left and a right half have that are kept whole: those of usual rows, if they are few."""
        lefts = sum(self.split >> index & 1 for index in range(1, min(self._usual_words, MASKED)))
        rights = max(0, self._usual_words - 1 - lefts)
        left, right = ((words + 1) // 2 for words in (lefts, rights))
        return (left if left <= MOST_LEAVES else 0), (right if right <= MOST_LEAVES else 0)

    def places_of(self, number: int) -> dict[str, int]:
        """Return no places, for any `number` of a worker: no column is beside a row."""
        return {}

    def row(self, node: int, number: int = 0) -> bytes:
        """Return the row of the state `node`, which workers of any `number` have, its colour set to 0."""
        return self.rebuilt_row(node)

    def _row_extents(self) -> dict[str, tuple[Area, int]]:
        words: Any = self.words
        if self.is_team:
            counts = {block.NODE_SET: words[Team.NODES_TAKEN], block.HEADER_SET: words[Team.HEADERS_TAKEN]}
            lines = {each: words[first] for each, first in TEAM_WORDS.items()}
            states, ends = int(words[Team.SEGMENTS_TAKEN] + 1) << SEGMENT_SHIFT, words[Team.ROOTS_END]
        else:
            counts = {each: words[each + block.SET_COUNT] for each in SETS}
            lines = {each: words[each + block.SET_LINES] for each in SETS}
            states, ends = int(words[block.NEXT]), words[block.ROOTS_END]
        by_state = kept("state", self.algorithm, self.width)
        return {
            "roots": (self.roots, int(ends)),
            "segments": (self.segments, SEGMENT_BYTES * ((states >> SEGMENT_SHIFT) + 1)),
            **{
                SETS[each]: (self.set_values[each], self._value_bytes(each) * (int(count) + 1))
                for each, count in counts.items()
            },
            **{
                f"slots of {SETS[each]}": (self.set_slots[each], LINE_BYTES * int(count))
                for each, count in lines.items()
            },
            "left places": (self.left_places, PLACES_BYTES),
            "right places": (self.right_places, PLACES_BYTES),
            **{
                f"{name} {worker.number}" if _is_own(name) and self.is_team else name: (area, states * kind.size)
                for name, kind in by_state.items()
                for worker in self.workers
                if (area := worker.state_columns.get(name) or worker.columns[name])
            },
        }

    def states(self) -> Iterator[int]:
        """Yield the numbers of all states."""
        segments = self.words[Team.SEGMENTS_TAKEN] if self.is_team else self.words[block.NEXT] - 1 >> SEGMENT_SHIFT
        for segment in range(1 if self.is_team else 0, int(segments) + 1):
            begin = segment << SEGMENT_SHIFT
            yield from range(max(begin, 1), self._segment(begin)[1])

    def _root_bits(self, bits: int) -> int:
        """Roots of a team have whole bytes: a worker that writes one must not touch another."""
        return (bits + 7) // 8 * 8 if self.is_team else bits

    def _row_bytes(self) -> int:
        words: Any = self.words
        if self.is_team:
            nodes = NODE_BYTES * (words[Team.NODES_TAKEN] + words[Team.HEADERS_TAKEN])
            lines = words[Team.NODE_LINES] + words[Team.HEADER_LINES]
            columns = (int(words[Team.SEGMENTS_BEGUN]) << SEGMENT_SHIFT) * self.column_bytes(len(self.workers))
            return int(nodes + LINE_BYTES * lines + words[Team.ROOTS_END] + columns)
        nodes = sum(self._value_bytes(each) * words[each + block.SET_COUNT] for each in SETS)
        lines = sum(words[each + block.SET_LINES] for each in SETS) + words[block.REMEMBERED_LINES]
        return int(nodes + LINE_BYTES * lines + words[block.ROOTS_END] + words[block.NEXT] * words[block.STATE_BYTES])


def _is_own(field: str) -> bool:
    """Whether each worker of a team has a column of its own."""
    return SHARED_FIELDS[field].team == "own"
