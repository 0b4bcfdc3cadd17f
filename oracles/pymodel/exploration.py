"""Every state of a Python model, found by running its own functions again and again from the start.

A state is what the variables are, where each process is, and who is in the middle of an atomic block. A generator
cannot be copied, so a state is come to by the choices that lead to it.
"""

from __future__ import annotations

import copy
import inspect
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, Literal

from everafter.ltl import Always, And, Atom, Eventually, Formula, Implies, Next, Not, Release, Until, to_buchi
from everafter.ltl.strong_components import components_of
from everafter.model.domains import Declared, domain_of, field_names
from everafter.model.synchronization import ChannelDomain, ConditionDomain
from everafter.model.temporal import Temporal
from everafter.model.vocabulary import PROCESS, Launch
from everafter.product.claim import AutomatonClaim
from oracles.pymodel.instrumented import Locals, generator_of
from oracles.pymodel.live_values import Cells, Condition, Offer, OutOfRange, RLock, Waiting, Wish, checked, frozen, live

Choice = tuple[int, Any]
"""Which process moves, and which way it takes."""
ERRORS = (
    AssertionError, AttributeError, IndexError, KeyError, OutOfRange, RuntimeError, TypeError, ValueError,
    ZeroDivisionError,
)  # fmt: skip
_ENDED = ("ended",)


def _asks_for_tasks(function: Any) -> bool:
    """Whether a method says which tasks of a queue are done, or waits for them; `m.join` has arguments."""
    return "task_done" in function.__code__.co_names or ".join()" in inspect.getsource(function)


