"""A worker of the team's depth-first search for a target as it is proved: `step` of reachability.vpr, in Python.

The machine stops before each access to what it shares with others, and before it asks for the successors of a state,
and is sent the answer: it is to `everafter.search.parallel.stepwise` what the proved text is to the running one. When a
worker reads the flag that tells it to stop is left out, since in the proof it may do so at any step.
"""

from __future__ import annotations

from collections.abc import Container, Generator
from dataclasses import dataclass, field
from typing import Any

from everafter.search.space import DISCOVERED
from proofs.machines import Frames

BEGINS, WORKS, TELLS, ANSWERED, COMPLETED = 0, 1, 2, 3, 5
Steps = Generator[tuple[Any, ...], Any, None]


@dataclass
class SearchingInDepth:
    """One worker, with the fields of the proof."""

    initial: list[int]
    targets: Container[int]
    stage: int = BEGINS
    start: int = 0
    own: set[int] = field(default_factory=set)
    path: Frames = field(default_factory=Frames)
    found: int = 0

    def run(self) -> Steps:
        """All steps, to the end."""
        while self.stage <= TELLS:
            yield from self.step()

    def step(self) -> Steps:
        """Method step."""
        if self.stage == BEGINS:
            self.step_begin()
        elif self.stage == TELLS:
            yield ("raise_abort",)
            self.stage = ANSWERED
        elif not self.path.stack:
            yield from self.step_next()
        else:
            yield from self.step_edge() if self.path.rest[-1] else self.step_leave()

    def answers(self, node: int) -> None:
        """A target is met."""
        self.found = node
        self.stage = TELLS

    def step_begin(self) -> None:
        """Method step_begin."""
        self.stage = WORKS
        for node in self.initial:
            if node in self.targets:
                self.answers(node)
                return

    def enter(self, node: int) -> Steps:
        """The state becomes the last of the path."""
        self.own.add(node)
        self.path.push(node, (yield ("expand", node)))

    def step_next(self) -> Steps:
        """Method step_next."""
        if self.start == len(self.initial):
            self.stage = COMPLETED
            return
        node = self.initial[self.start]
        self.start += 1
        if node not in self.own and not (yield ("colour", node)) & DISCOVERED:
            yield from self.enter(node)

    def step_edge(self) -> Steps:
        """Method step_edge."""
        node = self.path.rest[-1].pop(0)
        if node in self.own:
            return
        if node in self.targets:
            self.answers(node)
        elif not (yield ("colour", node)) & DISCOVERED:
            yield from self.enter(node)

    def step_leave(self) -> Steps:
        """Method step_leave."""
        yield ("colour_shared", self.path.stack[-1], DISCOVERED)
        self.path.pop()
