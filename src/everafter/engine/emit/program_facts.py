"""What is known of a program before its code is written: which channels are fixed, what the code must look at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, reduce
from itertools import accumulate
from operator import and_

from everafter.certificates.independence.conflict_table import ConflictTable
from everafter.engine.emit.control_block import PROCESSOR, Rooms, Sizes
from everafter.execution.step import initial_state
from everafter.program.cell_sets import CellSets
from everafter.program.channel_types import created_by
from everafter.program.control_flow import Transition
from everafter.program.effect_parts import expressions_in, references_written
from everafter.program.erasure import CellSet, Dead
from everafter.program.layout import Layout, bytes_of, layout_of
from everafter.program.program import ProcessType, Program
from everafter.program.sites import first_numbers
from everafter.program.storage import Width
from everafter.promela.model import (
    ChannelShape,
    Expression,
    Kind,
    ProcessQuery,
    Reference,
    RunExpression,
    Scalar,
    Timeout,
    Variable,
)
from everafter.promela.walk import subexpressions
from everafter.record import dataclass
from everafter.reduction.ample import Reduction


@dataclass(frozen=True, slots=True)
class Shape:
    """What the code for a channel depends on; channels of the same shape share it."""

    capacity: int
    widths: tuple[Width, ...]
    zeros: CellSet = 0
    """The fields that are zero in every message."""


@dataclass(frozen=True)
class Facts:
    """A program with everything its code generator asks of it."""

    program: Program
    watched: tuple[Expression, ...] = ()
    """Expressions that a claim asks for."""
    fair: bool = False
    """Whether it is to be known who moves in a step."""
    reduction: Reduction | None = None
    """Which steps suffice, if not all are to be taken."""
    covers: bool = False
    """Whether it is noted which statements are executed."""
    judged: ConflictTable | None = None
    """By what a reduction is judged, if that is what the code is for."""
    claims: bool = True
    """Whether a claim moves, too."""
    sizes: Sizes = PROCESSOR
    labelled: bool = False
    """Whether each successor has the label of its step (`random_walk_code.py`)."""
    varies: bool = False
    """Whether searches differ by their SALT in hashes and orders."""
    nested: bool = False
    """Whether one search is nested in another."""

    @property
    def notes_steps(self) -> bool:
        """Whether something is noted of the step that leads to each successor."""
        return self.fair or self.labelled

    @cached_property
    def layout(self) -> Layout:
        """Where everything is in a row."""
        return layout_of(self.program)

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The different shapes of channels."""
        return tuple(dict.fromkeys(self._shapes))

    def shape(self, kind: int) -> int:
        """The position among the shapes of a channel type's."""
        return self._shape_of[kind]

    @cached_property
    def _shape_of(self) -> tuple[int, ...]:
        positions = {shape: position for position, shape in enumerate(self.shapes)}
        return tuple(positions[shape] for shape in self._shapes)

    @property
    def _shapes(self) -> list[Shape]:
        """The shape of each channel type."""
        erased, kinds = self.program.erased, self.program.channels
        zeros = erased.fields if erased is not None else (0,) * len(kinds)
        return [Shape(kind.capacity, kind.widths, each) for kind, each in zip(kinds, zeros, strict=True)]

    def types_of(self, shape: int) -> list[int]:
        """The channel types of a shape."""
        return [kind for kind in range(len(self.program.channels)) if self.shape(kind) == shape]

    @cached_property
    def longest_row(self) -> int:
        """More bytes than any row can have."""
        largest = max((process.size for process in self.layout.processes), default=0)
        return self.layout.first_process + self.sizes.processes * largest + 64

    @cached_property
    def fields(self) -> int:
        """The most fields a message has."""
        return max((len(shape.widths) for shape in self.shapes), default=0)

    @cached_property
    def rooms(self) -> Rooms:
        """Where everything is in the control block."""
        sites = first_numbers(self.program)[-1] if self.covers else 0
        reduced = self.reduction is not None
        sizes = self.sizes, self.nested
        return Rooms(self.fields, self.longest_row, self.notes_steps, reduced, sites, self.claims, *sizes)

    # What the program uses

    @cached_property
    def expressions(self) -> tuple[Expression, ...]:
        """Every expression of the program and of its claim, with all parts."""
        return tuple(part for whole in self._whole_expressions() for part in subexpressions(whole))

    def _whole_expressions(self) -> Iterator[Expression]:
        yield from self.watched
        for effect in self.program.effects():
            yield from expressions_in(effect)
        yield from (kind.provided for kind in self.program.processes if kind.provided is not None)

    @cached_property
    def uses_timeout(self) -> bool:
        """Whether anything depends on nothing else being possible."""
        return any(isinstance(part, Timeout) for part in self.expressions)

    @cached_property
    def asks_who_may_move(self) -> bool:
        """Whether a process asks what another could do."""
        return any(map(_asks, self.expressions)) or self.program.uses_priority

    @cached_property
    def askers(self) -> frozenset[int]:
        """The proctypes whose actions ask what another process could do."""
        return frozenset(kind.index for kind in self.running if any(map(_asks, _expressions_of(kind))))

    @cached_property
    def goes_on(self) -> bool:
        """Whether a step may be in the middle of an atomic sequence."""
        return any(step.keeps_atomic for kind in self.running for step in kind.graph.transitions())

    @cached_property
    def schedules(self) -> bool:
        """Whether a process that could move may be kept from it."""
        return self.program.uses_priority or any(kind.provided is not None for kind in self.program.processes)

    @cached_property
    def watches(self) -> bool:
        """Whether channel operations are watched."""
        promises = any(kind.declaration.exclusive for kind in self.program.processes)
        return promises or self.program.trace is not None

    @property
    def notes_positions(self) -> bool:
        """Whether it is noted which transitions a process can take."""
        return self.reduction is not None or self.judged is not None

    @property
    def running(self) -> list[ProcessType]:
        """The proctypes whose processes take steps."""
        return [kind for kind in self.program.processes if kind.role in ("process", "init")]

    @cached_property
    def unique(self) -> frozenset[int]:
        """The proctypes of which there is never more than one process: one at the start, and none is run later."""
        run = {part.proctype for part in self.expressions if isinstance(part, RunExpression)}
        found = (kind for kind in self.running if kind.declaration.instances <= 1 and kind.name not in run)
        return frozenset(kind.index for kind in found)

    # What is written as zero

    @cached_property
    def _sets(self) -> CellSets:
        return CellSets(self.program)

    def is_unread(self, reference: Reference) -> bool:
        """Return whether what `reference` means is never read, so that it is not stored."""
        erased = self.program.erased
        return erased is not None and self._sets.is_within(reference, (erased.unread, *erased.unread_locals))

    def begun(self, kind: ProcessType, transition: Transition) -> tuple[Dead, Dead]:
        """Return what is zero where `transition` of `kind` begins, and what it may write, by cells."""
        erased = self.program.erased
        assert erased is not None
        local = owned = 0
        for reference in references_written(transition.effect):
            if reference.variable.proctype is None:
                owned |= self._sets.named(reference)
            else:
                local |= self._sets.named(reference)
        before = [erased.at(kind.index, source) for source in self._sources[id(transition)]]
        zero = Dead(reduce(and_, (each.local for each in before)), reduce(and_, (each.owned for each in before)))
        return zero, Dead(local, owned)

    @cached_property
    def _sources(self) -> dict[int, list[int]]:
        """Where transitions begin, by their identity, which is theirs as long as there is the program: escapes begin at
        several places."""
        found: dict[int, list[int]] = {}
        for kind in self.running:
            for number, node in kind.graph.nodes.items():
                for step in node.transitions:
                    found.setdefault(id(step), []).append(number)
        return found

    def local_bytes(self, kind: ProcessType) -> list[tuple[int, int]]:
        """Return where each cell of a process of `kind` is in it, and how many bytes it takes."""
        if kind.index not in self._local_bytes:
            widths, first = self.layout.processes[kind.index].row.widths, len(kind.memory.cells)
            sizes = [bytes_of(width) for width in widths]
            ends = list(accumulate(sizes))
            places = [(end - size, size) for end, size in zip(ends, sizes, strict=True)]
            self._local_bytes[kind.index] = places[len(places) - first :]
        return self._local_bytes[kind.index]

    @cached_property
    def _local_bytes(self) -> dict[int, list[tuple[int, int]]]:
        return {}

    @cached_property
    def global_bytes(self) -> dict[int, tuple[int, int]]:
        """Where each global cell is in a row, and how many bytes it takes."""
        found, place = {}, min(self.layout.offsets.values(), default=0)
        for cell in self.layout.visible:
            size = bytes_of(self.program.memory.cells[cell].width)
            found[cell] = place, size
            place += size
        return found

    def reached(self, kind: ProcessType, element: int) -> int:
        """Return where in the control block it is noted that the statement `element` of `kind` was executed."""
        return self.rooms.reached + first_numbers(self.program)[kind.index] + element

    # Channels whose variable always means the same channel

    def fixed_channel(self, reference: Expression) -> Variable | None:
        """The variable of a channel expression, if its channels were created for it and it was never assigned."""
        if not isinstance(reference, Reference) or reference.selections:
            return None
        variable = reference.variable
        is_channel = isinstance(variable.type, Scalar) and variable.type.kind is Kind.CHAN
        created = isinstance(variable.initial, ChannelShape) and not variable.is_parameter
        return variable if is_channel and created and variable not in self.program.assigned else None

    @cached_property
    def initial_memory(self) -> tuple[int, ...]:
        """The global cells at the start."""
        return initial_state(self.program).memory

    def first_number(self, variable: Variable) -> int:
        """The number of the first channel created for a global variable."""
        return self.initial_memory[self.program.memory.offsets[variable]]

    def local_channel(self, kind: ProcessType, variable: Variable) -> int:
        """Return the position of the first channel of the local `variable` among those a process of `kind` creates."""
        before = kind.initial[: kind.initial.index(variable)]
        return len(list(created_by(before)))


def _expressions_of(kind: ProcessType) -> Iterator[Expression]:
    for transition in kind.graph.transitions():
        for whole in expressions_in(transition.effect):
            yield from subexpressions(whole)


def _asks(expression: Expression) -> bool:
    return isinstance(expression, ProcessQuery) and expression.query == "enabled"
