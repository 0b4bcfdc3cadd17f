"""The steps of a process as functions, one for each proctype: `execution/step.py` as code.

P<k>(c, row, at, pid, timeout)   write the successors that steps of the process at byte `at` lead to
"""

from __future__ import annotations

from everafter.engine.emit.control_block import MOST_POSITIONS, Word, mark, read, write
from everafter.engine.emit.effects import Effects
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.options import TransitionOption, each_option, stay_in_escape
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.sequence_walk import is_walker, walk_on
from everafter.engine.emit.step_draft import Drafts, broken, note_reached, process_bit
from everafter.engine.emit.step_label import sender_label
from everafter.engine.emit.writer import FALSE, Writer
from everafter.execution.perform import begins_with_else
from everafter.program.control_flow import Node, Transition
from everafter.program.program import ProcessType
from everafter.promela.model import Send

_SAVED = (Word.OUT, Word.COUNT_OUT, Word.STEPS, Word.CHAIN_END, Word.FLAGS)
"""What is put back when an attempt fails after it has written successors."""


class Steps:
    """Writes the function of one proctype. `%moved` is 1 once a step was possible, `%escape` the escape it was in.

    Where one may walk through an atomic sequence, `%possible` has a bit for each step that is possible.
    """

    def __init__(self, facts: Facts, kind: ProcessType) -> None:
        self.facts = facts
        self.kind = kind
        self.writer = Writer(f"internal void @P{kind.index}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
        self.effects = Effects.of(facts, self.writer)
        self.drafts = Drafts(facts, self.writer, kind)
        self.inside = {step.target for step in kind.graph.transitions() if step.keeps_atomic}
        """The places inside atomic sequences: a process may go on from there without interruption."""
        self.walkable = {number for number in self.inside if self._may_be_walked(kind.graph.nodes[number])}
        self.variables = ("moved", "escape", "possible") if self.walkable else ("moved", "escape")
        self.walks = FALSE
        """Whether the row may be changed in place."""

    def text(self) -> str:
        """The text of the function."""
        w = self.writer
        for name in self.variables:
            w.do(f"%{name} = alloca i64")
        w.do("%own = getelementptr i8, ptr %row, i64 %at")
        if self.inside:
            self.walks = is_walker(w, self.facts)
            w.label("again")
        if self.facts.schedules:
            self._leave_unless_scheduled()
        for name in self.variables:
            w.store(f"%{name}", 0, 8)
        for option in each_option(w, self.facts, self.kind):
            if option.node.number in self.walkable:
                self._walk(option)
            else:
                if option.node.number in self.inside and option.position == 0:
                    self._leave_if_chosen(FALSE)
                self._attempt(option)
        w.end("ret void")
        if self.walkable:
            self._walk_on()
        return w.text()

    def _leave_unless_scheduled(self) -> None:
        w = self.writer
        answer = w.get("call i64 @scheduled(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
        w.when(w.compare("eq", answer, 0), "leave")
        raised, following = w.fresh("broken"), w.fresh("go")
        w.branch(w.compare("eq", answer, 2), raised, following)
        w.label(raised)
        broken(w)
        w.jump("leave")
        w.label(following)

    def _attempt(self, option: TransitionOption, in_place: str = FALSE) -> None:
        """What comes of one transition."""
        w, transition = self.writer, option.transition
        following, raised = w.fresh("next"), w.fresh("raised")
        stay_in_escape(w, option)
        if begins_with_else(transition):
            w.unless(w.compare("eq", w.load("%moved", 8), 0), following)
        write(w, Word.PROBLEM, 0)
        frame = self._frame(raised)
        self.effects.guards.test(frame, transition.effect, following)
        if isinstance(transition.effect, Send) and not self._is_buffered(transition.effect):
            self._send(frame, option, transition.effect, following)
        else:
            if in_place != FALSE:
                note_reached(w, self.facts, self.kind, transition.element)  # a walk does not come back here
            self._take(frame, transition, in_place)
            self._went(option)
        w.jump(following)
        w.label(raised)
        self.drafts.give_up()
        self._went(option)
        w.label(following)

    def _frame(self, raised: str) -> Frame:
        return Frame("%row", "%own", "%pid", self.kind, "%timeout", raised)

    def _take(self, frame: Frame, transition: Transition, in_place: str = FALSE) -> None:
        draft = self.drafts.begin(frame, transition, in_place)
        self.effects.perform(draft, transition.effect)
        self.drafts.finish(draft, transition, in_place)

    def _went(self, option: TransitionOption) -> None:
        w = self.writer
        w.store("%moved", 1, 8)
        w.store("%escape", option.transition.escape, 8)
        note_reached(w, self.facts, self.kind, option.transition.element)
        if self.facts.notes_positions and option.position <= MOST_POSITIONS:
            mark(w, Word.POSITIONS, 1 << option.position)

    # Walking through an atomic sequence

    def _may_be_walked(self, node: Node) -> bool:
        """Whether the code can decide before a step whether it is possible: not where another process has to answer.

        The process of a D_proctype is watched step by step instead.
        """
        sends = [step.effect for step in node.transitions if isinstance(step.effect, Send)]
        few = len(node.transitions) <= MOST_POSITIONS
        return few and not self.kind.declaration.deterministic and all(map(self._is_buffered, sends))

    def _walk(self, option: TransitionOption) -> None:
        """What comes of one transition at a place inside an atomic sequence: if no other is possible, one walks on."""
        if all(map(begins_with_else, option.node.transitions[1:])):
            self._attempt(option, self.walks)
            return
        self._foresee(option)
        if option.position == len(option.node.transitions) - 1:
            self._take_possible(option.node)

    def _foresee(self, option: TransitionOption) -> None:
        """Note whether a transition is possible."""
        w, transition = self.writer, option.transition
        following, raised = w.fresh("next"), w.fresh("raised")
        stay_in_escape(w, option, f"possible{option.node.number}")
        if begins_with_else(transition):
            w.unless(w.compare("eq", w.load("%moved", 8), 0), following)
        self.effects.guards.test(self._frame(raised), transition.effect, following)
        w.store("%possible", w.get(f"or i64 {w.load('%possible', 8)}, {1 << option.position}"), 8)
        self._went(option)
        w.jump(following)
        w.label(raised)
        self.drafts.give_up()
        self._went(option)
        w.label(following)

    def _take_possible(self, node: Node) -> None:
        """What comes of the transitions that are possible."""
        w = self.writer
        w.label(f"possible{node.number}")
        possible = w.load("%possible", 8)
        only = is_one(w, possible)
        self._leave_if_chosen(only)
        in_place = w.both(self.walks, only)
        for position, transition in enumerate(node.transitions):
            following, raised = w.fresh("next"), w.fresh("raised")
            w.when(w.compare("eq", w.get(f"and i64 {possible}, {1 << position}"), 0), following)
            write(w, Word.PROBLEM, 0)
            self._take(self._frame(raised), transition, in_place)
            w.jump(following)
            w.label(raised)
            self.drafts.give_up()
            w.label(following)

    def _leave_if_chosen(self, only: str) -> None:
        """Leave, unless there is only one step, if the choice between them has been made before."""
        w = self.writer
        following, chosen = w.fresh("go"), w.fresh("choice")
        w.branch(w.both(self.walks, w.negated(only)), chosen, following)
        w.label(chosen)
        w.when(w.get("call i1 @choose(ptr %c, ptr %row)"), "leave")
        w.label(following)

    def _walk_on(self) -> None:
        """A step was taken in place: the next one is to be."""
        w = self.writer
        w.label("walked")
        mark(w, Word.FLAGS, read(w, Word.PROBLEM))
        walk_on(w, "again", "leave")

    # Sending

    def _is_buffered(self, send: Send) -> bool:
        """Whether a send is a step like any other: on a rendezvous another process has to answer."""
        return all(self.facts.shapes[shape].capacity for shape in self._possible_shapes(send))

    def _send(self, frame: Frame, option: TransitionOption, send: Send, following: str) -> None:
        """A send that may be on a rendezvous."""
        if any(self.facts.shapes[shape].capacity for shape in self._possible_shapes(send)):
            self._put_or_meet(frame, option, send, following)
        else:
            self._meet(frame, option, send, following)

    def _put_or_meet(self, frame: Frame, option: TransitionOption, send: Send, following: str) -> None:
        w, channels = self.writer, self.effects.channels
        found = channels.channel(frame, send.channel, frame.raised)
        done = w.fresh("sent")

        def attempt(shape: int) -> None:
            if self.facts.shapes[shape].capacity:
                self._put(frame, option, send)
            else:
                self._meet(frame, option, send, following)
            w.jump(done)

        channels.by_shape(found, attempt)
        w.label(done)

    def _put(self, frame: Frame, option: TransitionOption, send: Send) -> None:
        w = self.writer
        draft = self.drafts.begin(frame, option.transition)
        self.effects.send(draft, send, lambda: w.end("unreachable"))
        self.drafts.finish(draft, option.transition)
        self._went(option)

    def _possible_shapes(self, send: Send) -> list[int]:
        variable = self.facts.fixed_channel(send.channel)
        if variable is None:
            return list(range(len(self.facts.shapes)))
        if variable.proctype is None:
            kind, _ = self.facts.layout.global_channels[self.facts.first_number(variable) - 1]
        else:
            kind, _ = self.effects.channels.own_channel(self.kind, variable)
        return [self.facts.shape(kind)]

    def _meet(self, frame: Frame, option: TransitionOption, send: Send, following: str) -> None:
        """The first half of a rendezvous, and every process that can take the other."""
        w = self.writer
        half = self._first_half(frame, option, send)
        saved: dict[Word, tuple[str, str]] = {}
        for word in _SAVED:
            place = w.at("%c", word)
            saved[word] = place, w.load(place, 8)
        if self.facts.fair:
            w.store(w.at("%c", Word.SENDER), process_bit(w, "%pid"), 8)
        if self.facts.labelled:
            write(w, Word.SENDER, sender_label(w, "%pid", option.transition))
        if self.facts.reduction is not None:
            write(w, Word.SENDER_NUMBER, "%pid")
        if self.facts.labelled:
            w.do("call void @keep()")
        failed = w.get(f"call i64 @meet(ptr %c, ptr {half}, i64 %pid)")
        if self.facts.labelled:
            w.do("call void @drop()")
        write(w, Word.HANDSHAKE, 0)
        if self.facts.notes_steps:
            write(w, Word.SENDER, 0)
        fine, wrong = w.fresh("fine"), w.fresh("wrong")
        w.branch(w.compare("eq", failed, 0), fine, wrong)
        w.label(wrong)
        for place, value in saved.values():
            w.store(place, value, 8)
        w.jump(frame.raised)
        w.label(fine)
        _, before = saved[Word.STEPS]
        answered, silent = w.fresh("answered"), w.fresh("silent")
        w.branch(w.compare("ne", read(w, Word.STEPS), before), answered, silent)
        w.label(silent)
        w.store("%escape", 0, 8)
        w.jump(following)
        w.label(answered)
        self._went(option)

    def _first_half(self, frame: Frame, option: TransitionOption, send: Send) -> str:
        """The row in which the sender has moved on and its message waits."""
        w, layout = self.writer, self.facts.layout
        if self.facts.labelled:
            half = "%row"
        else:
            half = w.at("%c", self.facts.rooms.half)
            w.do(f"call void @copy(ptr {half}, ptr %row)")
        draft = frame.on(half, w.at(half, "%at"))
        answers = w.fresh("answers")
        self.effects.send(draft, send, lambda: w.jump(answers))
        w.end("unreachable")
        w.label(answers)
        w.store(w.at(draft.own, layout.node), option.transition.target, layout.node_bytes)
        self.drafts.erase(draft, option.transition)
        self.drafts.report_choice()
        w.store(w.at("%c", Word.HALF_PROBLEM), read(w, Word.PROBLEM), 8)
        return half


def is_one(w: Writer, bits: str) -> str:
    """Return whether no more than one bit of `bits` is set, by code of `w`."""
    return w.compare("eq", w.get(f"and i64 {bits}, {w.add(bits, -1)}"), 0)
