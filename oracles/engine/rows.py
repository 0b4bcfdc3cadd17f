"""A graph of given rows as a native model whose steps are Python: it sees each row that a store gives back."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Mapping, Sequence

from everafter.choices import StoreKind
from everafter.engine.code.machine import Loaded
from everafter.engine.memory.packed_memory import PackingFunctions
from everafter.engine.run.native_search import NativeSearch
from everafter.search.algorithm import Algorithm
from everafter.search.catalogue import ALONE, TEAM
from everafter.search.space import KNOWN

_EXPAND = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
_INITIAL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
UNKNOWN_ROW = -1

Graph = Mapping[bytes, Sequence[bytes]]


class RowsModel:
    """The model fails where a store gives back a row that is none of the graph's."""

    def __init__(self, graph: Graph, starts: Sequence[bytes]) -> None:
        self.graph = graph
        self.starts = starts
        self._expand = _EXPAND(lambda row, out, _control: self._write(self.graph.get(row_at(row)), out))
        self._initial = _INITIAL(lambda out, _control: self._write(self.starts, out))

    @staticmethod
    def _write(rows: Sequence[bytes] | None, out: int) -> int:
        if rows is None:
            return UNKNOWN_ROW
        for row in rows:
            ctypes.memmove(out, bytes([KNOWN]) + row[1:], len(row))
            out += len(row)
        return len(rows)

    def search(
        self,
        algorithm: str,
        kind: StoreKind,
        lines: int = 1,
        store: Loaded | None = None,
        memory: int = 1 << 28,
        packing: PackingFunctions | None = None,
    ) -> NativeSearch:
        return self._searched(ALONE[algorithm], [0], memory, lines, store, kind, packing)

    def team(
        self, algorithm: str, kind: StoreKind, workers: int, store: Loaded | None = None, memory: int = 1 << 28
    ) -> NativeSearch:
        return self._searched(TEAM[algorithm], [0] * workers, memory, 1, store, kind)

    def _searched(
        self,
        algorithm: Algorithm,
        controls: list[int],
        memory: int,
        lines: int,
        store: Loaded | None,
        kind: StoreKind,
        packing: PackingFunctions | None = None,
    ) -> NativeSearch:
        asked = algorithm, *self._addresses(), controls, memory, print
        return NativeSearch(*asked, lines=lines, store=store, kind=kind, packing=packing)

    def _addresses(self) -> tuple[int, int]:
        expand, initial = (ctypes.cast(each, ctypes.c_void_p).value for each in (self._expand, self._initial))
        assert expand is not None
        assert initial is not None
        return expand, initial


def row_at(address: int) -> bytes:
    """The row there, its colour set to 0."""
    words = int.from_bytes(ctypes.string_at(address + 2, 2), "little")
    return b"\0" + ctypes.string_at(address, 8 * words)[1:]


def row_of(words: Sequence[int], mark: int = 0) -> bytes:
    """The row of these words behind its header, in which the mark makes a difference."""
    header = (len(words) + 1) << 16 | mark << 48
    return b"".join(word.to_bytes(8, "little") for word in (header, *words))


def random_row(rng: random.Random, longest: int, bits: int) -> bytes:
    """Few different words, among them zero, in rows of any length."""
    length = rng.choice([rng.randrange(4), rng.randrange(20), rng.randrange(longest)])
    few = [0, 1, 1 << (bits - 1), rng.randrange(1 << bits)]
    return row_of([rng.choice(few) for _ in range(length)], rng.randrange(3))


def changed(rng: random.Random, row: bytes, bits: int) -> bytes:
    """The row with some words changed, as a step does, or now and then another header or length."""
    words = [int.from_bytes(row[begin : begin + 8], "little") for begin in range(8, len(row), 8)]
    mark = row[6]
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        if words:
            words[rng.randrange(len(words))] = rng.choice([0, 1, 2, rng.randrange(1 << bits)])
    if rng.random() < 0.1:
        words.append(0)
    if rng.random() < 0.1:
        mark = rng.randrange(3)
    return row_of(words, mark)


def random_rows(
    rng: random.Random, size: int, longest: int = 60, bits: int = 64
) -> tuple[dict[bytes, list[bytes]], list[bytes]]:
    """A graph of about so many rows, most of them a little different from the one that leads to them; its starts.

    Words have so many bits.
    """
    starts = [random_row(rng, longest, bits) for _ in range(3)]
    graph: dict[bytes, list[bytes]] = {}
    pending = list(starts)
    known = [*starts]
    while pending:
        row = pending.pop(rng.randrange(len(pending)))
        if row in graph:
            continue
        new = [changed(rng, row, bits) for _ in range(rng.randrange(4))] if len(known) < size else []
        new += [random_row(rng, longest, bits)] if rng.random() < 0.05 and len(known) < size else []
        known += new
        pending += new
        graph[row] = [*new, *rng.sample(known, min(len(known), rng.randrange(3)))]
    return graph, starts
