"""When what a process can do depends on what another may still do, as code: `reduction/dependence.py` in tables.

    depends(c, row, mine, pid, theirs, other, positions, kind)
                               whether what one process can do depends on what another may still do; `mine` and `theirs`
                               are their records, `positions` the transitions that the first one can take, `kind` what
                               their places say about each other, from 2 on

What two places say about each other is looked up in a table of small numbers: 0 there is nothing to ask, 1 they always
depend on each other, and from 2 on the conditions that are written as functions `clash2`, `clash3`, …

Most questions need no such look. Places that are alike to everybody share a column, which is a bit; the places of all
processes are then a set of bits, and a place has sets of the columns on which it depends:

    column      the column of the place itself
    always      always; all columns where the steps of a process never suffice
    maybe       always, or under conditions
    wakes       a process that cannot move here is let move by one that is there, for certain
    asked       under conditions on which the processes themselves are compared, by `depends`

On which columns a place depends under the other conditions, `reach.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, partial

from everafter.engine.emit.constant_tables import entry, table
from everafter.engine.emit.control_block import Record
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.reduction.conditions import ClashCode
from everafter.engine.emit.reduction.reach import WORD_BITS, Reach, in_words
from everafter.engine.emit.reduction.records import noted, record
from everafter.engine.emit.writer import Writer
from everafter.program.program import ProcessType
from everafter.record import dataclass, field
from everafter.reduction.ample import Reduction
from everafter.reduction.dependence import ALWAYS, NOTHING, Condition, Dependency, Future, told

_Key = tuple[int, int, frozenset[Condition]]
"""Two proctypes, and when a process of the one depends on one of the other."""


class Places:
    """Every place of control of every proctype whose processes take steps, numbered through."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.listed = [(kind, number) for kind in facts.running for number in sorted(kind.graph.nodes)]
        self.numbers = {(kind.index, number): place for place, (kind, number) in enumerate(self.listed)}
        self._width = 1 + max((number for _, number in self.listed), default=0)

    def table(self) -> str:
        """The number of a place, by proctype and place of control."""
        kinds = range(len(self.facts.program.processes))
        return table("places", [self.numbers.get((kind, node), 0) for kind in kinds for node in range(self._width)])

    def of(self, w: Writer, process: str, kind: str) -> str:
        """Return the number of the place where `process`, of the type `kind`, is, by code of `w`."""
        layout = self.facts.layout
        node = w.load(w.at(process, layout.node), layout.node_bytes)
        return entry(w, "places", w.add(w.times(kind, self._width), node))


