"""When two processes mean the same channel, as code: the conditions of `reduction/dependence.py`."""

from __future__ import annotations

from typing import Literal, assert_never

from everafter.engine.emit.cells import load
from everafter.engine.emit.constant_tables import entry
from everafter.engine.emit.control_block import MOST_POSITIONS
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.reduction.records import channels_of
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import FALSE, TRUE, Writer, signed
from everafter.program.layout import PackedRow, bytes_of
from everafter.program.storage import Width
from everafter.record import dataclass
from everafter.reduction.dependence import Condition, Dependency, Dies, Exempt, Named, Spoken, Takes, Watches
from everafter.reduction.footprint import Cells

_Room = Literal["not full", "not empty", "buffered"]


@dataclass(frozen=True, slots=True)
class Meanings:
    """Writes comparisons of channels that processes may mean."""

    facts: Facts
    writer: Writer
    values: Values

    @staticmethod
    def of(facts: Facts, writer: Writer) -> Meanings:
        """Return an instance with all the parts it needs, for `facts` and `writer`."""
        return Meanings(facts, writer, Values(facts, writer))

    def numbers(self, frame: Frame, named: Named) -> list[str]:
        """Return the numbers of the channels that `named` may mean in `frame`; without a value it means none."""
        w = self.writer
        match named:
            case Cells(is_local=is_local, cells=cells):
                return [self._cell(frame, is_local, cell) for cell in cells]
            case Spoken(expression=expression):
                failed, done = w.fresh("failed"), w.fresh("done")
                inner = Frame(frame.row, frame.own, frame.pid, frame.kind, "0", failed)
                value, after = self.values.value(inner, expression), w.block
                w.jump(done)
                w.label(failed)
                w.label(done)
                return [w.phi("i64", (value, after), ("0", failed))]
            case _:
                assert_never(named)

    def _cell(self, frame: Frame, is_local: bool, cell: int) -> str:
        layout, memory = self.facts.layout, self.facts.program.memory
        if is_local:
            assert frame.kind is not None
            row, cells = layout.processes[frame.kind.index].row, frame.kind.memory.cells
            start = PackedRow(row.widths[: len(row.widths) - len(cells) + cell]).size
            return load(self.writer, self.writer.at(frame.own, start), cells[cell].width)
        visible = [number for number in layout.visible if number < cell]
        widths: tuple[Width, ...] = tuple(memory.cells[number].width for number in visible)
        start = min(layout.offsets.values(), default=0) + sum(map(bytes_of, widths))
        return load(self.writer, self.writer.at(frame.row, start), memory.cells[cell].width)

    def may_mean(self, frame: Frame, named: Cells | None, numbers: list[str]) -> str:
        """Return whether, by `named`, a process may mean one of the channels `numbers` in `frame`."""
        w = self.writer
        if named is None:
            return TRUE
        condition = FALSE
        for theirs in self.numbers(frame, named):
            for mine in numbers:
                condition = w.either(condition, w.compare("eq", theirs, mine))
        return condition

    def has_room(self, frame: Frame, unless: _Room, number: str) -> str:
        """Return whether the channel `number` is buffered in `frame`, and not full or empty as `unless` says."""
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
        length = w.load(w.at(frame.row, w.get(f"and i64 {packed}, {0xFFFFFFFF}")), self.facts.layout.count_bytes)
        match unless:
            case "not empty":
                answer = w.compare("ne", length, 0)
            case "not full":
                answer = w.compare("ult", length, capacity)
            case "buffered":
                answer = TRUE
            case _:
                assert_never(unless)
        w.jump(done)
        w.label(dead)
        w.label(done)
        return w.phi("i1", (answer, look), (FALSE, dead))

    def is_excepted(self, frame: Frame, unless: Exempt, position: int, numbers: list[str]) -> str:
        """Return whether, by `unless`, operations of two processes on the same channel commute in `frame`.

        `position` is that of the transition, `numbers` are those of the channels.
        """
        w = self.writer
        match unless:
            case "never":
                return FALSE
            case "executable":
                if position > MOST_POSITIONS:
                    return FALSE
                return w.compare("ne", w.get(f"and i64 %positions, {signed(1 << position)}"), 0)
            case "not full" | "not empty" | "buffered":
                condition = TRUE
                for number in numbers:
                    condition = w.both(condition, self.has_room(frame, unless, number))
                return condition
            case _:
                assert_never(unless)


