"""Which statements SPIN merges into the step before them, as its verifiers do unless -o3 is given.

Behind a statement, those are executed in the same step that cannot block, offer no choice, have no label or escape,
and stand in an atomic sequence or name nothing that processes share. A trail names the first one alone.
"""

from __future__ import annotations

from everafter.program.control_flow import Effect, Jump, Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.elements import build_body
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    Assert,
    Assign,
    Binary,
    ChannelQuery,
    Conditional,
    Constant,
    Declare,
    Expression,
    Predefined,
    Print,
    Receive,
    Reference,
    RunExpression,
    Send,
    Test,
    Unary,
)
from everafter.promela.units import Promise
from everafter.promela.walk import parts_of, subexpressions


class StepMerging:
    """How SPIN merges the steps of the process type `kind` of `program`."""

    def __init__(self, program: Program, kind: ProcessType) -> None:
        watched = {label for name, label in program.needs.remote_labels if name == kind.name}
        body = build_body(kind.declaration, watched, [])
        self.program = program
        self.steps = {step.element: step for step in kind.graph.transitions()}
        self.elements = {element.number: element for element in body.elements}
        self.labelled = {element.number for _, element in body.labels}
        self.watched = {element.number for label, element in body.labels if label.name in watched}
        self.promised = {
            (promise, reference.variable)
            for process in program.processes
            for promise, reference in process.declaration.exclusive
        }
        self.has_rendezvous = any(channel.capacity == 0 for channel in program.channels)

    def end(self, step: Transition) -> int | None:
        """Return the place where the steps end that are merged into `step`; None if none is."""
        passed: set[int] = set()
        may_follow = self._is_followed(step)
        while may_follow and step.target in self.steps and step.target not in passed and not self._leaves_atomic(step):
            following = self.steps[step.target]
            if not self._is_merged(following):
                break
            passed.add(step.target)
            step = following
        return step.target if passed else None

    def is_passed_over(self, element: int) -> bool:
        """Return whether `element` is a jump that no process rests at, unless a merged step has led there."""
        return element in self.elements and element not in self.steps and self.elements[element].statement is None

    def _leaves_atomic(self, step: Transition) -> bool:
        """Whether a step is a jump out of an atomic sequence, behind which SPIN has a place of its own."""
        element = self.elements[step.element]
        return element.kind == "goto" and element.atomic and not step.keeps_atomic

    def _is_merged(self, step: Transition) -> bool:
        """Whether a step may be merged into the one before."""
        goes_on = isinstance(step.effect, Assign | Assert | Print | Declare | Jump)
        is_exit = self.elements[step.element].kind == "exit"
        return goes_on and not is_exit and step.element not in self.labelled and self._is_private(step)

    def _is_followed(self, step: Transition) -> bool:
        """Whether steps may be merged into this one."""
        match step.effect:
            case Test(condition=condition):
                may = not any(isinstance(part, RunExpression) for part in subexpressions(condition))
            case Receive():
                may = True
            case Send():
                may = not self.has_rendezvous
            case _:
                return self._is_merged(step)
        return may and step.element not in self.watched and self._is_private(step)

    def _is_private(self, step: Transition) -> bool:
        """Whether no other process can tell a step from those around it, and no escape interrupts it."""
        element = self.elements[step.element]
        return not element.escapes and (element.atomic or element.ends_atomic or not self._shares(step.effect))

    def _shares(self, effect: Effect) -> bool:
        """Whether a statement names something that processes share."""
        match effect:
            case Send() | Receive():
                promise: Promise = "xs" if isinstance(effect, Send) else "xr"
                channel, *arguments = expressions_in(effect)
                return not self._is_promised(channel, promise) or any(map(self._is_shared, arguments))
            case _:
                return any(map(self._is_shared, expressions_in(effect)))

    def _is_shared(self, expression: Expression) -> bool:
        """Whether SPIN takes an expression for one about shared things. It does not look at indices."""
        match expression:
            case Reference(variable=variable):
                return variable.proctype is None
            case Predefined(name=name):
                return name not in ("_pid", "_priority", "_")
            case Constant() | Unary() | Binary() | Conditional():
                return any(map(self._is_shared, parts_of(expression)))
            case RunExpression(proctype=name):
                started = self.program.processes[self.program.by_name[name]]
                return any(
                    item.initial is not None and not isinstance(item.initial, Constant) for item in started.initial
                )
            case ChannelQuery(query=query, channel=channel):
                asked: dict[str, tuple[Promise, ...]] = {
                    "len": ("xr", "xs"),
                    "nempty": ("xr",),
                    "full": ("xr",),
                    "nfull": ("xs",),
                    "empty": ("xs",),
                }
                return not all(self._is_promised(channel, promise) for promise in asked[query])
            case _:
                return True

    def _is_promised(self, channel: Expression, promise: Promise) -> bool:
        return isinstance(channel, Reference) and (promise, channel.variable) in self.promised