def _numbered(keys: Sequence[Hashable]) -> list[int]:
    """For every key a number; equal ones have the same, and they count from 0 in the order of the keys."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _firsts(numbers: Sequence[int]) -> list[int]:
    """For every number the first position that has it; numbers count from 0 in the order in which they come."""
    found: list[int] = []
    for position, number in enumerate(numbers):
        if number == len(found):
            found.append(position)
    return found


@dataclass
class Clashes:
    """What every two places say about each other."""

    facts: Facts
    reduction: Reduction
    places: Places
    hopeless: list[bool]
    """For every place, whether the steps of a process there never suffice."""
    known: dict[_Key, int] = field(default_factory=dict)

    @cached_property
    def matrix(self) -> list[tuple[int, ...]]:
        """For every kind of row, what it says about each kind of future; see `rows` and `futures`."""
        mine, others = self._firsts(self.rows), self._firsts(self.futures)
        futures = [(kind, self.reduction.future(kind.index, number)) for kind, number in others]
        return [tuple(self._row(kind, number, futures)) for kind, number in mine]

    def _row(self, kind: ProcessType, number: int, futures: list[tuple[ProcessType, Future]]) -> Iterator[int]:
        """What a place says about each of the futures; of its own, if there may be another process of its type."""
        row, only = self.reduction.rows[kind.index, number], kind.index in self.facts.unique
        clashes = row.clashes
        for other, future in futures:
            if not row.candidate.possible:
                yield self._class(kind, other, ALWAYS)
            elif only and other.index == kind.index:
                yield self._class(kind, other, NOTHING)
            else:
                yield self._class(kind, other, clashes.against(future))

    @cached_property
    def rows(self) -> list[int]:
        """For every place the number of its kind of row: places of a proctype where the same can be done share one."""
        rows = self.reduction.rows
        candidates = [(kind.index, rows[kind.index, number].candidate) for kind, number in self.places.listed]
        return _numbered([(kind, candidate.possible, candidate.scope) for kind, candidate in candidates])

    @cached_property
    def futures(self) -> list[int]:
        """For every place the number of its kind of future: places of a proctype with the same to come share one."""
        futures = self.reduction.futures
        return _numbered([(kind.index, futures.of(kind.index, number)) for kind, number in self.places.listed])

    def _firsts(self, numbers: list[int]) -> list[tuple[ProcessType, int]]:
        """For every number the first place that has it."""
        return [self.places.listed[place] for place in _firsts(numbers)]

    def _says(self, place: int, other: int) -> int:
        """What one place says about another."""
        return self.matrix[self.rows[place]][self.futures[other]]

    def _class(self, mine: ProcessType, other: ProcessType, conditions: frozenset[Condition]) -> int:
        if not conditions:
            return 0
        if conditions is ALWAYS or any(isinstance(item, Dependency) and item.mine is None for item in conditions):
            return 1
        key = (mine.index, other.index, conditions)
        return self.known.setdefault(key, len(self.known) + 2)

    @cached_property
    def asked(self) -> dict[int, _Key]:
        """What the places say about each other, by number, where processes must be compared, and for what."""
        assert self.matrix
        untold = {
            number: (mine, other, frozenset(item for item in conditions if told(item) is None))
            for (mine, other, conditions), number in self.known.items()
        }
        return {number: key for number, key in untold.items() if key[2]}

    @cached_property
    def _functions(self) -> dict[_Key, int]:
        """The numbers of the functions that ask them."""
        return {key: number for number, key in enumerate(dict.fromkeys(self.asked.values()), 2)}

    @cached_property
    def _ends(self) -> list[bool]:
        """Whether a process may end at a place."""
        rows = self.reduction.rows
        return [bool(rows[kind.index, number].candidate.scope.footprint.ends) for kind, number in self.places.listed]

    @cached_property
    def columns(self) -> list[int]:
        """For every place the number of its column."""
        later = [bool(self.reduction.futures.of(kind.index, number).ends) for kind, number in self.places.listed]
        alike = list(zip(*dict.fromkeys(self.matrix), strict=True))
        said = _numbered(alike)
        return _numbered(list(zip((said[future] for future in self.futures), later, self.hopeless, strict=True)))

    @cached_property
    def first_of_column(self) -> list[int]:
        """For every column a place that has it."""
        return _firsts(self.columns)

    @property
    def words(self) -> int:
        """How many words a set of columns takes."""
        return max(1, -(-len(self.first_of_column) // WORD_BITS))

    @property
    def hopeful_columns(self) -> list[int]:
        """The columns of places where the steps of a process may suffice."""
        return self._in_words(lambda other: not self.hopeless[other])

    def tables(self) -> list[str]:
        """The tables."""
        kept_rows = _numbered(self.matrix)
        shown = [self.futures[place] for place in self.first_of_column]
        asked = dict.fromkeys(self.matrix) if self.asked else ()  # a large table, which nobody else looks at
        cells = [self._asked_class(row[future]) for row in asked for future in shown]
        return [
            self.places.table(),
            table("clash_rows", [kept_rows[row] for row in self.rows]),
            table("clash_columns", self.columns),
            table("clash_classes", cells),
            table("column", [word for column in self.columns for word in in_words(1 << column, self.words)]),
            self._sets("always", lambda place, other: self.hopeless[place] or self._says(place, other) == 1),
            self._sets("maybe", lambda place, other: self._says(place, other) != 0),
            self._sets("wakes", lambda place, other: self._says(place, other) == 1 or self._may_end(place, other)),
            self._sets("asked", lambda place, other: self._says(place, other) in self.asked),
        ]

    def _asked_class(self, number: int) -> int:
        """What is looked up for two places, from what they say about each other."""
        if number < 2:
            return number
        return self._functions[self.asked[number]] if number in self.asked else 0

    def _may_end(self, place: int, other: int) -> bool:
        """Whether a process at one place can end once one at the other has."""
        kind, number = self.places.listed[other]
        return self._ends[place] and bool(self.reduction.futures.of(kind.index, number).ends)

    def _sets(self, name: str, belongs: Callable[[int, int], bool]) -> str:
        """A table with a set of columns for every place; equal places have equal sets."""
        kinds = _numbered(list(zip(self.rows, self.hopeless, self._ends, strict=True)))
        sets = [self._in_words(partial(belongs, place)) for place in _firsts(kinds)]
        return table(name, [word for kind in kinds for word in sets[kind]])

    def _in_words(self, belongs: Callable[[int], bool]) -> list[int]:
        """A set of columns: those for a place of which `belongs` is true."""
        whole = sum(1 << column for column, other in enumerate(self.first_of_column) if belongs(other))
        return in_words(whole, self.words)

    def of_place(self, w: Writer, name: str, place: str) -> list[str]:
        """Return the set of columns `name` of `place`, word by word, read by code of `w`."""
        return [entry(w, name, w.add(w.times(place, self.words), word)) for word in range(self.words)]

    def meets(self, w: Writer, name: str, place: str, others: list[str]) -> str:
        """Return whether the set `name` of `place` and the set `others` have a column in common, by code of `w`."""
        return self.meet(w, self.of_place(w, name, place), others)

    def meet(self, w: Writer, some: list[str], others: list[str]) -> str:
        """Return whether the sets of columns `some` and `others` have a column in common, by code of `w`."""
        shared = "0"
        for one, other in zip(some, others, strict=True):
            common = w.get(f"and i64 {one}, {other}")
            shared = common if shared == "0" else w.get(f"or i64 {shared}, {common}")
        return w.compare("ne", shared, 0)

    def reach(self, w: Writer, own: str, pid: str, positions: str) -> list[str]:
        """Return the columns on which the process `pid`, with the record `own`, depends under conditions of the text.

        `positions` are the transitions that it can take; `%reached` has room for the columns. `w` writes the code.
        """
        who = f"ptr {own}, i64 {pid}, i64 {positions}"
        w.do(f"call void @reach(ptr %c, ptr %row, {who}, ptr %reached)")
        return [w.load(w.at("%reached", 8 * word), 8) for word in range(self.words)]

    def make_room(self, w: Writer) -> None:
        """Make the room that `reach` needs, at the beginning of a function."""
        w.do(f"%reached = alloca [{self.words} x i64]")

    def functions(self) -> list[str]:
        """The conditions as functions, and what asks them."""
        first = list(enumerate(self.first_of_column))
        columns = first if self.known else []  # without conditions, no two places need to be looked at
        asked = [
            (
                self.places.listed[place][0],
                {column: self._conditions(place, other) for column, other in columns},
            )
            for place in _firsts(self.rows)
        ]
        written = [ClashCode(self.facts, number, *key).text() for key, number in self._functions.items()]
        return [*Reach(self.facts, self.words).texts(asked, self.rows), *written, self._depends()]

    def _conditions(self, place: int, other: int) -> frozenset[Condition]:
        """The conditions of one place for another, if it depends on them."""
        if self._says(place, other) < 2:
            return frozenset()
        (kind, node), (other_kind, other_node) = self.places.listed[place], self.places.listed[other]
        return self.reduction.conditions(kind.index, node, other_kind.index, other_node)

    def row(self, w: Writer, own: str) -> str:
        """Return where the table has the row for the place of the process with the record `own`, by code of `w`."""
        return w.times(entry(w, "clash_rows", noted(w, own, Record.PLACE)), len(self.first_of_column))

    def ask(self, w: Writer, row: str, mine: str, pid: str, other: str, positions: str, yes: str) -> None:
        """Go to the label `yes` if the process `pid`, with the record `mine`, depends on the process `other`.

        `row` is where the row of the first one's place begins in the table, `positions` the transitions that it can
        take. `w` writes the code.
        """
        theirs, no = record(w, other), w.fresh("no")
        column = entry(w, "clash_columns", noted(w, theirs, Record.PLACE))
        kind = entry(w, "clash_classes", w.add(row, column))
        w.when(w.compare("eq", kind, 0), no)
        w.when(w.compare("eq", kind, 1), yes)
        who = f"ptr {mine}, i64 {pid}, ptr {theirs}, i64 {other}, i64 {positions}, i64 {kind}"
        w.when(w.get(f"call i1 @depends(ptr %c, ptr %row, {who})"), yes)
        w.label(no)

    def _depends(self) -> str:
        who = "ptr %mine, i64 %pid, ptr %theirs, i64 %other, i64 %positions, i64 %kind"
        w = Writer(f"internal i1 @depends(ptr %c, ptr %row, {who})")
        own, their = (w.at("%row", noted(w, one, Record.AT)) for one in ("%mine", "%theirs"))
        arguments = f"ptr %c, ptr %row, ptr %mine, ptr {own}, i64 %pid, ptr {their}, i64 %other, i64 %positions"
        labels = [(number, f"class{number}") for number in self._functions.values()]
        w.switch("%kind", "never", labels)
        for number, label in labels:
            w.label(label)
            w.end(f"ret i1 {w.get(f'call i1 @clash{number}({arguments})')}")
        w.label("never")
        w.end("unreachable")
        return w.text()