class Values:
    """What stands for `self`: the variables, which refuse what is not in their domains."""

    def __init__(self, model: type) -> None:
        members: dict[str, Any] = {}
        for kind in reversed(model.__mro__):
            members |= {name: each for name, each in vars(kind).items() if not name.startswith("__")}
        functions = {name: each for name, each in members.items() if callable(each) and hasattr(each, "__code__")}
        domains: dict[str, Any] = {}
        for name, value in members.items():
            domain = value.domain if isinstance(value, Declared) else None
            if domain is None and not name.isupper() and not callable(value) and not isinstance(value, Temporal):
                is_record = field_names(type(value)) is not None
                domain = domain_of(type(value)) if is_record or not isinstance(value, tuple) else None
            if domain is not None:
                domains[name] = domain
        constants = {name: each for name, each in members.items() if name not in functions and name not in domains}
        self.__dict__.update(
            _domains=domains,
            _counts_tasks=any(map(_asks_for_tasks, functions.values())),
            _functions=functions,
            _generators={
                name: generator_of(each, set(functions), domains, constants)
                for name, each in functions.items()
            },
        )  # fmt: skip
        for name, value in members.items():
            if name not in functions:
                self.__dict__[name] = value
        self.reset(members)
        self.__dict__["_members"] = members

    def reset(self, members: dict[str, Any]) -> None:
        for name, domain in self._domains.items():
            value = members[name].initial if isinstance(members[name], Declared) else members[name]
            self.__dict__[name] = live(domain, value)
            if isinstance(domain, ChannelDomain) and self._counts_tasks:
                self.__dict__[name].unfinished = 0
        for name, domain in self._domains.items():
            if isinstance(domain, ConditionDomain) and domain.lock is not None:
                own = next(each for each, value in members.items() if value is domain.lock)
                self.__dict__[name] = Condition(self.__dict__[own])
        self.__dict__.update(_threads={}, _quiet=False)

    def bury(self, number: int) -> None:
        """What a process has that crashed stays taken, by none that is there."""
        for each in self.__dict__.values():
            for held in each if isinstance(each, Cells) else [each]:
                lock = held.lock if isinstance(held, Condition) and held.is_own else held
                if isinstance(lock, RLock) and lock.owner == number:
                    lock.owner = -1

    def thread(self, name: str, arguments: tuple[Any, ...]) -> str:
        """Whether a process is new, alive or ended."""
        found: str = self._threads.get((name, arguments), "new")
        return found

    def start(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.thread(name, arguments) != "new":
            raise RuntimeError("threads can only be started once")
        self._threads[name, arguments] = "alive"

    def has_ended(self, name: str, arguments: tuple[Any, ...]) -> bool:
        if self.thread(name, arguments) == "new":
            raise RuntimeError("cannot join thread before it is started")
        return self.thread(name, arguments) == "ended"

    def __getattr__(self, name: str) -> Any:
        functions = self.__dict__["_functions"]
        if name in functions:
            return functions[name].__get__(self)
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = checked(self._domains[name], value)

    def steps(self, name: str, arguments: tuple[Any, ...], *rest: Any) -> Any:
        return self._generators[name](self, *arguments, *rest)

    def key(self) -> Hashable:
        listed = tuple(frozen(self.__dict__[name]) for name in self._domains)
        return listed, frozenset(self._threads.items()), self._quiet


_OUTSIDE = ("begins", "the end")


class Running:
    """A process of a model, and how often it has crashed."""

    def __init__(self, values: Values, name: str, arguments: tuple[Any, ...], launch: Launch) -> None:
        self.values, self.name, self.arguments, self.launch = values, name, arguments, launch
        self.crashes = 0

    def steps(self, local: Locals) -> Iterator[Any]:
        """Its stops from the beginning on."""
        if not self.launch.is_started:
            yield "begins", [lambda: self.values.thread(self.name, self.arguments) == "alive"], None, True
        yield from self.body(local)
        yield from self.end()

    def body(self, local: Locals) -> Iterator[Any]:
        if not self.launch.is_action:
            yield from self.values.steps(self.name, self.arguments, local, (), (), None)
            return
        while True:
            block, when = object(), self.launch.when or (lambda *_: True)
            yield (self.name, "when"), [partial(when, self.values, *self.arguments)], block, False
            yield from self.values.steps(self.name, self.arguments, local, ("body",), (), block)

    def end(self) -> Iterator[Any]:
        if not self.launch.is_started:
            yield "the end", None, None, False
            self.values._threads[self.name, self.arguments] = "ended"

    def crashed(self, local: Locals) -> Iterator[Any]:
        """Its stops after a crash."""
        self.crashes += 1
        if self.launch.restarts:
            yield from self.body(local)
        yield from self.end()


class Calm(Running):
    """The process that ends all crashes."""

    def __init__(self, values: Values) -> None:
        super().__init__(values, "calm", (), Launch(None))

    def steps(self, local: Locals) -> Iterator[Any]:
        yield "calm", None, None, False
        self.values.__dict__["_quiet"] = True


class Machine:
    """A model in some state."""

    def __init__(self, values: Values) -> None:
        values.reset(values._members)
        self.values = values
        self.holder: int | None = None
        self.locals: list[Locals] = []
        self.generators: list[Any] = []
        self.stops: list[Any] = []
        self.inside: list[bool] = []
        """Whether each process is in the middle of an atomic block, though it may have to wait there."""
        self.running: list[Running] = []
        for name, function in values._functions.items():
            launch = getattr(function, PROCESS, None)
            if launch is None:
                continue
            for arguments in launch.arguments if launch.arguments is not None else ((),):
                self._add(Running(self.values, name, arguments, launch))
        if any(each.launch.crashes for each in self.running):
            self._add(Calm(self.values))

    def _add(self, running: Running) -> None:
        self.running.append(running)
        self.locals.append(Locals(len(self.locals)))
        self.generators.append(running.steps(self.locals[-1]))
        self.stops.append(None)
        self.inside.append(False)
        self._advance(len(self.generators) - 1, None)

    def _advance(self, number: int, way: Any) -> None:
        try:
            self.stops[number] = self.generators[number].send(way)
        except StopIteration:
            self.stops[number] = (_ENDED, None, None, True)

    def key(self) -> Hashable:
        local = tuple(
            tuple(sorted((repr(key), repr(frozen(value))) for key, value in each.items() if value != 0))
            for each in self.locals
        )
        holder = self.holder if self.goes_on else None
        crashes = tuple(each.crashes for each in self.running)
        return self.values.key(), tuple(stop[0] for stop in self.stops), local, holder, crashes

    def choices(self) -> list[Choice]:
        """The steps that are possible; one that only fails is possible, too."""
        if self.holder is not None:
            own = self._ways(self.holder)
            if own:
                return own
        others = [number for number in range(len(self.stops)) if number != self.holder]
        crashes = [(number, ("crash",)) for number in others if self._may_crash(number)]
        return [way for number in others for way in self._ways(number)] + crashes

    def _may_crash(self, number: int) -> bool:
        running, where = self.running[number], self.stops[number][0]
        is_possible = running.crashes < running.launch.crashes and not self.values._quiet
        return is_possible and not self.inside[number] and where not in (_ENDED, *_OUTSIDE)

    def _ways(self, number: int) -> list[Choice]:
        where, ways, _, _ = self.stops[number]
        if where == _ENDED:
            return [(number, None)] if number == len(self.stops) - 1 else []
        if ways is None:
            return [(number, None)]
        if isinstance(ways, Wish):
            return []
        if isinstance(ways, Offer):
            others = [other for other, stop in enumerate(self.stops) if isinstance(stop[1], Wish)]
            return [(number, ("meet", other)) for other in others if self.stops[other][1].channel is ways.channel]
        if isinstance(ways, list):
            return [(number, position) for position, condition in enumerate(ways) if _is_open(condition)]
        return [(number, ("value", each)) for each in ways()]

    def take(self, choice: Choice) -> bool:
        """Take a step; whether it succeeded."""
        number, way = choice
        if self.stops[number][0] == _ENDED:
            kept: Any
            for kept in (self.stops, self.generators, self.locals, self.inside, self.running):
                kept.pop()
            self.holder = None
            return True
        block = self.stops[number][2]
        if isinstance(way, tuple) and way[0] == "meet":
            return self._meet(number, way[1])
        if way == ("crash",):
            self.locals[number].clear()
            self.values.bury(number)
            self.generators[number] = self.running[number].crashed(self.locals[number])
            self._advance(number, None)
            self.holder = None
            return True
        try:
            if isinstance(self.stops[number][1], list):
                self.stops[number][1][way]()  # a condition may fail
            self._advance(number, way[1] if isinstance(way, tuple) else way)
        except ERRORS:
            return False
        self.inside[number] = block is not None and self.stops[number][2] is block
        self.holder = number if self.inside[number] else None
        return True

    def _meet(self, sender: int, receiver: int) -> bool:
        """A message is handed over in one step of two processes."""
        offer = self.stops[sender][1]
        try:
            message = offer.message()
            if not offer.channel.domain.message.holds(message):
                return False
            self._advance(sender, None)
            self._advance(receiver, message)
        except ERRORS:
            return False
        self.holder = None
        return True

    @property
    def goes_on(self) -> bool:
        """Whether a process is in the middle of an atomic block and can go on."""
        return self.holder is not None and bool(self._ways(self.holder))

    def snapshot(self) -> dict[str, Any]:
        """The variables, and the constants beside them."""
        return {
            name: copy.deepcopy(each)
            if isinstance(each, list | set | dict | deque | Waiting) and name[0] != "_"
            else each
            for name, each in self.values.__dict__.items()
        }

    @property
    def may_stop(self) -> bool:
        return all(stop[3] for stop in self.stops)


def _is_open(condition: Any) -> bool:
    try:
        return bool(condition())
    except ERRORS:
        return True


_UNSEEN = -1
"""Stands for the marks of an edge on which the automaton does not move."""


@dataclass
class Explored:
    """All states of a model, how they follow each other, and whether anything goes wrong."""

    model: type
    following: list[set[int]] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)
    inside: list[bool] = field(default_factory=list)
    """Whether a process can go on with an atomic block, which no property sees."""
    is_wrong: bool = False
    """An assertion fails, a range is left, or the system stops where it must not."""
    is_complete: bool = True

    @property
    def stored(self) -> int:
        """The number of states in which no process can go on with an atomic block: those that a search stores."""
        return self.inside.count(False)

    @property
    def stays_inside(self) -> bool:
        """Whether a run can stay in an atomic block for ever."""
        kept = [[to for to in each if self.inside[to]] for each in self.following]
        component = components_of(kept, list(range(len(kept))))
        return any(self.inside[at] and component[to] == component[at] for at, each in enumerate(kept) for to in each)

    def verdict(self, stated: Temporal) -> Literal["holds", "violated", "incomplete"]:
        """The verdict on a property; runs that end stay where they are.

        Of a run that stays in an atomic block for ever only finitely many states are seen: it violates nothing but by
        these, and nothing holds because of it.
        """
        if self._is_violated(stated):
            return "violated"
        return "incomplete" if self.stays_inside else "holds"

    def _is_violated(self, stated: Temporal) -> bool:
        meaning: dict[str, Any] = {}
        automaton = to_buchi(Not(formula_of(stated, meaning)))
        truths = [
            automaton.valuation(name for name, each in meaning.items() if each(SimpleNamespace(**values)))
            for values in self.values
        ]
        claim = AutomatonClaim(automaton, {})
        numbers = {(0, automaton.initial): 0}
        edges: list[list[tuple[int, int]]] = []
        for at, state in numbers_in_order(numbers):
            edges.append([])
            if claim.is_end(state):
                return True
            moves = [(edge.target, edge.marks) for edge in automaton.successors(state, truths[at])]
            for follower, mark in [(state, _UNSEEN)] if self.inside[at] else moves:
                for target in self.following[at] or {at}:
                    to = numbers.setdefault((target, follower), len(numbers))
                    edges[-1].append((to, mark))
        component = components_of([[to for to, _ in each] for each in edges], [0])
        marks: dict[int, int] = {}
        for at, each in enumerate(edges):
            for to, mark in each:
                if component[to] == component[at] and mark != _UNSEEN:
                    marks[component[at]] = marks.get(component[at], 0) | mark
        return automaton.all_marks in marks.values()


