"""Ample sets: in which states the steps of one process are ample.

Peled, "Combining partial order reductions with on-the-fly model-checking", 1996; the conditions are those of Brunner
and Lammich, "Formal verification of an executable LTL model checker with partial order reduction", 2018.

A `Reduction` is computed once, before the search, and does not depend on what the search has seen: it is sound with any
search. For every proctype and place of control it holds a `Candidate`. In a state in which no process is in the
middle of an atomic sequence the steps of process p, at place n, are ample if all of this is true:

static, read from the tables
1. the candidate at n, `rows[proctype of p, n].candidate`, is `possible`: no `control` or `everything` is read there;
2. no transition of p that can be taken is in `visible`, nor that of its partner in a rendezvous;
3. no transition of p that can be taken is in `sticky`, unless its `Waiver` applies; nor that of its partner, if the
   partner has a lower number. An atomic sequence is sticky, or visible, if something in it is; so one that may go on
   for ever is not taken alone;
read from the state
4. p has a step at all, with `timeout` false;
5. for every other process q that is not inert, at place m: none of `rows[proctype of p, n][proctype of q, m]` is true.
   These are static, too, and mostly none or ALWAYS; otherwise they compare numbers of channels and ask whether a
   channel of p's is full or empty (see `dependence`);
6. a waiver applies if no process with p's number or a higher one may still do the opposite operation on the channel:
   what is received in a cycle of states is sent in it, and what is sent is received, so a process with a lower number
   moves in the cycle as well, and that of the lowest number meets a sticky edge that is not waived (see `sticky`).

A process is inert if it cannot move now, and only p and other inert ones can change that: condition 5 holds for
it and every process that is neither. Nothing that it may do comes before p moves. Without inert processes (`blocked`
empty) the answer is sound as well, only less often yes; so one may try first without, which needs only p's own steps.

The processes are tried in order, youngest first, and the first one whose steps are ample is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, Protocol, assert_never

from everafter.deadline import NEVER, Deadline
from everafter.program.accesses import accesses_of
from everafter.program.program import Program
from everafter.promela.model import Expression
from everafter.record import dataclass
from everafter.reduction.candidates import Analysis, Candidate, Waiver, done_by_others
from everafter.reduction.dependence import (
    ALWAYS,
    Condition,
    Dependence,
    Dependency,
    Dies,
    Exempt,
    Future,
    Named,
    Spoken,
    Takes,
    Touch,
    Watches,
)
from everafter.reduction.dependence_rows import DependenceRow, PlaceKey, Split
from everafter.reduction.footprint import Cells
from everafter.reduction.futures import Futures
from everafter.reduction.visibility import NOTHING_WATCHED, Visibility, Watched
from everafter.source import EverafterError


class ProcessView(Protocol):
    """What the reduction reads of a process: what it runs, where it is, its local cells."""

    @property
    def proctype(self) -> int:
        """The index of what it runs."""

    @property
    def node(self) -> int:
        """Its place of control."""

    @property
    def memory(self) -> Sequence[int]:
        """Its local cells."""


class ChannelView(Protocol):
    """What the reduction reads of a channel: its type and the messages in it."""

    @property
    def type(self) -> int:
        """The index of its type."""

    @property
    def messages(self) -> Sequence[object]:
        """What is in it."""


class StateView(Protocol):
    """What the reduction reads of a state."""

    @property
    def memory(self) -> Sequence[int]:
        """The global cells."""

    @property
    def processes(self) -> Sequence[ProcessView]:
        """The processes, oldest first."""

    @property
    def channels(self) -> Sequence[ChannelView]:
        """The channels, number 1 first."""


class Move(NamedTuple):
    """A step that a process can take: the positions of its transition and of its partner's.

    `goes_on`: after a rendezvous the partner is in the middle of an atomic sequence, whether or not it can go on here.
    """

    position: int
    partner: int | None = None
    answer: int = 0
    goes_on: bool = False


Value = Callable[[int, Expression], int]
"""The value of an expression for a process of the state, by its number."""


class Known:
    """What has been found out about one state, so that it is not computed again."""

    __slots__ = ("channels", "independent", "meant", "refused", "touched")

    def __init__(self) -> None:
        self.meant: dict[tuple[int, int], set[int]] = {}
        """The numbers of the channels that a process means by a name.

        The key is the identity of the name, which lives as long as the reduction, and the process.
        """
        self.touched: dict[tuple[int, int], set[int]] = {}
        """The numbers of the channels that a process touches, by touches of its row."""
        self.independent: dict[tuple[int, int], bool] = {}
        """Whether one process is independent of another; in one state it can always take the same steps."""
        self.channels: list[int] = []
        """How many channels there are that no process younger than one created; the first are those that none did."""
        self.refused: dict[int, int] = {}
        """For a process whose steps did not suffice, another that is in its way, or itself if none is to blame."""

    def refuses(self, number: int, blocked: Collection[int]) -> bool:
        """Return whether the steps of process `number` are known not to be ample, even with `blocked` inert."""
        return number in self.refused and self.refused[number] not in blocked


@dataclass(frozen=True, slots=True)
class Reduction:
    """The candidates of every proctype and place, and when two processes depend on each other."""

    program: Program
    rows: dict[PlaceKey, DependenceRow]
    futures: Futures
    dependence: Dependence

    def conditions(self, proctype: int, node: int, other: int, place: int) -> frozenset[Condition]:
        """Return the conditions under which a process depends on what another one may still do.

        The process runs `proctype` and is at `node`; the other one runs the proctype `other` and is at `place`.
        """
        return self.rows[proctype, node][other, place]

    def future(self, proctype: int, node: int) -> Future:
        """Return what a process that runs `proctype` and is at `node` may still do, as it is compared."""
        return self.dependence.future(self.futures.of(proctype, node))

    def candidate(self, process: ProcessView) -> Candidate:
        """What is known of the place where a process is."""
        return self.rows[process.proctype, process.node].candidate

    def may_suffice(self, places: Sequence[PlaceKey], number: int, others: Iterable[int]) -> bool:
        """Return whether the tables alone do not rule out that the steps of process `number` are ample.

        `places` are those of all processes, and `others` the numbers of those that are not inert. A no saves the closer
        look that `suffices` takes.
        """
        row = self.rows[places[number]]
        if not row.candidate.possible:
            return False
        for other in others:  # noqa: SIM110 - asked for every process in every state, so not by way of a generator
            if row[places[other]] is ALWAYS and other != number:
                return False
        return True

    def suffices(
        self,
        state: StateView,
        number: int,
        moves: Collection[Move],
        value: Value,
        blocked: Collection[int] = (),
        known: Known | None = None,
    ) -> bool:
        """Return whether `moves`, the steps of process `number` in `state`, are an ample set.

        `value` evaluates expressions. `blocked` are processes that have no steps, as far as that is known. What is
        needed again in the same state is kept in `known`.
        Proof: proofs/reduction/ample.v, theorem ample_satisfies_conditions. Rendezvous are in parties.v.
        """
        known = Known() if known is None else known
        if known.refuses(number, blocked):
            return False
        candidate = self.candidate(state.processes[number])
        positions = {move.position for move in moves}
        known.refused[number] = number
        if not candidate.possible or not positions or not candidate.visible.isdisjoint(positions):
            return False
        asked = _Asked(self, state, number, positions, value, known)
        if not asked.may_be_taken(candidate) or not all(map(asked.may_be_answered, moves)):
            return False
        return asked.depends_on_inert_only(() if candidate.meets_inside else blocked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The conditions on the state, for one process."""

    reduction: Reduction
    state: StateView
    number: int
    positions: Collection[int]
    value: Value
    known: Known

    def depends_on_inert_only(self, blocked: Collection[int]) -> bool:
        """Whether every process on which this one depends is inert: it, and all who may let it move, cannot move.

        Proof: proofs/reduction/parties.v, theorem parties_satisfy_conditions.
        """
        awake = [other for other in range(len(self.state.processes)) if other not in blocked]
        mine = self.state.processes[self.number]
        row = self.reduction.rows[mine.proctype, mine.node]
        if row.obstacle in awake and not self.is_independent(row.obstacle):  # most likely it still is in the way
            self.known.refused[self.number] = row.obstacle
            return False
        for other in awake:
            if not self.is_independent(other):
                self.known.refused[self.number] = row.obstacle = other
                return False
        asleep = [other for other in blocked if not self.is_independent(other)]
        seen = {self.number, *asleep}
        while asleep:
            sleeper = self._of(asleep.pop())
            if any(sleeper.may_be_woken_by(other) for other in awake if other != self.number):
                return False
            waking = [other for other in blocked if other not in seen and sleeper.may_be_woken_by(other)]
            seen.update(waking)
            asleep += waking
        return True

    def _of(self, number: int) -> _Asked:
        return _Asked(self.reduction, self.state, number, (), self.value, self.known)

    def may_be_woken_by(self, other: int) -> bool:
        """Whether another process may let this blocked one move. A process can end once all younger ones have."""
        if not self.is_independent(other):
            return True
        process = self.state.processes[other]
        ends = self.reduction.candidate(self.state.processes[self.number]).scope.footprint.ends
        return bool(ends and self.reduction.futures.of(process.proctype, process.node).ends)

    def is_independent(self, other: int) -> bool:
        """Whether nothing that another process may still do depends on what this one can do."""
        if other == self.number:
            return True
        mine, theirs = self.state.processes[self.number], self.state.processes[other]
        row, place = self.reduction.rows[mine.proctype, mine.node], (theirs.proctype, theirs.node)
        conditions = row[place]
        if not conditions:
            return True
        if conditions is ALWAYS:
            return False
        key = (self.number, other)
        known = self.known.independent.get(key)
        if known is None:
            known = self.known.independent[key] = not self._depends(row, row.split(place, self.state.memory), other)
        return known

    def _depends(self, row: DependenceRow, conditions: Split, other: int) -> bool:
        """Whether one of the conditions for another process is true."""
        for touch, theirs in conditions.told:
            key = (self.number, touch)
            mine = self.known.touched.get(key)
            if mine is None:
                mine = self.known.touched[key] = self._touched(row.touches[touch])
            if mine and (theirs is None or not mine.isdisjoint(theirs)):
                return True
        return any(self._is_true(item, other) for item in conditions.untold)

    def _touched(self, touch: Touch) -> set[int]:
        """The numbers of the channels that a process touches, none if it is excepted."""
        numbers = self._numbers(touch.mine, self.number)
        return set() if self._is_excepted(touch.unless, touch.position, numbers) else numbers

    def may_be_taken(self, candidate: Candidate) -> bool:
        """Whether no step that can be taken is sticky without a waiver."""
        sticky = candidate.sticky.intersection(self.positions)
        return all(
            position in candidate.waivers and self._is_waived(candidate.waivers[position]) for position in sticky
        )

    def may_be_answered(self, move: Move) -> bool:
        """Whether the partner, if there is one, does nothing that is visible, sticky or goes on."""
        if move.partner is None:
            return True
        partner = self.reduction.candidate(self.state.processes[move.partner])
        if move.goes_on or move.answer in partner.visible:
            return False
        return move.partner > self.number or move.answer not in partner.sticky

    def _is_waived(self, waiver: Waiver) -> bool:
        """Whether no process of this number or a higher one may still do the opposite on the channel.

        Proof: proofs/reduction/waivers.v, theorem no_cycle_of_steps_alone.
        """
        (channel,) = self._numbers(waiver.channel, self.number)
        if not waiver.lasts and channel > self._channels_through(self.number):
            return False
        for other in range(self.number, len(self.state.processes)):
            process = self.state.processes[other]
            for use in self.reduction.futures.of(process.proctype, process.node).uses:
                if use.operation in waiver.opposite and self._may_mean(use.channel, other, {channel}):
                    return False
        return True

    # Conditions

    def _is_true(self, condition: Condition, other: int) -> bool:
        match condition:
            case Dependency(mine=mine, theirs=theirs, unless=unless, position=position):
                if mine is None:
                    return True
                numbers = self._numbers(mine, self.number)
                if not self._may_mean(theirs, other, numbers):
                    return False
                return not self._is_excepted(unless, position, numbers)
            case Dies(mine=mine):
                last = self._channels_through(self.number)
                return mine is None or any(channel > last for channel in self._numbers(mine, self.number))
            case Takes(theirs=theirs):
                first = self._channels_through(self.number - 1)
                return theirs is None or any(channel > first for channel in self._numbers(theirs, other))
            case Watches(mine=mine, theirs=theirs, first=one, second=another):
                return self._is_one_of(mine, self.number, one) and self._is_one_of(theirs, other, another)
            case _:
                assert_never(condition)

    def _is_one_of(self, named: Named | None, speaker: int, watched: Cells | None) -> bool:
        if named is None or watched is None:
            return True
        return not self._numbers(named, speaker).isdisjoint(self._numbers(watched, speaker))

    def _is_excepted(self, unless: Exempt, position: int, numbers: set[int]) -> bool:
        match unless:
            case "never":
                return False
            case "executable":
                return position in self.positions
            case "not full" | "not empty" | "buffered":
                return all(self._has_room(unless, channel) for channel in numbers)
            case _:
                assert_never(unless)

    def _has_room(self, unless: Literal["not full", "not empty", "buffered"], number: int) -> bool:
        """Whether a channel is buffered, and not full or not empty if `unless` says so."""
        if not 0 < number <= len(self.state.channels):
            return False
        channel = self.state.channels[number - 1]
        capacity = self.reduction.program.channels[channel.type].capacity
        match unless:
            case "not empty":
                return len(channel.messages) > 0
            case "not full":
                return len(channel.messages) < capacity
            case "buffered":
                return capacity > 0
            case _:
                assert_never(unless)

    def _may_mean(self, named: Cells | None, speaker: int, numbers: set[int]) -> bool:
        return named is None or not self._numbers(named, speaker).isdisjoint(numbers)

    def _numbers(self, named: Named, speaker: int) -> set[int]:
        """The numbers of the channels that a process may mean."""
        key = (id(named), speaker)
        known = self.known.meant.get(key)
        if known is None:
            known = self.known.meant[key] = self._looked_up(named, speaker)
        return known

    def _looked_up(self, named: Named, speaker: int) -> set[int]:
        if isinstance(named, Spoken):
            return {self.value(speaker, named.expression)}
        memory = self.state.processes[speaker].memory if named.is_local else self.state.memory
        return {memory[cell] for cell in named.cells}

    def _channels_through(self, number: int) -> int:
        """How many channels there are that no process younger than this one created."""
        found = self.known.channels
        if not found:
            program = self.reduction.program
            created = (len(program.processes[process.proctype].created) for process in self.state.processes)
            found += accumulate(created, initial=len(program.created))
        return found[number + 1]


class TakesTooLongError(EverafterError):
    """The time for the analysis of a program is over."""


def reduction_of(program: Program, watched: Watched = NOTHING_WATCHED, by: Deadline = NEVER) -> Reduction:
    """Return the reduction of `program` that preserves what a property that sees `watched` says of it.

    Whether it is sound for the model is not decided here. Raises TakesTooLongError if it is not known `by` then.
    """
    table = accesses_of(program, partners=False)
    futures = Futures(program, table)
    dependence = Dependence(frozenset(process.index for process in program.processes if process.created))
    visibility = Visibility(program, table, watched)
    others = done_by_others(program, futures)
    rows: dict[PlaceKey, DependenceRow] = {}
    for process in program.processes:
        if by.is_over:
            raise TakesTooLongError("which steps could be left out was not found out in half of the time")
        candidates = Analysis(
            program, process, table, visibility, futures, dependence, others[process.index]
        ).candidates()
        for number, candidate in candidates.items():
            rows[process.index, number] = DependenceRow(candidate, futures, dependence)
    return Reduction(program, rows, futures, dependence)
