"""The answers of a process to a rendezvous, one function for each proctype: `execution/step.py` as code.

A<k>(c, row, at, pid, n)   write the successors that answers of the process at byte `at` lead to, with the message that
                           waits on channel n; 1 if it raised
"""

from __future__ import annotations

from everafter.engine.emit.control_block import Word, read, write
from everafter.engine.emit.effects import Effects
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.options import TransitionOption, each_option, stay_in_escape
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.step_draft import Drafts, note_reached
from everafter.engine.emit.writer import Writer
from everafter.execution.perform import receives
from everafter.program.program import ProcessType
from everafter.record import replace


def may_answer(facts: Facts, kind: ProcessType) -> bool:
    """Return whether a process of the type `kind` may answer a rendezvous, by `facts`."""
    rendezvous = any(not shape.capacity for shape in facts.shapes)
    return rendezvous and any(receives(step) for node in kind.graph.nodes.values() for step in node.transitions)


class Answers:
    """Writes the function of one proctype."""

    def __init__(self, facts: Facts, kind: ProcessType) -> None:
        self.facts = facts
        self.kind = kind
        self.writer = Writer(f"internal i64 @A{kind.index}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %n)")
        self.effects = Effects.of(facts, self.writer)
        self.drafts = Drafts(facts, self.writer, kind)

    def text(self) -> str:
        """The text of the function."""
        w = self.writer
        w.do("%escape = alloca i64")
        w.do("%moved = alloca i64")
        w.do("%own = getelementptr i8, ptr %row, i64 %at")
        w.do("%timeout = add i64 0, 0")
        w.store("%escape", 0, 8)
        w.store("%moved", 0, 8)
        for option in each_option(w, self.facts, self.kind, receives):
            self._answer(option)
        w.end("ret i64 0")
        w.label("failed")
        w.end("ret i64 1")
        return w.text()

    def _answer(self, option: TransitionOption) -> None:
        w, transition = self.writer, option.transition
        following, raised = w.fresh("next"), w.fresh("raised")
        stay_in_escape(w, option)
        if not receives(transition):
            return
        frame = Frame("%row", "%own", "%pid", self.kind, "%timeout", "failed", meets="somebody")
        self.effects.guards.test(frame, transition.effect, following)
        w.store(w.at("%c", Word.PROBLEM), read(w, Word.HALF_PROBLEM), 8)
        draft = replace(self.drafts.begin(frame, transition), raised=raised)
        self.effects.perform(draft, transition.effect)
        w.store("%escape", transition.escape, 8)
        self._note(option, transition.keeps_atomic)
        self.drafts.finish(draft, transition)
        write(w, Word.HANDSHAKE, "%n")
        w.jump(following)
        w.label(raised)
        self.drafts.give_up()
        self._note(option, False)
        write(w, Word.HANDSHAKE, "%n")
        w.label(following)

    def _note(self, option: TransitionOption, goes_on: bool) -> None:
        """Note that the answer was given, and, in a reduced search, whether it is not to be taken alone."""
        note_reached(self.writer, self.facts, self.kind, option.transition.element)
        w = self.writer
        if self.facts.judged is not None:
            transition = (self.kind.index, option.node.number, option.position)
            if goes_on or transition in self.facts.judged.visible:
                write(w, Word.ANSWERS, 1)
        if self.facts.reduction is None:
            return
        candidate = self.facts.reduction.rows[self.kind.index, option.node.number].candidate
        place = w.at("%c", Word.ANSWERS)
        if goes_on or option.position in candidate.visible:
            w.store(place, 1, 8)
        elif option.position in candidate.sticky:
            lower = w.number(w.compare("ult", "%pid", read(w, Word.SENDER_NUMBER)))
            w.store(place, w.get(f"or i64 {w.load(place, 8)}, {lower}"), 8)
