"""The proved searches in Python, line by line as in the `.vpr` files, to be run beside the text that runs.

The running text keeps its sets as bits and its sequences in columns. What it answers, and what it notes on the way,
must be what these functions answer and note; docs/trust.md says what else differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Successors = Callable[[int], Sequence[int]]
Wish = Callable[[list[int]], set[int]]
"""Which states of the path a red search is content with, besides its seed: the freedom of NESTEDDFS M."""
COMPLETED, ANSWERED, UNDECIDED = 0, 1, 3


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


def subdfs(
    successors: Successors, seed: int, target: set[int], shut: set[int], visited: set[int]
) -> tuple[list[int], int] | None:
    """Method subdfs of search/nested.vpr: a path from the seed and the target its end leads to. Adds to `visited`."""
    stack, cursor = [seed], [0]
    visited.add(seed)
    while stack:
        depth = len(stack) - 1
        position = cursor[depth]
        listed = successors(stack[depth])
        if position == len(listed):
            stack.pop()
            cursor.pop()
        else:
            cursor[depth] = position + 1
            node = listed[position]
            if node in shut:
                continue
            if node in target:
                return stack, node
            if node not in visited:
                visited.add(node)
                stack.append(node)
                cursor.append(0)
    return None


@dataclass
class Nested:
    """search/nested.vpr: the blue search, with a rule for what red searches are content with."""

    successors: Successors
    accepting: set[int]
    early: bool
    wish: Wish
    visited: set[int] = field(default_factory=set)
    red: set[int] = field(default_factory=set)

    def nested_dfs(self, initial: Sequence[int]) -> tuple[list[int], int] | None:
        """Method nested_dfs: a run, and the position to which its end leads back."""
        for start in initial:
            if start not in self.visited:
                found = self.blue_search(start)
                if found is not None:
                    return found
        return None

    def blue_search(self, start: int) -> tuple[list[int], int] | None:
        """Method blue_search."""
        stack, cursor = [start], [0]
        self.visited.add(start)
        while stack:
            depth = len(stack) - 1
            position = cursor[depth]
            top = stack[depth]
            listed = self.successors(top)
            if position == len(listed):
                found = self.post(stack) if top in self.accepting else None
                if found is not None:
                    return found
                stack.pop()
                cursor.pop()
            else:
                cursor[depth] = position + 1
                node = listed[position]
                if node in self.visited:
                    if self.early and node in stack and {node, top} & self.accepting:
                        return stack, stack.index(node)
                else:
                    self.visited.add(node)
                    stack.append(node)
                    cursor.append(0)
        return None

    def post(self, stack: list[int]) -> tuple[list[int], int] | None:
        """Method post."""
        seed = stack[-1]
        target = (self.wish(stack) & set(stack)) | {seed}
        found = subdfs(self.successors, seed, target, set(), self.red)
        if found is None:
            return None
        run, back = found
        return stack + run[1:], stack.index(back)
