"""The proved search of Couvreur in Python, line by line as in search/generalised.vpr, to run beside the running text.

Columns that the proof only speaks of are left out, but for `home`, by which it says which group a state is in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Couvreur:
    """search/generalised.vpr. `successors` says of each transition which acceptance sets it is in."""

    successors: Callable[[int], Sequence[tuple[frozenset[int], int]]]
    sets: int
    visited: set[int] = field(default_factory=set)
    active: set[int] = field(default_factory=set)
    discovery: dict[int, int] = field(default_factory=dict)
    clock: int = 0
    stack: list[int] = field(default_factory=list)
    cursor: list[int] = field(default_factory=list)
    component: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    home: dict[int, int] = field(default_factory=dict)
    gathered: list[frozenset[int]] = field(default_factory=list)
    arriving: list[frozenset[int]] = field(default_factory=list)
    member: dict[int, int] = field(default_factory=dict)
    first: list[int] = field(default_factory=list)
    lacking: list[int] = field(default_factory=list)

    def couvreur(self, initial: Sequence[int]) -> bool:
        """Method couvreur: whether there is an answer."""
        return any(start not in self.visited and self.search_groups_from(start) for start in initial)

    def search_groups_from(self, start: int) -> bool:
        """Method search_groups_from."""
        self.discover_group(start, frozenset())
        while self.stack:
            depth = len(self.stack) - 1
            position = self.cursor[depth]
            top = self.stack[depth]
            if position == len(self.successors(top)):
                if self.discovery[self.roots[-1]] == self.discovery[top]:
                    self.leave_group()
                self.stack.pop()
                self.cursor.pop()
            else:
                marks, node = self.successors(top)[position]
                if node not in self.visited:
                    self.discover_group(node, marks)
                elif node in self.active and self.merge(marks, node):
                    return True
                self.cursor[depth] = position + 1
        return False

    def discover_group(self, node: int, marks: frozenset[int]) -> None:
        """Method discover_group."""
        self.visited.add(node)
        self.active.add(node)
        self.component.append(node)
        self.clock += 1
        self.discovery[node] = self.clock
        self.home[node] = len(self.roots)
        self.stack.append(node)
        self.cursor.append(0)
        self.roots.append(node)
        self.gathered.append(frozenset())
        self.arriving.append(marks)

    def merge(self, marks: frozenset[int], node: int) -> bool:
        """Methods merge and gather: whether all sets are gathered."""
        top = len(self.roots) - 1
        found = marks
        while self.discovery[self.roots[top]] > self.discovery[node]:
            found |= self.gathered[top] | self.arriving[top]
            top -= 1
        assert top == self.home[node]
        del self.roots[top + 1 :], self.gathered[top + 1 :], self.arriving[top + 1 :]
        self.gathered[top] |= found
        self.home = {state: min(group, top) for state, group in self.home.items()}
        return self.gathered[top] == frozenset(range(self.sets))

    def leave_group(self) -> None:
        """Methods leave_group, lacking_set and complete."""
        node, last = self.stack[-1], -1
        self.lacking.append(next((each for each in range(self.sets) if each not in self.gathered[-1]), self.sets))
        while last != node:
            last = self.component.pop()
            self.active.remove(last)
            self.member[last] = len(self.first)
        del self.roots[-1], self.gathered[-1], self.arriving[-1]
        self.first.append(node)
