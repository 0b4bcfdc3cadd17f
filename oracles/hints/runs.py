"""Whether a program has a run that satisfies a formula, and one that is fair: by the definitions, on the whole graph.

The automaton is the proved textbook one (`automaton/textbook.py`), which no check uses. A formula sees the states
outside atomic sequences; a run that has stopped sees its last state again and again. A run is weakly fair to a process
that moves again and again, or again and again cannot; strongly fair to one that moves again and again, or from some
point on never can. Whether there is a fair run is asked of components: what cannot be fair to a process is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from everafter.certificates.automaton.textbook import Naive, kernel_of
from everafter.choices import Fairness
from everafter.execution.step import holds
from everafter.ltl import Formula, Not
from everafter.promela.model import Expression
from oracles.hints.whole import Whole

Node = tuple[int, int]
"""A state of the graph, by its number, and the guess of the automaton that read it, or the last one outside."""
_MOST_GUESSES = 5_000


@dataclass(frozen=True)
class Edge:
    """An edge of the product, with the processes that move."""

    source: int
    target: int
    movers: frozenset[int]


@dataclass
class Product:
    """The runs of a program together with the guesses of an automaton."""

    graph: Whole
    automaton: Naive
    letter: Callable[[int], frozenset[str]]
    nodes: list[Node] = field(default_factory=list)
    edges: list[list[Edge]] = field(default_factory=list)

    def build(self) -> None:
        """Every node that can be reached, and its edges."""
        first = [(0, guess) for guess in self.automaton.first() if self._reads(0, guess)]
        numbers = {node: number for number, node in enumerate(first)}
        self.nodes = list(first)
        while len(self.edges) < len(self.nodes):
            number = len(self.edges)
            row = []
            for movers, target in self._following(self.nodes[number]):
                if target not in numbers:
                    numbers[target] = len(self.nodes)
                    self.nodes.append(target)
                row.append(Edge(number, numbers[target], movers))
            self.edges.append(row)

    def _reads(self, state: int, guess: int) -> bool:
        return self.automaton.letter(guess) == self.letter(state) & self.automaton.propositions

    def _following(self, node: Node) -> Iterable[tuple[frozenset[int], Node]]:
        state, guess = node
        steps = [(_movers(step), target) for step, target in self.graph.edges[state] if target is not None]
        if not self.graph.edges[state]:
            steps = [(frozenset[int](), state)]
        for movers, target in steps:
            if self.graph.is_inside(target):
                yield movers, (target, guess)
            else:
                for following in self.automaton.followers(guess):
                    if self._reads(target, following):
                        yield movers, (target, following)

    def able(self, node: int) -> frozenset[int] | None:
        """The processes that can move; None in the middle of an atomic sequence."""
        state = self.nodes[node][0]
        if self.graph.is_inside(state):
            return None
        return frozenset[int]().union(*(_movers(step) for step, _ in self.graph.edges[state]))


def _movers(step: object) -> frozenset[int]:
    process, partner = getattr(step, "process"), getattr(step, "partner")  # noqa: B009
    return frozenset({process} if partner is None else {process, partner})


def has_run(
    graph: Whole, formula: Formula, expressions: Mapping[str, Expression], fairness: Fairness | None = None
) -> bool:
    """Whether some run, or some fair one, satisfies the formula. No step of the graph may break off."""
    known: dict[int, frozenset[str]] = {}

    def letter(state: int) -> frozenset[str]:
        if state not in known:
            known[state] = frozenset(
                name for name, each in expressions.items() if holds(graph.program, graph.states[state], each)
            )
        return known[state]

    product = Product(graph, Naive(kernel_of(formula), _MOST_GUESSES), letter)
    product.build()
    pending = [set(range(len(product.nodes)))]
    while pending:
        for component in components(product, pending.pop()):
            if not _keeps_promises(product, component):
                continue
            starved = _starved(product, component, fairness)
            if not starved:
                return True
            if fairness == "strong":
                pending.append({node for node in component if not starved & (product.able(node) or frozenset())})
    return False


def is_true(
    graph: Whole, formula: Formula, expressions: Mapping[str, Expression], fairness: Fairness | None = None
) -> bool:
    """Whether the formula is true of every run, or of every fair one."""
    return not has_run(graph, Not(formula), expressions, fairness)


def _keeps_promises(product: Product, component: set[int]) -> bool:
    """Whether going round for ever keeps every promise, and the formula sees something of it."""
    seen = [node for node in component if product.able(node) is not None]
    count = max(len(product.automaton.promises), 1)
    return bool(seen) and all(
        any(product.automaton.keeps(product.nodes[node][1], promise) for node in seen) for promise in range(count)
    )


def _starved(product: Product, component: set[int], fairness: Fairness | None) -> set[int]:
    """The processes to which going round everything in the component is not fair."""
    if fairness is None:
        return set()
    able = [now for node in component if (now := product.able(node)) is not None]
    wanting = set(able[0]).intersection(*able) if fairness == "weak" else set[int]().union(*able)
    return wanting - set[int]().union(*(edge.movers for edge in _inner(product, component)))


def _inner(product: Product, component: set[int]) -> list[Edge]:
    return [edge for node in component for edge in product.edges[node] if edge.target in component]


def components(product: Product, inside: set[int]) -> list[set[int]]:
    """The strongly connected parts of some nodes that have an edge inside: what both follows a node and is followed."""
    forward = {node: [edge.target for edge in product.edges[node] if edge.target in inside] for node in inside}
    backward: dict[int, list[int]] = {node: [] for node in inside}
    for node, targets in forward.items():
        for target in targets:
            backward[target].append(node)
    left, found = set(inside), []
    pending = [set(inside)]
    while pending:
        part = pending.pop()
        if not part:
            continue
        pivot = min(part)
        after, before = _closure(pivot, forward, part), _closure(pivot, backward, part)
        component = after & before
        pending += [after - component, before - component, part - after - before]
        left -= component
        if any(target in component for node in component for target in forward[node]):
            found.append(component)
    assert not left
    return found


def _closure(start: int, edges: Mapping[int, list[int]], inside: set[int]) -> set[int]:
    met, pending = {start}, [start]
    while pending:
        new = {target for target in edges[pending.pop()] if target in inside} - met
        met |= new
        pending += new
    return met


def is_valid(formula: Formula) -> bool:
    """Whether the formula is true of every word: no guess of its negation can go round and keep all promises."""
    automaton = Naive(kernel_of(Not(formula)), _MOST_GUESSES)
    edges: dict[int, Iterable[int]] = {}
    pending = list(automaton.first())
    while pending:
        guess = pending.pop()
        if guess not in edges:
            edges[guess] = automaton.followers(guess)
            pending += edges[guess]
    numbers = {guess: number for number, guess in enumerate(edges)}
    product = Product(Whole(None, [], []), automaton, lambda _: frozenset())  # type: ignore[arg-type]  # no program is asked
    product.nodes = [(0, guess) for guess in edges]
    product.edges = [[Edge(numbers[g], numbers[t], frozenset()) for t in row] for g, row in edges.items()]
    count = max(len(automaton.promises), 1)
    return not any(
        all(any(automaton.keeps(product.nodes[node][1], promise) for node in part) for promise in range(count))
        for part in components(product, set(numbers.values()))
    )
