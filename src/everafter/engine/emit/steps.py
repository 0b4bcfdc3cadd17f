"""The steps of a process as functions, one for each proctype: `execution/step.py` as code.

P<k>(c, row, at, pid, timeout)   write the successors that steps of the process at byte `at` lead to
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.engine.emit.chain import forget
from everafter.engine.emit.control import MOST_POSITIONS, Word, mark, read, write
from everafter.engine.emit.drafts import Drafts, broken, note_reached, process_bit
from everafter.engine.emit.effects import Effects
from everafter.engine.emit.facts import Facts
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.options import Option, each_option, stay_in_escape
from everafter.engine.emit.writer import Writer
from everafter.execution.perform import begins_with_else
from everafter.program.program import ProcessType
from everafter.promela.model import Send

_SAVED = (Word.OUT, Word.COUNT_OUT, Word.STEPS, Word.CHAIN_END, Word.FLAGS)
"""What is put back when an attempt fails after it has written successors."""


class Steps:
    """Writes the function of one proctype. `%moved` is 1 once a step was possible, `%escape` the escape it was in."""

    def __init__(self, facts: Facts, kind: ProcessType) -> None:
        self.facts = facts
        self.kind = kind
        self.writer = Writer(f"internal void @P{kind.index}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
        self.effects = Effects.of(facts, self.writer)
        self.drafts = Drafts(facts, self.writer, kind)

    def text(self) -> str:
        """The text of the function."""
        w = self.writer
        w.do("%moved = alloca i64")
        w.do("%escape = alloca i64")
        w.do("%own = getelementptr i8, ptr %row, i64 %at")
        if self.facts.schedules:
            self._leave_unless_scheduled()
        w.store("%moved", 0, 8)
        w.store("%escape", 0, 8)
        for option in each_option(w, self.facts, self.kind):
            self._attempt(option)
        w.end("ret void")
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

    def _attempt(self, option: Option) -> None:
        """What comes of one transition."""
        w, transition = self.writer, option.transition
        following, raised = w.fresh("next"), w.fresh("raised")
        stay_in_escape(w, option)
        if begins_with_else(transition):
            w.unless(w.compare("eq", w.load("%moved", 8), 0), following)
        write(w, Word.PROBLEM, 0)
        frame = Frame("%row", "%own", "%pid", self.kind, "%timeout", raised)
        self.effects.guards.test(frame, transition.effect, following)
        if isinstance(transition.effect, Send):
            self._send(frame, option, transition.effect, following)
        else:
            draft = self.drafts.begin(frame, transition)
            self.effects.perform(draft, transition.effect)
            self.drafts.finish(draft, transition)
            self._went(option)
        w.jump(following)
        w.label(raised)
        broken(w)
        self._went(option)
        w.label(following)

    def _went(self, option: Option) -> None:
        w = self.writer
        w.store("%moved", 1, 8)
        w.store("%escape", option.transition.escape, 8)
        note_reached(w, self.facts, self.kind, option.transition.element)
        if self.facts.reduction is not None and option.position <= MOST_POSITIONS:
            mark(w, Word.POSITIONS, 1 << option.position)

    # Sending

    def _send(self, frame: Frame, option: Option, send: Send, following: str) -> None:
        """A send: buffered, it is a step like any other; on a rendezvous it needs somebody to answer."""
        buffered = [bool(self.facts.shapes[shape].capacity) for shape in self._possible_shapes(frame, send)]
        if all(buffered):
            self._put(frame, option, send, lambda: None)
        elif not any(buffered):
            self._meet(frame, option, send, following)
        else:
            self._put_or_meet(frame, option, send, following)

    def _put_or_meet(self, frame: Frame, option: Option, send: Send, following: str) -> None:
        w, channels = self.writer, self.effects.channels
        found = channels.channel(frame, send.channel, frame.raised)
        done = w.fresh("sent")

        def attempt(shape: int) -> None:
            if self.facts.shapes[shape].capacity:
                self._put(frame, option, send, lambda: w.end("unreachable"))
            else:
                self._meet(frame, option, send, following)
            w.jump(done)

        channels.by_shape(found, attempt)
        w.label(done)

    def _put(self, frame: Frame, option: Option, send: Send, meet: Callable[[], None]) -> None:
        draft = self.drafts.begin(frame, option.transition)
        self.effects.send(draft, send, meet)
        self.drafts.finish(draft, option.transition)
        self._went(option)

    def _possible_shapes(self, frame: Frame, send: Send) -> list[int]:
        variable = self.facts.fixed_channel(send.channel)
        if variable is None:
            return list(range(len(self.facts.shapes)))
        if variable.proctype is None:
            kind, _ = self.facts.layout.global_channels[self.facts.first_number(variable) - 1]
        else:
            assert frame.kind is not None
            kind, _ = self.effects.channels.own_channel(frame.kind, variable)
        return [self.facts.shape(kind)]

    def _meet(self, frame: Frame, option: Option, send: Send, following: str) -> None:
        """The first half of a rendezvous, and every process that can take the other."""
        w = self.writer
        half = self._first_half(frame, option, send)
        saved: dict[Word, tuple[str, str]] = {}
        for word in _SAVED:
            place = w.at("%c", word)
            saved[word] = place, w.load(place, 8)
        if self.facts.fair:
            w.store(w.at("%c", Word.SENDER), process_bit(w, "%pid"), 8)
        if self.facts.reduction is not None:
            write(w, Word.SENDER_NUMBER, "%pid")
        failed = w.get(f"call i64 @meet(ptr %c, ptr {half}, i64 %pid)")
        write(w, Word.HANDSHAKE, 0)
        if self.facts.fair:
            write(w, Word.SENDER, 0)
        fine, wrong = w.fresh("fine"), w.fresh("wrong")
        w.branch(w.compare("eq", failed, 0), fine, wrong)
        w.label(wrong)
        for place, value in saved.values():
            w.store(place, value, 8)
        forget(w)
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

    def _first_half(self, frame: Frame, option: Option, send: Send) -> str:
        """The row in which the sender has moved on and its message waits."""
        w, layout = self.writer, self.facts.layout
        half = w.at("%c", self.facts.rooms.half)
        w.do(f"call void @copy(ptr {half}, ptr %row)")
        draft = frame.on(half, w.at(half, "%at"))
        answers = w.fresh("answers")
        self.effects.send(draft, send, lambda: w.jump(answers))
        w.end("unreachable")
        w.label(answers)
        w.store(w.at(draft.own, layout.node), option.transition.target, layout.node_bytes)
        self.drafts.report_choice()
        w.store(w.at("%c", Word.HALF_PROBLEM), read(w, Word.PROBLEM), 8)
        return half
