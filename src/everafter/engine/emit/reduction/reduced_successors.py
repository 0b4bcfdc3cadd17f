"""The successors of a row in a reduced search: an ample set, the steps of one process, or those of all.

    reduced(c, row, out)   write them; false, and nothing is written, if no process can move without `timeout`, or if
                           none is where its steps could be ample: then all steps are to be taken

Every process's steps are written, youngest first, and it is noted where; when those of one are ample, the others are
dropped. What the tables alone rule out is tested first. `product/ample_steps.py` is the same for the reference.
"""

from __future__ import annotations

from everafter.engine.emit.constant_tables import entry
from everafter.engine.emit.control_block import Record, Word, read, write
from everafter.engine.emit.processes import alive, each_process
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.reduction.clashes import Clashes
from everafter.engine.emit.reduction.records import create_channels, noted, open_records, record
from everafter.engine.emit.writer import Writer


def reduced(w: Writer) -> None:
    """Go to the label `moved` when the steps that suffice have been written; else go on."""
    w.when(w.get("call i1 @reduced(ptr %c, ptr %row, ptr %out)"), "moved")


def reduced_steps(facts: Facts, clashes: Clashes) -> str:
    """Return the text of `reduced`, for `facts` and `clashes`."""
    return _Reduced(facts, clashes).text()


