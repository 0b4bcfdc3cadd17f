"""Explicit graphs as native models: machine code that reads the graph from a table, with rows of different lengths.

The row of node n has 2 + 5 * n % 23 words: its header, words of filling, and n itself at the very end, so that rows of
the same length differ only there.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from functools import cache

from everafter.choices import StoreKind
from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.run.native_search import NativeSearch
from everafter.search.catalogue import ALONE
from everafter.search.space import KNOWN

# control: [0] address of offsets (nodes + 2 of them; the starts are node number `nodes`), [1] address of targets,
# [2] address of colours, [3] number of nodes, [4] node at which the model fails (-1: none), [5] its code,
# [6] address of marks: nonzero when the node is no state
TEXT = """
define i64 @rows_of(i64 %node, ptr %out, ptr %control) {
entry:
  %fails.at = getelementptr i64, ptr %control, i64 4
  %fails = load i64, ptr %fails.at
  %failing = icmp eq i64 %fails, %node
  br i1 %failing, label %fail, label %go
fail:
  %code.at = getelementptr i64, ptr %control, i64 5
  %code = load i64, ptr %code.at
  ret i64 %code
go:
  %offsets = load ptr, ptr %control
  %targets.at = getelementptr i64, ptr %control, i64 1
  %targets = load ptr, ptr %targets.at
  %colours.at = getelementptr i64, ptr %control, i64 2
  %colours = load ptr, ptr %colours.at
  %marks.at = getelementptr i64, ptr %control, i64 6
  %marks = load ptr, ptr %marks.at
  %first.at = getelementptr i64, ptr %offsets, i64 %node
  %first = load i64, ptr %first.at
  %last.at = getelementptr i64, ptr %first.at, i64 1
  %last = load i64, ptr %last.at
  %count = sub i64 %last, %first
  br label %test
test:
  %index = phi i64 [ %first, %go ], [ %index.next, %written ]
  %place = phi ptr [ %out, %go ], [ %place.next, %written ]
  %more = icmp slt i64 %index, %last
  br i1 %more, label %write, label %done
write:
  %target.at = getelementptr i64, ptr %targets, i64 %index
  %target = load i64, ptr %target.at
  %colour.at = getelementptr i8, ptr %colours, i64 %target
  %colour.byte = load i8, ptr %colour.at
  %colour = zext i8 %colour.byte to i64
  %mark.at = getelementptr i8, ptr %marks, i64 %target
  %mark.byte = load i8, ptr %mark.at
  %mark = zext i8 %mark.byte to i64
  %mark.shifted = shl i64 %mark, 32
  %spread = mul i64 %target, 5
  %filling = urem i64 %spread, 23
  %words = add i64 %filling, 2
  %words.shifted = shl i64 %words, 16
  %header.one = or i64 %colour, %words.shifted
  %header = or i64 %header.one, %mark.shifted
  store i64 %header, ptr %place
  %last.word = sub i64 %words, 1
  %name = getelementptr i64, ptr %place, i64 %last.word
  store i64 %target, ptr %name
  br label %fill
fill:
  %filled = phi i64 [ 1, %write ], [ %filled.next, %filler ]
  %filling.more = icmp slt i64 %filled, %last.word
  br i1 %filling.more, label %filler, label %written
filler:
  %filler.at = getelementptr i64, ptr %place, i64 %filled
  store i64 %words, ptr %filler.at
  %filled.next = add i64 %filled, 1
  br label %fill
written:
  %place.next = getelementptr i64, ptr %place, i64 %words
  %index.next = add i64 %index, 1
  br label %test
done:
  ret i64 %count
}
define i64 @expand(ptr %row, ptr %out, ptr %control) {
  %header = load i64, ptr %row
  %shifted = lshr i64 %header, 16
  %words = and i64 %shifted, 65535
  %last.word = sub i64 %words, 1
  %name = getelementptr i64, ptr %row, i64 %last.word
  %node = load i64, ptr %name
  %count = call i64 @rows_of(i64 %node, ptr %out, ptr %control)
  ret i64 %count
}
define i64 @initial(ptr %out, ptr %control) {
  %nodes.at = getelementptr i64, ptr %control, i64 3
  %nodes = load i64, ptr %nodes.at
  %count = call i64 @rows_of(i64 %nodes, ptr %out, ptr %control)
  ret i64 %count
}
"""


# A packed row is the node, and 1 where it is no state.
PACKING = """
define i64 @pack(i64 %address) {
  %row = inttoptr i64 %address to ptr
  %header = load i64, ptr %row
  %shifted = lshr i64 %header, 16
  %words = and i64 %shifted, 65535
  %last.word = sub i64 %words, 1
  %name = getelementptr i64, ptr %row, i64 %last.word
  %node = load i64, ptr %name
  %doubled = shl i64 %node, 1
  %mark.shifted = lshr i64 %header, 32
  %mark = and i64 %mark.shifted, 1
  %packed = or i64 %doubled, %mark
  ret i64 %packed
}
define i64 @unpack(i64 %packed, i64 %address) {
entry:
  %row = inttoptr i64 %address to ptr
  %mark = and i64 %packed, 1
  %mark.shifted = shl i64 %mark, 32
  %node = lshr i64 %packed, 1
  %spread = mul i64 %node, 5
  %filling = urem i64 %spread, 23
  %words = add i64 %filling, 2
  %words.shifted = shl i64 %words, 16
  %header = or i64 %mark.shifted, %words.shifted
  store i64 %header, ptr %row
  %last.word = sub i64 %words, 1
  %name = getelementptr i64, ptr %row, i64 %last.word
  store i64 %node, ptr %name
  br label %fill
fill:
  %filled = phi i64 [ 1, %entry ], [ %filled.next, %filler ]
  %more = icmp slt i64 %filled, %last.word
  br i1 %more, label %filler, label %done
filler:
  %at = getelementptr i64, ptr %row, i64 %filled
  store i64 %words, ptr %at
  %filled.next = add i64 %filled, 1
  br label %fill
done:
  ret i64 0
}
"""


@cache
def code() -> Loaded:
    return Loaded(compile_text(TEXT))


@cache
def packing_code() -> Loaded:
    return Loaded(compile_text(PACKING))


class TablePacking:
    """The rows of graphs with fewer than half of 2**bits nodes, packed."""

    def __init__(self, bits: int = 40) -> None:
        self.bits = bits

    def address(self, name: str) -> int:
        return packing_code().address(name)


class TableModel:
    """A graph over 0 … n-1 as a native model; the nodes in `coloured` start with these bits."""

    def __init__(
        self,
        targets: Sequence[Sequence[int]],
        starts: Sequence[int],
        coloured: frozenset[int] = frozenset(),
        bits: int = 0,
        fails: tuple[int, int] = (-1, 0),
        uncounted: frozenset[int] = frozenset(),
    ) -> None:
        rows = [*targets, starts]
        offsets = array("q", [0])
        for row in rows:
            offsets.append(offsets[-1] + len(row))
        nodes = range(len(targets))
        self.tables = (
            offsets,
            array("q", [target for row in rows for target in row]),
            array("B", [KNOWN | (bits if node in coloured else 0) for node in nodes]),
            array("B", [node in uncounted for node in nodes]),
        )
        addresses = [table.buffer_info()[0] for table in self.tables]
        self.control = (ctypes.c_int64 * 7)(*addresses[:3], len(targets), *fails, addresses[3])

    def search(
        self,
        algorithm: str,
        memory: int = 1 << 30,
        lines: int = 1,
        store: Loaded | None = None,
        tell: Callable[[str], None] = print,
        kind: StoreKind = "plain",
        bits: int = 40,
    ) -> NativeSearch:
        expand, initial = code().address("expand"), code().address("initial")
        control = ctypes.addressof(self.control)
        chosen, packing = ALONE[algorithm], TablePacking(bits) if kind == "packed" else None
        asked = chosen, expand, initial, [control], memory, tell
        return NativeSearch(*asked, lines=lines, store=store, kind=kind, packing=packing)


def node_of(row: bytes) -> int:
    """The node that the row describes; its colour must be 0."""
    assert row[0] == 0
    node = int.from_bytes(row[-8:], "little")
    assert len(row) == 8 * (2 + 5 * node % 23) == 8 * int.from_bytes(row[2:4], "little")
    return node
