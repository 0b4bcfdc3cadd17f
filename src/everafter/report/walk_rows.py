"""The steps of a walk on machine code as rows: with the same texts as those of the reference."""

from __future__ import annotations

from everafter.engine.emit.random_walk_code import Stop
from everafter.engine.run.native_walk import NativeWalk
from everafter.execution.packing import Packer
from everafter.execution.perform import actor_of
from everafter.execution.random_words import RandomWords
from everafter.execution.row_view import ViewPacker
from everafter.execution.run import Choice
from everafter.execution.state import Draft, State
from everafter.execution.step import Step, steps
from everafter.program.control_flow import Transition
from everafter.program.program import Program
from everafter.promela.model import Expression, Print, Timeout
from everafter.promela.walk import subexpressions
from everafter.questions.outcome import Disagreement
from everafter.verdict.run_rows import Row, RowMaker


class WalkRows:
    """A random walk of `program` from the state in which `place` puts it, drawn by `words`; `packer` packs states."""

    def __init__(self, program: Program, words: RandomWords, packer: Packer) -> None:
        self.program = program
        self._walk = NativeWalk(program, words)
        self._packer = packer
        self._maker = RowMaker(program)
        self._views = ViewPacker(program)
        self._transitions: dict[tuple[int, int, int], Transition] = {}
        self._last: State | None = None
        self._last_number = -1
        """The state after the last row, and the number of that row."""
        self._memory_before: tuple[int, ...] = ()
        """A view of the row before the last step, once there is one."""

    def place(self, state: State) -> None:
        """Go on from `state`."""
        self._walk.place(self._packer.pack(state))

    @property
    def state(self) -> State:
        """The state where the walk is."""
        return self._packer.unpack(self._walk.row)

    def next(self, taken: int, limit: int) -> tuple[int, Row | None]:
        """Go on to the next step that prints, or until `limit` steps are taken; `taken` were before.

        Returns how many are taken now, and the last one. There is none where the reference has to take the next one.
        """
        stop, more = self._walk.go(limit - taken)
        if stop is Stop.UNDECIDED:
            return taken + more, None
        return taken + more, self._row(taken + more, stop is Stop.PRINTED)

    def _row(self, number: int, prints: bool) -> Row:
        """The last step as a row with a number, and whether it prints."""
        walk = self._walk
        self._views.changed = walk.changed
        if self._last is None or self._last_number != number - 1:
            before = self._views.unpack(walk.before)
        else:  # what is a view of the row is one of the row before
            before = State(self._memory_before, *self._last[1:])
        after = self._last = self._views.unpack(walk.row)
        self._last_number, self._memory_before = number, before.memory
        label = walk.label
        transition = self._transition(before, label.process, label.element)
        answer = None
        if label.partner is not None and label.partner_element is not None:
            answer = self._transition(before, label.partner, label.partner_element)
        output = self._printed(before, transition) if prints else ()
        step = Step(label.process, transition, after, None, label.partner, answer, output)
        return self._maker.row(before, step, number)

    def _transition(self, state: State, number: int, element: int) -> Transition:
        """The transition of a process with an element."""
        process = state.processes[number]
        key = process.proctype, process.node, element
        if key not in self._transitions:
            node = self.program.processes[process.proctype].graph.nodes[process.node]
            self._transitions[key] = next(each for each in node.transitions if each.element == element)
        return self._transitions[key]

    def _printed(self, before: State, transition: Transition) -> tuple[str, ...]:
        """What the last step of the walk has printed."""
        effect = transition.effect
        if isinstance(effect, Print) and not any(map(_asks_for_timeout, effect.arguments)):
            draft, process = Draft(before), before.processes[self._walk.label.process]
            for action in actor_of(self.program).actions(process.proctype, process.node):
                if action.transition is transition:
                    action.do(draft, self._walk.label.process, False)
            return draft.output
        return self._printed_by_reference()

    def _printed_by_reference(self) -> tuple[str, ...]:
        choice = Choice(*self._walk.label)
        for step in steps(self.program, self._packer.unpack(self._walk.before)):
            if choice.means(step):
                return step.output
        raise Disagreement("the engine took a step that the reference does not have")


def _asks_for_timeout(argument: Expression) -> bool:
    return any(isinstance(part, Timeout) for part in subexpressions(argument))
