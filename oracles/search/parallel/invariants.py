"""What PNDFS keeps true at every moment: Lemma 1 and Lemma 4 of Oortwijn, Huisman, Joosten, van de Pol, TACAS 2020."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from everafter.search.parallel.space import PINK
from everafter.search.space import DISCOVERED, ON_PATH
from oracles.search.definitions import Node, SmallGraph, closure, reachable


@dataclass(frozen=True)
class Colours:
    """The private colours of one worker."""

    cyan: frozenset[Node]
    blue: frozenset[Node]
    pink: frozenset[Node]

    @classmethod
    def of(cls, own: bytes) -> Colours:
        """Read off a worker's own bytes."""
        return cls(
            cyan=frozenset(node for node, byte in enumerate(own) if byte & ON_PATH),
            blue=frozenset(node for node, byte in enumerate(own) if byte & DISCOVERED and not byte & ON_PATH),
            pink=frozenset(node for node, byte in enumerate(own) if byte & PINK),
        )


class Automaton:
    """A graph in the words of the paper."""

    def __init__(self, graph: SmallGraph) -> None:
        self.graph = graph
        self.accepting = graph.accepting

    def succ(self, nodes: Iterable[Node]) -> set[Node]:
        """The successors of the nodes."""
        return {target for node in nodes for target in self.graph.targets[node]}

    @cached_property
    def accepting_on_cycles(self) -> frozenset[Node]:
        """The reachable accepting nodes that lie on a cycle."""
        after = closure(self.graph.targets)
        return frozenset(node for node in reachable(self.graph) if node in self.accepting and node in after[node])


@dataclass(frozen=True)
class Moment:
    """All colours at one moment."""

    automaton: Automaton
    red: frozenset[Node]
    workers: tuple[Colours, ...]


def invariant_1_1(now: Moment) -> bool:
    """∀tid: succ(Blue ∪ Pink) ⊆ Blue ∪ Cyan ∪ Red."""
    return all(now.automaton.succ(w.blue | w.pink) <= w.blue | w.cyan | now.red for w in now.workers)


def invariant_1_2(now: Moment) -> bool:
    """succ(Red) ⊆ Red ∪ ⋃tid (Pink ∖ Cyan)."""
    return now.automaton.succ(now.red) <= now.red.union(*(w.pink - w.cyan for w in now.workers))


def invariant_1_3(now: Moment) -> bool:
    """∀tid: A ∩ Blue ⊆ Red."""
    return all(now.automaton.accepting & w.blue <= now.red for w in now.workers)


def invariant_1_4(now: Moment) -> bool:
    """∀tid: A ∩ Pink ⊆ Cyan."""
    return all(now.automaton.accepting & w.pink <= w.cyan for w in now.workers)


def invariant_1_5(now: Moment) -> bool:
    """∀tid: Pink ⊆ Blue ∪ Cyan."""
    return all(w.pink <= w.blue | w.cyan for w in now.workers)


def invariant_1_6(now: Moment) -> bool:
    """∀tid: |A ∩ Pink| ≤ 1."""
    return all(len(now.automaton.accepting & w.pink) <= 1 for w in now.workers)


def lemma_4(now: Moment) -> bool:
    """No reachable accepting node on a cycle is red, or there is a special path.

    This is `keyinvariant` of Fig. 4. It says more than 4.1, which is content with one such node on each cycle.
    """
    return not now.automaton.accepting_on_cycles & now.red or any(has_special_path(now, w) for w in now.workers)


def has_special_path(now: Moment, worker: Colours) -> bool:
    """Whether a path of at least one edge leads from a pink node to a cyan one of the same worker past no red node."""
    after = closure(now.automaton.graph.targets, now.red)
    return any(after[node] & worker.cyan for node in worker.pink - now.red)


INVARIANTS: tuple[Callable[[Moment], bool], ...] = (
    invariant_1_1,
    invariant_1_2,
    invariant_1_3,
    invariant_1_4,
    invariant_1_5,
    invariant_1_6,
    lemma_4,
)


def broken(now: Moment) -> str | None:
    """The name of the first invariant that does not hold."""
    return next((invariant.__name__ for invariant in INVARIANTS if not invariant(now)), None)
