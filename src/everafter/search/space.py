"""States as numbers: the only things an algorithm of this station works on.

An algorithm (a kernel) is written over a `Store`: state numbers, one byte of colour for each state, arrays indexed by
state number or by depth, and `expand`. It builds no object, so that the same text runs here on any graph and compiled
on a native store, which binds the name `expand` anew (docs/decisions/0005). `Space` is the store for any hashable
states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, Final, Generic

from everafter.search.fields import (
    BY_DEPTH,
    BY_ROW,
    BY_STATE,
    EVERY_DEPTH,
    ONE_NUMBER,
    SETS,
    SETS_BY_DEPTH,
    Field,
    Numbers,
    fields_of,
)
from everafter.search.graph import S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter, Stopped

# The sets of states that the algorithms speak of are bits of a state's colour.
NO_STATE: Final = 0
KNOWN: Final = 1  # every state that has a number
ACCEPTING: Final = 2
DISCOVERED: Final = 4  # cyan or blue in nested depth-first search
ON_PATH: Final = 8  # cyan
RED: Final = 16
ACTIVE: Final = 32  # in a strongly connected component that is not complete
TARGET: Final = 64
RESTRICTED: Final = 128  # R in the paper

# What a hook, and with it a search, comes to. A hook that goes on leaves COND true.
GO_ON: Final = 0
COMPLETED: Final = 0
ANSWERED: Final = 1
STOPPED: Final = 2
UNDECIDED: Final = 3  # the search is not one for this graph


class Store(ABC):
    """What a kernel may use: these fields, and `expand`. A field that holds one number is an array of length one.

    Frame d of the search stack holds state `stack[d]`, whose successors still to process are
    `pending[cursor[d] … limit[d] - 1]`. A search nested in another has its frames above those of the other.
    """

    initial: Annotated[Sequence[int], Field("start", always=True, team="same")]  # the initial states, each once
    # The sets that a state is in, as bits.
    colour: Annotated[Numbers, Field("state", "byte", always=True, team="shared")]
    stack: Annotated[Numbers, EVERY_DEPTH]  # the states on the path
    cursor: Annotated[Numbers, EVERY_DEPTH]  # where in `pending` the next successor is
    limit: Annotated[Numbers, EVERY_DEPTH]  # where in `pending` the successors end
    pending: Annotated[Numbers, Field("edge", always=True)]  # the successors of all frames, one after the other
    masks: Annotated[Numbers, Field("edge", "sets")]  # the acceptance sets of each transition in `pending`
    wanted: Annotated[Numbers, SETS]  # the acceptance sets still to be met, as bits
    # [depth, node]: the answer is the path up to that depth and the node its last state leads to.
    found: Annotated[Numbers, Field("once", always=True, length=2)]
    deepest: Annotated[Numbers, ONE_NUMBER]  # states on the longest path so far
    clock: Annotated[Numbers, ONE_NUMBER]  # the last time stamp given
    component_height: Annotated[Numbers, ONE_NUMBER]  # how many states are on the stack `component`
    root_height: Annotated[Numbers, ONE_NUMBER]  # how many components are on the stack `root`
    complete_components: Annotated[Numbers, ONE_NUMBER]  # how many components are complete
    discovery: Annotated[Numbers, BY_STATE]  # when the state was discovered, δ in the paper
    finish: Annotated[Numbers, BY_STATE]  # when the state was finished, φ in the paper
    # The state before it on a shortest path, -1 at the start.
    parent: Annotated[Numbers, Field("state", team="same", least=-1)]
    member: Annotated[Numbers, BY_STATE]  # the number of the complete component it is in
    missing: Annotated[Numbers, Field("state", "small")]  # an acceptance set that its complete component lacks
    predecessors: Annotated[Numbers, Field("state", "count")]  # how many edges from active states lead to it
    queue: Annotated[Numbers, BY_ROW]  # the states of a breadth-first search, in the order of discovery
    component: Annotated[Numbers, BY_ROW]  # the active states, in the order of discovery
    low: Annotated[Numbers, BY_DEPTH]  # the earliest discovery known to be reachable inside the component
    latest: Annotated[Numbers, BY_DEPTH]  # the discovery of the last accepting state on the path, 0 without one
    root: Annotated[Numbers, BY_DEPTH]  # the discovery of the first state of each component on the path
    gathered: Annotated[Numbers, SETS_BY_DEPTH]  # the sets met inside each component on the path
    arriving: Annotated[Numbers, SETS_BY_DEPTH]  # the sets of the transition into each of these components

    @abstractmethod
    def expand(self, node: int, depth: int) -> bool:
        """Expand `node` into frame `depth`: the work of the function `expand`."""


STORE_FIELDS: Final = fields_of(Store)


def expand(space: Store, node: int, depth: int) -> bool:
    """Write the successors of `node` into frame `depth` of `space`; return false when the search is to stop.

    Frames below stay as they are, there is room for one frame more, and every array is long enough for the numbers
    written.
    """
    return space.expand(node, depth)


class Answered(ABC, Generic[S]):
    """What a search that answered has left, from which the answer is read."""

    stack: Numbers
    found: Numbers
    parent: Numbers  # where the search has kept it

    @abstractmethod
    def named(self, numbers: Iterable[int]) -> tuple[S, ...]:
        """The states that have these numbers."""

    def path(self) -> list[int]:
        """The numbers of the path that answers, without the node its last state leads to."""
        return list(self.stack[: self.found[0] + 1])

    def found_path(self) -> tuple[S, ...]:
        """The path that answers, with the node its last edge leads to."""
        return self.named([*self.path(), self.found[1]])

    def lasso(self) -> Lasso[S]:
        """The path that answers, closed by the edge from its last state to the node found, which is on it."""
        path = self.path()
        entry = path.index(self.found[1])
        return Lasso(self.named(path[:entry]), self.named(path[entry:])).folded()


class Searched(Store, Answered[S]):
    """A store that can name the states of its numbers, and so the answer of a search."""

    @abstractmethod
    def answered(self, outcome: int) -> bool:
        """Whether the search has found what it looked for; raises `Stopped` when it was stopped."""


MOST_ACCEPTANCE_SETS: Final = 62  # a set of them is a number of 64 bits


class Space(Searched[S]):
    """A store that numbers the states of any graph in the order it meets them.

    `label` gives the colour a state starts with. Only the columns named are kept; the others stay empty.
    """

    fields: ClassVar[Mapping[str, Field]] = STORE_FIELDS

    def __init__(
        self,
        initial: Iterable[S],
        successors: Callable[[S], Iterable[S]],
        label: Callable[[S], int],
        meter: Meter | None = None,
        columns: Iterable[str] = (),
    ) -> None:
        self.successors = successors
        self.label = label
        self.meter = Meter() if meter is None else meter
        self.meter.restart()
        self.states: list[S] = []
        self.index: dict[S, int] = {}
        self.growing: list[Numbers] = []
        self.keep(frozenset(columns))
        self.initial = list(dict.fromkeys(map(self.number, initial)))
        self.meter.states = len(self.states)

    def keep(self, columns: frozenset[str]) -> None:
        """Make every field, of the columns those named, and note which grow with the states, beside the colour."""
        if not columns <= self.fields.keys():
            raise ValueError(f"{min(columns - self.fields.keys())} is no column")
        for name, field in self.fields.items():
            kept = field.always or name in columns
            setattr(self, name, field.empty(kept))
            if kept and field.grows and name != "colour":
                self.growing.append(getattr(self, name))

    def number(self, state: S) -> int:
        """The number of the state, a new one if it has none."""
        number = self.index.get(state)
        if number is None:
            number = self.index[state] = len(self.states)
            self.states.append(state)
            self.colour.append(KNOWN | self.label(state))
            for column in self.growing:
                column.append(0)
        return number

    def expand(self, node: int, depth: int) -> bool:
        """Write the successors of `node` into frame `depth`; return false when the meter says stop."""
        begin = self.limit[depth - 1] if depth else 0
        pending = self.pending
        del pending[begin:]
        get = self.index.get
        for state in self.successors(self.states[node]):
            number = get(state)
            pending.append(self.number(state) if number is None else number)
        return self.framed(depth, begin)

    def framed(self, depth: int, begin: int) -> bool:
        """Set the bounds of frame `depth`, written from `begin` on, make room for the next, count.

        Return false to stop.
        """
        end = len(self.pending)
        self.cursor[depth] = begin
        self.limit[depth] = end
        if depth + 1 == len(self.stack):
            self.stack.append(0)
            self.cursor.append(0)
            self.limit.append(0)
        meter = self.meter
        meter.states = len(self.states)
        meter.transitions += end - begin
        meter.depth = self.deepest[0]
        return meter.tick()

    def answered(self, outcome: int) -> bool:
        """Whether the search has found what it looked for; raises `Stopped` when it was stopped."""
        self.meter.depth = self.deepest[0]
        if outcome == STOPPED:
            raise Stopped(self.meter.statistics)
        return outcome == ANSWERED

    def named(self, numbers: Iterable[int]) -> tuple[S, ...]:
        """The states that have these numbers."""
        return tuple(self.states[number] for number in numbers)


class GeneralisedSpace(Space[S]):
    """A store for a generalised graph: each transition comes with its acceptance sets."""

    def __init__(
        self,
        initial: Iterable[S],
        transitions: Callable[[S], Iterable[tuple[int, S]]],
        acceptance_sets: int,
        meter: Meter | None = None,
        columns: Iterable[str] = (),
    ) -> None:
        if acceptance_sets > MOST_ACCEPTANCE_SETS:
            raise ValueError(f"{acceptance_sets} acceptance sets are more than {MOST_ACCEPTANCE_SETS}")
        super().__init__(initial, lambda _: (), lambda _: NO_STATE, meter, columns)
        self.transitions = transitions
        self.every_set = (1 << acceptance_sets) - 1
        self.wanted[0] = self.every_set

    def expand(self, node: int, depth: int) -> bool:
        """Write the transitions of `node` into frame `depth`; return false when the meter says stop."""
        begin = self.limit[depth - 1] if depth else 0
        del self.pending[begin:]
        del self.masks[begin:]
        for mask, state in self.transitions(self.states[node]):
            self.pending.append(self.number(state))
            self.masks.append(mask & self.every_set)
        return self.framed(depth, begin)
