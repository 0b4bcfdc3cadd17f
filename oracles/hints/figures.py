"""The size of a search that takes all steps, from the definitions, for a program in which nothing goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from everafter.product.claim import Claim
from oracles.hints.whole import Whole

Order = Literal["breadth-first", "depth-first"]
Targets = Sequence[Sequence[int]]


class Size(NamedTuple):
    """What a report says of a search."""

    states: int
    transitions: int
    depth: int


def states(graph: Whole) -> int:
    """The states that SPIN stores: those outside of atomic sequences."""
    return sum(not graph.is_inside(number) for number in range(len(graph.states)))


def transitions(graph: Whole) -> int:
    """The ways from the states that SPIN stores to the next ones."""
    return sum(count for number, count in enumerate(ways(graph)) if not graph.is_inside(number))


def ways(graph: Whole) -> list[int]:
    """The ways from each state to the next ones outside of atomic sequences: out of it, and out of each choice on the
    way that it can come to, as often as there are steps."""
    rows = long_steps(graph)
    return [_ways(graph, rows, number) for number in range(len(rows))]


def _ways(graph: Whole, rows: Targets, number: int) -> int:
    places, pending, count = {number}, [number], 0
    while pending:
        targets = rows[pending.pop()]
        count += sum(not graph.is_inside(target) for target in targets)
        inside = {target for target in targets if graph.is_inside(target)} - places
        places |= inside
        pending += inside
    return count


def whole_steps(graph: Whole) -> Targets:
    """The targets from each state, one step after the other: what the path of the reference consists of."""
    return [graph.targets(number) for number in range(len(graph.states))]


def long_steps(graph: Whole) -> Targets:
    """The targets from each state, where the stretches without a choice are passed over, as machine code does."""

    def settled(number: int) -> int:
        while graph.is_inside(number) and len(targets := graph.targets(number)) == 1:
            number = targets[0]
        return number

    return [[settled(target) for target in row] for row in whole_steps(graph)]


def depth(targets: Targets, order: Order) -> int:
    """The levels of the states, or how many are on the longest path of a depth-first search in SPIN's order."""
    return _levels(targets) if order == "breadth-first" else _longest_path(targets)


def _levels(targets: Targets) -> int:
    """Level 1 is the initial state, the next has what is one step behind and on no level before."""
    level, met, count = {0}, {0}, 0
    while level:
        count += 1
        level = {target for number in level for target in targets[number]} - met
        met |= level
    return count


def _longest_path(targets: Targets) -> int:
    path, met, longest = [iter(targets[0])], {0}, 1
    while path:
        target = next((each for each in path[-1] if each not in met), None)
        if target is None:
            path.pop()
        else:
            met.add(target)
            path.append(iter(targets[target]))
            longest = max(longest, len(path))
    return longest


def size(graph: Whole, order: Order, is_native: bool) -> Size:
    """What a search by one worker must say. No atomic sequence of the graph may go on for ever."""
    targets = long_steps(graph) if is_native else whole_steps(graph)
    return Size(states(graph), transitions(graph), depth(targets, order))


def product_size(graph: Whole, claim: Claim) -> tuple[int, int]:
    """The states and transitions of the product with a claim that accepts no run.

    The claim moves in the states outside of atomic sequences, then the system does; one that has stopped stands still,
    which is a transition, too. Every pair outside counts once, and every way from it to the next.
    """
    first = (0, claim.start)
    numbers, pending, ways_from = {first}, [first], ways(graph)
    counted = followed = 0
    while pending:
        number, at = pending.pop()
        is_inside, targets = graph.is_inside(number), graph.targets(number)
        stopped = not graph.edges[number]
        places = [at] if is_inside else claim.moves(graph.states[number], at, stopped)
        row = [(target, place) for place in places for target in ([number] if stopped else targets)]
        counted += not is_inside
        followed += 0 if is_inside else len(places) * (1 if stopped else ways_from[number])
        new = set(row) - numbers
        numbers |= new
        pending += new
    return counted, followed
