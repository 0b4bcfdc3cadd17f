"""forest: made of proofs/search/framework.vpr by proofs/runnable.py."""
# of 55102b6002d535127866152d852ebd98792880a57151058af30771370de0b543
# mypy: ignore-errors

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofs.execution import changed, divided, dropped, element, remainder, span, taken


@dataclass(frozen=True)
class Program:
    anything: Callable[[str], Any]
    successors: Callable[..., Any]

    def forest(self, initial: Any, restricted: Any, zeros: Any) -> Any:
        completed = True
        visited = frozenset(())
        stack = ()
        cursor = ()
        discovery = zeros
        finish = zeros
        parent = zeros
        clock = 0
        roots = frozenset(())
        k = 0
        while (k < len(initial)):
            start = element(initial, k)
            if (completed and ((not (start in visited)) and (not (start in restricted)))):
                outcome = self.anything("forest.outcome")
                completed = outcome
                if completed:
                    roots = (roots | frozenset((start,)))
                    completed, visited, stack, cursor, discovery, finish, clock, parent = self.depth_first(start, visited, discovery, finish, clock, parent, restricted, roots)
            k = (k + 1)
        return completed, visited, stack, cursor, discovery, finish, clock, parent, roots

    def depth_first(self, start: Any, visited0: Any, discovery0: Any, finish0: Any, clock0: Any, parent0: Any, restricted: Any, roots: Any) -> Any:
        stack = ()
        cursor = ()
        finish = finish0
        completed = True
        visited, stack, cursor, discovery, clock, parent = self.enter(start, visited0, stack, cursor, discovery0, finish, clock0, parent0, restricted, roots)
        while (completed and (len(stack) > 0)):
            outcome = self.anything("depth_first.outcome")
            depth = (len(stack) - 1)
            position = element(cursor, depth)
            listed = self.successors(element(stack, depth))
            if (position == len(listed)):
                stack, cursor, finish, clock = self.leave(visited, stack, cursor, discovery, finish, clock, parent, restricted, roots)
                completed = outcome
            else:
                node = element(listed, position)
                if (node in restricted):
                    cursor = changed(cursor, depth, (position + 1))
                else:
                    if (node in visited):
                        cursor = changed(cursor, depth, (position + 1))
                        completed = outcome
                    else:
                        completed = outcome
                        if completed:
                            visited, stack, cursor, discovery, clock, parent = self.enter(node, visited, stack, cursor, discovery, finish, clock, parent, restricted, roots)
                            cursor = changed(cursor, depth, (position + 1))
        return completed, visited, stack, cursor, discovery, finish, clock, parent

    def enter(self, node: Any, visited: Any, stack: Any, cursor: Any, discovery: Any, finish: Any, clock: Any, parent: Any, restricted: Any, roots: Any) -> Any:
        visited2 = (visited | frozenset((node,)))
        stack2 = (stack + (node,))
        cursor2 = (cursor + (0,))
        clock2 = (clock + 1)
        discovery2 = changed(discovery, node, clock2)
        parent2 = changed(parent, node, ((-1) if (len(stack) == 0) else element(stack, (len(stack) - 1))))
        return visited2, stack2, cursor2, discovery2, clock2, parent2

    def leave(self, visited: Any, stack: Any, cursor: Any, discovery: Any, finish: Any, clock: Any, parent: Any, restricted: Any, roots: Any) -> Any:
        node = element(stack, (len(stack) - 1))
        stack2 = taken(stack, (len(stack) - 1))
        cursor2 = taken(cursor, (len(stack) - 1))
        clock2 = (clock + 1)
        finish2 = changed(finish, node, clock2)
        after = self.successors(node)
        return stack2, cursor2, finish2, clock2
