"""The proved searches in Python, line by line as in the `.vpr` files, to be run beside the text that runs.

The running text keeps its sets as bits and its sequences in columns. What it answers, and what it notes on the way,
must be what these functions answer and note; docs/trust.md says what else differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Successors = Callable[[int], Sequence[int]]


@dataclass
class Framework:
    """search/framework.vpr: a depth-first search whose hooks only stamp."""

    successors: Successors
    restricted: set[int]
    visited: set[int] = field(default_factory=set)
    discovery: dict[int, int] = field(default_factory=dict)
    finish: dict[int, int] = field(default_factory=dict)
    parent: dict[int, int] = field(default_factory=dict)
    clock: int = 0

    def enter(self, node: int, stack: list[int], cursor: list[int]) -> None:
        """Method enter."""
        self.clock += 1
        self.discovery[node] = self.clock
        self.parent[node] = stack[-1] if stack else -1
        self.visited.add(node)
        stack.append(node)
        cursor.append(0)

    def leave(self, stack: list[int], cursor: list[int]) -> None:
        """Method leave."""
        self.clock += 1
        self.finish[stack.pop()] = self.clock
        cursor.pop()

    def depth_first(self, start: int) -> None:
        """Method depth_first, with hooks that go on."""
        stack: list[int] = []
        cursor: list[int] = []
        self.enter(start, stack, cursor)
        while stack:
            depth = len(stack) - 1
            position = cursor[depth]
            listed = self.successors(stack[depth])
            if position == len(listed):
                self.leave(stack, cursor)
            else:
                node = listed[position]
                cursor[depth] = position + 1
                if node not in self.restricted and node not in self.visited:
                    self.enter(node, stack, cursor)

    def forest(self, initial: Sequence[int]) -> None:
        """Method forest."""
        for start in initial:
            if start not in self.visited and start not in self.restricted:
                self.depth_first(start)
