"""All interleavings of threads that store rows at once, by the very text of the GPU's `find_or_put`.

The text is read and changed only so far that it stops before each step on what is shared. Whoever runs it decides who
goes on, so that all orders are tried, those that lead to the same situation once.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from everafter.engine.gpu import device_words as Job  # noqa: N812 # its words are constants
from everafter.engine.gpu import level_kernels
from everafter.engine.store import arena_rows, table

Steps = Generator[tuple[Any, ...], int, int]
Change = tuple[str, str]
"""A piece of the text, and what takes its place: a mistake to be found."""

STOPS = ("peek", "take", "swap_if", "store", "keep", "publish")
KERNELS = ("find_or_put", "write_row", "same_row")
STEPWISE = (*KERNELS, "differing", "write_pair")
PAIRS = """
def differing(address, own):
    return (peek(address) ^ load(own)) | (peek(address + 8) ^ load(own + 8))

def write_pair(address, own):
    store(address, load(own))
    store(address + 8, load(own + 8))
"""
"""What is done with two words at once is two steps here, so that others can come between them."""
WORD = 8
JOB, ARENA, SLOTS, PARENTS, OWN = 0, 1 << 20, 2 << 20, 3 << 20, 4 << 20
"""Addresses in a memory of words: of the job, what is shared, and each worker's own row."""
STRIDE = 2 * WORD


def row(*contents: int) -> tuple[int, ...]:
    """A row of a state with these words behind its header."""
    return ((len(contents) + 1) << 16 | 1, *contents)


@dataclass
class Shared:
    """Memory, word by word, and what the text asks of it."""

    words: dict[int, int] = field(default_factory=dict)

    def perform(self, name: str, *numbers: int) -> int:
        """Do what a worker asks for."""
        place = numbers[0]
        old = self.words.get(place, 0)
        match name:
            case "take":
                self.words[place] = old + numbers[1]
            case "swap_if" if old == numbers[1]:
                self.words[place] = numbers[2]
            case "store" | "keep":
                self.words[place] = numbers[1]
            case _:
                pass
        return old


@dataclass
class Race:
    """Workers that each store some rows, in a table of so many slots."""

    work: Sequence[Sequence[tuple[int, ...]]]
    hashes: Callable[[int], int]
    """The hash of a row, by its second word: so that rows can be made to collide."""
    slots: int = 8
    room: int = 100
    change: Change | None = None
    situations: int = 0
    """How many there were, once all orders have been tried."""

    def flaws(self) -> set[str]:
        """What is wrong at the end of some order, if anything."""
        return {flaw for played in self._ends() for flaw in played.flaws()}

    def has_flaw(self, flaw: str) -> bool:
        """Whether this is wrong at the end of some order: others are tried only until there is one."""
        return any(flaw in played.flaws() for played in self._ends())

    def _ends(self) -> Iterator[_Played]:
        """All situations in which all workers have come to their end."""
        seen: set[Any] = set()
        pending: list[tuple[int, ...]] = [()]
        while pending:
            order = pending.pop()
            played = _Played(self, order)
            if played.situation in seen:
                continue
            seen.add(played.situation)
            if played.over:
                yield played
            pending += [(*order, worker) for worker in played.able]
        self.situations = len(seen)


