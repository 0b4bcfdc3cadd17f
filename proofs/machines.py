"""Workers of teams as they are proved, in Python: `step` of cndfs_frames.vpr and of pndfs_frames.vpr.

A machine stops before each access to what it shares with others, and before it asks for the successors of a state, and
is sent the answer: it is to `everafter.search.parallel.stepwise` what the proved text is to the running one. When a
worker reads the flag that tells it to stop is left out, since in the proof it may do so at any step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from everafter.search.space import DISCOVERED, RED

Request = tuple[Any, ...]
Steps = Generator[Request, Any, None]


@dataclass
class Frames:
    """A path, with what is left to follow from each of its states."""

    stack: list[int] = field(default_factory=list)
    rest: list[list[int]] = field(default_factory=list)

    def push(self, node: int, listed: list[int]) -> None:
        """Enter a state."""
        self.stack.append(node)
        self.rest.append(list(listed))

    def pop(self) -> int:
        """Leave the last state."""
        self.rest.pop()
        return self.stack.pop()


@dataclass
class Machine(ABC):
    """What the machines have in common."""

    initial: list[int]
    accepting: set[int]
    blue_path: Frames = field(default_factory=Frames)
    red_path: Frames = field(default_factory=Frames)
    listed: list[list[int]] = field(default_factory=list)
    """The successors of each state of the blue path, as they were listed: the red search begins with them anew."""
    answer: tuple[list[int], int] | None = None
    """The lasso: a path, and the state on it that its last edge leads to."""

    def run(self) -> Steps:
        """All steps, to the end."""
        for start in self.initial:
            if self.answer is None:
                yield from self.step_next(start)
            while self.answer is None and self.blue_path.stack:
                yield from self.step()

    @abstractmethod
    def step(self) -> Steps:
        """Method step, of a worker with a path."""

    @abstractmethod
    def step_next(self, start: int) -> Steps:
        """Method step_next."""

    def enter(self, node: int) -> Steps:
        """The state becomes cyan."""
        listed = yield ("expand", node)
        self.blue_path.push(node, listed)
        self.listed.append(listed)

    def answers(self, run: list[int], back: int) -> None:
        """A lasso is found."""
        self.answer = (run, back)

    def closes_early(self, s: int, t: int) -> bool:
        """Whether an edge between states of the path closes an accepting cycle for sure."""
        return bool({s, t} & self.accepting)


@dataclass
class SharingBlue(Machine):
    """A worker of CNDFS."""

    stage: int = 0
    gathered: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    """In the order in which the red search left them: one of the orders of the proof."""
    entered: set[int] = field(default_factory=set)

    def step_next(self, start: int) -> Steps:
        """Method step_next."""
        if not (yield ("colour", start)) & DISCOVERED:
            yield from self.enter(start)

    def step(self) -> Steps:
        """Method step."""
        if self.stage == 1:
            yield from self.step_red_edge()
        elif self.stage == 2:
            yield from self.step_look(self.left[0])
        elif self.stage == 3:
            yield from self.step_redden(self.left[0])
        elif self.blue_path.rest[-1]:
            yield from self.step_blue_edge()
        else:
            yield from self.step_blue_end()

    def step_blue_edge(self) -> Steps:
        """Method step_blue_edge."""
        s, t = self.blue_path.stack[-1], self.blue_path.rest[-1].pop(0)
        if t in self.blue_path.stack:
            if self.closes_early(s, t):
                self.answers(self.blue_path.stack, t)
        elif not (yield ("colour", t)) & DISCOVERED:
            yield from self.enter(t)

    def step_blue_end(self) -> Steps:
        """Method step_blue_end."""
        s = self.blue_path.stack[-1]
        yield ("colour_shared", s, DISCOVERED)
        if s in self.accepting:
            self.stage = 1
            self.entered = {s}
            self.red_path.push(s, self.listed[-1])
        else:
            self.leave()

    def leave(self) -> None:
        """Method leave."""
        self.blue_path.pop()
        self.listed.pop()

    def step_red_edge(self) -> Steps:
        """Methods step_red_edge and step_red_back."""
        if not self.red_path.rest[-1]:
            self.gathered.append(self.red_path.pop())
            if not self.red_path.stack:
                self.stage = 2
                self.left = list(self.gathered)
            return
        t = self.red_path.rest[-1].pop(0)
        if t in self.blue_path.stack:
            self.answers(self.blue_path.stack + self.red_path.stack[1:], t)
        elif t not in self.entered and not (yield ("colour", t)) & RED:
            listed = yield ("expand", t)
            self.entered.add(t)
            self.red_path.push(t, listed)

    def step_look(self, s: int) -> Steps:
        """Method step_look."""
        root = self.blue_path.stack[-1]
        if s == root or s not in self.accepting or (yield ("colour", s)) & RED:
            self.left.remove(s)
        if not self.left:
            self.stage = 3
            self.left = list(self.gathered)

    def step_redden(self, s: int) -> Steps:
        """Method step_redden."""
        yield ("colour_shared", s, RED)
        self.left.remove(s)
        if not self.left:
            self.stage = 0
            self.gathered.clear()
            self.leave()


@dataclass
class SharingRed(Machine):
    """A worker of PNDFS, in all four variants.

    The phases: 0 blue search, 1 about to count up, 2 red search, 3 awaits that the count of its accepting state is
    zero, 4 about to make that red, 5 and 6 the same for a state all successors of which are red, 7 about to make a
    state blue.
    """

    early: bool = False
    redden: bool = False
    phase: int = 0
    blue: set[int] = field(default_factory=set)
    mixed: set[int] = field(default_factory=set)
    """Noted only if it is asked: without `redden`, the machine of the proof notes every state, and asks for none."""

    def step_next(self, start: int) -> Steps:
        """Method step_next."""
        if start not in self.blue and not (yield ("colour", start)) & RED:
            yield from self.enter(start)

    def step(self) -> Steps:
        """Method step."""
        s = self.blue_path.stack[-1]
        if self.phase == 0 and self.blue_path.rest[-1]:
            yield from self.step_blue_edge(s)
        elif self.phase == 0:
            yield from self.step_blue_end(s)
        elif self.phase == 1:
            yield from self.step_count(s)
        elif self.phase == 2:
            yield from self.step_red_search()
        elif self.phase in {3, 5}:
            yield from self.step_look(s)
        elif self.phase == 7:
            yield from self.step_back()
        else:
            yield from self.step_redden(s)

    def step_blue_edge(self, s: int) -> Steps:
        """Method step_blue_edge."""
        t = self.blue_path.rest[-1].pop(0)
        if t in self.blue_path.stack and self.early and self.closes_early(s, t):
            self.answers(self.blue_path.stack, t)
        elif t in self.blue_path.stack or t in self.blue:
            if self.redden and not (yield ("colour", t)) & RED:
                self.mixed.add(s)
        elif not (yield ("colour", t)) & RED:
            yield from self.enter(t)

    def step_blue_end(self, s: int) -> Steps:
        """Method step_blue_end."""
        if self.redden and s not in self.mixed:
            self.phase = 5
        else:
            self.phase = 1 if s in self.accepting and not (yield ("colour", s)) & RED else 7

    def step_count(self, s: int) -> Steps:
        """Method step_count."""
        yield ("add_shared", s, 1)
        self.red_path.push(s, self.listed[-1])
        self.phase = 2

    def step_red_search(self) -> Steps:
        """Method step_red_search."""
        s = self.red_path.stack[-1]
        if self.red_path.rest[-1]:
            yield from self.step_red_edge()
        elif len(self.red_path.stack) == 1:
            yield from self.step_red_end(s)
        else:
            yield from self.step_red_back(s)

    def step_red_edge(self) -> Steps:
        """Method step_red_edge."""
        t = self.red_path.rest[-1].pop(0)
        if t in self.blue_path.stack:
            self.answers(self.blue_path.stack + self.red_path.stack[1:], t)
        elif t not in self.red_path.stack and not (yield ("colour", t)) & RED:
            listed = yield ("expand", t)
            self.red_path.push(t, listed)

    def step_red_back(self, s: int) -> Steps:
        """Method step_red_back."""
        yield ("colour_shared", s, RED)
        self.red_path.pop()

    def step_red_end(self, s: int) -> Steps:
        """Method step_red_end."""
        yield ("add_shared", s, -1)
        self.red_path.pop()
        self.phase = 3

    def step_look(self, s: int) -> Steps:
        """Method step_look."""
        if not (yield ("count", s)):
            self.phase += 1

    def step_redden(self, s: int) -> Steps:
        """Method step_redden."""
        yield ("colour_shared", s, RED)
        self.phase = 7

    def step_back(self) -> Steps:
        """Method step_back."""
        s = self.blue_path.pop()
        self.listed.pop()
        if self.redden and self.blue_path.stack and not (yield ("colour", s)) & RED:
            self.mixed.add(self.blue_path.stack[-1])
        self.blue.add(s)
        self.phase = 0
