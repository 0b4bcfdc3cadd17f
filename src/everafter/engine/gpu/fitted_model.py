"""A model on a machine that runs the kernels: how much room its code gets, and more of it where that was too little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everafter.engine.emit.claims import ClaimCode
from everafter.engine.emit.control_block import MOST_PROCESSES, Sizes
from everafter.engine.emit.module import Code, code_of
from everafter.engine.emit.program_facts import Facts
from everafter.engine.gpu.device_texts import CYCLE_ENTRIES, ENTRIES
from everafter.execution.packing import Packer
from everafter.execution.state import State
from everafter.execution.step import initial_state
from everafter.program.layout import WORD
from everafter.program.program import Program
from everafter.promela.model import RunExpression
from everafter.record import dataclass, replace
from everafter.reduction.ample import Reduction

_LEAST_OUT: Final = 2048
_PAIR: Final = 2 * WORD
"""Rows begin at multiples of this, so that two words are read at once."""
_SUCCESSORS: Final = 48
"""How many successors there is room for at first."""
_LONG: Final = 192
"""Rows of this many bytes are long."""
_CHAIN: Final = 1 << 12
_WALKED: Final = 1 << 14
_MOST_SCRATCH: Final = 1 << 18
"""A thread gets no more bytes than this."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The code of a model for threads with little room."""

    code: Code
    out: int
    """Bytes for a row and its successors."""
    stride: int
    """Bytes from one row to the next, whole pairs of words."""
    entries: tuple[str, ...]
    """The kernels that are needed."""

    @property
    def apart(self) -> int:
        """Return the bytes of each thread that are not in its own memory: room for long rows is apart, in one piece.

        A thread's own memory has the words of 32 threads side by side. That is fast where these write the same words at
        the same time, and long rows are written by few at a time.
        """
        return self.out if self.stride >= _LONG else 0

    @property
    def scratch(self) -> int:
        """Return the bytes that each thread needs."""
        return self.code.control_size + self.out


def fittings(
    program: Program, claim: ClaimCode | None = None, reduction: Reduction | None = None, start: State | None = None
) -> Iterator[Fitted]:
    """Yield the code of `program` with little room, and with more and more for as long as a thread can have it.

    It is that with the `claim`, or without one, and with this `reduction`; the search begins in `start`, or as the
    program does.
    """
    first = Packer(program).pack(start or initial_state(program))
    entries = ENTRIES if claim is None else (*ENTRIES, *CYCLE_ENTRIES)
    facts = Facts(program)
    runs = any(isinstance(part, RunExpression) for part in facts.expressions)
    processes = first[1]
    stride = len(first)
    if runs:
        processes, stride = min(2 * processes + 8, MOST_PROCESSES), 2 * stride
    sizes = Sizes(processes, _CHAIN, max(_LEAST_OUT, _SUCCESSORS * stride), _WALKED)
    while True:
        code = code_of(program, claim, reduction, start, sizes=sizes)
        whole = _whole(stride)
        fitted = Fitted(code, _whole(whole + sizes.out + code.longest_row + 16 * WORD), whole, entries)
        if fitted.scratch > _MOST_SCRATCH:
            return
        yield fitted
        processes = min(2 * sizes.processes, MOST_PROCESSES) if runs else processes
        stride = min(2 * stride, code.longest_row // WORD * WORD) if runs else stride
        sizes = replace(sizes, processes=processes, out=4 * sizes.out)


def _whole(size: int) -> int:
    """Round `size` up to a multiple of a pair of words."""
    return (size + _PAIR - 1) // _PAIR * _PAIR
