"""The claim of a property as a graph, and where it is along a run that it accepts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from everafter.execution.state import NO_PROCESS, RuntimeProblem, State
from everafter.ltl.edge_labels import READABLE, label_text
from everafter.ltl.picture import of_automaton
from everafter.ltl.strong_components import components_of
from everafter.page.content import EdgeView, GraphView, NodeView
from everafter.page.program_view import Drawn, picture
from everafter.product.claim import FAILED, AtAcceptLabel, AutomatonClaim, Claim, NeverClaim
from everafter.verdict.result import Counterexample

_MOST_EDGES = 2000
"""The edges of a larger automaton are left out: no reader could follow them, and their labels may be long."""

Moves = Callable[[int, int], Sequence[int]]
"""Where the claim can go from one of its states, on reading the state of the run at some position."""


def claim_graph(claim: Claim, drawn: Drawn, name: str) -> GraphView | None:
    """Return the automaton of `claim` as a graph called `name`, or the flow graph that `drawn` has of a never claim.

    A claim of another kind has none.
    """
    match claim:
        case AutomatonClaim(automaton=automaton):
            nodes = tuple(
                NodeView(state, str(state), accepting=claim.is_accepting(state), ending=claim.is_end(state))
                for state in automaton.states
            )
            if automaton.edge_count > _MOST_EDGES:
                return GraphView(name, automaton.initial, nodes, ())
            edges = tuple(
                EdgeView(state, edge.target, label_text(automaton, edge.label, READABLE))
                for state, edge in automaton.edges
            )
            return GraphView(name, automaton.initial, nodes, edges, picture=picture(of_automaton(automaton)))
        case NeverClaim(process=process):
            return drawn.system.graphs[process.index]
        case _:
            return None


def seen_states(run: Counterexample) -> list[tuple[int, State]]:
    """The states of a run that a claim sees, each with the number of steps before it; a cycle is gone round once."""
    states = list(run.states())
    if run.cycle:
        states.pop()
    return [(number, state) for number, state in enumerate(states) if state.holder == NO_PROCESS]


def claim_path(run: Counterexample, claim: Claim, seen: Sequence[tuple[int, State]]) -> tuple[int, ...]:
    """Return where `claim` is as it reads each of the states `seen`, on one of its ways to accept `run`."""
    if not seen:
        return ()
    last = len(seen) - 1
    loop = next((position for position, (number, _) in enumerate(seen) if number >= len(run.prefix)), last)
    is_endless = bool(run.cycle) or run.stutters
    moves = _moves(run, claim, seen)
    pairs, targets = _reachable(claim, moves, last, (loop if run.cycle else last) if is_endless else None)
    goals = [number for number, (_, at) in enumerate(pairs) if claim.is_end(at)]
    if not goals and is_endless:
        labelled = AtAcceptLabel(run.program) if isinstance(claim, NeverClaim) else None
        accepting = [
            claim.is_accepting(at) or (labelled is not None and labelled(seen[position][1], False))
            for position, at in pairs
        ]
        goals = _on_cycles(targets, accepting)
    distance = _distances(targets, goals or [number for number, (position, _) in enumerate(pairs) if position == last])
    path = [0]
    while len(path) < len(seen) and targets[path[-1]]:
        path.append(min(targets[path[-1]], key=lambda number: distance.get(number, len(pairs))))
    return tuple(pairs[number][1] for number in path)


def _moves(run: Counterexample, claim: Claim, seen: Sequence[tuple[int, State]]) -> Moves:
    last = len(seen) - 1

    def moves(position: int, at: int) -> Sequence[int]:
        if at == FAILED:
            return ()
        try:
            return claim.moves(seen[position][1], at, run.stutters and position == last)
        except RuntimeProblem:
            return ()

    if not (isinstance(claim, AutomatonClaim) and len(run.letters) == len(seen)):
        return moves
    automaton = claim.automaton
    known: dict[tuple[frozenset[str], int], list[int]] = {}

    def by_letter(position: int, at: int) -> Sequence[int]:
        letter = run.letters[position]
        if (letter, at) not in known:
            edges = automaton.successors(at, automaton.valuation(letter))
            known[letter, at] = [edge.target for edge in edges]
        return known[letter, at]

    return by_letter


def _reachable(
    claim: Claim, moves: Moves, last: int, back: int | None
) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """The pairs of a position and a state of the claim that can be met, and where each leads, by their numbers.

    From the last position the run goes on at position `back`, or not at all.
    """
    pairs = [(0, claim.start)]
    numbers = {pairs[0]: 0}
    targets: list[list[int]] = []
    while len(targets) < len(pairs):
        position, at = pairs[len(targets)]
        following = position + 1 if position < last else back
        reached = [(following, to) for to in moves(position, at)] if following is not None else []
        for pair in reached:
            if pair not in numbers:
                numbers[pair] = len(pairs)
                pairs.append(pair)
        targets.append([numbers[pair] for pair in reached])
    return pairs, targets


def _on_cycles(targets: list[list[int]], accepting: Sequence[bool]) -> list[int]:
    """The accepting nodes that can be met again and again."""
    component = components_of(targets, [0])
    cyclic = {component[node] for node, out in enumerate(targets) for to in out if component[to] == component[node]}
    return [node for node in range(len(targets)) if accepting[node] and component[node] in cyclic]


def _distances(targets: list[list[int]], goals: Iterable[int]) -> dict[int, int]:
    """How many edges each node is away from the nearest goal, of those that lead to one."""
    sources: list[list[int]] = [[] for _ in targets]
    for node, out in enumerate(targets):
        for to in out:
            sources[to].append(node)
    distance = dict.fromkeys(goals, 0)
    queue = deque(distance)
    while queue:
        node = queue.popleft()
        for source in sources[node]:
            if source not in distance:
                distance[source] = distance[node] + 1
                queue.append(source)
    return distance
