"""The framework for the user's own searches: hooks over states, any of which may answer and so end the search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from everafter.record import dataclass, field
from everafter.search.framework import Search, forest, stamp_discovery, stamp_finish
from everafter.search.graph import S, Transitions
from everafter.search.meter import Meter
from everafter.search.space import ANSWERED, DISCOVERED, GO_ON, NO_STATE, ON_PATH, RESTRICTED, Space, Store

A = TypeVar("A")


class View(Generic[S]):
    """What a hook sees of the search at the moment it is called."""

    def __init__(self, space: Space[S]) -> None:
        self._space = space
        self._depth = -1

    @property
    def path(self) -> tuple[S, ...]:
        """The states on the stack, from an initial one to the current one."""
        return self._space.named(self._space.stack[: self._depth + 1])

    @property
    def head(self) -> S:
        """The last state of the path. There is none while an initial state is being discovered."""
        if self._depth < 0:
            raise LookupError("the path is empty")
        return self._space.states[self._space.stack[self._depth]]

    def is_on_path(self, state: S) -> bool:
        """Whether the state is on the path."""
        return self._has(state, ON_PATH)

    def is_discovered(self, state: S) -> bool:
        """Whether the state has been discovered."""
        return self._has(state, DISCOVERED)

    def _has(self, state: S, bit: int) -> bool:
        number = self._space.index.get(state)
        return number is not None and bool(self._space.colour[number] & bit)


def _nothing(_view: View[S], _state: S) -> None:
    """Go on."""


def _nowhere(_state: S) -> bool:
    """No state is restricted."""
    return False


@dataclass(frozen=True, slots=True)
class Hooks(Generic[S, A]):
    """What to do during a depth-first search. A hook that returns anything but None answers, and ends the search.

    The paper's ACTION, REMOVE, POST and RESTRICT; its COND is "no hook has answered".
    """

    action: Callable[[View[S], S], A | None] = _nothing
    """A state is discovered; the path ends before it."""
    remove: Callable[[View[S], S], A | None] = _nothing
    """The last state of the path has an edge to this state, which was discovered before."""
    post: Callable[[View[S], S], A | None] = _nothing
    """The search backtracks from this state, the last of the path."""
    restrict: Callable[[S], bool] = _nowhere
    """Whether the search must not enter the state."""


@dataclass(frozen=True, slots=True)
class Exploration(Generic[S, A]):
    """What a search came to."""

    answer: A | None
    """The answer of the hook that ended the search; None when the search is complete."""
    path: tuple[S, ...]
    """The path on which the hook answered; empty when the search is complete."""
    discovery: Mapping[S, int] = field(repr=False)
    """The time each state was discovered, if times were wanted."""
    finish: Mapping[S, int] = field(repr=False)
    """The time each state was finished, if times were wanted. One clock serves both."""

    @property
    def completed(self) -> bool:
        """Whether every reachable state outside the restriction has been visited and finished."""
        return self.answer is None


def explore(
    graph: Transitions[S], hooks: Hooks[S, A] | None = None, times: bool = False, meter: Meter | None = None
) -> Exploration[S, A]:
    """Search `graph` depth-first, in the order in which it gives its states, and call `hooks` on the way.

    Restricted states are not entered, even if they are initial. With `times`, the result has when each state was
    discovered and finished. `meter` counts the search and may stop it.
    """
    chosen: Hooks[S, A] = Hooks() if hooks is None else hooks
    columns = ("discovery", "finish") if times else ()
    space = Space(
        graph.initial(),
        graph.successors,
        lambda state: RESTRICTED if chosen.restrict(state) else NO_STATE,
        meter,
        columns,
    )
    view = View(space)
    answers: list[A] = []

    def ask(hook: Callable[[View[S], S], A | None], depth: int, node: int) -> int:
        view._depth = depth
        answer = hook(view, space.states[node])
        if answer is None:
            return GO_ON
        answers.append(answer)
        return ANSWERED

    def action(store: Store, depth: int, node: int) -> int:
        if times:
            stamp_discovery(store, depth, node)
        return ask(chosen.action, depth, node)

    def remove(_store: Store, depth: int, node: int) -> int:
        return ask(chosen.remove, depth, node)

    def post(store: Store, depth: int, node: int) -> int:
        if times:
            stamp_finish(store, depth, node)
        return ask(chosen.post, depth, node)

    outcome = forest(space, Search(DISCOVERED, ON_PATH, RESTRICTED, action, remove, post))
    if not space.answered(outcome):
        return Exploration(None, (), _stamped(space, space.discovery), _stamped(space, space.finish))
    return Exploration(answers[0], view.path, _stamped(space, space.discovery), _stamped(space, space.finish))


def _stamped(space: Space[S], times: Sequence[int]) -> dict[S, int]:
    """The states that have a time stamp, with it."""
    return {state: time for state, time in zip(space.states, times, strict=False) if time}
