"""When what a process can do depends on what another may still do, as code: `reduction/dependence.py` in tables.

    depends(c, row, mine, pid, theirs, other, positions, kind)
                               whether what one process can do depends on what another may still do; `mine` and `theirs`
                               are their records, `positions` the transitions that the first one can take, `kind` what
                               their places say about each other, from 2 on

What two places say about each other is looked up in a table of small numbers: 0 they are independent, 1 they always
depend on each other, and from 2 on the conditions that are written as functions `clash2`, `clash3`, …

Most questions need no such look. Places that are alike to everybody share a column, which is a bit; the places of all
processes are then a set of bits, and a place has sets of the columns on which it depends:

    column      the column of the place itself
    always      always; all columns where the steps of a process never suffice
    maybe       always, or under conditions
    wakes       a process that cannot move here is let move by one that is there, for certain; `may_wake`: perhaps
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import assert_never

from everafter.engine.emit.effects import Effects
from everafter.engine.emit.expressions import Frame
from everafter.engine.emit.facts import MOST_POSITIONS, Facts
from everafter.engine.emit.records import AT, PLACE, channels_of, field_of, record
from everafter.engine.emit.support import entry, table
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.program.layout import Row, bytes_of
from everafter.program.memory import Width
from everafter.program.program import ProcessType
from everafter.reduction.ample import Reduction
from everafter.reduction.dependence import ALWAYS, Clash, Condition, Dies, Named, Spoken, Takes, Watches
from everafter.reduction.footprint import Cells

_WORD_BITS = 64


def signed(word: int) -> int:
    """A word of 64 bits as LLVM writes it."""
    return word - 2**64 if word >> 63 else word


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
        """The number of the place where a process of a type is."""
        layout = self.facts.layout
        node = w.load(w.at(process, layout.node), layout.node_bytes)
        return entry(w, "places", w.add(w.times(kind, self._width), node))


@dataclass
class Clashes:
    """What every two places say about each other."""

    facts: Facts
    reduction: Reduction
    places: Places
    hopeless: list[bool]
    """For every place, whether the steps of a process there never suffice."""
    known: dict[tuple[int, int, frozenset[Condition]], int] = field(default_factory=dict)

    @cached_property
    def matrix(self) -> list[tuple[int, ...]]:
        """For every place its row: what it says about each of the others."""
        return [tuple(self._class(mine, other) for other in self.places.listed) for mine in self.places.listed]

    def _class(self, mine: tuple[ProcessType, int], other: tuple[ProcessType, int]) -> int:
        if not self.reduction.rows[mine[0].index, mine[1]].candidate.possible:
            return 1
        conditions = self.reduction.conditions(mine[0].index, mine[1], other[0].index, other[1])
        if not conditions:
            return 0
        if conditions is ALWAYS:
            return 1
        key = (mine[0].index, other[0].index, conditions)
        return self.known.setdefault(key, len(self.known) + 2)

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
        keys = list(zip(alike, later, self.hopeless, strict=True))
        kept = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        return [kept[key] for key in keys]

    @cached_property
    def first_of_column(self) -> list[int]:
        """For every column a place that has it."""
        found = {column: place for place, column in reversed(list(enumerate(self.columns)))}
        return [found[column] for column in range(len(found))]

    @property
    def words(self) -> int:
        """How many words a set of columns takes."""
        return max(1, -(-len(self.first_of_column) // _WORD_BITS))

    @property
    def hopeful_columns(self) -> list[int]:
        """The columns of places where the steps of a process may suffice."""
        return self._in_words(lambda other: not self.hopeless[other])

    def tables(self) -> list[str]:
        """The tables."""
        kept_rows = {row: number for number, row in enumerate(dict.fromkeys(self.matrix))}
        cells = [row[place] for row in kept_rows for place in self.first_of_column]
        return [
            self.places.table(),
            table("clash_rows", [kept_rows[row] for row in self.matrix]),
            table("clash_columns", self.columns),
            table("clash_classes", cells),
            self._sets("column", lambda place, other: self.columns[place] == self.columns[other]),
            self._sets("always", lambda place, other: self.hopeless[place] or self.matrix[place][other] == 1),
            self._sets("maybe", lambda place, other: self.matrix[place][other] != 0),
            self._sets("wakes", lambda place, other: self.matrix[place][other] == 1 or self._may_end(place, other)),
            self._sets("may_wake", lambda place, other: self.matrix[place][other] != 0 or self._may_end(place, other)),
        ]

    def _may_end(self, place: int, other: int) -> bool:
        """Whether a process at one place can end once one at the other has."""
        kind, number = self.places.listed[other]
        return self._ends[place] and bool(self.reduction.futures.of(kind.index, number).ends)

    def _sets(self, name: str, belongs: Callable[[int, int], bool]) -> str:
        """A table with a set of columns for every place."""
        places = range(len(self.places.listed))
        return table(name, [word for place in places for word in self._in_words(partial(belongs, place))])

    def _in_words(self, belongs: Callable[[int], bool]) -> list[int]:
        """A set of columns; `belongs` is asked of a place in each."""
        whole = sum(1 << column for column, other in enumerate(self.first_of_column) if belongs(other))
        return [signed((whole >> (_WORD_BITS * word)) & (2**_WORD_BITS - 1)) for word in range(self.words)]

    def of_place(self, w: Writer, name: str, place: str) -> list[str]:
        """A set of columns, word by word."""
        return [entry(w, name, w.add(w.times(place, self.words), word)) for word in range(self.words)]

    def meets(self, w: Writer, name: str, place: str, others: list[str]) -> str:
        """Whether a set of columns of a place, and another, have a column in common."""
        shared = "0"
        for own, other in zip(self.of_place(w, name, place), others, strict=True):
            common = w.get(f"and i64 {own}, {other}")
            shared = common if shared == "0" else w.get(f"or i64 {shared}, {common}")
        return w.compare("ne", shared, 0)

    def functions(self) -> list[str]:
        """The conditions as functions, and what asks them."""
        written = [_ClashCode(self.facts, number, *key).text() for key, number in self.known.items()]
        return [*written, self._depends()]

    def row(self, w: Writer, noted: str) -> str:
        """Where the row of the place of a process begins in the table."""
        return w.times(entry(w, "clash_rows", field_of(w, noted, PLACE)), len(self.first_of_column))

    def ask(self, w: Writer, row: str, mine: str, pid: str, other: str, positions: str, yes: str) -> None:
        """Go to a label if one process depends on another; the row is that of the first."""
        theirs, no = record(w, other), w.fresh("no")
        column = entry(w, "clash_columns", field_of(w, theirs, PLACE))
        kind = entry(w, "clash_classes", w.add(row, column))
        w.when(w.compare("eq", kind, 0), no)
        w.when(w.compare("eq", kind, 1), yes)
        if self.known:
            who = f"ptr {mine}, i64 {pid}, ptr {theirs}, i64 {other}, i64 {positions}, i64 {kind}"
            w.when(w.get(f"call i1 @depends(ptr %c, ptr %row, {who})"), yes)
        w.label(no)

    def _depends(self) -> str:
        who = "ptr %mine, i64 %pid, ptr %theirs, i64 %other, i64 %positions, i64 %kind"
        w = Writer(f"internal i1 @depends(ptr %c, ptr %row, {who})")
        own, their = (w.at("%row", field_of(w, noted, AT)) for noted in ("%mine", "%theirs"))
        arguments = f"ptr %c, ptr %row, ptr %mine, ptr {own}, i64 %pid, ptr {their}, i64 %other, i64 %positions"
        labels = [(number, f"class{number}") for number in self.known.values()]
        w.switch("%kind", "never", labels)
        for number, label in labels:
            w.label(label)
            w.end(f"ret i1 {w.get(f'call i1 @clash{number}({arguments})')}")
        w.label("never")
        w.end("unreachable")
        return w.text()


class Channels(Effects):
    """Writes comparisons of channels that processes may mean."""

    def numbers(self, frame: Frame, named: Named) -> list[str]:
        """The numbers of the channels that a process may mean; an expression without a value means none."""
        w = self.writer
        if isinstance(named, Spoken):
            failed, done = w.fresh("failed"), w.fresh("done")
            inner = Frame(frame.row, frame.own, frame.pid, frame.kind, "0", failed)
            value, after = self.value(inner, named.expression), w.block
            w.jump(done)
            w.label(failed)
            w.label(done)
            return [w.phi("i64", (value, after), ("0", failed))]
        return [self._cell(frame, named.is_local, cell) for cell in named.cells]

    def _cell(self, frame: Frame, is_local: bool, cell: int) -> str:
        if is_local:
            assert frame.kind is not None
            row, cells = self.layout.processes[frame.kind.index].row, frame.kind.memory.cells
            start = Row(row.widths[: len(row.widths) - len(cells) + cell]).size
            return self.load(self.writer.at(frame.own, start), cells[cell].width)
        visible = [number for number in self.layout.visible if number < cell]
        widths: tuple[Width, ...] = tuple(self.program.memory.cells[number].width for number in visible)
        start = min(self.layout.offsets.values(), default=0) + sum(map(bytes_of, widths))
        return self.load(self.writer.at(frame.row, start), self.program.memory.cells[cell].width)

    def may_mean(self, frame: Frame, named: Cells | None, numbers: list[str]) -> str:
        """Whether a process may mean one of these channels."""
        w = self.writer
        if named is None:
            return TRUE
        condition = FALSE
        for theirs in self.numbers(frame, named):
            for mine in numbers:
                condition = w.either(condition, w.compare("eq", theirs, mine))
        return condition

    def has_room(self, frame: Frame, unless: str, number: str) -> str:
        """Whether a channel is buffered, and not full or not empty if that is asked."""
        w = self.writer
        alive_channel, dead, done = w.fresh("channel"), w.fresh("dead"), w.fresh("done")
        w.branch(w.compare("eq", number, 0), dead, alive_channel)
        w.label(alive_channel)
        packed = w.get(f"call i64 @channel(ptr {frame.row}, i64 {number})")
        known = w.fresh("known")
        w.branch(w.compare("slt", packed, 0), dead, known)
        w.label(known)
        capacity = entry(w, "capacities", w.get(f"lshr i64 {packed}, 32"))
        buffered = w.compare("ne", capacity, 0)
        look = w.fresh("look")
        w.branch(buffered, look, dead)
        w.label(look)
        length = w.load(w.at(frame.row, w.get(f"and i64 {packed}, {0xFFFFFFFF}")), 1)
        match unless:
            case "not empty":
                answer = w.compare("ne", length, 0)
            case "not full":
                answer = w.compare("ult", length, capacity)
            case _:
                answer = TRUE
        w.jump(done)
        w.label(dead)
        w.label(done)
        return w.phi("i1", (answer, look), (FALSE, dead))


def _effort(condition: Condition) -> tuple[int, str]:
    """What is asked first: conditions that need no look at a channel, and always in the same order."""
    exempt = condition.unless if isinstance(condition, Clash) else "never"
    return ("never", "executable").index(exempt) if exempt in ("never", "executable") else 2, repr(condition)


class _ClashCode(Channels):
    """One set of conditions between processes of two types: whether one of them is true."""

    def __init__(self, facts: Facts, number: int, mine: int, theirs: int, conditions: frozenset[Condition]) -> None:
        parameters = "ptr %c, ptr %row, ptr %mine, ptr %own, i64 %pid, ptr %their, i64 %other, i64 %positions"
        super().__init__(facts, Writer(f"internal i1 @clash{number}({parameters})"))
        self.conditions = conditions
        self.mine = Frame("%row", "%own", "%pid", facts.program.processes[mine], "0", "")
        self.theirs = Frame("%row", "%their", "%other", facts.program.processes[theirs], "0", "")

    def text(self) -> str:
        w = self.writer
        channels: dict[tuple[Named | None, Cells | None], list[Clash]] = {}
        for condition in sorted(self.conditions, key=_effort):
            if isinstance(condition, Clash):
                channels.setdefault((condition.mine, condition.theirs), []).append(condition)
            else:
                w.when(self._is_true(condition), "clash")
        for (mine, theirs), listed in channels.items():
            self._same_channel(mine, theirs, listed)
        w.end("ret i1 false")
        w.label("clash")
        w.end("ret i1 true")
        return w.text()

    def _same_channel(self, mine: Named | None, theirs: Cells | None, listed: list[Clash]) -> None:
        """Go to `clash` if both mean the same channel and it is not excepted; only then is it looked at."""
        w = self.writer
        if mine is None:
            w.jump("clash")
            return
        numbers, apart = self.numbers(self.mine, mine), w.fresh("apart")
        w.unless(self.may_mean(self.theirs, theirs, numbers), apart)
        for clash in listed:
            w.unless(self._is_excepted(clash.unless, clash.position, numbers), "clash")
        w.label(apart)

    def _is_true(self, condition: Dies | Takes | Watches) -> str:
        w = self.writer
        match condition:
            case Dies(mine=named):
                last = channels_of(w, self.facts, "%mine")
                return self._any_beyond(self.numbers(self.mine, named), last) if named is not None else TRUE
            case Takes(theirs=named):
                created = entry(w, "created", w.load("%own", 1))
                first = w.get(f"sub i64 {channels_of(w, self.facts, '%mine')}, {created}")
                return self._any_beyond(self.numbers(self.theirs, named), first) if named is not None else TRUE
            case Watches(mine=mine, theirs=theirs, first=one, second=another):
                return w.both(self._is_one_of(self.mine, mine, one), self._is_one_of(self.theirs, theirs, another))
            case _:
                assert_never(condition)

    def _is_one_of(self, frame: Frame, named: Named | None, watched: Cells | None) -> str:
        """Whether a process may mean a channel that is watched."""
        if named is None or watched is None:
            return TRUE
        return self.may_mean(frame, watched, self.numbers(frame, named))

    def _any_beyond(self, numbers: list[str], limit: str) -> str:
        condition = FALSE
        for number in numbers:
            condition = self.writer.either(condition, self.writer.compare("ugt", number, limit))
        return condition

    def _is_excepted(self, unless: str, position: int, numbers: list[str]) -> str:
        w = self.writer
        if unless == "never":
            return FALSE
        if unless == "executable":
            if position > MOST_POSITIONS:
                return FALSE
            return w.compare("ne", w.get(f"and i64 %positions, {signed(1 << position)}"), 0)
        condition = TRUE
        for number in numbers:
            condition = w.both(condition, self.has_room(self.mine, unless, number))
        return condition