def numbers_in_order(numbers: dict[tuple[int, int], int]) -> Iterator[tuple[int, int]]:
    """The keys of `numbers`, in the order in which they are added while this is gone through."""
    done = 0
    while done < len(numbers):
        yield list(numbers)[done]
        done += 1


def formula_of(stated: Any, meaning: dict[str, Any]) -> Formula:
    """Return the formula of a property; `meaning` gets what its propositions ask of a state."""
    if not isinstance(stated, Temporal):
        name = f"p{len(meaning)}"
        meaning[name] = stated
        return Atom(name)
    if stated.operator == "each":
        values = [each if isinstance(each, tuple) else (each,) for each in stated.values]
        parts = [formula_of(partial(_with, stated.operands[0], each), meaning) for each in values]
        return And(tuple(parts)) if len(parts) > 1 else parts[0]
    parts = [formula_of(each, meaning) for each in stated.operands]
    if stated.operator == "leads_to":
        return Always(Implies(parts[0], Eventually(parts[1])))
    made: Formula = _OPERATORS[stated.operator](*parts)
    return made


def _with(function: Any, values: tuple[Any, ...], state: Any) -> Any:
    return function(state, *values)


_OPERATORS: dict[str, Any] = {
    "always": Always,
    "eventually": Eventually,
    "next": Next,
    "until": Until,
    "release": Release,
    "implies": Implies,
}


def explored(model: type, most: int = 3_000) -> Explored:
    """Return all states of `model`; beyond `most` of them it is left incomplete."""
    values = Values(model)
    found = Explored(model)
    machine = Machine(values)
    numbers = {machine.key(): 0}
    paths: list[tuple[Choice, ...]] = [()]
    found.following.append(set())
    found.values.append(machine.snapshot())
    found.inside.append(False)
    for number, path in enumerate(paths):
        machine = _at(values, path)
        choices = machine.choices()
        found.inside[number] = machine.goes_on
        if not choices and not machine.may_stop:
            found.is_wrong = True
        for choice in choices:
            machine = _at(values, path)
            if not machine.take(choice):
                found.is_wrong = True
                continue
            key = machine.key()
            if key not in numbers:
                if len(paths) == most:
                    found.is_complete = False
                    return found
                numbers[key] = len(paths)
                paths.append((*path, choice))
                found.following.append(set())
                found.values.append(machine.snapshot())
                found.inside.append(False)
            found.following[number].add(numbers[key])
    return found


def _at(values: Values, path: tuple[Choice, ...]) -> Machine:
    machine = Machine(values)
    for choice in path:
        assert machine.take(choice)
    return machine
