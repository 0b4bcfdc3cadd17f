"""The steps of a process as functions, one for each proctype: `execution/step.py` as code.

P<k>(c, row, at, pid, timeout)   write the successors that steps of the process at byte `at` lead to
A<k>(c, row, at, pid, n)         the same for those that answer the rendezvous waiting on channel n; 1 if it raised
M<k>(c, row, at, pid, timeout)   whether an action of the process may be done: 0, 1, or 2 if it raised
"""

from __future__ import annotations

from dataclasses import replace

from everafter.engine.emit.channels import Found
from everafter.engine.emit.effects import Effects
from everafter.engine.emit.expressions import Frame
from everafter.engine.emit.facts import (
    ABLE,
    ANSWERS,
    BROKEN,
    CHAIN_COUNT,
    CHAIN_END,
    COUNT_OUT,
    EARLIER_MOVERS,
    FLAGS,
    HALF_PROBLEM,
    HANDSHAKE,
    MOST_FAIR_PROCESSES,
    MOST_POSITIONS,
    MOVERS,
    OUT,
    OVERFLOW,
    POSITIONS,
    PROBLEM,
    REPORTED,
    SENDER,
    SENDER_NUMBER,
    STEPS,
    Facts,
)
from everafter.engine.emit.writer import Writer
from everafter.execution.step import begins_with_else, receives
from everafter.program.graph import Node, Terminate, Transition
from everafter.program.layout import HOLDER, LAST, WORD, Row, size_in_bytes
from everafter.program.memory import width_of
from everafter.program.program import ProcessType
from everafter.promela.model import ChannelShape, Else, Run, Send, Struct, Variable

_SAVED = (OUT, COUNT_OUT, STEPS, CHAIN_COUNT, CHAIN_END, FLAGS)
"""What is put back when an attempt fails after it has written successors."""


