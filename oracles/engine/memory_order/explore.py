"""Every execution of a few workers: who takes the next step, and what it sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from everafter.engine.code.parts import Functions
from everafter.engine.store import team_bindings
from oracles.engine.memory_order.memory import NOTHING, Memory, Message, Model, RaceError, View
from oracles.engine.memory_order.orders import orders
from oracles.engine.memory_order.text import Changes, Program, Text, Worker, own

Situation = tuple[tuple[int, ...], Memory, tuple[View, ...]]
"""Where each worker is, what memory has, and what each has seen of it."""
PLAIN: Final = ("load", "store")
FOR_EVER: Final = "workers wait for ever"


@dataclass(frozen=True)
class Case:
    """Workers, what memory has when they begin, and what must be true when they have ended."""

    programs: Sequence[Program]
    hashes: Mapping[int, int]
    """The hash of each row, by its second word."""
    words: Mapping[int, int]
    """What is shared, by address."""
    own: Callable[[int], Mapping[int, int]]
    """What a worker's own words are, by their distance from its block."""
    consistent: range
    """The addresses that only sequentially consistent steps touch."""
    rewritten: Callable[[int], bool]
    """Whether the word at an address may be written plainly after it was read."""
    flaw: Callable[[Sequence[Any], Mapping[int, int]], str | None]
    """What is wrong, by what the workers have come to and what memory has at the end."""
    functions: Functions = field(default_factory=lambda: team_bindings.FUNCTIONS)
    """The store."""


@dataclass
class Explored:
    """What was found."""

    situations: int = 0
    ends: int = 0
    flaws: set[str] = field(default_factory=set)


def explore(case: Case, changes: Changes = (), limit: int = 10_000_000) -> Explored:
    """All executions of the case; those of a mistake that is planted into the store's text, until it shows."""
    text = Text(case.hashes, changes, case.functions)
    workers = [
        Worker(text, program, number, {own(number) + place: value for place, value in case.own(number).items()})
        for number, program in enumerate(case.programs)
    ]
    model = Model(orders(), case.consistent, case.rewritten)
    return _Exploration(case, workers, model, limit).explored()


class _Exploration:
    def __init__(self, case: Case, workers: Sequence[Worker], model: Model, limit: int) -> None:
        self.case, self.workers, self.model, self.limit = case, workers, model, limit
        self.found = Explored()
        self.before: dict[Situation, list[Situation]] = {}

    def explored(self) -> Explored:
        """Go everywhere, and say what was found."""
        memory = Memory(frozenset((place, (Message(value),)) for place, value in self.case.words.items()))
        first: Situation = ((0,) * len(self.workers), memory, (NOTHING,) * len(self.workers))
        self.before[first] = []
        pending = [first]
        ends = []
        while pending and not self.found.flaws:
            at = pending.pop()
            if all(worker.requests[state] is None for worker, state in zip(self.workers, at[0], strict=True)):
                ends.append(at)
                self._end(at)
            for number in range(len(self.workers)):
                try:
                    for following in self._steps(at, number):
                        if following not in self.before:
                            pending.append(following)
                        self.before.setdefault(following, []).append(at)
                except RaceError as race:
                    self.found.flaws.add(str(race))
            assert len(self.before) <= self.limit, "more situations than were thought of"
        self.found.situations, self.found.ends = len(self.before), len(ends)
        if not self.found.flaws and len(self._leading_to(ends)) != len(self.before):
            self.found.flaws.add(FOR_EVER)
        return self.found

    def _steps(self, at: Situation, number: int) -> list[Situation]:
        """What may be when the worker has taken its next step, and the plain ones behind it."""
        found = []
        pending = [(at, True)]
        while pending:
            (states, memory, seen), atomic = pending.pop()
            request = self.workers[number].requests[states[number]]
            if request is None or (request[0] not in PLAIN and not atomic):
                found.append((states, memory, seen))
                continue
            for answer, then, known in self.model.outcomes(request, number, memory, seen[number]):
                state = self.workers[number].after(states[number], answer)
                situation = (_replaced(states, number, state), then, _replaced(seen, number, known))
                pending.append((situation, atomic and request[0] in PLAIN))
        return [each for each in found if each != at]

    def _end(self, at: Situation) -> None:
        results = [worker.results[state] for worker, state in zip(self.workers, at[0], strict=True)]
        flaw = self.case.flaw(results, {place: messages[-1].value for place, messages in at[1].messages})
        if flaw:
            self.found.flaws.add(flaw)

    def _leading_to(self, ends: Sequence[Situation]) -> set[Situation]:
        seen = set(ends)
        pending = list(ends)
        while pending:
            new = [each for each in self.before[pending.pop()] if each not in seen]
            seen.update(new)
            pending += new
        return seen


def _replaced(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])
