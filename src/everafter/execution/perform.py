"""What a single action does to the draft of the next state, and whether it can be done at all."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, assert_never

from everafter.execution.assignment import Creation, writing
from everafter.execution.channel_operations import Condition, Deed, may_receive, may_send, receiving, sending
from everafter.execution.channel_watch import ChannelWatch
from everafter.execution.evaluate import Evaluator, Value
from everafter.execution.printf import printing
from everafter.execution.state import Draft, Problem, ReadableState, RuntimeProblem
from everafter.program.control_flow import DeterministicStep, Effect, Jump, Perform, Select, Terminate, Transition
from everafter.program.program import Program
from everafter.promela.model import (
    Assert,
    Assign,
    Basic,
    Declare,
    Else,
    Expression,
    Print,
    Receive,
    RunExpression,
    Send,
    SetPriority,
    Test,
)

MAXIMUM_INSTRUCTIONS = 1_000_000


class Action(NamedTuple):
    """A transition with its meaning: whether it may be taken, and what it does."""

    transition: Transition
    may: Condition
    do: Deed
    begins_with_else: bool
    """Whether it is possible only if none before it was."""
    receives: bool
    """Whether it begins with a receive, so that it may answer a rendezvous."""


class Actor(Evaluator):
    """Says what the expressions and the actions of one program mean. Of each part it says so once."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.uses_last, self.uses_priority = program.uses_last, program.uses_priority
        self.watch = ChannelWatch(self)
        conditions = [kind.provided for kind in program.processes]
        self.provided = [self.value(condition) if condition is not None else None for condition in conditions]
        self._actions: list[dict[int, tuple[Action, ...]]] = [{} for _ in program.processes]
        self._creations: dict[int, Creation] = {}
        self._known: dict[int, tuple[Expression, Value]] = {}

    def known_value(self, expression: Expression) -> Value:
        """The value of an expression that will be needed again."""
        known = self._known.get(id(expression))
        if known is None:
            known = self._known[id(expression)] = (expression, self.value(expression))
        return known[1]

    def actions(self, proctype: int, node: int) -> tuple[Action, ...]:
        """Return the transitions of `proctype` from the place of control `node`, in the order they are tried."""
        known = self._actions[proctype].get(node)
        if known is None:
            transitions = self.program.processes[proctype].graph.nodes[node].transitions
            known = self._actions[proctype][node] = tuple([self._action(step) for step in transitions])
        return known

    def _action(self, transition: Transition) -> Action:
        effect = transition.effect
        return Action(
            transition, self.may(effect), self.deed(effect), begins_with_else(transition), receives(transition)
        )

    def may_move(self, view: ReadableState, number: int, timeout: bool) -> bool:
        """Return whether some action of process `number` may be done in `view`: what `enabled` and priorities read.

        `timeout` is the value of `timeout` meanwhile.
        """
        process = view.processes[number]
        return _is_some([action.may for action in self.actions(process.proctype, process.node)], view, number, timeout)

    # Whether an action may be done

    def may(self, effect: Effect) -> Condition:
        """Whether an action may be done now. A rendezvous send may; that a partner is ready is for the step to see."""
        match effect:
            case Test(condition=RunExpression()):
                return _always
            case Test(condition=condition):
                value = self.value(condition)
                return lambda view, number, timeout: value(view, number, timeout) != 0
            case Send():
                return may_send(self, effect)
            case Receive():
                return may_receive(self, effect)
            case Terminate():
                return lambda view, number, _timeout: number + 1 == len(view.processes)
            case DeterministicStep(guards=guards):
                if guards is None:
                    return _always
                conditions = [self.may(guard) for guard in guards]
                return lambda view, number, timeout: _is_some(conditions, view, number, timeout)
            case Assign() | Else() | Assert() | Print() | SetPriority() | Declare() | Jump():
                return _always
            case _:
                assert_never(effect)

    # Doing it

    def deed(self, effect: Effect) -> Deed:
        """Do an action that may be done."""
        match effect:
            case Test(condition=RunExpression() as run):
                return self._starting(run)
            case Test() | Else() | Declare() | Jump():
                return _nothing
            case Assign():
                return self._assigning(effect)
            case Assert():
                return self._asserting(effect)
            case Print():
                return self._printing(effect)
            case SetPriority():
                return self._setting_priority(effect)
            case Send():
                return sending(self, self.watch, effect)
            case Receive():
                return receiving(self, self.watch, effect)
            case Terminate():
                return self._end_process
            case DeterministicStep():
                return self._running_to_end(effect)
            case _:
                assert_never(effect)

    def _assigning(self, assign: Assign) -> Deed:
        value, write = self.value(assign.value), writing(self, assign.target)
        return lambda draft, number, timeout: write(draft, number, value(draft, number, timeout))

    def _asserting(self, assertion: Assert) -> Deed:
        """Its condition is evaluated in any case: that may go wrong, too."""
        condition, is_required = self.value(assertion.condition), self.program.expected.requires(assertion.place)
        problem = Problem("assertion", f"{assertion.text} failed", assertion.place)

        def do(draft: Draft, number: int, timeout: bool) -> None:
            if not condition(draft, number, timeout) and is_required:
                draft.report(problem)

        return do

    def _printing(self, effect: Print) -> Deed:
        text = printing(self, effect)

        def do(draft: Draft, number: int, timeout: bool) -> None:
            draft.output = (*draft.output, text(draft, number, timeout))

        return do

    def _setting_priority(self, effect: SetPriority) -> Deed:
        asked, wanted = self.value(effect.process), self.value(effect.priority)

        def do(draft: Draft, number: int, timeout: bool) -> None:
            other, priority = asked(draft, number, timeout), wanted(draft, number, timeout)
            if not 0 <= other < len(draft.processes):
                return
            if not 1 <= priority <= 255:
                raise RuntimeProblem(f"a priority lies between 1 and 255, not {priority}", effect.place)
            draft.processes[other] = draft.processes[other]._replace(priority=priority)

        return do

    # Processes

    def creation(self, proctype: int) -> Creation:
        """How the processes of a proctype come into being."""
        known = self._creations.get(proctype)
        if known is None:
            known = self._creations[proctype] = Creation(self, self.program.processes[proctype])
        return known

    def _run(self, run: RunExpression) -> Value:
        proctype, priority = self.program.by_name[run.proctype], run.priority or 1
        arguments = [self.value(argument) for argument in run.arguments]

        def start(view: ReadableState, number: int, timeout: bool) -> int:
            if not isinstance(view, Draft):
                raise RuntimeProblem("'run' cannot stand here", run.place)
            values = [argument(view, number, timeout) for argument in arguments]
            return self.creation(proctype).start_process(view, values, priority, run.place)

        return start

    def _starting(self, run: RunExpression) -> Deed:
        start = self._run(run)

        def do(draft: Draft, number: int, timeout: bool) -> None:
            start(draft, number, timeout)

        return do

    def _end_process(self, draft: Draft, _number: int, _timeout: bool) -> None:
        """The youngest process goes, and the channels it created with it."""
        process = draft.processes.pop()
        created = len(self.program.processes[process.proctype].created)
        if created:
            del draft.changing_channels()[-created:]

    # d_step

    def _running_to_end(self, step: DeterministicStep) -> Deed:
        """Run a d_step: at a choice the first executable option, and blocking is an error."""
        performed = {
            at: _Performed(instruction.statement, self.may(instruction.statement), self.deed(instruction.statement))
            for at, instruction in step.instructions.items()
            if isinstance(instruction, Perform)
        }

        def do(draft: Draft, number: int, timeout: bool) -> None:
            at, executed = step.start, list[int]()
            for _ in range(MAXIMUM_INSTRUCTIONS):
                if at is None:
                    draft.inside = (*draft.inside, *executed)
                    return
                instruction = step.instructions[at]
                if isinstance(instruction, Select):
                    at = first_option(draft, number, timeout, instruction)
                    continue
                statement, may, perform = performed[at]
                if not may(draft, number, timeout):
                    raise RuntimeProblem("this statement blocks inside a d_step", statement.place)
                executed.append(at)
                perform(draft, number, timeout)
                if isinstance(statement, Send) and draft.handshake is not None:
                    raise RuntimeProblem("a rendezvous send inside a d_step", statement.place)
                at = instruction.next
            raise RuntimeProblem(f"no end of this d_step after {MAXIMUM_INSTRUCTIONS:,} statements", step.place)

        def first_option(draft: Draft, number: int, timeout: bool, select: Select) -> int | None:
            for option in select.options:
                if option is None or option not in performed or performed[option].may(draft, number, timeout):
                    return option
            raise RuntimeProblem("no option is executable in this choice inside a d_step", step.place)

        return do


