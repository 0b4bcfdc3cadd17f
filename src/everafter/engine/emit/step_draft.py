"""The draft of a step: a copy of the row to work on, handed over when the step is done."""

from __future__ import annotations

from collections.abc import Iterable

from everafter.engine.emit.chain import KEPT_BYTES
from everafter.engine.emit.control_block import (
    BROKEN,
    MOST_FAIR_PROCESSES,
    OVERFLOW,
    REPORTED,
    Word,
    increase,
    mark,
    read,
    write,
)
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.sequence_walk import count_instructions
from everafter.engine.emit.step_label import label
from everafter.engine.emit.writer import FALSE, Writer
from everafter.program.control_flow import DeterministicStep, Terminate, Transition
from everafter.program.erasure import NOWHERE, cells_in
from everafter.program.layout import HOLDER, LAST
from everafter.program.program import ProcessType
from everafter.promela.model import Else
from everafter.record import dataclass


def broken(w: Writer) -> None:
    """Note an outcome that leads nowhere."""
    increase(w, Word.STEPS)
    mark(w, Word.FLAGS, BROKEN)


def note_reached(w: Writer, facts: Facts, kind: ProcessType, element: int) -> None:
    """Note, by code of `w`, that the statement `element` of `kind` was executed, if `facts` want that to be known."""
    if facts.covers:
        w.store(w.at("%c", facts.reached(kind, element)), 1, 1)


@dataclass(frozen=True, slots=True)
class Drafts:
    """Writes how the steps of a proctype begin and end."""

    facts: Facts
    writer: Writer
    kind: ProcessType

    def begin(self, frame: Frame, transition: Transition, in_place: str = FALSE) -> Frame:
        """Return a copy of `frame` with a row to write: where the next successor is to be, or an intermediate row.

        Where `transition` keeps an atomic sequence going, the condition `in_place` says whether the row itself is
        changed.
        """
        w = self.writer
        if not transition.keeps_atomic:
            new = self._copy(Word.OUT, 0)
        elif in_place == FALSE:
            new = self._copy(Word.CHAIN_END, KEPT_BYTES)
        else:
            before, apart, ready = w.block, w.fresh("apart"), w.fresh("ready")
            w.branch(in_place, ready, apart)
            w.label(apart)
            copied = self._copy(Word.CHAIN_END, KEPT_BYTES)
            w.label(ready)
            new = w.phi("ptr", ("%row", before), (copied, apart))
        return frame.on(new, w.at(new, "%at"))

    def _copy(self, behind: Word, before: int) -> str:
        w = self.writer
        if self.facts.labelled:  # a walk is taken in place
            return "%row"
        new = w.at(w.pointer(w.at("%c", behind)), before)
        w.do(f"call void @copy(ptr {new}, ptr %row)")
        return new

    def finish(self, draft: Frame, transition: Transition, in_place: str = FALSE) -> None:
        """Move the process to the end of `transition`, and hand `draft` over; `in_place` walks on, at `walked`."""
        w, layout = self.writer, self.facts.layout
        if not isinstance(transition.effect, Terminate):
            w.store(w.at(draft.own, layout.node), transition.target, layout.node_bytes)
        self.erase(draft, transition)
        if self.facts.program.uses_last:
            w.store(w.at(draft.row, LAST), draft.pid, 1)
        if not isinstance(transition.effect, Else):
            self.report_choice()
        if self.facts.fair:
            self._note_movers(draft.pid)
        if self.facts.labelled:
            write(w, Word.MOVERS, w.get(f"or i64 {read(w, Word.SENDER)}, {label(w, draft.pid, transition)}"))
        if transition.keeps_atomic:
            if in_place != FALSE and isinstance(transition.effect, DeterministicStep):
                count_instructions(w)
            w.when(in_place, "walked")
            w.store(w.at(draft.row, HOLDER), w.add(draft.pid, 1), 1)
            w.do(f"call void @hold(ptr %c, ptr {draft.row})")
        else:
            w.store(w.at(draft.row, HOLDER), 0, 1)
            w.do(f"call void @emit(ptr %c, ptr {draft.row})")
        self.take_back()

    def take_back(self) -> None:
        """The step is over: in a walk, the row becomes again what it was."""
        if self.facts.labelled:
            self.writer.do("call void @undo()")

    def give_up(self) -> None:
        """The step leads nowhere."""
        broken(self.writer)
        self.take_back()

    def erase(self, draft: Frame, transition: Transition) -> None:
        """Write zero into the cells of `draft` that are dead where `transition` leads, and were not before it."""
        erased = self.facts.program.erased
        if erased is None:
            return
        target = NOWHERE if isinstance(transition.effect, Terminate) else transition.target
        local, owned = erased.at(self.kind.index, target)
        source, written = self.facts.begun(self.kind, transition)
        local &= written.local | ~source.local
        owned &= written.owned | ~source.owned
        own, shared = self.facts.local_bytes(self.kind), self.facts.global_bytes
        clear(self.writer, draft.own, [own[cell] for cell in cells_in(local)])
        clear(self.writer, draft.row, [shared[cell] for cell in cells_in(owned)])

    def report_choice(self) -> None:
        """In a D_proctype, which promises to have only one possible step, note that this is a second one."""
        if not self.kind.declaration.deterministic:
            return
        w = self.writer
        place = w.at("%c", Word.PROBLEM)
        again = w.times(w.load("%moved", 8), REPORTED)
        w.store(place, w.get(f"or i64 {w.load(place, 8)}, {again}"), 8)

    def _note_movers(self, mover: str) -> None:
        """Note who moves in this step, and that they can."""
        w = self.writer
        able, sender = w.at("%c", Word.ABLE), read(w, Word.SENDER)
        moving = w.get(f"or i64 {sender}, {process_bit(w, mover)}")
        earlier = read(w, Word.EARLIER_MOVERS)
        w.store(w.at("%c", Word.MOVERS), w.get(f"or i64 {earlier}, {moving}"), 8)
        w.store(able, w.get(f"or i64 {w.load(able, 8)}, {moving}"), 8)


def clear(w: Writer, base: str, places: Iterable[tuple[int, int]]) -> None:
    """Write zero into the bytes at `places` behind `base`, each with its size, by code of `w`."""
    joined: list[list[int]] = []
    for place, size in places:
        if joined and sum(joined[-1]) == place:
            joined[-1][1] += size
        else:
            joined.append([place, size])
    for place, size in joined:
        if size in (1, 2, 4, 8):
            w.store(w.at(base, place), 0, size)
        else:
            w.do(f"call void @llvm.memset.p0.i64(ptr {w.at(base, place)}, i8 0, i64 {size}, i1 false)")


def process_bit(w: Writer, process: str) -> str:
    """Return `process` as a bit, by code of `w`; the search is given up if a word has no such bit."""
    low = w.get(f"and i64 {process}, 63")
    many, done = w.fresh("many"), w.fresh("done")
    w.branch(w.compare("ult", process, MOST_FAIR_PROCESSES), done, many)
    w.label(many)
    mark(w, Word.FLAGS, OVERFLOW)
    w.label(done)
    return w.get(f"shl i64 1, {low}")
