"""On which columns a process depends through channels, as code; `clashes.py` says what a column is.

    reach(c, row, mine, pid, positions, found)
                               put into `found`, a set of columns, those of places from where others may still do
                               something that clashes with what a process can do; `mine` is its record

Most conditions name, for the other process, global channels that the text tells: which channel it may mean then depends
on its place alone. So a number of a channel of our own gives a set of columns, from a table, for all others
together. Other conditions are checked for each process: see `depends` in `clashes.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from everafter.engine.emit.constant_tables import entry, table
from everafter.engine.emit.control_block import Record
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.reduction.conditions import Meanings
from everafter.engine.emit.reduction.records import noted
from everafter.engine.emit.writer import Writer, signed
from everafter.program.program import ProcessType
from everafter.reduction.dependence import Condition, Exempt, Named, Touch, told
from everafter.reduction.footprint import Cells

WORD_BITS = 64
ByColumn = Mapping[int, frozenset[Condition]]
"""For some columns the conditions under which a place depends on them."""


def in_words(columns: int, words: int) -> list[int]:
    """Return the set `columns` as `words` words."""
    return [signed((columns >> (WORD_BITS * word)) & (2**WORD_BITS - 1)) for word in range(words)]


_ByNumber = tuple[int, ...]
"""A set of columns for every number of a channel; the last is for all numbers without a set of their own."""


class Reach:
    """Writes the function and its tables."""

    def __init__(self, facts: Facts, words: int) -> None:
        head = "internal void @reach(ptr %c, ptr %row, ptr %mine, i64 %pid, i64 %positions, ptr %found)"
        self.facts = facts
        self.writer = Writer(head)
        self.meanings = Meanings.of(facts, self.writer)
        self.words = words
        self.last = len(facts.layout.global_channels) + 1
        self.rows: dict[_ByNumber, int] = {}
        """The rows of the table `reaches`."""

    def texts(self, kinds: Sequence[tuple[ProcessType, ByColumn]], places: Sequence[int]) -> list[str]:
        """The function and its tables, for kinds of places; `places` has the kind of each."""
        asked = [(kind.index, tuple(self._touches(by_column).items())) for kind, by_column in kinds]
        cases = {case: number for number, case in enumerate(dict.fromkeys(asked))}
        function = self._function(list(cases))
        columns = [word for row in self.rows for item in row for word in in_words(item, self.words)]
        return [table("reach_cases", [cases[asked[kind]] for kind in places]), table("reaches", columns), function]

    def _touches(self, by_column: ByColumn) -> dict[Touch, _ByNumber]:
        """What matters to others of what a process can do at a place; what is always a matter comes first."""
        meant: dict[Touch, dict[int, set[Cells | None]]] = {}
        for column, conditions in by_column.items():
            for item in conditions:
                if (found := told(item)) is not None:
                    touch, theirs = found
                    meant.setdefault(touch, {}).setdefault(column, set()).add(theirs)
        order = sorted(meant, key=lambda touch: (touch.unless != "never", repr(touch)))
        return {touch: self._by_number(meant[touch]) for touch in order}

    def _by_number(self, meant: Mapping[int, Collection[Cells | None]]) -> _ByNumber:
        memory = self.facts.initial_memory
        numbers = {
            column: {memory[cell] for cells in named if cells is not None for cell in cells.cells}
            for column, named in meant.items()
        }
        anything = sum(1 << column for column, named in meant.items() if None in named)
        return tuple(
            anything | sum(1 << column for column, theirs in numbers.items() if number in theirs)
            for number in range(self.last + 1)
        )

    def _function(self, cases: Sequence[tuple[int, Sequence[tuple[Touch, _ByNumber]]]]) -> str:
        w = self.writer
        for word in range(self.words):
            w.store(w.at("%found", 8 * word), 0, 8)
        own = w.at("%row", noted(w, "%mine", Record.AT))
        labels = [(number, f"case{number}") for number, (_, touches) in enumerate(cases) if touches]
        w.switch(entry(w, "reach_cases", noted(w, "%mine", Record.PLACE)), "done", labels)
        for number, label in labels:
            w.label(label)
            kind, touches = cases[number]
            self._case(Frame("%row", own, "%pid", self.facts.program.processes[kind], "0", ""), touches)
            w.jump("done")
        w.label("done")
        w.end("ret void")
        return w.text()

    def _case(self, frame: Frame, touches: Sequence[tuple[Touch, _ByNumber]]) -> None:
        known: dict[Named, list[str]] = {}
        for (mine, unless, position), row in touches:
            if mine not in known:
                known[mine] = self.meanings.numbers(frame, mine)
            self._add(frame, unless, position, known[mine], self.rows.setdefault(row, len(self.rows)))

    def _add(self, frame: Frame, unless: Exempt, position: int, numbers: list[str], row: int) -> None:
        """Put into the set the columns of others who may mean the same channel; only then is it looked at."""
        w = self.writer
        columns, apart = self._columns(row, numbers), w.fresh("apart")
        if unless != "never":
            w.when(self._is_empty(columns), apart)
            w.when(self.meanings.is_excepted(frame, unless, position, numbers), apart)
        for word, bits in enumerate(columns):
            place = w.at("%found", 8 * word)
            w.store(place, w.get(f"or i64 {w.load(place, 8)}, {bits}"), 8)
        w.label(apart)

    def _columns(self, row: int, numbers: list[str]) -> list[str]:
        w = self.writer
        found = ["0"] * self.words
        for number in numbers:
            within = w.compare("ult", number, self.last)
            index = w.get(f"select i1 {within}, i64 {number}, i64 {self.last}")
            start = w.times(w.add(index, row * (self.last + 1)), self.words)
            found = [
                w.get(f"or i64 {bits}, {entry(w, 'reaches', w.add(start, word))}") for word, bits in enumerate(found)
            ]
        return found

    def _is_empty(self, columns: list[str]) -> str:
        w = self.writer
        whole = "0"
        for bits in columns:
            whole = w.get(f"or i64 {whole}, {bits}")
        return w.compare("eq", whole, 0)
