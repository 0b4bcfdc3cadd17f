"""The conflicts of a program as a table of numbers, as `certificates/sufficing.py` reads it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, assert_never

from everafter.certificates import sufficing as S  # noqa: N812 # its numbers are constants
from everafter.certificates.independence.conflicts import (
    ALWAYS,
    Condition,
    Conflicts,
    Dies,
    Ends,
    Meant,
    NumberedTouch,
    Same,
    Scope,
    Spoken,
    Watched,
)
from everafter.certificates.independence.later_steps import Later, runs_in
from everafter.certificates.independence.observation import Seen, Sight
from everafter.certificates.independence.touches import Name, Text, Touch
from everafter.program.control_flow import Node
from everafter.program.layout import layout_of
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression
from everafter.record import dataclass, field

MOST_POSITIONS = 62
"""A place with more transitions has no room for them in the bits of a number: its steps are never taken alone."""
_UNLESS = {
    "never": S.NEVER,
    "not full": S.NOT_FULL,
    "not empty": S.NOT_EMPTY,
    "executable": S.EXECUTABLE,
    "buffered": S.BUFFERED,
}


@dataclass(frozen=True, slots=True)
class ConflictTable:
    """What must be known of a program to see whether the steps of a process are ample."""

    numbers: tuple[int, ...]
    spoken: tuple[tuple[ProcessType, Expression], ...]
    """The expressions that name channels, each with who says it."""
    visible: frozenset[tuple[int, int, int]]
    """The transitions that the property may see: proctype, place of control, position."""


def table_of(program: Program, memory: Sequence[int], seen: Seen) -> ConflictTable:
    """Return the table of `program` for a property that sees `seen`.

    `memory` are the global cells in the initial state.
    """
    return _TableBuilder(program, memory, seen).table()


@dataclass
class _TableBuilder:
    program: Program
    memory: Sequence[int]
    seen: Seen
    numbers: list[int] = field(default_factory=lambda: [0] * S.HEAD)
    spoken: list[tuple[ProcessType, Expression]] = field(default_factory=list)
    _known: dict[Hashable, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text = Text(self.program, self.seen.expressions)
        self.later = Later(self.program, self.text)
        self.conflicts = Conflicts(self.program, self.text)
        self.layout = layout_of(self.program)
        self.kinds = [kind for kind in self.program.processes if kind.role in ("process", "init")]
        self.places = [(kind, kind.graph.nodes[number]) for kind in self.kinds for number in sorted(kind.graph.nodes)]
        found = {kind.index: self.conflicts.scopes(kind) for kind in self.kinds}
        self.scopes = [found[kind.index][node.number] for kind, node in self.places]

    def table(self) -> ConflictTable:
        read_set = Sight(self.program, self.text, self.seen)
        visible = frozenset(
            (kind.index, number, position) for kind in self.kinds for number, position in read_set.visible(kind)
        )
        self._add_layout()
        self._add_conflicts()
        self._add_places(visible)
        return ConflictTable(tuple(self.numbers), tuple(self.spoken), visible)

    def _part(self, index: int, numbers: Iterable[int]) -> None:
        """Add a part of the table, and say at its head where it begins."""
        self.numbers[index] = self._add(numbers)

    def _add(self, numbers: Iterable[int]) -> int:
        start = len(self.numbers)
        self.numbers += numbers
        return start

    # Rows

    def _add_layout(self) -> None:
        layout, head = self.layout, self.numbers
        head[S.FIRST_PROCESS], head[S.GLOBALS] = layout.first_process, len(layout.global_channels)
        head[S.NODE_BYTES], head[S.LENGTH_BYTES] = layout.node_bytes, layout.count_bytes
        head[S.WIDTH] = width = 1 + max((node.number for _, node in self.places), default=0)
        numbered = {(kind.index, node.number): place for place, (kind, node) in enumerate(self.places)}
        kinds = range(len(self.program.processes))
        self._part(S.PLACES, (numbered.get((kind, node), 0) for kind in kinds for node in range(width)))
        self._part(S.SIZES, (kind.size for kind in layout.processes))
        self._part(S.CREATED, (len(kind.channels) for kind in layout.processes))
        self._part(S.GLOBAL, self._channels(layout.global_channels))
        own = [self._add(self._channels(kind.channels)) for kind in layout.processes]
        self._part(S.OWN, own)

    def _channels(self, channels: Iterable[tuple[int, int]]) -> Iterable[int]:
        for kind, offset in channels:
            yield from (self.program.channels[kind].capacity, offset)

    # Places

    def _add_places(self, visible: frozenset[tuple[int, int, int]]) -> None:
        fit = not is_unfit(self.program)
        few = (len(node.transitions) <= MOST_POSITIONS for _, node in self.places)
        alone = (not scope.touch.is_boundless for scope in self.scopes)
        meeting = {kind.index: self.conflicts.meeting(kind) for kind in self.kinds}
        self._part(S.ALONE, (int(fit and one and other) for one, other in zip(alone, few, strict=True)))
        self._part(S.VISIBLE, (self._positions(kind, node, visible) for kind, node in self.places))
        self._part(S.MEETING, (int(node.number in meeting[kind.index]) for kind, node in self.places))
        self._part(S.ENDING, (int(bool(scope.touch.ends)) for scope in self.scopes))
        self._part(S.MORTAL, (int(bool(self.later.of((kind.index, node.number)).ends)) for kind, node in self.places))

    @staticmethod
    def _positions(kind: ProcessType, node: Node, visible: frozenset[tuple[int, int, int]]) -> int:
        seen = (at for at in range(len(node.transitions)) if (kind.index, node.number, at) in visible)
        return sum(1 << position for position in seen if position <= MOST_POSITIONS)

    # Conflicts

    def _add_conflicts(self) -> None:
        """For everything that can be done at a place, and every proctype, a block for all that one may still do."""
        mine = [(kind.index, scope) for (kind, _), scope in zip(self.places, self.scopes, strict=True)]
        theirs: dict[int, dict[Touch, int]] = {kind.index: {} for kind in self.program.processes}
        columns = []
        for kind, node in self.places:
            known = theirs[kind.index]
            columns.append(known.setdefault(self.later.of((kind.index, node.number)), len(known)))
        rows = {row: number for number, row in enumerate(dict.fromkeys(mine))}
        self.numbers[S.KINDS] = len(self.program.processes)
        self._part(S.SCOPES, [rows[row] for row in mine])
        self._part(S.FUTURES, columns)
        lonely = never_two(self.program)
        futures = {kind: [self.conflicts.future(each) for each in later] for kind, later in theirs.items()}
        self._part(S.MATRIX, [block for kind, scope in rows for block in self._blocks(kind, scope, futures, lonely)])

    def _blocks(
        self, mine: int, scope: Scope, theirs: Mapping[int, Sequence[NumberedTouch]], lonely: set[int]
    ) -> Iterator[int]:
        """Where it is said what the processes of each type say about something that a process of one can do."""
        found = self.conflicts.of(scope)
        for other, later in theirs.items():
            if mine == other and mine in lonely:
                block: tuple[int, ...] = (1,) * len(later)  # nobody asks
            else:
                block = tuple(self._conditions(mine, other, found.against(each)) for each in later)
            if block not in self._known:
                self._known[block] = self._add(block)
            yield self._known[block]

    def _conditions(self, mine: int, theirs: int, found: frozenset[Condition]) -> int:
        if not found:
            return 0
        if found is ALWAYS:
            return 1
        key = (mine, theirs, found)
        if key not in self._known:
            listed = [number for item in found for number in self._condition(mine, theirs, item)]
            self._known[key] = self._add([len(found), *listed])
        return self._known[key]

    def _condition(self, mine: int, theirs: int, condition: Condition) -> tuple[int, ...]:
        match condition:
            case Same(mine=one, theirs=other, unless=unless, position=position):
                return S.SAME, self._name(mine, one), self._name(theirs, other), _UNLESS[unless], position
            case Dies(mine=one):
                return S.DIES, self._name(mine, one), 0, 0, 0
            case Ends(theirs=other):
                return S.ENDS, 0, self._name(theirs, other), 0, 0
            case Watched(mine=one, theirs=other, first=first, second=second):
                names = (self._name(mine, first), self._name(theirs, second))
                return S.WATCHED, self._name(mine, one), self._name(theirs, other), *names
            case _:
                assert_never(condition)

    def _name(self, kind: int, name: Meant) -> int:
        """Where the table has a name that a process of a type says."""
        key: Any = (kind, name)
        if key not in self._known:
            self._known[key] = self._add(self._told(self.program.processes[kind], name))
        return self._known[key]

    def _told(self, kind: ProcessType, name: Meant) -> Iterable[int]:
        match name:
            case None:
                return (S.ANY, 0)
            case Name(is_local=True, cells=cells):
                return (S.LOCAL, len(cells), *(self._byte(kind, cell) for cell in cells))
            case Name(cells=cells):
                return (S.FIXED, len(cells), *(self.memory[cell] for cell in cells))
            case Spoken(expression=expression):
                self.spoken.append((kind, expression))
                return (S.SPOKEN, len(self.spoken) - 1)
            case _:
                assert_never(name)

    def _byte(self, kind: ProcessType, cell: int) -> int:
        """Where in a process the number of a channel is: it takes one byte."""
        variable = next(
            variable
            for variable, start in kind.memory.offsets.items()
            if start <= cell < start + variable.cells * variable.type.size
        )
        return self.layout.processes[kind.index].offsets[variable] + cell - kind.memory.offsets[variable]


def never_two(program: Program) -> set[int]:
    """Return the proctypes of `program` of which there is never more than one process."""
    run = {run.proctype for kind in program.processes for step in kind.graph.transitions() for run in runs_in(step)}
    return {kind.index for kind in program.processes if kind.instances <= 1 and kind.name not in run}


def is_unfit(program: Program) -> bool:
    """Return whether every step of `program` depends on every other, or changes what all may ask for."""
    return program.uses_priority or program.uses_last
