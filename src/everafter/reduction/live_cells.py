"""Live variables: where in a process the value of a cell may still be read before it is written again.

The textbook's analysis, backwards along the control-flow graph of each proctype, over sets of bits: Nielson, Nielson
and Hankin, "Principles of Program Analysis", 1999, section 2.1.4. Beside its own cells a process has those of global
variables that no other names, if there is exactly one process of its type. Where a cell is not live, two states that
differ in it have the same runs, so it is written as zero (`Erasure`); bisimilar they are for every property that reads
neither that cell nor counts what it is, formulas with X, fairness and never claims included.

What any process may read at any time is always live: what others read by name of the process, what the property reads,
`provided`, `xr` and `xs`, and names of channels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from everafter.program.cell_sets import GLOBAL, CellSets, is_certain
from everafter.program.control_flow import DeterministicStep, Effect, Jump, Perform, Terminate
from everafter.program.effect_parts import expressions_in
from everafter.program.erasure import CellSet, Dead, Erasure
from everafter.program.program import ProcessType, Program
from everafter.program.statement_reads import copied, needed, references
from everafter.program.unread_cells import (
    Unread,
    always_read,
    channel_cells,
    remote_variables,
    takes_steps,
    types_meant,
    unread_cells,
)
from everafter.promela.model import (
    Assign,
    Basic,
    Bind,
    ChannelShape,
    Expression,
    Receive,
    Reference,
    RunExpression,
    Send,
    Variable,
)
from everafter.promela.walk import subexpressions


class Transfer(NamedTuple):
    """What is live before something, of what is live behind it: `gained`, and of the rest what is in `passed`."""

    gained: CellSet
    passed: CellSet

    def before(self, behind: CellSet) -> CellSet:
        """What is live before it."""
        return self.gained | (behind & self.passed)


def erasure_of(program: Program, watched: Iterable[Expression]) -> Erasure:
    """Return what can be written as zero in the states of `program`, for a property that reads `watched`."""
    expressions = tuple(watched)
    unread = unread_cells(program, expressions)
    owners = _owners(program, expressions, unread.cells[GLOBAL])
    owned = tuple(owners.get(process.index, 0) for process in program.processes)
    always = tuple(references(always_read(program, expressions)))
    remote = frozenset(remote_variables(program, expressions))
    dead = tuple(
        _Liveness(program, process, unread, owned[process.index], always, remote).dead()
        if takes_steps(process)
        else MappingProxyType[int, Dead]({})
        for process in program.processes
    )
    return Erasure(unread.cells[GLOBAL], tuple(unread.cells[1:]), dead, owned, unread.fields)


class _Liveness:
    """The analysis of one proctype. Its own cells come first in a set, then the global ones that it owns."""

    def __init__(
        self,
        program: Program,
        process: ProcessType,
        unread: Unread,
        owned: CellSet,
        always: Iterable[Reference],
        remote: Iterable[Variable],
    ) -> None:
        self.program = program
        self.process = process
        self.sets = CellSets(program)
        self.unread = unread
        self.owned = owned
        self.size = len(process.memory.cells)
        self.everything = ((1 << self.size) - 1) | (owned << self.size)
        self.pinned = channel_cells(program, 1 + process.index) | self._cells(always)
        for variable in remote:
            if variable.proctype == process.name:
                self.pinned |= self.sets.whole(variable)

    def dead(self) -> Mapping[int, Dead]:
        """What is not live, by place."""
        found = {number: self._split(self.everything & ~live) for number, live in self._live().items()}
        return MappingProxyType(found)

    def _split(self, cells: CellSet) -> Dead:
        return Dead(cells & ((1 << self.size) - 1), cells >> self.size)

    def _live(self) -> dict[int, CellSet]:
        nodes = self.process.graph.nodes
        steps = {
            number: [(self._transfer(step.effect), step.target) for step in node.transitions]
            for number, node in nodes.items()
        }
        before: dict[int, set[int]] = {number: set() for number in nodes}
        for number, known in steps.items():
            for _, target in known:
                before.setdefault(target, set()).add(number)
        live = dict.fromkeys(nodes, self.pinned)
        waiting = dict.fromkeys(nodes)
        while waiting:
            number, _ = waiting.popitem()
            found = self.pinned
            for transfer, target in steps[number]:
                found |= transfer.before(live.get(target, 0))
            if found != live[number]:
                live[number] = found
                waiting |= dict.fromkeys(before[number])
        return live

    # One step

    def _transfer(self, effect: Effect) -> Transfer:
        match effect:
            case Jump() | Terminate():
                return Transfer(0, self.everything)
            case DeterministicStep():
                return Transfer(self._through(effect, 0), self._through(effect, self.everything))
            case _:
                return self._statement(effect)

    def _through(self, step: DeterministicStep, behind: CellSet) -> CellSet:
        """What is live before a `d_step`, if this is live behind it."""
        if step.start is None:
            return behind
        live: dict[int | None, CellSet] = {**dict.fromkeys(step.instructions, 0), None: behind}
        changed = True
        while changed:
            changed = False
            for number, item in reversed(list(step.instructions.items())):
                later = 0
                for target in (item.next,) if isinstance(item, Perform) else item.options:
                    later |= live[target]
                found = self._statement(item.statement).before(later) if isinstance(item, Perform) else later
                changed = changed or found != live[number]
                live[number] = found
        return live[step.start]

    def _statement(self, statement: Basic) -> Transfer:
        gained = self._cells(needed(statement)) | self._cells(self._sent(statement))
        if not self._is_idle(statement):
            gained |= self._cells(copied(statement))
        return Transfer(gained, self.everything & ~self._cells(self._written(statement)))

    def _sent(self, statement: Basic) -> Iterator[Reference]:
        """What the fields are made of that a statement sends, and some receive reads."""
        if isinstance(statement, Send):
            kinds = types_meant(self.program, statement.channel)
            for position, argument in enumerate(statement.arguments):
                if not all(self.unread.fields[kind] >> position & 1 for kind in kinds):
                    yield from references((argument,))

    def _is_idle(self, statement: Basic) -> bool:
        """Whether a statement assigns to what is never read."""
        if not isinstance(statement, Assign) or not isinstance(statement.target, Reference):
            return False
        return self.sets.is_within(statement.target, self.unread.cells)

    def _cells(self, found: Iterable[Reference]) -> CellSet:
        cells = 0
        for reference in found:
            named = self.sets.named(reference)
            region = self.sets.region(reference.variable)
            if region == GLOBAL:
                cells |= (named & self.owned) << self.size
            elif region == 1 + self.process.index:
                cells |= named
        return cells

    def _written(self, statement: Basic) -> Iterable[Reference]:
        """What is surely written: single cells that the text tells."""
        match statement:
            case Assign(target=Reference() as target):
                found = [target]
            case Receive(channel=channel, arguments=patterns):
                sure = patterns[: self._fewest_fields(channel)]
                targets = [pattern.target for pattern in sure if isinstance(pattern, Bind)]
                found = [target for target in targets if isinstance(target, Reference)]
            case _:
                found = []
        return filter(is_certain, found)

    def _fewest_fields(self, channel: Expression) -> int:
        """How many fields a message has at least: patterns beyond that are given no value."""
        shape = channel.variable.initial if isinstance(channel, Reference) and not channel.selections else None
        if isinstance(shape, ChannelShape) and channel.variable not in self.program.assigned:  # type: ignore[union-attr]
            return len(shape.fields)
        return min((len(kind.widths) for kind in self.program.channels), default=0)


# Global variables of one process


def _owners(program: Program, watched: tuple[Expression, ...], unread: CellSet) -> dict[int, CellSet]:
    """For each proctype with one process the global cells that no other names, nor the property."""
    users: dict[Variable, set[int]] = {}
    for process in program.processes:
        for step in process.graph.transitions():
            _use(users, expressions_in(step.effect), process.index)
    _use(users, always_read(program, watched), -1)
    sets = CellSets(program)
    lonely = _lonely(program)
    free = ~(channel_cells(program, GLOBAL) | unread)
    found: dict[int, CellSet] = {}
    for variable, indices in users.items():
        (user, *others) = indices
        if variable.proctype is None and not others and user in lonely and not variable.is_hidden:
            found[user] = found.get(user, 0) | (sets.whole(variable) & free)
    return found


def _use(users: dict[Variable, set[int]], expressions: Iterable[Expression], user: int) -> None:
    for reference in references(expressions):
        users.setdefault(reference.variable, set()).add(user)


def _lonely(program: Program) -> set[int]:
    """The proctypes of which there is one process from the start on, and never another."""
    parts = (part for effect in program.effects() for item in expressions_in(effect) for part in subexpressions(item))
    started = {part.proctype for part in parts if isinstance(part, RunExpression)}
    return {
        process.index
        for process in program.processes
        if takes_steps(process) and process.instances == 1 and process.name not in started
    }
