"""The states of a model as the interactive page shows them: what each says, the steps between, what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from everafter.diagrams.states import Named, value_in
from everafter.diagrams.unfolding import UnfoldedEdge, UnfoldedStates, explored
from everafter.diagrams.words import Words
from everafter.execution.state import NO_PROCESS, State
from everafter.program.program import Program
from everafter.record import dataclass
from everafter.verdict.result import Counterexample, Result

MOST_SHOWN = 5_000
"""More states than these are only unfolded, never shown at once."""
MOST_FACTS = 4_000_000
"""The most values on a page: of states with many cells fewer are looked at."""


class Fact(NamedTuple):
    """What a state says: a variable and its value, or, if it `is_place`, a process and where that is."""

    name: str
    value: str
    is_place: bool


class Way(NamedTuple):
    """A step, or an atomic sequence, from one state to another, by their numbers; and what goes wrong in it."""

    source: int
    target: int
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A name for some of the states."""

    text: str
    states: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """A counterexample: the states that it visits, of which those from number `cycle` on are visited for ever.

    `is_whole`: none of its states lies beyond those that were looked at.
    """

    property: str
    reason: str
    states: tuple[int, ...]
    cycle: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class StateMap:
    """Everything that the page shows. A state is the numbers of its facts; the first one is the initial state."""

    model: str
    facts: tuple[Fact, ...]
    states: tuple[tuple[int, ...], ...]
    ways: tuple[Way, ...]
    stuck: tuple[int, ...]
    ended: tuple[int, ...]
    failed: tuple[int, ...]
    """Where a run cannot go on, since something went wrong."""
    marks: tuple[Mark, ...]
    routes: tuple[Route, ...]
    is_whole: bool
    most: int = MOST_SHOWN


def map_of(
    name: str, program: Program, most: int, results: Iterable[Result] = (), where: Sequence[Named] = ()
) -> StateMap:
    """Return the map of the first `most` states of `program`, the model `name`.

    It has the counterexamples of `results`, and marks the states in which an expression of `where` is true.
    """
    found = explored(program, max(1, min(most, MOST_FACTS // (_size(program) + 1))))
    words = Words(program)
    ways, failures = _ways(found, words)
    facts: dict[Fact, int] = {}
    told = [_told(words, state, facts) for state in found.states]
    told += [(facts.setdefault(Fact("", message, False), len(facts)),) for message in failures]
    return StateMap(
        name,
        tuple(facts),
        tuple(told),
        tuple(ways),
        tuple(sorted(found.stuck)),
        tuple(sorted(found.ended)),
        tuple(range(len(found.states), len(told))),
        tuple(_mark(program, found, each) for each in where),
        tuple(_routes(found, results)),
        found.is_whole,
    )


def _size(program: Program) -> int:
    return len(program.memory.cells) + sum(len(each.memory.cells) for each in program.processes)


def _told(words: Words, state: State, facts: dict[Fact, int]) -> tuple[int, ...]:
    """The numbers of the facts about a state. New ones come behind the others; a channel is given by its messages."""
    told = {name: Fact(name, value, is_place) for name, value, is_place in words.facts(state)}
    return tuple(facts.setdefault(fact, len(facts)) for fact in told.values())


def _ways(found: UnfoldedStates, words: Words) -> tuple[list[Way], list[str]]:
    """The ways between the states, and what stands at the ends of those that lead nowhere."""
    failures: dict[str, int] = {}
    return [_way(found, words, way, failures) for way in found.ways], list(failures)


def _way(found: UnfoldedStates, words: Words, way: UnfoldedEdge, failures: dict[str, int]) -> Way:
    problem = way.problem.message if way.problem is not None else ""
    target = way.target
    if target is None:
        target = failures.setdefault(problem or "the run ends here", len(found.states) + len(failures))
    return Way(way.source, target, words.way(found.states[way.source], way), problem)


def _mark(program: Program, found: UnfoldedStates, named: Named) -> Mark:
    values = (value_in(program, state, named.expression) for state in found.states)
    return Mark(named.text, tuple(number for number, value in enumerate(values) if value))


def _routes(found: UnfoldedStates, results: Iterable[Result]) -> Iterator[Route]:
    numbers = {state: number for number, state in enumerate(found.states)}
    for result in results:
        if result.counterexample is not None:
            yield _route(numbers, result, result.counterexample)


def _route(numbers: dict[State, int], result: Result, run: Counterexample) -> Route:
    """The states of a run between its atomic sequences, as far as they were looked at."""
    between = [run.start, *(step.state for step in run.prefix)]
    around = [step.state for step in run.cycle]
    seen = [state for state in between if state is not None and state.holder == NO_PROCESS]
    again = [state for state in around if state is not None and state.holder == NO_PROCESS]
    visited = [numbers.get(state) for state in (*seen, *again)]
    known = visited[: visited.index(None)] if None in visited else visited
    cycle = len(seen) - 1 if again else -1
    whole = len(known) == len(visited)
    return Route(result.property, result.reason, tuple(number for number in known if number is not None), cycle, whole)
