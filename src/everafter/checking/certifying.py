"""Two checkers of the rows that a certificate lists: on machine code, and by the reference, which says what a step is.

Both decide by `accept_edges`; they differ in who says where a step leads. Neither shares a text with the searches.
"""

from __future__ import annotations

import multiprocessing
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from everafter.certificates.deciding import accept_edges
from everafter.certificates.rows import Listed, decoded
from everafter.checking.native import native_model, product_state
from everafter.checking.question import Question
from everafter.checking.reduction import reduction_for
from everafter.engine.certificates.job import LIVENESS, SAFETY
from everafter.engine.run.certifying import Refused, Rows
from everafter.product.product import Product
from everafter.product.remembered import RememberedGraph
from everafter.product.safety import SafetyGraph
from everafter.program.layout import HOLDER, LENGTH
from everafter.reduction.ample import Reduction
from everafter.source import OptionError

Told = Callable[[int], bool]
"""Is told how many rows are decided; True ends the check."""
_ABSENT: Final = -1
_SLICE: Final = 256
_ASKED_AGAIN: Final = 509
"""Of so many rows, one whose steps are remembered is expanded by the interpreter all the same, and compared."""


def reduction_of(question: Question, reduced: bool) -> Reduction | None:
    """The reduction that a certificate says its rows were found with. Raises Refused if there is none."""
    if not reduced:
        return None
    found = reduction_for(question)
    if not isinstance(found, Reduction):
        raise Refused(f"its rows are reduced, but here reduction is not sound: {found.reason}")
    return found


