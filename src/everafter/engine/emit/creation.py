"""Starting a process, as code: one function for each proctype.

create<k>(c, row, priority, a0, a1, …)   add a process with these parameters to a row; its number, or -1 if it raised
"""

from __future__ import annotations

from everafter.engine.emit.cells import keep
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.step_draft import clear
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import Writer
from everafter.program.erasure import cells_in
from everafter.program.layout import PackedRow, size_in_bytes
from everafter.program.program import ProcessType
from everafter.program.storage import cells_of, width_of
from everafter.promela.model import ChannelShape, Struct, Variable


class CreationCode:
    """Writes the function of one proctype."""

    def __init__(self, facts: Facts, kind: ProcessType) -> None:
        self.facts = facts
        self.kind = kind
        parameters = "".join(f", i64 %a{number}" for number in range(len(kind.parameters)))
        self.writer = Writer(f"internal i64 @create{kind.index}(ptr %c, ptr %row, i64 %priority{parameters})")
        self.values = Values(facts, self.writer)

    def text(self) -> str:
        """The text of the function."""
        w = self.writer
        layout = self.facts.layout.processes[self.kind.index]
        w.do(f"%own = call ptr @append(ptr %c, ptr %row, i64 {layout.size})")
        w.when(w.get("icmp eq ptr %own, null"), "failed")
        w.do("%pid = call i64 @youngest(ptr %row)")
        w.store("%own", self.kind.index, 1)
        w.store(w.at("%own", self.facts.layout.node), self.kind.graph.start, self.facts.layout.node_bytes)
        if self.facts.layout.priority is not None:
            w.store(w.at("%own", self.facts.layout.priority), "%priority", 1)
        for position, (cell, width) in enumerate(self.kind.parameters):
            keep(w, w.at("%own", self._cell(cell)), width, f"%a{position}")
        w.do("%timeout = add i64 0, 0")
        frame = Frame("%row", "%own", "%pid", self.kind, "%timeout", "failed", is_draft=True)
        if layout.channels:
            w.do("%channels = call i64 @channels(ptr %row)")
            w.when(w.compare("ugt", "%channels", 255), "failed")
        created = 0
        for variable in self.kind.initial:
            start = layout.offsets[variable]
            created = self._initialise(frame, variable, start, created)
        erased = self.facts.program.erased
        if erased is not None:
            own, dead = self.facts.local_bytes(self.kind), erased.at(self.kind.index, self.kind.graph.start)
            clear(w, "%own", [own[cell] for cell in cells_in(dead.local)])
        w.end("ret i64 %pid")
        w.label("failed")
        w.end("ret i64 -1")
        return w.text()

    def _initialise(self, frame: Frame, variable: Variable, start: int, created: int) -> int:
        """Give a variable its initial value; how many of the process's channels have been created is counted on."""
        w = self.writer
        if isinstance(variable.type, Struct) and isinstance(variable.initial, tuple):
            for initial, (_, leaf) in zip(variable.initial, cells_of(variable), strict=True):
                keep(w, w.at("%own", start), width_of(leaf), self.values.value(frame, initial))
                start += size_in_bytes(leaf)
            return created
        for element in range(variable.cells):
            place = start + element * size_in_bytes(variable)
            if isinstance(variable.type, Struct):
                for item in variable.type.fields:
                    created = self._initialise(frame, item, place + self.facts.layout.fields[item], created)
            elif isinstance(variable.initial, ChannelShape):
                first = 1 - len(self.facts.layout.processes[self.kind.index].channels)
                keep(w, w.at("%own", place), width_of(variable), w.add("%channels", first + created))
                created += 1
            elif variable.initial is not None:
                listed = variable.initial if isinstance(variable.initial, tuple) else (variable.initial,)
                value = self.values.value(frame, listed[min(element, len(listed) - 1)])
                keep(w, w.at("%own", place), width_of(variable), value)
        return created

    def _cell(self, cell: int) -> int:
        """The byte offset of a local cell."""
        row = self.facts.layout.processes[self.kind.index].row
        head = len(row.widths) - len(self.kind.memory.cells)
        return PackedRow(row.widths[: head + cell]).size
