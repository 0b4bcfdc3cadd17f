"""The rows of a certificate, decided by the reference: the interpreter says what a step is, on all processors.

A row is expanded only when a step leads to it from another, or it is initial: so whatever a certificate claims to be a
row, the interpreter does no more than for as many states of the model.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from everafter.certificates.deciding import accept_start, all_decided, decide_state
from everafter.certificates.native.listed_rows import Refused
from everafter.certificates.reference.product_memo import RememberedGraph
from everafter.certificates.reference.reduced_rows import Judge, table_for
from everafter.certificates.rows import Listed, decoded
from everafter.product.ample_steps import reduced_steps
from everafter.product.fairness import able_in, movers_of
from everafter.product.product import Product
from everafter.product.safety import SafetyGraph
from everafter.program.layout import CLAIM, HOLDER, LENGTH
from everafter.questions.question import Question
from everafter.questions.question_code import product_state
from everafter.questions.reduction_choice import reduction_of_rows
from everafter.record import dataclass, field

Told = Callable[[int], bool]
"""Called with how many rows are decided; True ends the check."""
ABSENT: Final = -1
_DECIDED: Final = 1
"""The mark of a row whose edges are accepted."""
_UNMET: Final = b"\0"
_MET: Final = _DECIDED
"""As a mark, so that slices can be compared whole."""
_SLICE: Final = 256
_AHEAD: Final = 4
"""How many slices each process is given before the results of one are read."""
_VISITS: Final = 8
"""How often, at most, a slice is decided by some process, on average."""
_ASKED_AGAIN: Final = 509
"""Of this many rows, one whose steps are remembered is expanded by the interpreter all the same, and compared."""
_BAD: Final = (IndexError, KeyError, ValueError, OverflowError, AttributeError)


def check_reference(question: Question, listed: Listed, threads: int, told: Told) -> int:
    """Decide all rows of `listed` for `question` by interpretation, in `threads` processes where the system can.

    `told` is called with the rows decided. Returns how many there are. Raises Refused.
    """
    check = RowCheck.read(question, listed)
    spared = Spared({}, set())
    rows = 0
    with _pool(check, threads) as decide:
        for found in decide:
            if found.problem is not None:
                raise Refused(found.problem)
            spared.add(found.spared)
            rows += found.rows
            if told(rows):
                raise KeyboardInterrupt
    if check.met.find(_UNMET) >= 0:
        raise Refused("rows are listed that no step leads to")
    check.require_decided(list(range(check.size)))
    cycle = spared.on_cycle()
    if cycle is not None:
        raise Refused(f"row {cycle + 1:,} is on a cycle on which steps are left out for ever")
    return check.size


class Spared(NamedTuple):
    """The rows in which something is left out, or that are in the middle of an atomic sequence, and where they lead."""

    edges: dict[int, list[int]]
    alone: set[int]
    """Those in which something is left out."""

    def add(self, other: Spared) -> None:
        """Take in others."""
        self.edges.update(other.edges)
        self.alone.update(other.alone)

    def on_cycle(self) -> int | None:
        """A row on a cycle on which something is left out in all states, None if there is none: wellfounded.

        Rows that lead to none of the others are taken away, until there are no more such rows; what remains leads in
        circles. Why no cycle is enough: Proof: proofs/reduction/finite.v, theorem no_cycle_is_wellfounded.
        """
        edges = self._behind_alone()
        before: dict[int, list[int]] = {}
        for row, targets in edges.items():
            for target in targets:
                before.setdefault(target, []).append(row)
        left = {row: len(targets) for row, targets in edges.items()}
        pending = [row for row, count in left.items() if count == 0]
        while pending:
            for row in before.get(pending.pop(), ()):
                left[row] -= 1
                if left[row] == 0:
                    pending.append(row)
        return next((row for row, count in left.items() if count), None)

    def _behind_alone(self) -> dict[int, list[int]]:
        """The rows that one comes to from where something is left out, through such rows and atomic sequences only."""
        found: dict[int, list[int]] = {}
        pending = list(self.alone)
        while pending:
            row = pending.pop()
            if row not in found:
                found[row] = [target for target in self.edges[row] if target in self.edges]
                pending += found[row]
        return found


class Decided(NamedTuple):
    """What came of some rows."""

    problem: str | None
    spared: Spared
    rows: int
    """How many were decided."""
    touched: frozenset[int]
    """Where the other slices begin in which rows were met."""


@dataclass(frozen=True)
class RowCheck:
    """The rows, and the graph whose edges they must explain."""

    graph: Product | SafetyGraph
    judge: Judge | None
    """Judges what is left out, if the rows are reduced."""
    remembered: RememberedGraph | None
    """The same graph, with steps that need not be interpreted again and again."""
    sets: int
    """How many acceptance sets a rank tells apart, at least 1."""
    fair: bool
    rows: Any
    numbers: Any
    """By their content: bytes have a hash that cannot be foretold."""
    ranks: Any
    size: int
    marks: Any
    """Of each row, whether it is decided."""
    met: Any
    """Of each row, whether it is initial or a step leads to it; processes that decide slices share both."""
    pending: list[int] = field(default_factory=list)
    """The rows that were met last."""

    @classmethod
    def of(
        cls, question: Question, listed: Listed, rows: Any, numbers: Any, ranks: Any, size: int, marks: Any, met: Any
    ) -> RowCheck:
        """Return the check of `rows` for `question`.

        `numbers`, `ranks`, `size`, `marks` and `met` are the fields; `listed` says whether the rows are reduced.
        """
        reduction, asked = reduction_of_rows(question, listed.reduced), question.property
        graph: Product | SafetyGraph
        if asked.claim is None:
            graph = SafetyGraph(question.program, reduction=reduction)
        else:
            graph = Product(question.program, asked.claim, asked.accept_labels, reduction)
        judge: Judge | None = None
        if reduction is not None:
            judge = Judge(question.program, partial(reduced_steps, question.program, reduction), table_for(question))
        fair, sets = question.fairness is not None, max(listed.sets, 1)
        return cls(graph, judge, _remembered(graph), sets, fair, rows, numbers, ranks, size, marks, met)

    @classmethod
    def read(cls, question: Question, listed: Listed) -> RowCheck:
        """Return the check of the rows of `listed`, read now, for `question`.

        Raises Refused if they are no rows, or an initial state is missing.
        """
        rows: list[bytes] = []
        ranks: list[int] = []
        numbers: dict[bytes, int] = {}
        try:
            for block in listed.blocks:
                for row, rank in decoded(block):
                    rows.append(row)
                    ranks.append(rank)
                    if numbers.setdefault(row, len(numbers)) != len(rows) - 1:
                        raise Refused("a row is listed twice")
        except ValueError as error:
            raise Refused(f"the certificate is damaged: {error}") from error
        marks, met = (mmap.mmap(-1, max(len(rows), 1)) for _ in range(2))
        found = cls.of(question, listed, rows, numbers, ranks, len(rows), marks, met)
        start = found.found(found.start())
        if not accept_start(len(start), start, [0] * len(start), found.size):  # a violation is no row
            raise Refused("an initial state is missing, or violates the property")
        found.meet(start)
        return found

    def start(self) -> list[int]:
        """The rows of the initial states."""
        return [_as_number(self._row(state)) for state in self.graph.initial()]

    def found(self, rows: list[int]) -> list[int]:
        """The place of each of these rows."""
        get = self.numbers.get
        return [get(as_bytes(row), ABSENT) for row in rows]

    def meet(self, numbers: list[int]) -> None:
        """Note that steps lead to these rows."""
        for number in numbers:
            if self.met[number] != _MET:
                self.met[number] = _MET
                self.pending.append(number)

    def waits(self, begin: int) -> bool:
        """Whether in the slice that begins here a row is met that is not decided."""
        return bool(self.met[begin : begin + _SLICE] != self.marks[begin : begin + _SLICE])

    def slice(self, begin: int) -> Decided:
        """What comes of the rows of a slice that are met, or are met from there, if nothing is wrong with any."""
        own = range(begin, min(begin + _SLICE, self.size))
        self.pending[:] = [number for number in reversed(own) if self.met[number] != self.marks[number]]
        return self.some(own)

    def some(self, own: range) -> Decided:
        """What comes of the rows of `own` that are pending, and of those met from there: of a slice, all."""
        spared, rows = Spared({}, set()), 0
        others: set[int] = set()
        while self.pending and rows <= _SLICE:
            number = self.pending.pop()
            if number not in own:
                others.add(number - number % _SLICE)
                continue
            problem = self.problem(number, spared)
            if problem is not None:
                return Decided(problem, Spared({}, set()), rows, frozenset())
            rows += 1
        return Decided(None, spared, rows, frozenset(others))

    def require_decided(self, numbers: list[int]) -> None:
        """Raise Refused unless all of these rows are decided."""
        if not all_decided(len(numbers), numbers, self.marks, _DECIDED):
            raise Refused("not every row was decided")

    def problem(self, number: int, spared: Spared) -> str | None:
        """Return what is wrong with the row `number`, None if nothing; note in `spared` where a reduced row leads."""
        row = self.rows[number]
        try:
            edges, forbidden = self._explained(row, self.ranks[number])
            expansion = "all" if self.judge is None else self.judge.expansion(row[:CLAIM] + b"\0\0" + row[CLAIM + 2 :])
            if number % _ASKED_AGAIN == 0 and sorted(self._successors(row)) != sorted(self._interpreted(row)):
                return f"row {number + 1:,} leads elsewhere than is remembered"
        except _BAD:
            return f"row {number + 1:,} is no state of the model"
        if expansion == "needed":
            return f"row {number + 1:,} leaves out steps that may be needed"
        if not decide_state(number, len(edges), edges, forbidden, self.ranks, self.size, self.marks, _DECIDED):
            return f"row {number + 1:,} has an edge that the certificate does not explain"
        if self.met is not None:
            self.meet(edges)
        if expansion != "all":
            spared.edges[number] = edges
        if expansion == "alone":
            spared.alone.add(number)
        return None

    def _explained(self, row: bytes, rank: int) -> tuple[list[int], list[int]]:
        """Where the rows are that a row leads to, and which of these edges may not stay at the rank."""
        if self.fair and isinstance(self.graph, Product):
            return self._fair_edges(self.graph, row, rank % self.sets)
        edges = self._edges(row)
        return edges, [1 if self._is_accepting(row) else 0] * len(edges)

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
            if places[position] == ABSENT and target not in passed and _is_inside(target):
                passed.add(target)
                behind = self._successors(as_bytes(target))
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

    def _is_accepting(self, row: bytes) -> bool:
        """Whether no edge may stay at the rank of this row: in a product, where it is accepting."""
        if self.remembered is not None:
            return self.remembered.is_accepting(row)
        return isinstance(self.graph, Product) and self.graph.is_accepting(product_state(row))

    def _fair_edges(self, graph: Product, row: bytes, named: int) -> tuple[list[int], list[int]]:
        """The same where ranks name acceptance sets, and it matters who moves on the way through a sequence.

        The first set has the edges that leave an accepting state. Each other one belongs to a process, which moves
        along its edges, or cannot move: a run that takes none of them passes over a process that always can.
        """
        accepting, able = self._is_accepting(row), able_in(graph, product_state(row))
        cannot = able is not None and named - 1 not in able
        edges: list[int] = []
        forbidden: list[int] = []
        pending: list[tuple[bytes, frozenset[int]]] = [(row, frozenset())]
        passed: set[tuple[bytes, frozenset[int]]] = set()
        while pending:
            here, before = pending.pop()
            for state, step in graph.edges(product_state(here)):
                target, movers = self._row(state), before | movers_of(step)
                (place,) = self.found([_as_number(target)])
                if place != ABSENT or not graph.is_inside(state):
                    edges.append(place)
                    forbidden.append(int(accepting if named == 0 else cannot or named - 1 in movers))
                elif (target, movers) not in passed:
                    passed.add((target, movers))
                    pending.append((target, movers))
        return edges, forbidden


def _as_number(row: bytes) -> int:
    return int.from_bytes(row, "little")


def as_bytes(row: int) -> bytes:
    """The row back from its number: its header says how long it is."""
    return row.to_bytes(8 * (row >> 8 * LENGTH & 0xFFFF), "little")


def _is_inside(row: int) -> bool:
    """Whether a row is in the middle of an atomic sequence."""
    return row >> 8 * HOLDER & 0xFF != 0


def _remembered(graph: Product | SafetyGraph) -> RememberedGraph | None:
    """The graph with a memory, where it can have one."""
    is_whole = graph.reduction is None and not (isinstance(graph, Product) and graph.accept_labels)
    return RememberedGraph(graph) if is_whole else None


class _pool:  # noqa: N801 # used as a function
    """Several processes that decide slices; one, this one, where the system cannot fork."""

    def __init__(self, check: RowCheck, threads: int) -> None:
        self._check = check
        self._processes = threads if hasattr(os, "fork") and check.size > 4 * _SLICE else 1
        self._pool: multiprocessing.pool.Pool | None = None

    def __enter__(self) -> Iterator[Decided]:
        if self._processes == 1:
            return self._alone()
        global _shared  # noqa: PLW0603 # a forked process finds it here, without a copy
        _shared = self._check
        pool = self._pool = multiprocessing.get_context("fork").Pool(self._processes)
        return self._decided(lambda begin: pool.apply_async(_decide_shared, (begin,)).get)

    def _decided(self, start: Callable[[int], Callable[[], Decided]]) -> Iterator[Decided]:
        """What comes of slices, until no row waits; each slice is with one process at a time.

        So that no order of rows costs much more than another, this process does the rest alone if there are too many.
        """
        waiting = deque(sorted({number - number % _SLICE for number in self._check.pending}))
        known = set(waiting)
        busy: deque[tuple[int, Callable[[], Decided]]] = deque()
        left = _VISITS * (self._check.size // _SLICE + 1)
        while busy or (waiting and left > 0):
            while waiting and left > 0 and len(busy) < _AHEAD * self._processes:
                begin = waiting.popleft()
                busy.append((begin, start(begin)))
                left -= 1
            begin, result = busy.popleft()
            found = result()
            yield found
            known.remove(begin)
            for each in sorted({begin, *found.touched} - known):
                if self._check.waits(each):
                    known.add(each)
                    waiting.append(each)
        yield from self._alone()

    def _alone(self) -> Iterator[Decided]:
        """What comes of all rows that wait, and of those met from there, by this process."""
        check = self._check
        check.pending[:] = [number for number in range(check.size) if check.met[number] != check.marks[number]]
        while check.pending:
            yield check.some(range(check.size))

    def __exit__(self, *_: object) -> None:
        global _shared  # noqa: PLW0603
        _shared = None
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()


_shared: RowCheck | None = None


def _decide_shared(begin: int) -> Decided:
    assert _shared is not None
    return _shared.slice(begin)