class _Performed(NamedTuple):
    """A statement inside a d_step, with its meaning."""

    statement: Basic
    may: Condition
    do: Deed


def _always(_view: ReadableState, _number: int, _timeout: bool) -> bool:
    return True


def _nothing(_draft: Draft, _number: int, _timeout: bool) -> None:
    pass


def begins_with_else(transition: Transition) -> bool:
    """Whether a transition is possible only if none before it was."""
    effect = transition.effect
    if isinstance(effect, DeterministicStep):
        return effect.guards is not None and len(effect.guards) == 1 and isinstance(effect.guards[0], Else)
    return isinstance(effect, Else)


def receives(transition: Transition) -> bool:
    """Whether a transition begins with a receive, so that it may answer a rendezvous."""
    effect = transition.effect
    if isinstance(effect, DeterministicStep):
        return effect.guards is not None and any(isinstance(guard, Receive) for guard in effect.guards)
    return isinstance(effect, Receive)


@lru_cache(maxsize=8)
def actor_of(program: Program) -> Actor:
    """What the parts of a program mean; kept for the programs used lately."""
    return Actor(program)


def value_of(program: Program, view: ReadableState, number: int, expression: Expression, timeout: bool = False) -> int:
    """Return the value of `expression` for process `number` of `program` in `view`, `timeout` being true or false.

    Raises RuntimeProblem if it has none.
    """
    return actor_of(program).known_value(expression)(view, number, timeout)


def _is_some(conditions: list[Condition], view: ReadableState, number: int, timeout: bool) -> bool:
    """Whether one of these is true. A generator would use up the interpreter's stack: `enabled` may ask in circles."""
    for condition in conditions:  # noqa: SIM110, as said above
        if condition(view, number, timeout):
            return True
    return False