class _Played:
    """The race in one order, as far as it goes."""

    def __init__(self, race: Race, order: Sequence[int]) -> None:
        self.race = race
        self.shared = Shared()
        words = self.shared.words
        for index, value in {
            Job.ARENA: ARENA,
            Job.STRIDE: STRIDE,
            Job.SLOTS: SLOTS,
            Job.MASK: race.slots - 1,
            Job.ROOM: race.room,
            Job.PARENTS: PARENTS,
        }.items():
            words[JOB + index * WORD] = value
        names = _names(self.shared, race.hashes)
        find_or_put = _stepwise(names, race.change)
        self.spares: dict[int, int] = {}
        self.workers = [self._worker(find_or_put, number) for number in range(len(race.work))]
        self.asks: dict[int, tuple[Any, ...]] = {}
        for number in range(len(race.work)):
            self._go(number, None)
        for number in order:
            self._go(number, self.shared.perform(*self.asks[number]))

    def _worker(self, find_or_put: Callable[..., Steps], number: int) -> Steps:
        spare = 0
        for content in self.race.work[number]:
            own = OWN + number * (1 << 16)
            for index, value in enumerate(content):
                self.shared.words[own + index * WORD] = value
            spare = yield from find_or_put(JOB, own, len(content), 7, spare)
            if spare < 0:
                break
        self.spares[number] = spare
        return spare

    def _go(self, number: int, answer: int | None) -> None:
        try:
            worker = self.workers[number]
            self.asks[number] = next(worker) if answer is None else worker.send(answer)
        except StopIteration:
            self.asks.pop(number, None)

    @property
    def able(self) -> list[int]:
        return list(self.asks)

    @property
    def over(self) -> bool:
        return not self.asks

    @property
    def situation(self) -> Any:
        """Memory, and where each worker is with what it remembers."""
        return tuple(sorted(self.shared.words.items())), tuple(map(_where, self.workers))

    def flaws(self) -> list[str]:
        words, stored, wrong = self.shared.words, [], []
        for place in range(self.race.slots):
            slot = words.get(SLOTS + place * WORD, 0)
            if slot:
                begin = ARENA + (slot & table.STATE_NUMBER) * STRIDE
                stored.append(tuple(words.get(begin + offset, 0) for offset in (0, WORD)))
        wanted = {content for own in self.race.work for content in own}
        full = any(spare < 0 for spare in self.spares.values())
        if len(stored) != len(set(stored)):
            wrong.append("a row is stored twice")
        if set(stored) - wanted:
            wrong.append("what nobody wrote is stored")
        if wanted - set(stored) and not full:
            wrong.append("a row is lost")
        count = min(words.get(JOB + Job.COUNT * WORD, 0), self.race.room)
        if count != len(stored) + sum(spare > 0 for spare in self.spares.values()):
            wrong.append("numbers do not add up")
        return wrong


def _where(worker: Any) -> Any:
    """Where a generator stands, and its variables; and so of the one it waits for."""
    found = []
    while worker is not None and worker.gi_frame is not None:
        own = {name: value for name, value in worker.gi_frame.f_locals.items() if isinstance(value, int)}
        found.append((worker.gi_frame.f_lasti, tuple(sorted(own.items()))))
        worker = worker.gi_yieldfrom
    return tuple(found)


def _names(shared: Shared, hashes: Callable[[int], int]) -> dict[str, Any]:
    """What the names in the text mean here."""
    words = shared.words
    plain: dict[str, Any] = {
        "load": lambda place: words.get(place, 0),
        "word": lambda block, index: words.get(block + index * WORD, 0),
        "shifted_right": lambda bits, count: bits >> count,
    }
    plain["hash_row"] = lambda place, _words: hashes(plain["load"](place + WORD))
    plain["is_state"] = FunctionType(arena_rows.is_state.__code__, plain)
    return {**vars(level_kernels), **plain, "slot_of": table.slot_of}


def _stepwise(names: dict[str, Any], change: Change | None) -> Callable[..., Steps]:
    """`find_or_put` as a function whose value is a generator."""
    text = "\n".join(inspect.getsource(getattr(level_kernels, name)) for name in KERNELS) + PAIRS
    if change is not None:
        assert change[0] in text, "the text to be changed is not there"
        text = text.replace(*change)
    exec(compile(ast.fix_missing_locations(_Stops().visit(ast.parse(text))), "find_or_put", "exec"), names)
    found: Callable[..., Steps] = names["find_or_put"]
    return found


class _Stops(ast.NodeTransformer):
    """Puts a stop before each step on what is shared."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Name(name) if name in STOPS:
                return ast.copy_location(ast.Yield(ast.Tuple([ast.Constant(name), *node.args], ast.Load())), node)
            case ast.Name(name) if name in STEPWISE:
                return ast.copy_location(ast.YieldFrom(node), node)
        return node