def _effort(condition: Condition) -> tuple[int, str]:
    """What is decided first: conditions that need no look at a channel, and always in the same order."""
    exempt = condition.unless if isinstance(condition, Dependency) else "never"
    return ("never", "executable").index(exempt) if exempt in ("never", "executable") else 2, repr(condition)


class ClashCode:
    """One set of conditions between processes of two types: whether one of them is true."""

    def __init__(self, facts: Facts, number: int, mine: int, theirs: int, conditions: frozenset[Condition]) -> None:
        parameters = "ptr %c, ptr %row, ptr %mine, ptr %own, i64 %pid, ptr %their, i64 %other, i64 %positions"
        self.facts = facts
        self.writer = Writer(f"internal i1 @clash{number}({parameters})")
        self.meanings = Meanings.of(facts, self.writer)
        self.conditions = conditions
        self.mine = Frame("%row", "%own", "%pid", facts.program.processes[mine], "0", "")
        self.theirs = Frame("%row", "%their", "%other", facts.program.processes[theirs], "0", "")

    def text(self) -> str:
        """The text of the function."""
        w = self.writer
        channels: dict[tuple[Named | None, Cells | None], list[Dependency]] = {}
        for condition in sorted(self.conditions, key=_effort):
            if isinstance(condition, Dependency):
                channels.setdefault((condition.mine, condition.theirs), []).append(condition)
            else:
                w.when(self._is_true(condition), "clash")
        for (mine, theirs), listed in channels.items():
            self._same_channel(mine, theirs, listed)
        w.end("ret i1 false")
        w.label("clash")
        w.end("ret i1 true")
        return w.text()

    def _same_channel(self, mine: Named | None, theirs: Cells | None, listed: list[Dependency]) -> None:
        """Go to `clash` if both mean the same channel and it is not excepted; only then is it looked at."""
        w = self.writer
        if mine is None:
            w.jump("clash")
            return
        numbers, apart = self.meanings.numbers(self.mine, mine), w.fresh("apart")
        w.unless(self.meanings.may_mean(self.theirs, theirs, numbers), apart)
        for clash in listed:
            w.unless(self.meanings.is_excepted(self.mine, clash.unless, clash.position, numbers), "clash")
        w.label(apart)

    def _is_true(self, condition: Dies | Takes | Watches) -> str:
        w = self.writer
        match condition:
            case Dies(mine=named):
                last = channels_of(w, self.facts, "%mine")
                return self._any_beyond(self.meanings.numbers(self.mine, named), last) if named is not None else TRUE
            case Takes(theirs=named):
                created = entry(w, "created", w.load("%own", 1))
                first = w.get(f"sub i64 {channels_of(w, self.facts, '%mine')}, {created}")
                return self._any_beyond(self.meanings.numbers(self.theirs, named), first) if named is not None else TRUE
            case Watches(mine=mine, theirs=theirs, first=one, second=another):
                return w.both(self._is_one_of(self.mine, mine, one), self._is_one_of(self.theirs, theirs, another))
            case _:
                assert_never(condition)

    def _is_one_of(self, frame: Frame, named: Named | None, watched: Cells | None) -> str:
        """Whether a process may mean a channel that is watched."""
        if named is None or watched is None:
            return TRUE
        return self.meanings.may_mean(frame, watched, self.meanings.numbers(frame, named))

    def _any_beyond(self, numbers: list[str], limit: str) -> str:
        condition = FALSE
        for number in numbers:
            condition = self.writer.either(condition, self.writer.compare("ugt", number, limit))
        return condition
