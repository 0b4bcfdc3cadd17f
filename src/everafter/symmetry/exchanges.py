"""What is exchanged in rows where two elements change places, by the layout of the program's rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import factorial, prod

from everafter.execution.packing import Packer
from everafter.program.layout import HOLDER, Layout, bytes_of, layout_of
from everafter.program.storage import width_of
from everafter.program.symmetry import ALWAYS, Exchange, NameExchange, Prefix, Symmetry, all_orders
from everafter.record import replace
from everafter.symmetry.classes import PlaceValue
from everafter.symmetry.detection import SymmetricGroups
from everafter.symmetry.named_cells import NamedCell
from everafter.symmetry.uses import AsymmetricError

MOST_ORDERS = 720
"""Where elements hold names of each other, all ways are tried up to this number."""
MOST_PARTS = 3_000
"""Exchanges have at most this number of parts together: each is a few instructions."""
_PROCTYPE = 1
"""The bytes of the proctype, which stay where they are."""


def symmetry_of_rows(found: SymmetricGroups) -> Symmetry:
    """Return the symmetry of the rows of a program, by what was `found`.

    Raises AsymmetricError where too many ways would have to be tried.
    """
    return _Exchanges(found).symmetry()


class _Exchanges:
    """The places of everything in rows in which all processes are there."""

    def __init__(self, found: SymmetricGroups) -> None:
        self.found, self.program, self.names = found, found.program, found.names
        self.layout: Layout = layout_of(found.program)
        self.processes: list[int] = []
        """Where each process is."""
        self.channels: list[tuple[int, int]] = list(self.layout.global_channels)
        """The type of each channel, and where it is."""
        self.creators: list[int] = [ALWAYS] * len(self.channels)
        place = self.layout.first_process
        for number, process in enumerate(found.start.state.processes):
            own = self.layout.processes[process.proctype]
            self.processes.append(place)
            self.channels += [(kind, place + offset) for kind, offset in own.channels]
            self.creators += [number] * len(own.channels)
            place += own.size
        self.groups = sorted(self.names.members)
        self.moving: list[dict[NamedCell, int]] = []
        """For the globals and for each process, the cells of arrays that elements index, and where they are."""
        self.named: list[tuple[int, dict[NamedCell, int]]] = []
        """For each process, the cells that may name elements, and where they are."""
        for owner, cells, places in self._cells():
            found_cells = list(zip(cells, places, strict=True))
            self.moving.append({cell: at for cell, at in found_cells if self._indices_named(cell)})
            self.named.append((owner, {cell: at for cell, at in found_cells if self._named_by(cell)}))

    def symmetry(self) -> Symmetry:
        """The exchanges, and when there are all."""
        sizes = tuple(len(self.names.members[group][0]) for group in self.groups)
        order = prod(map(factorial, sizes))
        refers = self._refers()
        state = self.found.start.state
        members = [process for group in self.groups for role in self.names.members[group] for process in role]
        exchanges = tuple(
            self._exchange(group, first)
            for group, size in zip(self.groups, sizes, strict=True)
            for first in range(size - 1)
        )
        if sum(len(each.swaps) + len(each.renamings) for each in exchanges) > MOST_PARTS:
            raise AsymmetricError("there are too many processes, and places that name them, for machine code")
        return Symmetry(
            names=tuple(map(self._words, self.groups)),
            order=order,
            exchanges=exchanges,
            least=1 + max(members),
            size=len(Packer(replace(self.program, symmetry=None)).pack(state)),
            prefixes=tuple(
                Prefix(
                    number,
                    self.processes[number] + self.layout.node,
                    self.layout.node_bytes,
                    frozenset(self.program.processes[state.processes[number].proctype].graph.nodes)
                    - self.found.start.places[number],
                )
                for number in sorted(self.found.start.moved)
            ),
            visits=all_orders(sizes) if refers and order <= MOST_ORDERS else (),
            is_exact=not refers or order <= MOST_ORDERS,
        )

    def _words(self, group: int) -> str:
        roles = self.names.members[group]
        kinds = [self.found.start.state.processes[process].proctype for role in roles for process in role]
        names = dict.fromkeys(self.program.processes[kind].name for kind in kinds)
        return f"{len(roles[0])} processes {', '.join(names)}"

    # Cells

    def _cells(self) -> Iterator[tuple[int, list[NamedCell], list[int]]]:
        """The cells of the globals and of each process: the process, their names, and where they are."""
        yield ALWAYS, self.found.cells[0], self._places(0, self.layout.offsets, 0)
        for number, process in enumerate(self.found.start.state.processes):
            kind = process.proctype
            offsets = self.layout.processes[kind].offsets
            yield number, self.found.cells[1 + kind], self._places(1 + kind, offsets, self.processes[number])

    def _places(self, region: int, offsets: object, begin: int) -> list[int]:
        """Where each cell of a region is, -1 for what does not distinguish states."""
        assert hasattr(offsets, "get")
        places: list[int] = []
        inside = -1
        last = None
        for cell in self.found.cells[region]:
            if cell.path[0] is not last:
                last = cell.path[0]
                inside = offsets.get(last, -1)
            places.append(begin + inside if inside >= 0 else -1)
            inside += bytes_of(width_of(cell.path[-1])) if inside >= 0 else 0
        return places

    def _partner(self, cell: NamedCell, group: int, first: int) -> NamedCell:
        """The cell that takes the place of a cell."""
        indices = list(cell.indices)
        for at, path, index in cell.arrays():
            if self.found.uses.is_used("index", path):
                indices[at] = self._other(self.found.uses.index(path), index, group, first)
        return NamedCell(cell.path, tuple(indices))

    def _other(self, term: PlaceValue, value: int, group: int, first: int) -> int:
        """What a number becomes at a place."""
        for each in self.names.of(term):
            if each.group == group:
                left, right = each.values[first : first + 2]
                if value in (left, right):
                    return right if value == left else left
        return value

    # Exchanges

    def _exchange(self, group: int, first: int) -> Exchange:
        moved = [(role[first], role[first + 1]) for role in self.names.members[group]]
        swaps = [self._processes_swapped(left, right) for left, right in moved]
        swaps += self._channels_swapped(group, first)
        for places in self.moving:
            for cell, place in places.items():
                other = places[self._partner(cell, group, first)]
                if 0 <= place < other:
                    swaps.append((place, other, bytes_of(width_of(cell.path[-1]))))
        holders = tuple((left + 1, right + 1) for left, right in moved)
        named = chain(self._named_cells(group, first), self._named_fields(group, first))
        return Exchange(tuple(moved), tuple(_joined(swaps)), (NameExchange(HOLDER, 1, holders), *named))

    def _processes_swapped(self, left: int, right: int) -> tuple[int, int, int]:
        size = self.layout.processes[self.found.start.state.processes[left].proctype].size
        return self.processes[left] + _PROCTYPE, self.processes[right] + _PROCTYPE, size - _PROCTYPE

    def _channels_swapped(self, group: int, first: int) -> Iterator[tuple[int, int, int]]:
        """The channels of two elements that do not move with their processes."""
        moving = {process for role in self.names.members[group] for process in role}
        for owned in dict.fromkeys(self.found.owners.values()):
            left, right = owned.values[first : first + 2] if owned.group == group else (0, 0)
            if left != right and self.creators[left - 1] not in moving:
                (kind, one), (_, other) = self.channels[left - 1], self.channels[right - 1]
                if self.layout.channels[kind].size:
                    yield one, other, self.layout.channels[kind].size

    def _pairs(self, term: PlaceValue, size: int, group: int, first: int) -> tuple[tuple[int, int], ...]:
        mask = (1 << 8 * size) - 1
        found = (each.values[first : first + 2] for each in self.names.of(term) if each.group == group)
        return tuple((left & mask, right & mask) for left, right in found)

    def _named_cells(self, group: int, first: int) -> Iterator[NameExchange]:
        for process, places in self.named:
            for cell, place in places.items():
                size = bytes_of(width_of(cell.path[-1]))
                pairs = self._pairs(self.found.uses.leaf(cell.path), size, group, first)
                if pairs and place >= 0:
                    yield NameExchange(place, size, pairs, process)

    def _fields(self) -> Iterator[tuple[int, int, int, PlaceValue]]:
        """The fields of messages: the channel, the position of the message and of the field, and its class."""
        for number, (kind, _) in enumerate(self.channels, 1):
            channel = PlaceValue(self.found.uses.classes.named(("channel", number)))
            for position in range(self.program.channels[kind].capacity):
                for field in range(len(self.program.channels[kind].widths)):
                    yield number, position, field, PlaceValue(self.found.uses.classes.field(channel, field))

    def _named_fields(self, group: int, first: int) -> Iterator[NameExchange]:
        for number, position, field, term in self._fields():
            kind, place = self.channels[number - 1]
            layout = self.layout.channels[kind]
            size = bytes_of(self.program.channels[kind].widths[field])
            pairs = self._pairs(term, size, group, first)
            if pairs:
                inside = self.layout.count_bytes + position * layout.message + layout.fields[field]
                guards = self.creators[number - 1], place, self.layout.count_bytes, position
                yield NameExchange(place + inside, size, pairs, *guards)

    # Whether elements hold names of elements

    def _refers(self) -> bool:
        """Whether what moves with an element may name another one, so that no order of the elements is the least."""
        members = {process for roles in self.names.members.values() for role in roles for process in role}
        for process, cells, _ in self._cells():
            for number, cell in enumerate(cells):
                moving = self._indices_named(cell) + (process in members)
                names = self._named_by(cell) and not self._is_own_name(process, number, cell)
                if moving + names > 1:
                    return True
        owned = (field for field in self._fields() if field[0] in self.found.owners)
        if any(self.names.of(term) for _, _, _, term in owned):
            return True
        return not all(_is_monotone(each.values) for _, each in self.names.named_roots()) or not all(
            _is_monotone(role) for roles in self.names.members.values() for role in roles
        )

    def _indices_named(self, cell: NamedCell) -> int:
        """How many indices of a cell may name an element."""
        return sum(
            len(self.names.of(self.found.uses.index(path)))
            for _, path, _ in cell.arrays()
            if self.found.uses.is_used("index", path)
        )

    def _named_by(self, cell: NamedCell) -> bool:
        """Whether a cell may name an element."""
        return self.found.uses.is_used("value", cell.path) and bool(self.names.of(self.found.uses.leaf(cell.path)))

    def _is_own_name(self, process: int, number: int, cell: NamedCell) -> bool:
        """Whether what a cell of an element names is this element, from the beginning and for ever."""
        if cell.path[0] in self.program.assigned:
            return False
        state, term = self.found.start.state, self.found.uses.leaf(cell.path)
        if process != ALWAYS:
            element = self.names.element(term, state.processes[process].memory[number])
            return element is not None and any(
                process == role[element[1]] for role in self.names.members[element[0]] if process in role
            )
        element = self.names.element(term, state.memory[number])
        indices = [self.names.element(self.found.uses.index(path), index) for _, path, index in cell.arrays()]
        return element is None or element in indices


def _joined(swaps: list[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """The same exchanges, those of neighbouring places in one."""
    last: tuple[int, int, int] | None = None
    for one, other, size in swaps:
        if last is not None and (one, other) == (last[0] + last[2], last[1] + last[2]) and one + size <= last[1]:
            last = last[0], last[1], last[2] + size
            continue
        if last is not None:
            yield last
        last = one, other, size
    if last is not None:
        yield last


def _is_monotone(values: tuple[int, ...]) -> bool:
    return list(values) in (sorted(values), sorted(values, reverse=True))
