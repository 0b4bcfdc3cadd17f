"""A worker of the search for any cycle behind acceptance as it is proved: `step` of acyclic_moves.vpr, in Python.

The machine stops before each access to what it shares with others, and before it asks for the successors of a state,
and is sent the answer: it is to `everafter.search.parallel.stepwise` what the proved text is to the running one. Where
the proof lets a worker choose, it chooses as the running text does when nothing is handed over. When a worker reads the
flag that tells it to stop is left out, since in the proof it may do so at any step.
"""

from __future__ import annotations

from collections.abc import Container, Generator
from dataclasses import dataclass, field
from typing import Any

from everafter.search.space import DISCOVERED
from proofs.machines import Frames

WORKS, CLAIMS, NOTES, MEETS, OFFERS, TELLS, QUITS, ANSWERED, COMPLETED, UNDECIDED = 0, 1, 2, 3, 4, 5, 6, 7, 9, 10
Steps = Generator[tuple[Any, ...], Any, None]


@dataclass
class SearchingForCycle:
    """One worker, with the fields of the proof."""

    initial: list[int]
    accepting: Container[int]
    ordered: Container[int]
    parent: dict[int, int]
    """From where states were met: shared by all workers."""
    together: int = 1
    """So many free states are expanded together. What one alone leads to is turned round."""
    stage: int = WORKS
    start: int = 0
    owed: list[int] = field(default_factory=list)
    batch: list[int] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    source: list[int] = field(default_factory=list)
    path: Frames = field(default_factory=Frames)
    found: int = 0

    def run(self) -> Steps:
        """All steps, to the end."""
        while self.stage <= QUITS:
            yield from self.step()

    def step(self) -> Steps:
        """Method step."""
        if self.stage in {TELLS, QUITS}:
            yield ("raise_abort",)
            self.stage = ANSWERED if self.stage == TELLS else UNDECIDED
        elif self.stage == CLAIMS:
            yield from self.step_claim()
        elif self.stage == NOTES:
            self.step_note()
        elif self.stage == MEETS:
            self.step_meet()
        elif self.stage == OFFERS:
            yield from self.step_offer()
        elif self.path.stack:
            yield from self.step_edge() if self.path.rest[-1] else self.step_leave()
        elif self.rest:
            yield from self.step_look()
        elif self.batch:
            self.step_settle()
        elif self.owed:
            yield from self.step_expand()
        else:
            self.step_idle()

    def pass_on(self) -> int:
        """Method pass: the next successor is done with."""
        self.source.pop(0)
        return self.rest.pop(0)

    def step_look(self) -> Steps:
        """Method step_look."""
        node = self.rest[0]
        if (yield ("colour", node)) & DISCOVERED:
            self.pass_on()
        elif node in self.ordered:
            self.stage = MEETS
        else:
            self.stage = QUITS if node in self.accepting else CLAIMS

    def step_claim(self) -> Steps:
        """Method step_claim."""
        if (yield ("colour_shared", self.rest[0], DISCOVERED)) & DISCOVERED:
            self.stage = WORKS
            self.pass_on()
        else:
            self.stage = NOTES

    def step_note(self) -> None:
        """Method step_note. Who claims a state owes it; here it is listed in its turn."""
        self.parent[self.rest[0]] = self.source[0]
        self.stage = WORKS
        self.owed.append(self.pass_on())

    def step_meet(self) -> None:
        """Method step_meet."""
        self.parent[self.rest[0]] = self.source[0]
        self.stage = OFFERS

    def step_offer(self) -> Steps:
        """Method step_offer."""
        node = self.pass_on()
        self.path.push(node, (yield ("expand", node)))
        self.stage = WORKS

    def step_edge(self) -> Steps:
        """Method step_edge."""
        node = self.path.rest[-1].pop(0)
        if node in self.path.stack:
            self.onto_cycle(node)
        elif node not in self.ordered:
            self.stage = QUITS
        elif not (yield ("colour", node)) & DISCOVERED:
            self.path.push(node, (yield ("expand", node)))

    def onto_cycle(self, node: int) -> None:
        """Method onto_cycle, and what follows from it."""
        last = next(state for state in reversed(self.path.stack) if state == node or state in self.accepting)
        self.stage = QUITS
        if last in self.accepting:
            self.stage = TELLS
            self.found = node

    def step_leave(self) -> Steps:
        """Method step_leave."""
        yield ("colour_shared", self.path.stack[-1], DISCOVERED)
        self.path.pop()

    def step_settle(self) -> None:
        """Method step_settle. The batch is in front of what has come to be owed by it."""
        begin = next(place for place, node in enumerate(self.owed) if node in self.batch)
        listed = self.owed[begin + len(self.batch) :]
        self.owed[begin:] = reversed(listed) if len(self.batch) == 1 else listed
        self.batch = []

    def step_expand(self) -> Steps:
        """Method step_expand, of the last that are owed."""
        self.batch = self.owed[-self.together :]
        for node in self.batch:
            listed = yield ("expand", node)
            self.rest += listed
            self.source += [node] * len(listed)

    def step_idle(self) -> None:
        """Methods step_idle, step_start and, when there is nothing to take, step_take."""
        if self.start == len(self.initial):
            self.stage = COMPLETED
        else:
            self.rest = [self.initial[self.start]]
            self.source = [-1]
            self.start += 1

    def lasso(self) -> tuple[list[int], list[int]]:
        """Method stemmed_lasso: the stem, and the cycle."""
        stack = self.path.stack
        stem: list[int] = []
        before = self.parent[stack[0]]
        while before >= 0:
            stem.insert(0, before)
            before = self.parent[before]
        entry = stack.index(self.found)
        return stem + stack[:entry], stack[entry:]