class _Reduced:
    """Writes the function."""

    def __init__(self, facts: Facts, clashes: Clashes) -> None:
        self.facts = facts
        self.clashes = clashes
        self.writer = Writer("internal i1 @reduced(ptr %c, ptr %row, ptr %out)")
        self.words = range(clashes.words)

    def text(self) -> str:
        w = self.writer
        open_records(w, self.facts)
        self.clashes.make_room(w)
        for name in ("all_flags", "all_steps", "able", "movers", "channels"):
            w.do(f"%{name} = alloca i64")
            w.store(f"%{name}", len(self.facts.layout.global_channels) if name == "channels" else 0, 8)
        for name in ("present", "twice", "able_present", "able_twice"):
            for word in self.words:
                w.do(f"%{name}{word} = alloca i64")
                w.store(f"%{name}{word}", 0, 8)
        count = alive(w)
        w.when(w.compare("ule", count, 1), "all")
        self._note_places(count)
        w.unless(self._is_hopeful(), "all")
        self._each_alone(count)
        w.when(w.compare("eq", w.load("%all_steps", 8), 0), "all")
        self._each_with_inert(count)
        w.store(w.at("%c", Word.FLAGS), w.load("%all_flags", 8), 8)
        w.store(w.at("%c", Word.STEPS), w.load("%all_steps", 8), 8)
        w.do(f"store ptr {w.at('%c', self.facts.rooms.chain)}, ptr {w.at('%c', Word.CHAIN_BEGIN)}")
        w.jump("moved")
        w.label("moved")
        w.end("ret i1 true")
        w.label("all")
        w.end("ret i1 false")
        return w.text()

    # The columns of processes

    def _add_column(self, name: str, place: str) -> None:
        """Add the column of a place to those that are there once, and to those that are there twice."""
        w = self.writer
        for word, bits in enumerate(self.clashes.of_place(w, "column", place)):
            once, twice = f"%{name}{word}", f"%{name.replace('present', 'twice')}{word}"
            known = w.load(once, 8)
            again = w.get(f"and i64 {known}, {bits}")
            w.store(twice, w.get(f"or i64 {w.load(twice, 8)}, {again}"), 8)
            w.store(once, w.get(f"or i64 {known}, {bits}"), 8)

    def _other_columns(self, name: str, place: str) -> list[str]:
        """The columns of all processes but one at this place."""
        w = self.writer
        found: list[str] = []
        for word, bits in enumerate(self.clashes.of_place(w, "column", place)):
            once, twice = f"%{name}{word}", f"%{name.replace('present', 'twice')}{word}"
            elsewhere = w.get(f"and i64 {w.load(once, 8)}, {w.get(f'xor i64 {bits}, -1')}")
            found.append(w.get(f"or i64 {elsewhere}, {w.get(f'and i64 {w.load(twice, 8)}, {bits}')}"))
        return found

    def _note_places(self, count: str) -> None:
        w = self.writer

        def note(number: str, offset: str, kind: str) -> None:
            own = record(w, number)
            place = self.clashes.places.of(w, w.at("%row", offset), kind)
            w.store(w.at(own, Record.AT), offset, 8)
            w.store(w.at(own, Record.PLACE), place, 8)
            self._add_column("present", place)
            if create_channels(self.facts):
                channels = w.add(w.load("%channels", 8), entry(w, "created", kind))
                w.store("%channels", channels, 8)
                w.store(w.at(own, Record.CHANNELS), channels, 8)

        each_process(w, self.facts, count, note)

    def _is_hopeful(self) -> str:
        """Whether a process is where the steps of one could be an ample set."""
        w = self.writer
        found = "0"
        for word, columns in enumerate(self.clashes.hopeful_columns):
            present = w.load(f"%present{word}", 8)
            found = w.get(f"or i64 {found}, {w.get(f'and i64 {present}, {columns}')}")
        return w.compare("ne", found, 0)

    # One process after the other

    def _youngest_first(self, count: str, name: str) -> tuple[str, str]:
        """Begin a loop over the processes; the number, and the label at which the next one's turn is."""
        w = self.writer
        turn, following, done = f"{name}_turn", f"{name}_next", f"{name}_done"
        before = w.block
        w.label(f"{name}_loop")
        w.do(f"%{name}_above = phi i64 [ {count}, %{before} ], [ %{name}_number, %{following} ]")
        w.branch(w.compare("eq", f"%{name}_above", 0), done, turn)
        w.label(turn)
        w.do(f"%{name}_number = add i64 %{name}_above, -1")
        return f"%{name}_number", following

    def _end_loop(self, name: str) -> None:
        w = self.writer
        w.label(f"{name}_next")
        w.jump(f"{name}_loop")
        w.label(f"{name}_done")

    def _each_alone(self, count: str) -> None:
        """Let every process move; the first whose steps suffice ends it."""
        w = self.writer
        self._clear()
        number, following = self._youngest_first(count, "alone")
        own = record(w, number)
        self._let_move(own, number, following)
        place = noted(w, own, Record.PLACE)
        steps = noted(w, own, Record.STEPS)
        w.store("%all_steps", w.add(w.load("%all_steps", 8), steps), 8)
        w.store("%movers", w.add(w.load("%movers", 8), 1), 8)
        w.store("%all_flags", w.get(f"or i64 {w.load('%all_flags', 8)}, {noted(w, own, Record.FLAGS)}"), 8)
        bit = w.get(f"shl i64 1, {w.get(f'and i64 {number}, 63')}")
        w.store("%able", w.get(f"or i64 {w.load('%able', 8)}, {bit}"), 8)
        self._add_column("able_present", place)
        others = self._other_columns("present", place)
        self._leave_unless_fitting(own, number, others, following)
        apart = w.fresh("apart")
        w.unless(self.clashes.meets(w, "maybe", place, others), apart)
        positions = noted(w, own, Record.POSITIONS)
        w.when(self.clashes.meet(w, self.clashes.reach(w, own, number, positions), others), following)
        if self.clashes.asked:
            w.unless(self.clashes.meets(w, "asked", place, others), apart)
            who = f"i64 {count}, i64 {number}, i64 {positions}"
            w.unless(w.get(f"call i1 @independent(ptr %c, ptr %row, {who})"), following)
        w.label(apart)
        self._take(own, number)
        self._end_loop("alone")

    def _let_move(self, own: str, number: str, following: str) -> None:
        """Write the steps of a process, and note what they came to; go on to the next if there are none.

        A process without steps leaves the control block as it was: cleared, for the first and after every other.
        """
        w = self.writer
        begin, chain, before = (read(w, word) for word in (Word.OUT, Word.CHAIN_END, Word.COUNT_OUT))
        w.do(f"call void @step(ptr %c, ptr %row, i64 {noted(w, own, Record.AT)}, i64 {number}, i64 0)")
        steps = read(w, Word.STEPS)
        w.store(w.at(own, Record.STEPS), steps, 8)
        w.when(w.compare("eq", steps, 0), following)
        written = w.get(f"sub i64 {read(w, Word.COUNT_OUT)}, {before}")
        for field, value in ((Record.BEGIN, begin), (Record.CHAIN_BEGIN, chain), (Record.COUNT, written)):
            w.store(w.at(own, field), value, 8)
        for word, kept in (
            (Word.FLAGS, Record.FLAGS),
            (Word.POSITIONS, Record.POSITIONS),
            (Word.ANSWERS, Record.ANSWERS),
            (Word.OUT, Record.END),
            (Word.CHAIN_END, Record.CHAIN_END),
        ):
            w.store(w.at(own, kept), read(w, word), 8)
        w.store(w.at("%c", Word.CHAIN_BEGIN), noted(w, own, Record.CHAIN_END), 8)
        self._clear()

    def _clear(self) -> None:
        w = self.writer
        for word in (Word.FLAGS, Word.STEPS, Word.POSITIONS, Word.ANSWERS):
            write(w, word, 0)

    def _each_with_inert(self, count: str) -> None:
        """Decide again, leaving out processes that cannot move before the one in question does."""
        w = self.writer
        w.when(w.compare("ule", w.load("%movers", 8), 1), "asked")
        w.when(w.compare("eq", w.load("%movers", 8), count), "asked")
        w.when(w.compare("ugt", count, 64), "asked")
        everybody = w.get(f"lshr i64 -1, {w.get(f'sub i64 64, {count}')}")
        able = w.load("%able", 8)
        blocked = w.get(f"xor i64 {able}, {everybody}")
        number, following = self._youngest_first(count, "again")
        own = record(w, number)
        w.when(w.compare("eq", noted(w, own, Record.STEPS), 0), following)
        others = self._other_columns("able_present", noted(w, own, Record.PLACE))
        self._leave_unless_fitting(own, number, others, following)
        bit = w.get(f"shl i64 1, {number}")
        awake = "".join(f", i64 {word}" for word in others)
        who = f"i64 {number}, i64 {noted(w, own, Record.POSITIONS)}, i64 {w.get(f'xor i64 {able}, {bit}')}"
        w.unless(w.get(f"call i1 @only_inert(ptr %c, ptr %row, {who}, i64 {blocked}{awake})"), following)
        self._take(own, number)
        self._end_loop("again")
        w.label("asked")

    def _leave_unless_fitting(self, own: str, number: str, others: list[str], following: str) -> None:
        """Go on to the next process if the steps of this one cannot suffice, whatever the conditions say."""
        w = self.writer
        place = noted(w, own, Record.PLACE)
        w.when(self.clashes.meets(w, "always", place, others), following)
        w.unless(w.compare("eq", noted(w, own, Record.ANSWERS), 0), following)
        who = f"i64 {noted(w, own, Record.AT)}, i64 {number}, i64 {place}, i64 {noted(w, own, Record.POSITIONS)}"
        w.unless(w.get(f"call i1 @fits(ptr %c, ptr %row, {who})"), following)

    def _take(self, own: str, number: str) -> None:
        """Drop all successors but those of one process, and tell whose they are."""
        w = self.writer
        write(w, Word.TAKEN, number)
        begin, end = noted(w, own, Record.BEGIN), noted(w, own, Record.END)
        size = w.get(f"sub i64 {end}, {begin}")
        source = w.get(f"inttoptr i64 {begin} to ptr")
        w.do(f"call void @llvm.memmove.p0.p0.i64(ptr %out, ptr {source}, i64 {size}, i1 false)")
        w.do(f"store ptr {w.at('%out', size)}, ptr {w.at('%c', Word.OUT)}")
        for kept, word in (
            (Record.COUNT, Word.COUNT_OUT),
            (Record.FLAGS, Word.FLAGS),
            (Record.STEPS, Word.STEPS),
            (Record.CHAIN_BEGIN, Word.CHAIN_BEGIN),
            (Record.CHAIN_END, Word.CHAIN_END),
        ):
            w.store(w.at("%c", word), noted(w, own, kept), 8)
        w.jump("moved")