def check_native(
    question: Question, listed: Listed, memory: int, threads: int, told: Told, sample: int = 0
) -> tuple[int, int]:
    """Decide all rows on machine code, and a sample of them once more by the reference; how many of each.

    Raises Refused.
    """
    reduction = reduction_of(question, listed.reduced)
    model = native_model(question, reduction)
    with Rows(memory, question.observer) as rows:
        rows.read(listed.blocks, listed.sets > 0)
        rows.check(model.code(threads), LIVENESS if listed.sets else SAFETY, max(listed.sets, 1), told)
        if question.fairness is not None:
            return rows.rows, 0
        numbers = rows.sample(sample, random.Random(rows.rows))
        check = _RowCheck(_graph(question, listed), _Rows(rows), _Numbers(rows), _Ranks(rows), rows.end)
        for number in numbers:
            problem = check.problem(number)
            if problem is not None:
                raise Refused(f"by the reference, {problem}")
        return rows.rows, len(numbers)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows by their numbers."""

    listed: Rows

    def __getitem__(self, number: int) -> bytes:
        return self.listed.row(number)


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Ranks by the numbers of rows."""

    listed: Rows

    def __getitem__(self, number: int) -> int:
        return self.listed.rank(number)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Numbers by rows."""

    listed: Rows

    def get(self, row: int, _absent: int) -> int:
        return self.listed.find(_as_bytes(row)) if row else _ABSENT


# By the reference


def check_reference(question: Question, listed: Listed, threads: int, told: Told) -> int:
    """Decide all rows by interpretation, on several processors where the system can; how many. Raises Refused."""
    if question.fairness is not None:
        raise OptionError("certificates of fair runs are checked on machine code only", "leave out --by reference")
    check = _RowCheck.of(question, listed)
    slices = range(0, check.size, _SLICE)
    with _pool(check, threads) as decide:
        for number, problem in enumerate(decide(slices)):
            if problem is not None:
                raise Refused(problem)
            if told(min((number + 1) * _SLICE, check.size)):
                raise KeyboardInterrupt
    return check.size


@dataclass(frozen=True)
class _RowCheck:
    """The rows, and the graph whose edges they must explain. Rows are looked up as numbers, lowest byte first."""

    graph: Product | SafetyGraph
    rows: Any
    numbers: Any
    ranks: Any
    size: int
    remembered: RememberedGraph | None = None
    """The same graph, with steps that need not be interpreted again and again."""

    @classmethod
    def of(cls, question: Question, listed: Listed) -> _RowCheck:
        rows: list[bytes] = []
        ranks: list[int] = []
        try:
            for block in listed.blocks:
                for row, rank in decoded(block):
                    rows.append(row)
                    ranks.append(rank)
        except ValueError as error:
            raise Refused(f"the certificate is damaged: {error}") from error
        numbers = {_as_number(row): number for number, row in enumerate(rows)}
        if len(numbers) != len(rows):
            raise Refused("a row is listed twice")
        graph = _graph(question, listed)
        found = cls(graph, rows, numbers, ranks, len(rows), _remembered(graph))
        if any(number == _ABSENT for number in found.found(found.start())):
            raise Refused("an initial state is missing, or violates the property")
        return found

    def start(self) -> list[int]:
        """The rows of the initial states."""
        return [_as_number(self._row(state)) for state in self.graph.initial()]

    def found(self, rows: list[int]) -> list[int]:
        """The place of each of these rows."""
        get = self.numbers.get
        return [get(row, _ABSENT) for row in rows]

    def slice(self, begin: int) -> str | None:
        """What is wrong with some rows, None if nothing."""
        numbers = range(begin, min(begin + _SLICE, self.size))
        return next((problem for problem in map(self.problem, numbers) if problem is not None), None)

    def problem(self, number: int) -> str | None:
        """What is wrong with a row, None if nothing."""
        row = self.rows[number]
        try:
            edges = self._edges(row)
            forbidden = [1 if self._forbids(row) else 0] * len(edges)
            if number % _ASKED_AGAIN == 0 and sorted(self._successors(row)) != sorted(self._interpreted(row)):
                return f"row {number + 1:,} leads elsewhere than is remembered"
        except (IndexError, KeyError, ValueError, OverflowError, AttributeError):
            return f"row {number + 1:,} is no state of the model"
        if not accept_edges(number, len(edges), edges, forbidden, self.ranks, self.size):
            return f"row {number + 1:,} has an edge that the certificate does not explain"
        return None

    def _edges(self, row: bytes) -> list[int]:
        """Where the rows are that a row leads to, ABSENT for one that is not listed.

        Steps inside atomic sequences are passed, unless their states are listed.
        """
        targets = self._successors(row)
        places = self.found(targets)
        passed: set[int] = set()
        position = 0
        while position < len(places):
            target = targets[position]
            if places[position] == _ABSENT and target not in passed and _is_inside(target):
                passed.add(target)
                behind = self._successors(_as_bytes(target))
                targets += behind
                places += self.found(behind)
            position += 1
        return [place for place, target in zip(places, targets, strict=True) if target not in passed]

    def _successors(self, row: bytes) -> list[int]:
        found = self.remembered.successors(row) if self.remembered is not None else None
        return found if found is not None else self._interpreted(row)

    def _interpreted(self, row: bytes) -> list[int]:
        """The same, by the interpreter."""
        states = self.graph.successors(row if isinstance(self.graph, SafetyGraph) else product_state(row))  # type: ignore[arg-type] # each graph has its own
        return [_as_number(self._row(state)) for state in states]

    def _row(self, state: object) -> bytes:
        """A state of the graph as the row that a certificate has for it."""
        if isinstance(self.graph, SafetyGraph):
            assert isinstance(state, bytes)
            return state
        assert isinstance(state, tuple)
        packed, claim = state
        return packed[:6] + (claim & 0xFFFF).to_bytes(2, "little") + packed[8:] if packed else b""

    def _forbids(self, row: bytes) -> bool:
        """Whether no edge may stay at the rank of this row: in a product, where it is accepting."""
        if self.remembered is not None:
            return self.remembered.is_accepting(row)
        return isinstance(self.graph, Product) and self.graph.is_accepting(product_state(row))


def _as_number(row: bytes) -> int:
    return int.from_bytes(row, "little")


def _as_bytes(row: int) -> bytes:
    """The row back from its number: its header says how long it is."""
    return row.to_bytes(8 * (row >> 8 * LENGTH & 0xFFFF), "little")


def _is_inside(row: int) -> bool:
    """Whether a row is in the middle of an atomic sequence."""
    return row >> 8 * HOLDER & 0xFF != 0


def _remembered(graph: Product | SafetyGraph) -> RememberedGraph | None:
    """The graph with a memory, where it can have one."""
    is_whole = graph.reduction is None and not (isinstance(graph, Product) and graph.accept_labels)
    return RememberedGraph(graph) if is_whole else None


def _graph(question: Question, listed: Listed) -> Product | SafetyGraph:
    reduction = reduction_of(question, listed.reduced)
    asked = question.property
    if asked.claim is None:
        return SafetyGraph(question.program, reduction=reduction)
    return Product(question.program, asked.claim, asked.accept_labels, reduction)


class _pool:  # noqa: N801 # used as a function
    """Several processes that decide slices; one, this one, where the system cannot fork."""

    def __init__(self, check: _RowCheck, threads: int) -> None:
        self._check = check
        self._processes = threads if hasattr(os, "fork") and check.size > 4 * _SLICE else 1
        self._pool: multiprocessing.pool.Pool | None = None

    def __enter__(self) -> Callable[[range], Iterator[str | None]]:
        if self._processes == 1:
            return lambda slices: map(self._check.slice, slices)
        global _shared  # noqa: PLW0603 # a forked process finds it here, without a copy
        _shared = self._check
        self._pool = multiprocessing.get_context("fork").Pool(self._processes)
        pool = self._pool
        return lambda slices: pool.imap(_decide_shared, slices, chunksize=16)

    def __exit__(self, *_: object) -> None:
        global _shared  # noqa: PLW0603
        _shared = None
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()


_shared: _RowCheck | None = None


def _decide_shared(begin: int) -> str | None:
    assert _shared is not None
    return _shared.slice(begin)