class Steps(Effects):
    """Writes the function of one proctype."""

    def __init__(self, facts: Facts, writer: Writer, kind: ProcessType) -> None:
        super().__init__(facts, writer)
        self.kind = kind
        self.node: Node | None = None
        self.option = 0

    def run(self, frame: Frame, run: Run) -> str:
        """Start a process; its number."""
        w = self.writer
        if not frame.is_draft:
            return super().run(frame, run)
        target = self.program.processes[self.program.by_name[run.proctype]]
        values = [self.value(frame, argument) for argument in run.arguments]
        fitted = (values + ["0"] * len(target.parameters))[: len(target.parameters)]
        arguments = "".join(f", i64 {value}" for value in fitted)
        call = f"call i64 @create{target.index}(ptr %c, ptr {frame.row}, i64 {run.priority or 1}{arguments})"
        number = w.get(call)
        w.when(w.compare("slt", number, 0), frame.raised)
        return number

    def frame(self, raised: str) -> Frame:
        """The process on the row it is asked about."""
        return Frame("%row", "%own", "%pid", self.kind, "%timeout", raised)

    def _at_node(self, nodes: list[Node], leave: str) -> list[tuple[Node, str]]:
        """Branch on the place of control; the labels of the nodes are returned."""
        w = self.writer
        node = w.load(w.at("%own", self.layout.node), self.layout.node_bytes)
        labelled = [(item, f"node{item.number}") for item in nodes]
        w.switch(node, leave, [(item.number, label) for item, label in labelled])
        return labelled

    # Every step

    def process(self) -> None:
        """The body of P."""
        w = self.writer
        w.do("%moved = alloca i64")
        w.do("%escape = alloca i64")
        w.do("%own = getelementptr i8, ptr %row, i64 %at")
        if self.facts.schedules:
            self._scheduled()
        w.store("%moved", 0, 8)
        w.store("%escape", 0, 8)
        nodes = [node for node in self.kind.graph.nodes.values() if node.transitions]
        for node, label in self._at_node(nodes, "leave"):
            w.label(label)
            self.node = node
            for self.option, transition in enumerate(node.transitions):
                self._attempt(node, transition)
            w.jump("leave")
        w.label("leave")
        w.end("ret void")

    def _scheduled(self) -> None:
        w = self.writer
        answer = w.get("call i64 @scheduled(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
        w.when(w.compare("eq", answer, 0), "leave")
        broken, following = w.fresh("broken"), w.fresh("go")
        w.branch(w.compare("eq", answer, 2), broken, following)
        w.label(broken)
        self._broken()
        w.jump("leave")
        w.label(following)

    def _broken(self) -> None:
        """Note an outcome that leads nowhere."""
        w = self.writer
        self._increase(STEPS)
        flags = w.at("%c", FLAGS)
        w.store(flags, w.get(f"or i64 {w.load(flags, 8)}, {BROKEN}"), 8)

    def _increase(self, field: int) -> None:
        w = self.writer
        place = w.at("%c", field)
        w.store(place, w.add(w.load(place, 8), 1), 8)

    def _attempt(self, node: Node, transition: Transition) -> None:
        """What comes of one transition."""
        w = self.writer
        following, raised = w.fresh("next"), w.fresh("raised")
        self._stay_in_escape(node, transition)
        if begins_with_else(transition):
            w.unless(w.compare("eq", w.load("%moved", 8), 0), following)
        w.store(w.at("%c", PROBLEM), 0, 8)
        frame = self.frame(raised)
        if isinstance(transition.effect, Send):
            self._attempt_send(frame, transition, transition.effect, following)
        else:
            self.guard(frame, transition.effect, following)
            draft = self._draft(frame, transition)
            self.perform(draft, transition.effect)
            self._finish(draft, transition, "%pid")
            self._went(transition)
        w.jump(following)
        w.label(raised)
        self._broken()
        self._went(transition)
        w.label(following)

    def _stay_in_escape(self, node: Node, transition: Transition) -> None:
        """Once an escape has been possible nothing else is."""
        w = self.writer
        if any(other.escape for other in node.transitions):
            escape = w.load("%escape", 8)
            stays = w.either(w.compare("eq", escape, 0), w.compare("eq", escape, transition.escape))
            w.unless(stays, "leave")

    def _went(self, transition: Transition) -> None:
        w = self.writer
        w.store("%moved", 1, 8)
        w.store("%escape", transition.escape, 8)
        if self.facts.reduction is not None and self.option <= MOST_POSITIONS:
            place = w.at("%c", POSITIONS)
            w.store(place, w.get(f"or i64 {w.load(place, 8)}, {1 << self.option}"), 8)

    def _draft(self, frame: Frame, transition: Transition) -> Frame:
        """A copy of the row, where the next successor is to be, or the next row of an atomic sequence."""
        w = self.writer
        behind, before = (CHAIN_END, WORD) if transition.keeps_atomic else (OUT, 0)
        new = w.at(w.pointer(w.at("%c", behind)), before)
        w.do(f"call void @copy(ptr {new}, ptr %row)")
        return frame.on(new, w.at(new, "%at"))

    def _finish(self, draft: Frame, transition: Transition, mover: str) -> None:
        """Move the process on, and hand the draft over."""
        w = self.writer
        if not isinstance(transition.effect, Terminate):
            w.store(w.at(draft.own, self.layout.node), transition.target, self.layout.node_bytes)
        if self.program.uses_last:
            w.store(w.at(draft.row, LAST), mover, 1)
        if self.kind.declaration.deterministic and not isinstance(transition.effect, Else):
            self._report_choice()
        if self.facts.fair:
            self._note_movers(mover)
        if transition.keeps_atomic:
            w.store(w.at(draft.row, HOLDER), w.add(mover, 1), 1)
            w.do(f"call void @hold(ptr %c, ptr {draft.row})")
        else:
            w.store(w.at(draft.row, HOLDER), 0, 1)
            w.do(f"call void @emit(ptr %c, ptr {draft.row})")

    def _note_movers(self, mover: str) -> None:
        """Note who moves in this step, and that they can."""
        w = self.writer
        able, sender = w.at("%c", ABLE), w.load(w.at("%c", SENDER), 8)
        moving = w.get(f"or i64 {sender}, {self._bit(mover)}")
        earlier = w.load(w.at("%c", EARLIER_MOVERS), 8)
        w.store(w.at("%c", MOVERS), w.get(f"or i64 {earlier}, {moving}"), 8)
        w.store(able, w.get(f"or i64 {w.load(able, 8)}, {moving}"), 8)

    def _bit(self, process: str) -> str:
        """The process as a bit; there are no more than fit a word, or the search is given up."""
        w = self.writer
        low = w.get(f"and i64 {process}, 63")
        many, done = w.fresh("many"), w.fresh("done")
        w.branch(w.compare("ult", process, MOST_FAIR_PROCESSES), done, many)
        w.label(many)
        flags = w.at("%c", FLAGS)
        w.store(flags, w.get(f"or i64 {w.load(flags, 8)}, {OVERFLOW}"), 8)
        w.label(done)
        return w.get(f"shl i64 1, {low}")

    def _report_choice(self) -> None:
        """A second possible step in a D_proctype, which promises to have only one."""
        w = self.writer
        place = w.at("%c", PROBLEM)
        again = w.times(w.load("%moved", 8), REPORTED)
        w.store(place, w.get(f"or i64 {w.load(place, 8)}, {again}"), 8)

    # Sending

    def _attempt_send(self, frame: Frame, transition: Transition, send: Send, following: str) -> None:
        """A send: buffered, it is a step like any other; on a rendezvous it needs somebody to answer."""
        w = self.writer
        self.guard(frame, send, following)
        shapes = self._possible_shapes(frame, send)
        if all(self.facts.shapes[shape].capacity for shape in shapes):
            draft = self._draft(frame, transition)
            self.send(draft, send, lambda _found: None)
            self._finish(draft, transition, "%pid")
            self._went(transition)
            return
        if not any(self.facts.shapes[shape].capacity for shape in shapes):
            self._meet(frame, transition, send, following)
            return
        found = self.channel(frame, send.channel, frame.raised)
        done = w.fresh("sent")

        def attempt(shape: int) -> None:
            if self.facts.shapes[shape].capacity:
                draft = self._draft(frame, transition)
                self.send(draft, send, lambda _found: w.end("unreachable"))
                self._finish(draft, transition, "%pid")
                self._went(transition)
            else:
                self._meet(frame, transition, send, following)
            w.jump(done)

        self.by_shape(found, attempt)
        w.label(done)

    def _possible_shapes(self, frame: Frame, send: Send) -> list[int]:
        variable = self.facts.fixed_channel(send.channel)
        if variable is None:
            return list(range(len(self.facts.shapes)))
        if variable.proctype is None:
            kind, _ = self.layout.global_channels[self.facts.first_number(variable) - 1]
        else:
            assert frame.kind is not None
            kind, _ = self._own_channel(frame.kind, variable)
        return [self.facts.shape(kind)]

    def _meet(self, frame: Frame, transition: Transition, send: Send, following: str) -> None:
        """The first half of a rendezvous, and every process that can take the other."""
        w = self.writer
        half = w.at("%c", self.facts.half)
        w.do(f"call void @copy(ptr {half}, ptr %row)")
        draft = frame.on(half, w.at(half, "%at"))
        saved: list[tuple[str, str]] = []
        answers = w.fresh("answers")

        def meet(_found: Found) -> None:
            w.jump(answers)

        self.send(draft, send, meet)
        w.end("unreachable")
        w.label(answers)
        w.store(w.at(draft.own, self.layout.node), transition.target, self.layout.node_bytes)
        if self.kind.declaration.deterministic:
            self._report_choice()
        w.store(w.at("%c", HALF_PROBLEM), w.load(w.at("%c", PROBLEM), 8), 8)
        for field in _SAVED:
            place = w.at("%c", field)
            saved.append((place, w.load(place, 8)))
        if self.facts.fair:
            w.store(w.at("%c", SENDER), self._bit("%pid"), 8)
        if self.facts.reduction is not None:
            w.store(w.at("%c", SENDER_NUMBER), "%pid", 8)
        failed = w.get(f"call i64 @meet(ptr %c, ptr {half}, i64 %pid)")
        w.store(w.at("%c", HANDSHAKE), 0, 8)
        if self.facts.fair:
            w.store(w.at("%c", SENDER), 0, 8)
        fine, wrong = w.fresh("fine"), w.fresh("wrong")
        w.branch(w.compare("eq", failed, 0), fine, wrong)
        w.label(wrong)
        for place, value in saved:
            w.store(place, value, 8)
        w.jump(frame.raised)
        w.label(fine)
        before = saved[_SAVED.index(STEPS)][1]
        answered, silent = w.fresh("answered"), w.fresh("silent")
        w.branch(w.compare("ne", w.load(w.at("%c", STEPS), 8), before), answered, silent)
        w.label(silent)
        w.store("%escape", 0, 8)
        w.jump(following)
        w.label(answered)
        self._went(transition)

    # Answering

    def answers(self) -> None:
        """The body of A."""
        w = self.writer
        w.do("%escape = alloca i64")
        w.do("%moved = alloca i64")
        w.do("%own = getelementptr i8, ptr %row, i64 %at")
        w.do("%timeout = add i64 0, 0")
        w.store("%escape", 0, 8)
        w.store("%moved", 0, 8)
        nodes = [node for node in self.kind.graph.nodes.values() if any(map(receives, node.transitions))]
        for node, label in self._at_node(nodes, "leave"):
            w.label(label)
            self.node = node
            for self.option, transition in enumerate(node.transitions):
                self._answer(node, transition)
            w.jump("leave")
        w.label("leave")
        w.end("ret i64 0")
        w.label("failed")
        w.end("ret i64 1")

    def _answer(self, node: Node, transition: Transition) -> None:
        w = self.writer
        following, raised = w.fresh("next"), w.fresh("raised")
        self._stay_in_escape(node, transition)
        if not receives(transition):
            return
        frame = replace(self.frame("failed"), meets="somebody")
        self.guard(frame, transition.effect, following)
        w.store(w.at("%c", PROBLEM), w.load(w.at("%c", HALF_PROBLEM), 8), 8)
        draft = replace(self._draft(frame, transition), raised=raised)
        self.perform(draft, transition.effect)
        w.store("%escape", transition.escape, 8)
        self._note_answer(transition.keeps_atomic)
        self._finish(draft, transition, "%pid")
        w.store(w.at("%c", HANDSHAKE), "%n", 8)
        w.jump(following)
        w.label(raised)
        self._broken()
        self._note_answer(False)
        w.store(w.at("%c", HANDSHAKE), "%n", 8)
        w.label(following)

    def _note_answer(self, goes_on: bool) -> None:
        """Note, in a reduced search, that this answer is not to be taken alone."""
        if self.facts.reduction is None or self.node is None:
            return
        w = self.writer
        candidate = self.facts.reduction.rows[self.kind.index, self.node.number].candidate
        place = w.at("%c", ANSWERS)
        if goes_on or self.option in candidate.visible:
            w.store(place, 1, 8)
        elif self.option in candidate.sticky:
            lower = w.number(w.compare("ult", "%pid", w.load(w.at("%c", SENDER_NUMBER), 8)))
            w.store(place, w.get(f"or i64 {w.load(place, 8)}, {lower}"), 8)

    # Asking

    def may_move(self) -> None:
        """The body of M."""
        w = self.writer
        w.do("%own = getelementptr i8, ptr %row, i64 %at")
        nodes = [node for node in self.kind.graph.nodes.values() if node.transitions]
        frame = replace(self.frame("failed"), meets="somebody")
        for node, label in self._at_node(nodes, "leave"):
            w.label(label)
            for transition in node.transitions:
                following = w.fresh("next")
                self.guard(frame, transition.effect, following)
                w.end("ret i64 1")
                w.label(following)
            w.jump("leave")
        w.label("leave")
        w.end("ret i64 0")
        w.label("failed")
        w.end("ret i64 2")

    def provided(self) -> None:
        """Whether the `provided` clause allows a process to move."""
        w = self.writer
        w.do("%own = getelementptr i8, ptr %row, i64 %at")
        assert self.kind.provided is not None
        w.end(f"ret i64 {w.number(self.condition(self.frame('failed'), self.kind.provided))}")
        w.label("failed")
        w.end("ret i64 2")

    # Creating

    def create(self) -> None:
        """Start a process with the parameters %a0, %a1, …; its number, or -1 if it raised."""
        w = self.writer
        layout = self.layout.processes[self.kind.index]
        w.do(f"%own = call ptr @append(ptr %c, ptr %row, i64 {layout.size})")
        w.when(w.get("icmp eq ptr %own, null"), "failed")
        w.do("%pid = call i64 @youngest(ptr %row)")
        w.store("%own", self.kind.index, 1)
        w.store(w.at("%own", self.layout.node), self.kind.graph.start, self.layout.node_bytes)
        if self.layout.priority is not None:
            w.store(w.at("%own", self.layout.priority), "%priority", 1)
        for position, (cell, width) in enumerate(self.kind.parameters):
            self.keep(w.at("%own", self._cell(cell)), width, f"%a{position}")
        w.do("%timeout = add i64 0, 0")
        frame = replace(self.frame("failed"), is_draft=True)
        if layout.channels:
            w.do("%channels = call i64 @channels(ptr %row)")
            w.when(w.compare("ugt", "%channels", 255), "failed")
        created = 0
        for variable in self.kind.initial:
            start = layout.offsets[variable]
            created = self._initialise(frame, variable, start, created)
        w.end("ret i64 %pid")
        w.label("failed")
        w.end("ret i64 -1")

    def _initialise(self, frame: Frame, variable: Variable, start: int, created: int) -> int:
        """Give a variable its initial value; how many of the process's channels have been created is counted on."""
        w = self.writer
        for element in range(variable.cells):
            place = start + element * size_in_bytes(variable)
            if isinstance(variable.type, Struct):
                for item in variable.type.fields:
                    created = self._initialise(frame, item, place + self.layout.fields[item], created)
            elif isinstance(variable.initial, ChannelShape):
                first = 1 - len(self.layout.processes[self.kind.index].channels)
                self.keep(w.at("%own", place), width_of(variable), w.add("%channels", first + created))
                created += 1
            elif variable.initial is not None:
                listed = variable.initial if isinstance(variable.initial, tuple) else (variable.initial,)
                value = self.value(frame, listed[min(element, len(listed) - 1)])
                self.keep(w.at("%own", place), width_of(variable), value)
        return created

    def _cell(self, cell: int) -> int:
        """The byte offset of a local cell."""
        row = self.layout.processes[self.kind.index].row
        head = len(row.widths) - len(self.kind.memory.cells)
        return Row(row.widths[: head + cell]).size
