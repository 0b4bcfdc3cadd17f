"""The model's code for the checker of a reduction: it takes the steps of a process that the caller names, and answers.

    able(row, out, c, pid)     how many steps a process has, with `timeout` false
    meant(row, c, pid, k)      the number of the channel that expression k of the table means to a process; 0 for none

`expand` then takes the steps of process TAKEN alone, or all if that is -1, and notes in TAKEN_POSITIONS and
TAKEN_ANSWERS what `certificates/sufficing.py` asks of them. No text of the reduction is in this code.
"""

from __future__ import annotations

from everafter.certificates.independence.conflict_table import ConflictTable
from everafter.engine.emit.control_block import Word, read, write
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import Writer
from everafter.program.program import ProcessType
from everafter.promela.model import Expression


def take_chosen(w: Writer) -> None:
    """Let the process whose number was given move, and go to the label `moved`; go on if there is none."""
    taken, everybody = read(w, Word.TAKEN), w.fresh("everybody")
    w.when(w.compare("slt", taken, 0), everybody)
    for word in (Word.POSITIONS, Word.ANSWERS):
        write(w, word, 0)
    _step(w, taken)
    write(w, Word.TAKEN_POSITIONS, read(w, Word.POSITIONS))
    write(w, Word.TAKEN_ANSWERS, read(w, Word.ANSWERS))
    w.jump("moved")
    w.label(everybody)


def _step(w: Writer, number: str) -> None:
    at = w.get(f"call i64 @locate(ptr %row, i64 {number})")
    w.do(f"call void @step(ptr %c, ptr %row, i64 {at}, i64 {number}, i64 0)")


def judged(facts: Facts, table: ConflictTable) -> list[str]:
    """Return the text of the functions for `facts`, with the expressions of `table`."""
    return [_able(), _meant(facts, table)]


def _able() -> str:
    w = Writer("i64 @able(ptr %row, ptr %out, ptr %c, i64 %pid)")
    w.do("call void @prepare(ptr %c, ptr %out)")
    _step(w, "%pid")
    w.end(f"ret i64 {read(w, Word.STEPS)}")
    return w.text()


def _meant(facts: Facts, table: ConflictTable) -> str:
    w = Writer("i64 @meant(ptr %row, ptr %c, i64 %pid, i64 %k)")
    at = w.get("call i64 @locate(ptr %row, i64 %pid)")
    w.do(f"%own = getelementptr i8, ptr %row, i64 {at}")
    w.switch("%k", "nothing", [(number, f"spoken{number}") for number in range(len(table.spoken))])
    values = Values(facts, w)
    for number, (kind, expression) in enumerate(table.spoken):
        w.label(f"spoken{number}")
        w.end(f"ret i64 {_value(values, kind, expression)}")
    w.label("nothing")
    w.end("ret i64 0")
    return w.text()


def _value(values: Values, kind: ProcessType, expression: Expression) -> str:
    return values.value(Frame("%row", "%own", "%pid", kind, "0", "nothing"), expression)
