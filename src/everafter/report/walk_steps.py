"""The steps of a walk on machine code as they are shown: with the same texts as those of the reference."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.engine.emit.random_walk_code import Stop
from everafter.engine.emit.step_label import StepLabel
from everafter.engine.run.native_walk import NativeWalk
from everafter.execution.packing import Packer
from everafter.execution.perform import actor_of
from everafter.execution.random_words import RandomWords
from everafter.execution.row_view import ViewPacker
from everafter.execution.run import Choice
from everafter.execution.state import Draft, State
from everafter.execution.step import steps
from everafter.program.layout import WORD
from everafter.program.program import Program
from everafter.promela.model import Expression, Print, Timeout
from everafter.promela.walk import subexpressions
from everafter.questions.outcome import Disagreement
from everafter.report.row_map import MOST_KNOWN, RowMap, RowMaps
from everafter.report.step_table import NOTHING, Columns, ShownStep
from everafter.report.text import met
from everafter.source import Spot
from everafter.verdict.changes import process_name

_AT_ONCE = 1000
"""Steps that are taken before they are shown."""


class WalkSteps:
    """A random walk of `program` from the state in which `place` puts it, drawn by `words`."""

    def __init__(self, program: Program, words: RandomWords) -> None:
        self.program = program
        self.taken = 0
        """How many steps lead to where the walk is."""
        self.is_undecided = False
        """Whether the reference has to take the next step."""
        self._walk = NativeWalk(program, words)
        self._packer = Packer(program)
        self._views = ViewPacker(program)
        self._maps = RowMaps(self._packer, self._walk.longest_row)
        self._map: RowMap | None = None
        """That of the row where the walk is, if steps are traced."""
        self._transitions = [{each.element: each for each in kind.graph.transitions()} for kind in program.processes]

    def place(self, state: State, taken: int) -> None:
        """Go on from `state`, to which `taken` steps have led."""
        self._walk.place(self._packer.pack(state))
        self.taken, self.is_undecided, self._map = taken, False, None

    @property
    def state(self) -> State:
        """The state where the walk is."""
        return self._packer.unpack(self._walk.row)

    def printing(self, limit: int) -> Iterator[ShownStep]:
        """Yield the steps that print until `limit` are taken, or the walk is undecided. No columns are made."""
        while self.taken < limit and not self.is_undecided:
            if self._go(limit) is Stop.PRINTED:
                yield ShownStep(self.taken, NOTHING, self._printed())

    def all(self, limit: int) -> Iterator[ShownStep]:
        """Yield the steps until `limit` are taken, or the walk is undecided."""
        here = self._map = self._map or self._entered(self.state)
        while self.taken < limit and not self.is_undecided:
            number = self.taken
            stop = self._go(min(limit, number + _AT_ONCE))
            entries = list(_entries(self._walk.traced()))
            last = entries.pop() if stop in (Stop.PRINTED, Stop.RENAMED) else None
            for entry in entries:
                number += 1
                yield ShownStep(number, here.known.get(entry) or self._learned(here, entry), ())
            if last is not None:
                output = self._printed() if stop is Stop.PRINTED else ()
                if not self._walk.renames:
                    yield ShownStep(self.taken, here.known.get(last) or self._learned(here, last), output)
                    continue
                before, here = here, self._entered(self._views.unpack(self._walk.copy()))
                yield ShownStep(self.taken, self._columns(last, before, here), output)

    def _go(self, limit: int) -> Stop:
        """Go on until `limit` steps are taken; return why no more were."""
        stop, more = self._walk.go(limit - self.taken)
        self.taken += more
        self.is_undecided = stop is Stop.UNDECIDED
        return stop

    def _entered(self, state: State) -> RowMap:
        """The map of the row of `state`, by which steps are traced from now on."""
        self._map = self._maps.of(state)
        self._walk.trace(self._map.table)
        return self._map

    # Columns

    def _learned(self, here: RowMap, entry: bytes) -> Columns:
        """What is said of an entry, which is known from now on; what was known is forgotten from time to time."""
        if len(here.known) >= MOST_KNOWN:
            here.known.clear()
        columns = here.known[entry] = self._columns(entry, here, here)
        return columns

    def _columns(self, entry: bytes, before: RowMap, after: RowMap) -> Columns:
        who = before.movers.get(entry[:WORD])
        if who is None:
            who = before.movers[entry[:WORD]] = self._movers(before.state, entry)
        return *who, ", ".join(before.effects(entry, after))

    def _movers(self, state: State, entry: bytes) -> tuple[str, str, str]:
        """Who takes the step of an entry from `state`, on which line, and by which statement."""
        label = StepLabel.of(int.from_bytes(entry[:WORD], "little"))
        who = self._mover(state, label.process, label.element)
        if label.partner is None or label.partner_element is None:
            return who
        return met(who, self._mover(state, label.partner, label.partner_element))

    def _mover(self, state: State, number: int, element: int) -> tuple[str, str, str]:
        """A process of `state`, the line and the text of its transition with an element."""
        transition = self._transitions[state.processes[number].proctype][element]
        return process_name(self.program, state, number), str(Spot.of(transition.place).line), transition.text

    # Output

    def _printed(self) -> tuple[str, ...]:
        """What the last step of the walk has printed."""
        before, label = self._views.unpack(self._walk.before), self._walk.label
        process = before.processes[label.process]
        transition = self._transitions[process.proctype][label.element]
        effect = transition.effect
        if not isinstance(effect, Print) or any(map(_asks_for_timeout, effect.arguments)):
            return self._printed_by_reference()
        draft = Draft(before)
        for action in actor_of(self.program).actions(process.proctype, process.node):
            if action.transition.element == transition.element:
                action.do(draft, label.process, False)
        return draft.output

    def _printed_by_reference(self) -> tuple[str, ...]:
        choice = Choice(*self._walk.label)
        for step in steps(self.program, self._packer.unpack(self._walk.before)):
            if choice.means(step):
                return step.output
        raise Disagreement("the engine took a step that the reference does not have")


def _entries(trace: bytes) -> Iterator[bytes]:
    """The entries of a trace, each without its size."""
    words, at = memoryview(trace).cast("Q"), 0
    while at < len(trace):
        behind = at + WORD + words[at // WORD]
        yield trace[at + WORD : behind]
        at = behind


def _asks_for_timeout(argument: Expression) -> bool:
    return any(isinstance(part, Timeout) for part in subexpressions(argument))
