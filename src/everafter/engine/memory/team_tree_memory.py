"""Memory for a team of workers that keeps rows as trees: nodes, roots, hash tables and columns for all, and what each
worker has of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.block import SEGMENT_SHIFT, Team
from everafter.engine.columns import StoreKind, cost, kept
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.engine.memory.stacks import ROW_BYTES, SPARE_STATES, Stacks
from everafter.engine.memory.stored_trees import (
    EVERY_OTHER,
    EVERY_WORD,
    HEADER_LINES,
    NODE_BYTES,
    PLACES_BYTES,
    REMEMBERED_BYTES,
    ROW_ROOM,
    SCRATCH_BYTES,
    Trees,
    as_signed,
    first_bits,
)
from everafter.engine.memory.team_memory import FIRST_TEAM_LINES, THREAD_BYTES, TeamMemory, WorkerMemory
from everafter.search.algorithm import Algorithm
from everafter.search.fields import Index
from everafter.search.parallel.space import SHARED_FIELDS

STATE_BYTES: Final = 8  # a state takes more, of root, hash table and columns together
MOST_ROOT_BYTES: Final = 12
SPARE_SEGMENTS: Final = 64  # for each worker
SEGMENT_BYTES: Final = 16
STACKED: Final[tuple[Index, ...]] = ("depth", "edge", "row")
PARTS: Final = {block.NODE_SET: 256, block.HEADER_SET: 32, block.SEGMENT_SET: 4}
"""How many numbers a worker takes at once."""
TEAM_WORDS: Final = {block.NODE_SET: Team.NODE_LINES, block.HEADER_SET: Team.HEADER_LINES}


class TeamTreeMemory(Trees, TeamMemory):
    """Everything that a team's search needs, within a limit of bytes that counts for all workers together."""

    store: ClassVar[StoreKind] = "tree"
    worker_bytes: ClassVar[int] = SCRATCH_BYTES + MODEL_BYTES + 4 * ROW_ROOM + REMEMBERED_BYTES + THREAD_BYTES
    sizes: ClassVar[tuple[int, ...]] = (
        *(block.LINES, block.ROOT_BITS),
        *(each + word for each in TEAM_WORDS for word in (block.SET_LINES, block.SET_BITS)),
    )

    def __init__(
        self,
        algorithm: Algorithm,
        limit: int,
        workers: int,
        lines: int = FIRST_TEAM_LINES,
        split: int = EVERY_OTHER,
    ) -> None:
        self.split = split & EVERY_WORD
        super().__init__(algorithm, limit, workers, lines)
        self.rebuilder = self.workers[0].block_area

    def column_bytes(self, workers: int) -> int:
        """Return what one more number of a state costs in all columns together, for this number of `workers`."""
        by_state = kept("state", self.algorithm, self.width)
        own = sum(kind.size for name, kind in by_state.items() if _is_own(name))
        return sum(kind.size for kind in by_state.values()) + own * (workers - 1)

    def _states(self, workers: int) -> int:
        """How many numbers of states there is room for."""
        return self.limit // STATE_BYTES + (SPARE_SEGMENTS * workers << SEGMENT_SHIFT)

    def _fixed_bytes(self, workers: int) -> int:
        by_state = (SPARE_SEGMENTS * workers << SEGMENT_SHIFT) * (MOST_ROOT_BYTES + self.column_bytes(workers))
        by_row = SPARE_STATES[self.store] * workers * cost("row", self.algorithm, self.width)
        return super()._fixed_bytes(workers) + by_state + by_row + 4 * PLACES_BYTES

    def _shares(self, workers: int) -> float:
        stacks = 2 + cost("row", self.algorithm, self.width) / ROW_BYTES[self.store]
        by_state = (MOST_ROOT_BYTES + self.column_bytes(workers)) / STATE_BYTES
        return 4.6 + by_state + workers * stacks

    def _settings(self, workers: int, lines: int) -> dict[int, int]:
        states = self._states(workers)
        self.slots = self.area(self.limit, small=0)
        self.roots = self.area(states * MOST_ROOT_BYTES, small=0)
        self.segments = self.area(SEGMENT_BYTES * (states >> SEGMENT_SHIFT))
        self.set_values = {each: self.area(self.limit, small=0) for each in TEAM_WORDS}
        self.set_slots = {each: self.area(self.limit // 2, small=0) for each in TEAM_WORDS}
        self.left_places, self.right_places = (self.places_of(self.split, side) for side in (True, False))
        self.state_columns = {
            name: self.area(states * kind.size)
            for name, kind in kept("state", self.algorithm, self.width).items()
            if not _is_own(name)
        }
        first = {block.NODE_SET: lines, block.HEADER_SET: min(lines, HEADER_LINES)}
        self.remembered_lines = max(1, (lines >> block.REMEMBERED_SHIFT) // workers)
        return {
            Team.LINES: lines,
            Team.ROOT_BITS: first_bits(lines),
            **{TEAM_WORDS[each]: first[each] for each in TEAM_WORDS},
            **{TEAM_WORDS[each] + 1: first_bits(first[each]) for each in TEAM_WORDS},
            Team.STACK_BYTES: 64 * workers * self.remembered_lines,
        }

    def _worker(self, number: int) -> WorkerMemory:
        return TreeWorkerMemory(self, number)

    @property
    def bytes_in_use(self) -> int:
        """Return the memory in use by trees, hash tables and stacks, as the limit counts it."""
        words = self.words
        lines = words[Team.LINES] + words[Team.NODE_LINES] + words[Team.HEADER_LINES]
        begun = int(words[Team.SEGMENTS_BEGUN]) << SEGMENT_SHIFT
        return int(
            NODE_BYTES * (words[Team.NODES_TAKEN] + words[Team.HEADERS_TAKEN])
            + 64 * lines
            + words[Team.ROOTS_END]
            + begun * self.column_bytes(len(self.workers))
            + words[Team.STACK_BYTES]
            - self.moved
        )

    def _root_bits(self, bits: int) -> int:
        """Roots have whole bytes: who writes one must not touch another."""
        return (bits + 7) // 8 * 8

    def states(self) -> Iterator[int]:
        """Yield the numbers of all states."""
        for segment in range(1, int(self.words[Team.SEGMENTS_TAKEN]) + 1):
            begin = segment << SEGMENT_SHIFT
            yield from range(begin, self._segment(begin)[1])

    def field(self, field: str) -> Any:
        """Return a `field` that all workers share as a sequence of numbers, which is empty if it is not kept."""
        return self.state_columns[field].numbers(self.kinds[field]) if field in self.state_columns else ()


class TreeWorkerMemory(WorkerMemory):
    """What one worker has of its own, and where it finds what all have."""

    team: TeamTreeMemory

    def _stacks(self) -> Stacks:
        team = self.team
        return Stacks(team, team.algorithm, team.width, team.limit, "tree", STACKED)

    def _settings(self) -> dict[int, int]:
        team = self.team
        workers = int(team.words[Team.WORKERS])
        states = team._states(workers)
        by_state = kept("state", team.algorithm, team.width)
        own = {name: team.area(states * kind.size) for name, kind in by_state.items() if _is_own(name)}
        self.state_columns: dict[str, Area] = {**team.state_columns, **own}
        room = min(self.state_columns[name].size // kind.size for name, kind in by_state.items())
        return {
            **team.worker_areas(),
            **{index: value for each in TEAM_WORDS for index, value in self._set(each).items()},
            **{each + block.SET_PART: part for each, part in PARTS.items()},
            block.ROOT_BITS: team.words[Team.ROOT_BITS],
            block.ROOTS: team.roots.address,
            block.ROOTS_BYTES: team.roots.size,
            block.SEGMENTS: team.segments.address,
            block.REMEMBERED_LINES: team.remembered_lines,
            block.LEFT_MASK: as_signed(team.split),
            block.LEFT_PLACES: team.left_places.address,
            block.RIGHT_PLACES: team.right_places.address,
            block.STATE_ROOM: min(room, team.segments.size // SEGMENT_BYTES << SEGMENT_SHIFT),
            block.COLUMN_BYTES: team.column_bytes(workers),
        }

    def _set(self, first: int) -> dict[int, int]:
        """What the block says of a set of nodes."""
        team = self.team
        return {
            first + block.SET_SLOTS: team.set_slots[first].address,
            first + block.SET_BYTES: team.set_slots[first].size,
            first + block.SET_VALUES: team.set_values[first].address,
            first + block.SET_LINES: team.words[TEAM_WORDS[first]],
            first + block.SET_BITS: team.words[TEAM_WORDS[first] + 1],
        }

    def _address_by_state(self, field: str) -> int:
        column = self.state_columns.get(field) or self.columns.get(field)
        return column.address if column is not None else 0

    def field(self, field: str) -> Any:
        """Return the worker's `field` as a sequence of numbers."""
        if field in block.SINGLE or field not in self.state_columns:
            return super().field(field)
        return self.state_columns[field].numbers(self.team.kinds[field])


def _is_own(field: str) -> bool:
    """Whether each worker has a column of its own."""
    return SHARED_FIELDS[field].team == "own"
