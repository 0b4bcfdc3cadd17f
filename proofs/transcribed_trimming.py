"""The proved search by trimming in Python, line by line as in search/trimming.vpr, to be run beside the text that runs.

Where the proof takes any state of a set, this takes the least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Round:
    """What one round comes to: what it reaches, how many edges arrive at each, and what is left."""

    red: frozenset[int]
    count: dict[int, int]
    left: frozenset[int]


@dataclass
class Trimming:
    """search/trimming.vpr."""

    successors: Callable[[int], Sequence[int]]
    accepting: Callable[[int], bool]
    rounds: list[Round] = field(default_factory=list)

    def explore_everything(self, initial: Sequence[int]) -> set[int]:
        """Method explore_everything."""
        active = set(initial)
        waiting = set(initial)
        while waiting:
            s = min(waiting)
            waiting.remove(s)
            for t in self.successors(s):
                if t not in active:
                    active.add(t)
                    waiting.add(t)
        return active

    def reach_round(self, active: set[int]) -> tuple[set[int], Counter[int]]:
        """Methods begin_round, follow_edges and reach_round."""
        red = {s for s in active if self.accepting(s)}
        count: Counter[int] = Counter()
        waiting = set(red)
        while waiting:
            s = min(waiting)
            waiting.remove(s)
            for t in self.successors(s):
                if t in active:
                    count[t] += 1
                    if t not in red:
                        red.add(t)
                        waiting.add(t)
        return red, count

    def remove_firsts(self, red: set[int], count: Counter[int]) -> set[int]:
        """Methods remove_if_first, forget_edges and remove_firsts."""
        left = {s for s in red if count[s] > 0}
        gone = red - left
        while gone:
            s = min(gone)
            gone.remove(s)
            for t in self.successors(s):
                if t in left:
                    count[t] -= 1
                    if count[t] <= 0:
                        left.remove(t)
                        gone.add(t)
        return left

    def search_owcty(self, initial: Sequence[int]) -> bool:
        """Method search_owcty: whether there is an accepting cycle."""
        active = self.explore_everything(initial)
        while active:
            red, count = self.reach_round(active)
            counted = {s: count[s] for s in red}
            left = self.remove_firsts(red, count)
            self.rounds.append(Round(frozenset(red), counted, frozenset(left)))
            if left == active:
                return True
            active = left
        return False
