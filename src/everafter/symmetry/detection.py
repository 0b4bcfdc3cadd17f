"""Which processes of a program differ by their numbers alone, for a property that does not tell them apart.

A number of a process may be compared with others for equality, handed on, sent, received, and be the index of an array;
so may what stands for it (`me`, `_pid - 1`), and channels that belong to one process each. Then each step is one again
once two of them are exchanged, with all that names them. A constant that names one is harmless only where the same is
said of all. Ip and Dill, Better Verification Through Symmetry, 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from everafter.program.control_flow import Effect
from everafter.program.program import ProcessType, Program
from everafter.program.storage import Width, width_of
from everafter.promela.model import Constant, Expression
from everafter.record import dataclass
from everafter.source import Place
from everafter.symmetry.classes import NumericUse, PlaceValue
from everafter.symmetry.named_cells import NamedCell, named_cells
from everafter.symmetry.names import ClashError, ElementNames, Numbering
from everafter.symmetry.roles import Role, own_constants, roles, same_variables
from everafter.symmetry.start import Started, started
from everafter.symmetry.texts import Wording, text, text_of_effect
from everafter.symmetry.uses import AsymmetricError, Uses, is_channel

ChannelOwners = Numbering
"""Channels by the elements that they belong to."""


@dataclass(frozen=True, slots=True)
class SymmetricGroups:
    """Groups of processes that may be exchanged, and the names they have."""

    program: Program
    start: Started
    uses: Uses
    names: ElementNames
    cells: tuple[list[NamedCell], ...]
    """The global cells, then those of each proctype."""
    owners: dict[int, ChannelOwners]
    """For each channel that belongs to an element, those of all elements, in their order."""
    reasons: tuple[str, ...]
    """Why other processes of one proctype may not be exchanged."""


class _FailsError(Exception):
    """Processes of these groups are treated differently; the message says why."""

    def __init__(self, groups: Collection[int], reason: str) -> None:
        super().__init__(reason)
        self.groups = frozenset(groups)


def candidates(program: Program, start: Started) -> list[int]:
    """Return the proctypes of `program` whose processes play a role of several, once it has `start`ed."""
    return list(dict.fromkeys(kind for role in roles(program, start) for kind in role.kinds))


@dataclass(frozen=True, slots=True)
class Observed:
    """What a property reads: of states, and, if it is a never claim, by which process."""

    expressions: tuple[Expression, ...] = ()
    texts: Callable[[Wording], list[Any]] = lambda _: []
    """What is said of single states, with elements exchanged."""
    claim: ProcessType | None = None


def symmetric_groups(program: Program, observed: Observed) -> SymmetricGroups:
    """Return the processes of `program` that may be exchanged where a property reads what is `observed`.

    Raises AsymmetricError, with the place, if there are none.
    """
    return _Detection(program, observed).found()


class _Detection:
    """The search for groups in one program."""

    def __init__(self, program: Program, observed: Observed) -> None:
        if program.uses_priority or program.uses_last or program.trace is not None:
            raise AsymmetricError("the model uses priorities, _last or a trace")
        self.program, self.observed = program, observed
        self.start = started(program)
        self.roles = roles(program, self.start)
        self.same = same_variables(program, self.roles)
        names = [kind.name for kind in program.processes]
        firsts = {names[kind]: names[role.first] for role in self.roles for kind in role.kinds}
        self.uses = Uses(program, self.same, firsts)
        regions = (program.memory, *(kind.memory for kind in program.processes))
        self.cells = tuple(named_cells(region.offsets) for region in regions)
        self._gather()
        self._share_messages()
        self.reasons: list[str] = []

    def found(self) -> SymmetricGroups:
        """The groups that are left once all have been taken out that are treated differently."""
        played = self.roles
        if not played:
            raise AsymmetricError("no two processes are of one proctype")
        while played:
            try:
                names = self._named(played)
                owners = self._owners(names)
                self._check(names)
                self._check_texts(names)
            except _FailsError as failure:
                self.reasons.append(str(failure))
                left = [role for role in played if role.first not in failure.groups]
                played = left if len(left) < len(played) else []
                continue
            parts = self.program, self.start, self.uses, names, self.cells, owners, tuple(self.reasons)
            return SymmetricGroups(*parts)
        raise AsymmetricError(self.reasons[0])

    # What the text does

    def _effects(self) -> Iterator[tuple[ProcessType | None, Effect]]:
        for kind, node in self.start.nodes(self.program):
            for step in node.transitions:
                yield kind, step.effect
        if self.observed.claim is not None:
            for step in self.observed.claim.graph.transitions():
                yield None, step.effect

    def _kinds(self) -> Iterator[ProcessType]:
        for kind in dict.fromkeys(process.proctype for process in self.start.state.processes):
            yield self.program.processes[kind]

    def _gather(self) -> None:
        for kind, effect in self._effects():
            self.uses.look(kind, effect)
        for kind in self._kinds():
            if kind.provided is not None:
                self.uses.truth(kind.name, kind.provided)
            for _, reference in kind.declaration.exclusive:
                self.uses.value(kind.name, reference)
        for expression in self.observed.expressions:
            self.uses.truth("", expression)
        for role in self.roles:
            for own in self._own_constants(role):
                for one, other in pairwise(own):
                    self.uses.classes.unite(
                        one,
                        other,
                        NumericUse("a constant is computed with", self.program.processes[role.first].declaration.place),
                    )

    def _held_channels(self) -> Iterator[tuple[PlaceValue, int]]:
        """The places whose values are used as channels, with the values they have at the beginning."""
        roots = {self.uses.classes.root(term.key).key for term in self.uses.channels}
        for term, value in self._held():
            if value and self.uses.classes.root(term.key).key in roots:
                yield term, value

    def _held(self) -> Iterator[tuple[PlaceValue, int]]:
        """All places that are read or written, with the values they have at the beginning."""
        for memory, cells in self._memories():
            for cell, value in zip(cells, memory, strict=True):
                if self.uses.is_used("value", cell.path):
                    yield self.uses.leaf(cell.path), value
        for number, channel in enumerate(self.start.state.channels, 1):
            for message in channel.messages:
                for position, value in enumerate(message):
                    yield PlaceValue(self.uses.classes.field(self.channel(number), position)), value

    def _memories(self) -> Iterator[tuple[tuple[int, ...], list[NamedCell]]]:
        state = self.start.state
        yield state.memory, self.cells[0]
        for process in state.processes:
            yield process.memory, self.cells[1 + process.proctype]

    def _share_messages(self) -> None:
        """What is sent to a channel by one name is received by all that it has."""
        use = NumericUse("a number is computed and sent", self.program.processes[0].declaration.place)
        is_new = True
        while is_new:
            pairs = [(term.key, self.channel(value).key) for term, value in self._held_channels()]
            is_new = any([self.uses.classes.share_messages(one, other, use) for one, other in pairs])  # noqa: C419 # all

    def channel(self, number: int) -> PlaceValue:
        """The place that the messages of a channel are known by."""
        return PlaceValue(self.uses.classes.named(("channel", number)))

    # Names

    def _own_constants(self, role: Role) -> Iterator[list[PlaceValue]]:
        """The places of constants that are different in each process of a role."""
        for constants in own_constants(self.program, role):
            known = [self.uses.constants.get(id(constant)) for constant in constants]
            terms = [each[1] for each in known if each is not None]
            if len(terms) == len(constants):
                yield terms

    def _named(self, played: Sequence[Role]) -> ElementNames:
        """The names of the processes that play these roles."""
        names = ElementNames(self.uses.classes)
        for role in played:
            names.members[role.first] = [role.members]
        try:
            for role in played:
                self._name_processes(names, role)
            for role in played:
                self._name_locals(names, role)
            self._name_channels(names)
        except ClashError as clash:
            raise _FailsError(clash.groups, str(clash)) from clash
        return names

    def _name_processes(self, names: ElementNames, role: Role) -> None:
        kind = self.program.processes[role.first]
        first = self.uses.first_of.get(kind.name) if role.is_of_one_proctype else None
        if first is not None:
            raise _FailsError({role.first}, f"{first}: the oldest {kind.name} is meant")
        if self.uses.asks_pid(kind.name):
            self._give(names, role, self.uses.pid(kind.name), role.members)
        for constants in own_constants(self.program, role):
            known = self.uses.constants.get(id(constants[0]))
            if known is not None and self.uses.classes.root(known[1].key).key not in self.uses.classes.numeric:
                self._give(names, role, known[1], [constant.value for constant in constants])

    def _give(self, names: ElementNames, role: Role, term: PlaceValue, values: Sequence[int]) -> None:
        """Let the processes of a role have these names, which are in the order of their numbers."""
        group = names.group_of(role.members[0])
        played = next(each for each in names.members[group] if role.members[0] in each)
        names.give(term, group, [values[role.members.index(process)] for process in played])

    def _name_locals(self, names: ElementNames, role: Role) -> None:
        """Local variables that tell the processes of a role apart from the beginning."""
        for number, cell in enumerate(self.cells[1 + role.first]):
            values = [self.start.state.processes[member].memory[number] for member in role.members]
            is_single = all(index is None for index in cell.indices)
            if len(set(values)) < len(values) or not is_single or not self.uses.is_used("value", cell.path):
                continue
            term = self.uses.leaf(cell.path)
            use = self.uses.classes.numeric.get(self.uses.classes.root(term.key).key)
            if use is None:
                self._give(names, role, term, values)
            elif cell.path[0] not in self.program.assigned:
                name = self.program.processes[role.first].name
                raise _FailsError({role.first}, f"processes {name} differ in '{cell.path[0].name}', and {use}")

    def _name_channels(self, names: ElementNames) -> None:
        """Channels in arrays of which each element has one."""
        memory = self.start.state.memory
        numbers = {cell: number for number, cell in enumerate(self.cells[0])}
        for path in dict.fromkeys(cell.path for cell in self.cells[0] if is_channel(cell.path[-1])):
            arrays = [at for at, part in enumerate(path) if part.length is not None]
            if len(arrays) != 1 or not self.uses.is_used("value", path):
                continue
            [array] = arrays
            indices = self.uses.index(path[: array + 1])
            for each in names.of(indices):
                if not all(0 <= value < path[array].cells for value in each.values):
                    continue
                cells = [
                    NamedCell(path, tuple(value if at == array else None for at in range(len(path))))
                    for value in each.values
                ]
                held = [memory[numbers[cell]] for cell in cells]
                if len(set(held)) == len(held):
                    names.give(self.uses.leaf(path), each.group, held)

    def _owners(self, names: ElementNames) -> dict[int, ChannelOwners]:
        """The channels that belong to elements. Each is known to be by all who name it."""
        held = list(self._held_channels())
        owners: dict[int, ChannelOwners] = {}
        for each in chain(self._created(names), (each for term, _ in held for each in names.of(term))):
            self._check_channels(each)
            for channel in each.values:
                if owners.setdefault(channel, each) != each:
                    raise _FailsError({each.group, owners[channel].group}, "a channel is named by two processes")
        for term, value in held:
            if value in owners and owners[value] not in names.of(term):
                raise _FailsError({owners[value].group}, "a channel of one process has names that are not exchanged")
        return owners

    def _check_channels(self, owned: ChannelOwners) -> None:
        """Raise _FailsError unless all elements own channels of one declaration."""
        channels = self.start.state.channels
        kinds = {channels[each - 1].type if 0 < each <= len(channels) else None for each in owned.values}
        if len(kinds) > 1 or None in kinds:
            raise _FailsError({owned.group}, "the channels of its processes are not of one declaration")

    def _created(self, names: ElementNames) -> Iterator[ChannelOwners]:
        """The channels that elements have created."""
        number = len(self.program.created)
        created: list[range] = []
        for process in self.start.state.processes:
            count = len(self.program.processes[process.proctype].created)
            created.append(range(number + 1, number + 1 + count))
            number += count
        for group, played in names.members.items():
            for role in played:
                for channels in zip(*(created[process] for process in role), strict=True):
                    yield Numbering(group, channels)

    # What must be true of names

    def _check(self, names: ElementNames) -> None:
        classes = self.uses.classes
        fixed = {root: dict(found) for root, found in classes.fixed.items()}
        for kind in self._kinds():
            if self.uses.asks_pid(kind.name) and not names.of(self.uses.pid(kind.name)):
                own = classes.root(self.uses.pid(kind.name).key)
                for member in self.start.members(kind.index):
                    fixed.setdefault(own.key, {}).setdefault(member - own.more, kind.declaration.place)
        for root, (group, values) in names.named_roots():
            if root in classes.numeric:
                raise _FailsError({group}, str(classes.numeric[root]))
            for value, place in fixed.get(root, {}).items():
                if value in values:
                    raise _FailsError({group}, f"{place}: the number of one of them is treated apart")
        self._check_widths(names, fixed)
        self._check_arrays(names)

    def _check_widths(self, names: ElementNames, fixed: dict[int, dict[int, Place]]) -> None:
        """No place of a class may cut a value that another one holds."""
        places = list(self._places())
        met: dict[int, set[int]] = {}
        for term, value in self._held():
            root = self.uses.classes.root(term.key)
            met.setdefault(root.key, set()).add(value - root.more)
        for table in (fixed, self.uses.classes.stated):
            for key, found in table.items():
                met.setdefault(key, set()).update(found)
        for term, width, name in places:
            root = self.uses.classes.root(term.key)
            for group, values in names.numberings.get(root.key, ()):
                for value in (*values, *met.get(root.key, ())):
                    if width.store(value + root.more) != value + root.more:
                        raise _FailsError({group}, f"'{name}' has no room for {value + root.more}")

    def _places(self) -> Iterator[tuple[PlaceValue, Width, str]]:
        """All places that hold values, with their widths."""
        used = {cell.path for cells in self.cells for cell in cells if self.uses.is_used("value", cell.path)}
        for path in used:
            yield self.uses.leaf(path), width_of(path[-1]), path[-1].name
        for number, channel in enumerate(self.start.state.channels, 1):
            term, widths = self.channel(number), self.program.channels[channel.type].widths
            for position, width in enumerate(widths):
                yield PlaceValue(self.uses.classes.field(term, position)), width, "a message"

    def _check_arrays(self, names: ElementNames) -> None:
        paths = {cell.path[: at + 1] for cells in self.cells for cell in cells for at, _, _ in cell.arrays()}
        for path in paths:
            if self.uses.is_used("index", path):
                for group, values in names.of(self.uses.index(path)):
                    if not all(0 <= value < path[-1].cells for value in values):
                        raise _FailsError({group}, f"'{path[-1].name}' has no element for each of them")
        for term, within in self.uses.ranges:
            for group, values in names.of(term):
                if not all(within.least <= value <= within.greatest for value in values):
                    raise _FailsError({group}, f"{within.place}: a range has room for some of them alone")

    # Constants

    def _check_texts(self, names: ElementNames) -> None:
        """Where constants, or proctypes, name elements, the text must be the same once these are exchanged."""
        stated = self.uses.classes.stated
        groups = {
            each.group for root, each in names.named_roots() if not stated.get(root, {}).keys().isdisjoint(each.values)
        }
        differing = {role.members for role in self.roles if not role.is_of_one_proctype}
        groups |= {group for group, played in names.members.items() if not differing.isdisjoint(map(_in_order, played))}
        for group in sorted(groups):
            for first in range(len(names.members[group][0]) - 1):
                self._check_exchange(names, group, first)

    def _check_exchange(self, names: ElementNames, group: int, first: int) -> None:
        """Raise _FailsError if the text changes where element `first` of a group and the next one are exchanged."""
        processes = self.start.state.processes
        kinds: dict[int, int] = {}
        for role in names.members[group]:
            left, right = (processes[process].proctype for process in role[first : first + 2])
            kinds |= {left: right, right: left}
        every = self.program.processes
        proctypes = {every[kind].name: every[other].name for kind, other in kinds.items()}
        same = {variable: id(one) for variable, one in self.same.items()}
        exchanged = Wording(_exchanged(self.uses, names, group, first), same, proctypes)
        unchanged = Wording(_unchanged, same, {})
        for effect, other in self._corresponding(kinds):
            if text_of_effect(effect, exchanged) != text_of_effect(other, unchanged):
                raise _FailsError({group}, f"{_place_of(effect)}: one of them is named by a constant")
        for one in self._kinds():
            for left_side, right_side in zip(_asked(one), _asked(every[kinds.get(one.index, one.index)]), strict=True):
                if text(left_side, exchanged) != text(right_side, unchanged):
                    raise _FailsError({group}, f"{left_side.place}: one of them is named by a constant")
        if self.observed.texts(exchanged) != self.observed.texts(unchanged):
            raise _FailsError({group}, "what the property says of a state is about one of them")

    def _corresponding(self, kinds: Mapping[int, int]) -> Iterator[tuple[Effect, Effect]]:
        """Each effect, with that of the proctype that takes the place of its own."""
        for kind, node in self.start.nodes(self.program):
            other = self.program.processes[kinds.get(kind.index, kind.index)].graph.nodes[node.number]
            for step, its in zip(node.transitions, other.transitions, strict=True):
                yield step.effect, its.effect
        for step in self.observed.claim.graph.transitions() if self.observed.claim is not None else ():
            yield step.effect, step.effect


def _in_order(role: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(role))


def _asked(kind: ProcessType) -> list[Expression]:
    """The expressions of a proctype beside its statements."""
    return [*([kind.provided] if kind.provided is not None else []), *(each for _, each in kind.declaration.exclusive)]


def _exchanged(uses: Uses, names: ElementNames, group: int, first: int) -> Callable[[Constant], int]:
    """What constants become where the elements `first` of a group and the next one are exchanged."""

    def renamed(constant: Constant) -> int:
        known = uses.constants.get(id(constant))
        if known is not None:
            for each in names.of(known[1]):
                if each.group == group and constant.value in each.values[first : first + 2]:
                    left, right = each.values[first : first + 2]
                    return right if constant.value == left else left
        return constant.value

    return renamed


def _unchanged(constant: Constant) -> int:
    return constant.value


def _place_of(effect: Effect) -> Place | str:
    return getattr(effect, "place", "")
