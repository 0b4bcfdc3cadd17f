"""From linked elements to a control-flow graph, as SPIN builds its tables.

A step passes over gotos and joins, choices inside choices become one list, and the steps of an `unless` escape stand
before those of every statement it guards.
"""

from __future__ import annotations

from types import MappingProxyType

from everafter.program.control_flow import (
    NO_GRAPH,
    ControlFlowGraph,
    DeterministicStep,
    Effect,
    Jump,
    Node,
    Perform,
    Select,
    Terminate,
    Transition,
)
from everafter.program.elements import SPECIAL_LABELS, Body, Chain, Element, LoopExit
from everafter.promela.model import SWITCH, Basic, Constant, Else, Label, Receive, Send, Test
from everafter.record import dataclass, field, replace
from everafter.source import Diagnostic, Place

_MAXIMUM_HOPS = 500


@dataclass(slots=True)
class _Moves:
    """What is found for one element: its own step, or the starts of its options."""

    step: Transition | None = None
    starts: list[int] = field(default_factory=list)
    escapes: list[int] = field(default_factory=list)


class _Confusing(Exception):
    """Gotos that lead to gotos without end."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place


def build_graph(body: Body, problems: list[Diagnostic]) -> ControlFlowGraph:
    """Return the control-flow graph of `body`, whose jumps have been checked.

    Jumps that lead only to jumps are added to `problems`.
    """
    builder = _GraphBuilder(body)
    try:
        return builder.build()
    except _Confusing as confusing:
        problems.append(Diagnostic(confusing.place, "from here, jumps lead to jumps and never to a statement"))
        return NO_GRAPH


class _GraphBuilder:
    def __init__(self, body: Body) -> None:
        self.body = body
        self.moves: dict[int, _Moves] = {}
        self.done: set[int] = set()

    def build(self) -> ControlFlowGraph:
        for element in reversed(self.body.elements):
            if element.kind == "group":
                # Outer groups come later in the list: their successor must be known before that of inner ones.
                last = element.options[0].last
                assert last is not None
                last.next = element.next
        first = self.body.chain.start()
        start = self.settle(first, first.atomic).number
        self._chain(self.body.chain)
        marks = self._marks()
        lists = {number: self._flattened(number) for number in sorted(self.moves)}
        self._add_escapes(lists)
        return self._assemble(start, lists, marks)

    # Where a step leads

    def _destination(self, goto: Element) -> Element:
        target = self.body.labelled(goto.jump) if isinstance(goto.jump, Label) else None
        if isinstance(goto.jump, LoopExit):
            target = goto.jump.element
        if target is None or target is goto:
            raise _Confusing(goto.place)
        return target

    def settle(self, element: Element, atomic: bool) -> Element:
        """The element where control comes to rest; an atomic step does not pass the end of its sequence."""
        start = element
        for _ in range(_MAXIMUM_HOPS):
            if element.kind == "goto":
                following = self._destination(element)
            elif element.kind in ("join", "exit"):
                if element.next is None:
                    return element
                following = element.next
            elif element.kind == "unless":
                following = self.settle(element.options[0].start(), atomic)
            else:
                return element
            if atomic and not following.atomic:
                return element
            element = following
        raise _Confusing(start.place)

    @staticmethod
    def _option_start(element: Element) -> Element:
        """Where an option begins: joins and unless are looked through, gotos are not."""
        while True:
            if element.kind == "join" and element.next is not None:
                element = element.next
            elif element.kind == "unless":
                element = element.options[0].start()
            else:
                return element

    # One pass over the body, in SPIN's order, since it settles which gotos leave an atomic sequence

    def _chain(self, chain: Chain) -> None:
        for element in chain:
            if element.number in self.done:
                continue
            self.done.add(element.number)
            if element.kind == "unless":
                self._chain(element.options[0])
            elif element.kind == "choice":
                self._choice(element)
            elif element.kind == "group":
                self._group(element)
            else:
                self._simple(element)

    def _choice(self, element: Element) -> None:
        starts = [self._option_start(option.start()) for option in element.options]
        self.moves[element.number] = _Moves(starts=[start.number for start in starts if not _is_dead(start)])
        for option in element.options:
            self._chain(option)

    def _group(self, element: Element) -> None:
        chain = element.options[0]
        self._patch_gotos(chain)
        if element.mode != "d_step":
            self.moves[element.number] = _Moves(starts=[self._option_start(chain.start()).number])
            self._chain(chain)
            return
        effect = _DStepBuilder(self, element).build()
        target = self.settle(element.next, element.atomic).number if element.next else 0
        step = Transition(element.number, effect, target, element.atomic, 0, element.place, element.text)
        self.moves[element.number] = _Moves(step)
        self._escapes(element)

    def _simple(self, element: Element) -> None:
        effect: Effect
        if element.kind == "end":
            effect, text, target = Terminate(), "-end-", 0
        elif element.kind == "goto":
            resting = self.settle(self._destination(element), element.atomic)
            effect, text, target = Jump(), _jump_text(element), resting.number
        else:
            assert element.next is not None
            target = self.settle(element.next, element.atomic).number
            effect = element.statement if element.statement is not None else Jump()
            text = element.statement.text if element.statement is not None else "goto"
        step = Transition(element.number, effect, target, element.atomic, 0, element.place, text)
        self.moves[element.number] = _Moves(step)
        if element.kind != "join":
            self._escapes(element)

    def _escapes(self, element: Element) -> None:
        moves = self.moves[element.number]
        for escape in element.escapes:
            moves.escapes.append(self.settle(escape.start(), element.atomic).number)
        for escape in element.escapes:
            self._chain(escape)

    def _patch_gotos(self, chain: Chain) -> None:
        """A goto out of an atomic sequence ends it; one into another atomic sequence carries it on."""
        for element in chain.own():
            if element.kind == "goto":
                target = self._destination(element)
                inside = target.atomic or target.ends_atomic
                if (element.atomic or element.ends_atomic) and not inside:
                    element.atomic, element.ends_atomic = False, True
                if element.ends_atomic and inside:
                    element.atomic, element.ends_atomic = True, False
            elif element.kind in ("choice", "unless"):
                for option in element.options:
                    self._patch_gotos(option)

    # What the labels of a place say of it

    def _marks(self) -> dict[int, set[str]]:
        """Which places are marked `accept`, `end` or `progress`.

        Control never rests at the first statement of an option, so SPIN hands its marks on: those of a choice within
        a choice to the inner options, those of an option's first statement to the place behind it. The marks of one
        place may travel on with those of a later one, hence the order, which is SPIN's.
        """
        marks: dict[int, set[str]] = {element.number: set() for element in self.body.elements}
        marks[0] = set()
        for element in self.body.elements:
            if element.kind == "end":
                marks[element.number].add("end")
        for label, element in self.body.labels:
            marks[element.number] |= {mark for mark in SPECIAL_LABELS if label.name.startswith(mark)}
        starts = {number: moves.starts for number, moves in sorted(self.moves.items()) if moves.starts}
        nested = True
        while nested:
            nested = False
            for number, options in starts.items():
                if any(option in starts for option in options):
                    nested = True
                    starts[number] = _handed_on(options, starts, marks)
        for options in starts.values():
            for option in options:
                if option in self.moves and (step := self.moves[option].step) is not None:
                    marks[step.target] |= marks[option]
        return marks

    # From options to lists of transitions

    def _flattened(self, number: int) -> list[tuple[Transition, list[int]]]:
        """The steps possible at an element, each with the places of its escapes."""
        moves = self.moves.get(number)
        if moves is None:
            return []
        if moves.step is not None:
            return [(moves.step, moves.escapes)]
        return [step for start in moves.starts for step in self._flattened(start)]

    @staticmethod
    def _add_escapes(lists: dict[int, list[tuple[Transition, list[int]]]]) -> None:
        for number, steps in lists.items():
            front = list(steps)
            for _, escapes in steps:
                for place in reversed(escapes):
                    for step, inherited in lists.get(place, []):
                        if all(known.element != step.element for known, _ in front):
                            front.insert(0, (replace(step, escape=place), inherited))
            lists[number] = front

    def _assemble(
        self, start: int, lists: dict[int, list[tuple[Transition, list[int]]]], marks: dict[int, set[str]]
    ) -> ControlFlowGraph:
        names: dict[int, set[str]] = {}
        positions: dict[str, int] = {}
        for label, element in self.body.labels:
            names.setdefault(element.number, set()).add(label.name)
            positions.setdefault(label.name, element.number)
        elements = {element.number: element for element in self.body.elements}
        switches = {number for number, each in names.items() if any(name.startswith(SWITCH) for name in each)}
        nodes: dict[int, Node] = {}
        pending = [start]
        while pending:
            number = pending.pop()
            if number in nodes or number not in elements:
                continue
            transitions = tuple(_giving_up(step, switches) for step, _ in lists.get(number, []))
            labels = frozenset(name for name in names.get(number, ()) if not name.startswith(SWITCH))
            accepting, end, progress = (mark in marks[number] for mark in SPECIAL_LABELS)
            nodes[number] = Node(number, transitions, labels, end, accepting, progress, elements[number].place)
            pending += [step.target for step in transitions]
        return ControlFlowGraph(start, MappingProxyType(nodes), MappingProxyType(positions))


def _giving_up(step: Transition, switches: set[int]) -> Transition:
    """The step, which keeps no atomicity if it leads to one of the `switches`."""
    return replace(step, keeps_atomic=False) if step.keeps_atomic and step.target in switches else step


def _handed_on(options: list[int], starts: dict[int, list[int]], marks: dict[int, set[str]]) -> list[int]:
    """The options with those of inner choices in their place, which get the marks of the inner choice."""
    result: list[int] = []
    for option in options:
        for inner in starts.get(option, ()):
            marks[inner] |= marks[option]
        result += starts.get(option, [option])
    return result


class _DStepBuilder:
    """Turns the elements of a d_step into instructions."""

    def __init__(self, graph: _GraphBuilder, element: Element) -> None:
        self.graph = graph
        self.element = element
        self.instructions: dict[int, Perform | Select] = {}

    def build(self) -> DeterministicStep:
        first = self.element.options[0].start()
        start = self._resolve(first)
        pending = [start]
        elements = {element.number: element for element in self.graph.body.elements}
        while pending:
            number = pending.pop()
            if number is None or number in self.instructions:
                continue
            element = elements[number]
            if element.kind == "choice":
                options = tuple(self._resolve(option.start()) for option in element.options)
                self.instructions[number] = Select(options)
                pending += options
            else:
                assert element.statement is not None
                following = self._resolve(element.next)
                self.instructions[number] = Perform(element.statement, following)
                pending.append(following)
        instructions = MappingProxyType(self.instructions)
        return DeterministicStep(instructions, start, self._guards(first), self.element.place)

    def _resolve(self, element: Element | None) -> int | None:
        """The next element that does something, or None outside the d_step."""
        for _ in range(_MAXIMUM_HOPS):
            if element is None or element.in_d_step != self._own() or element is self.element:
                return None
            if element.kind == "goto":
                element = self.graph._destination(element)
            elif element.kind in ("join", "exit"):
                element = element.next
            elif element.kind == "group":
                element = element.options[0].start()
            else:
                return element.number
        raise _Confusing(self.element.place)

    def _own(self) -> int:
        return self.element.options[0].start().in_d_step

    def _guards(self, first: Element) -> tuple[Basic, ...] | None:
        """The statements one of which must be executable for the d_step to begin; None if it always may."""
        while first.kind == "group":
            first = first.options[0].start()
        if first.kind == "join" and first.next is not None:
            first = first.next
        if first.kind == "choice":
            return tuple(self._collected(first)) or None
        return (first.statement,) if first.statement is not None else None

    def _collected(self, choice: Element) -> list[Basic]:
        """The tests and channel operations that begin the options. SPIN looks at nothing else here."""
        found: list[Basic] = []
        for option in choice.options:
            start = self.graph._option_start(option.start())
            if start.kind == "choice":
                found += self._collected(start)
            elif start.kind == "group":
                found += self._collected(start.options[0].start())
            elif isinstance(start.statement, Test | Else | Send | Receive):
                found.append(start.statement)
        return found


def _is_dead(element: Element) -> bool:
    """An option that begins with `false` is left out, unless an escape may rescue it."""
    match element.statement:
        case Test(condition=Constant(value=0)):
            return not element.escapes
        case _:
            return False


def _jump_text(element: Element) -> str:
    return f"goto {element.jump.name}" if isinstance(element.jump, Label) else "break"
