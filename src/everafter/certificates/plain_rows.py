"""The rows of a certificate as plain text, for checkers of others (verified/README.md)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from everafter.certificates.native.listed_rows import Refused
from everafter.certificates.rows import RowBlock, decoded
from everafter.execution.packing import Packer
from everafter.execution.plain_states import PlainStates
from everafter.program.layout import CLAIM
from everafter.program.program import Program


def plain_states(program: Program, blocks: Iterator[RowBlock]) -> Iterator[str]:
    """Yield the state of each row in `blocks`, a line each; the rows are of `program`.

    Raises Refused where a row is no state of the program.
    """
    for text, _, _ in _rows(program, blocks):
        yield f"{text}\n"


def plain_rows(program: Program, blocks: Iterator[RowBlock]) -> Iterator[str]:
    """Yield each row in `blocks`, of a product of `program` and a claim, a line each: rank, state of the claim, state.

    Raises Refused where a row is no state of the program.
    """
    for text, rank, claim in _rows(program, blocks):
        yield f"(row {rank} {claim} {text})\n"


def _rows(program: Program, blocks: Iterator[RowBlock]) -> Iterator[tuple[str, int, int]]:
    """The state, the rank and the state of the claim of each row. What a forged row makes of a state needs no trust."""
    packer, states = Packer(program), PlainStates(program)
    try:
        for block in blocks:
            for row, rank in decoded(block):
                yield states.text(packer.unpack(row)), rank, int.from_bytes(row[CLAIM : CLAIM + 2], "little")
    except (ValueError, LookupError, struct.error) as error:
        raise Refused(f"a row is no state of the program: {error}") from error
