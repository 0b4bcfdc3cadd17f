"""A worker of the team's search for a target as it is proved: `step` of search/parallel/unordered_steps.vpr, in Python.

The machine stops before each access to what it shares with others, and before it asks for the successors of a state,
and is sent the answer: it is to `everafter.search.parallel.stepwise` what the proved text is to the running one. Where
the proof lets a worker choose, it chooses as the running text does when nothing is handed over. When a worker reads the
flag that tells it to stop is left out, since in the proof it may do so at any step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from everafter.search.framework import TOGETHER
from everafter.search.space import DISCOVERED

WORKS, CLAIMS, TELLS, ANSWERED, COMPLETED = 0, 1, 2, 3, 5
Steps = Generator[tuple[Any, ...], Any, None]


@dataclass
class SearchingForTarget:
    """One worker, with the fields of the proof."""

    initial: list[int]
    is_target: Callable[[int], bool]
    stage: int = WORKS
    start: int = 0
    owed: list[int] = field(default_factory=list)
    batch: list[int] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    found: int = 0

    def run(self) -> Steps:
        """All steps, to the end."""
        while self.stage <= TELLS:
            yield from self.step()

    def step(self) -> Steps:
        """Method step."""
        if self.stage == TELLS:
            yield ("raise_abort",)
            self.stage = ANSWERED
        elif self.stage == CLAIMS:
            self.stage = WORKS
            yield from self.claim(self.rest.pop(0))
        elif self.rest:
            yield from self.step_look()
        elif self.batch:
            self.owed = [node for node in self.owed if node not in self.batch]
            self.batch = []
        elif self.owed:
            yield from self.step_expand()
        elif self.start < len(self.initial):
            self.start += 1
            yield from self.claim(self.initial[self.start - 1])
        else:
            self.stage = COMPLETED

    def claim(self, node: int) -> Steps:
        """Method claim."""
        if not (yield ("colour_shared", node, DISCOVERED)) & DISCOVERED:
            if self.is_target(node):
                self.stage = TELLS
                self.found = node
            else:
                self.owed.append(node)

    def step_look(self) -> Steps:
        """Method step_look."""
        if (yield ("colour", self.rest[0])) & DISCOVERED:
            self.rest.pop(0)
        else:
            self.stage = CLAIMS

    def step_expand(self) -> Steps:
        """Method step_expand, of the last that are owed."""
        self.batch = self.owed[-TOGETHER:]
        for node in self.batch:
            self.rest += yield ("expand", node)
