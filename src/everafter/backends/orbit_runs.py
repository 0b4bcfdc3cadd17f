"""Runs of the program itself, where states that differ by exchanges of processes were searched as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everafter.execution.assignment import MAXIMUM_PROCESSES
from everafter.execution.packing import Packer
from everafter.execution.run import Choice, Run
from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, steps, steps_of
from everafter.program.control_flow import Terminate
from everafter.program.program import Program
from everafter.questions.outcome import Disagreement
from everafter.questions.question import Question
from everafter.record import replace


class OrbitFrame:
    """Who is who along representatives: which process of the program each process of a representative is.

    Of a program without symmetry every state is its own representative.
    """

    def __init__(self, program: Program) -> None:
        self._symmetry = program.symmetry
        self._packer = Packer(replace(program, symmetry=None)) if program.symmetry is not None else None
        self._names = list(range(MAXIMUM_PROCESSES + 1))

    @property
    def names(self) -> tuple[int, ...]:
        """The process of the program that each process is."""
        return tuple(self._names)

    def named(self, choice: Choice) -> Choice:
        """Return the `choice` that processes of the program take, for one of processes of a representative."""
        partner = self._names[choice.partner] if choice.partner is not None else None
        return choice._replace(process=self._names[choice.process], partner=partner)

    def represented(self, state: State) -> State:
        """Return the representative of `state`, to which a step of the last one has led."""
        if self._symmetry is None or self._packer is None:
            return state
        row, exchanges = self._symmetry.ordered(self._packer.pack(state))
        for number in exchanges:
            for left, right in self._symmetry.exchanges[number].processes:
                self._names[left], self._names[right] = self._names[right], self._names[left]
        return self._packer.unpack(row)


def with_ends(question: Question, run: Run) -> Run:
    """Return `run`, of a program in which processes stay at their ends, as a run of the program of `question`.

    They end where something waits for that: a `timeout`, or that no step is possible. Raises Disagreement if it is no
    run.
    """
    follower = _RunWithEnds(question.program, question.start)
    prefix = follower.taken(run.prefix)
    if run.end == "cycle":
        first = follower.taken(run.cycle)
        again = follower.taken(run.cycle)
        return Run((*prefix, *first), again, run.end) if first != again else Run(prefix, first, run.end)
    if run.end == "stop" or not follower.is_wrong:
        prefix = (*prefix, *follower.ends())
    return Run(prefix, (), run.end)


class _RunWithEnds:
    """Takes a run again, with the ends of processes that it lacks."""

    def __init__(self, program: Program, start: State | None) -> None:
        self.program = program
        self.state = start or initial_state(program)
        self.is_wrong = False
        """Whether the last step has a problem."""

    def taken(self, choices: Sequence[Choice]) -> tuple[Choice, ...]:
        """Take these choices; return them with the ends of processes before those that need them."""
        found: list[Choice] = []
        for choice in choices:
            step = self._step(choice)
            while step is None:
                end = next(self._possible_ends(), None)
                if end is None:
                    raise Disagreement("the engine found a step that the reference does not have")
                found.append(self._take(end))
                step = self._step(choice)
            found.append(self._take(step))
        return tuple(found)

    def ends(self) -> tuple[Choice, ...]:
        """Let processes end, as many as can."""
        found: list[Choice] = []
        while (end := next(self._possible_ends(), None)) is not None:
            found.append(self._take(end))
        return tuple(found)

    def _take(self, step: Step) -> Choice:
        self.is_wrong = step.problem is not None
        self.state = step.state or self.state
        return Choice.of(step)

    def _step(self, choice: Choice) -> Step | None:
        possible = (steps_of(self.program, self.state, choice.process, False), steps(self.program, self.state))
        return next((step for some in possible for step in some if choice.means(step)), None)

    def _possible_ends(self) -> Iterator[Step]:
        for step in steps(self.program, self.state):
            if isinstance(step.transition.effect, Terminate):
                yield step
