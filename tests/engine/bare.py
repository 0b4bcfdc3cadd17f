"""The compiled code of a model, called row by row from Python, and what the reference says in its place."""

from __future__ import annotations

import ctypes

from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.emit.claims import ClaimCode
from everafter.engine.emit.control_block import PROCESSOR, Word
from everafter.engine.emit.module import VIOLATION_ROW, code_of
from everafter.execution.packing import Packer
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import Step, is_valid_end, steps
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.program.layout import HOLDER
from everafter.program.program import Program
from everafter.reduction.ample import Reduction

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_OUT = 1 << 24
SIZES = PROCESSOR
"""How much the code may write at once, for tests to change."""


class Bare:
    """A model's code without any search."""

    def __init__(
        self,
        program: Program,
        claim: ClaimCode | None = None,
        level: int = 1,
        reduction: Reduction | None = None,
        planted: tuple[str, str] | None = None,
    ) -> None:
        code = code_of(program, claim, reduction, sizes=SIZES)
        text = code.text if planted is None else code.text.replace(*planted)
        assert planted is None or text != code.text, "the text to be changed is not there"
        self._loaded = Loaded(compile_text(text, level))
        self._expand = _FUNCTION(self._loaded.address("expand"))
        self._initial = _FUNCTION(self._loaded.address("initial"))
        self._control = ctypes.create_string_buffer(code.control_size)
        self._sets = code.sets
        self._out = ctypes.create_string_buffer(_OUT)

    def go_past_errors(self) -> None:
        ctypes.c_int64.from_buffer(self._control, Word.PAST_ERRORS).value = 1

    @property
    def violations(self) -> int:
        return ctypes.c_int64.from_buffer(self._control, Word.VIOLATIONS).value

    def initial(self) -> bytes:
        """The initial row, its colour taken off."""
        count = self._initial(ctypes.addressof(self._out), ctypes.addressof(self._control), 0)
        (row,) = self._rows(count)
        return b"\0" + row[1:]

    def coloured(self, row: bytes) -> list[bytes]:
        """The successors of a row, with their colours."""
        source = ctypes.create_string_buffer(row, len(row) + 64)
        out, scratch = ctypes.addressof(self._out), ctypes.addressof(self._control)
        return self._rows(self._expand(ctypes.addressof(source), out, scratch))

    def marked(self, row: bytes) -> list[tuple[bytes, int]]:
        """The successors of a row, their colours taken off, each with the word of acceptance sets written for it."""
        assert self._sets is not None
        rows = self.coloured(row)
        words = (ctypes.c_uint64 * len(rows)).from_buffer(self._control, self._sets)
        return [(b"\0" + each[1:], word) for each, word in zip(rows, words, strict=True)]

    def expand(self, row: bytes) -> set[bytes]:
        """The successors of a row, without those in the middle of atomic sequences, which are followed."""
        found: set[bytes] = set()
        seen: set[bytes] = set()
        pending = [row]
        while pending:
            for successor in self.coloured(pending.pop()):
                plain = b"\0" + successor[1:]
                if plain[HOLDER] and plain != VIOLATION_ROW:
                    if plain not in seen:
                        seen.add(plain)
                        pending.append(plain)
                else:
                    found.add(plain)
        return found

    def _rows(self, count: int) -> list[bytes]:
        assert count >= 0
        rows: list[bytes] = []
        written = memoryview(self._out).cast("B")
        position = 0
        for _ in range(count):
            size = 8 * int.from_bytes(written[position + 2 : position + 4], "little")
            rows.append(bytes(written[position : position + size]))
            position += size
        return rows


def reference_step(program: Program, packer: Packer, state: State) -> tuple[set[bytes], bool]:
    """The rows one step away, atomic sequences taken to their end, and whether something goes wrong on the way."""
    found: set[bytes] = set()
    wrong = False
    seen = {state}
    pending = [state]
    while pending:
        source = pending.pop()
        possible = steps(program, source)
        wrong = wrong or _goes_wrong(program, source, possible)
        for step in possible:
            if step.state is None:
                continue
            if step.state.holder == NO_PROCESS:
                found.add(packer.pack(step.state))
            elif step.state not in seen:
                seen.add(step.state)
                pending.append(step.state)
    return found, wrong


def _goes_wrong(program: Program, state: State, possible: list[Step]) -> bool:
    if not possible:
        return not is_valid_end(program, state)
    return any(step.problem is not None for step in possible)


def reference_product_step(product: Product, pair: ProductState) -> set[tuple[bytes, bool]]:
    """The rows of the product states one step away, atomic sequences taken to their end, and which are accepting."""
    found: set[tuple[bytes, bool]] = set()
    seen = {pair}
    pending = [pair]
    while pending:
        for successor in product.successors(pending.pop()):
            if successor == VIOLATION:
                found.add((VIOLATION_ROW, True))
            elif product.expansion(successor[0]).state.holder == NO_PROCESS:
                found.add((row_of(successor), product.is_accepting(successor)))
            elif successor not in seen:
                seen.add(successor)
                pending.append(successor)
    # Where a whole sequence is one step, a violation on any branch of it takes the place of the others.
    return {(VIOLATION_ROW, True)} if (VIOLATION_ROW, True) in found else found


def row_of(pair: ProductState) -> bytes:
    """The row of a product state."""
    packed, claim = pair
    return packed[:6] + (claim & 0xFFFF).to_bytes(2, "little") + packed[8:]
