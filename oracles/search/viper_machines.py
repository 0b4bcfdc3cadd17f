"""Workers of teams as they are proved, the text of `step` in Viper, beside the same machines in Python.

Every comparison raises AssertionError if the two differ.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import CodeType
from typing import Any, ClassVar, Generic, TypeVar

from proofs.machines import Frames, SharingBlue, SharingRed
from proofs.task import inside

from everafter.search.space import DISCOVERED, RED
from oracles.search.proved import Graph
from oracles.viper_methods import changed, element, functions_of

COMMON = ("graph", "parallel/invariant", "parallel/team", "parallel/measure", "parallel/amounts")
Change = tuple[str, str]
"""One text that is changed into another."""
UNCHANGED = ("", "")
M = TypeVar("M")


@cache
def text_of(files: tuple[str, ...], change: Change) -> CodeType:
    """All methods of these files and of those that all have in common."""
    texts = [inside(f"search/{file}.vpr").read_text() for file in COMMON + files]
    assert any(change[0] in text for text in texts)
    lines = [line for text in texts for line in functions_of(text.replace(*change) if change[0] else text)]
    return compile("\n".join(lines), files[-1], "exec")


class Shared:
    """What the machines in Python share."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.colour = [0] * len(graph.edges)
        self.count = [0] * len(graph.edges)
        self.is_aborted = False

    def coloured(self, bit: int) -> set[int]:
        """The states of this colour."""
        return {state for state, colour in enumerate(self.colour) if colour & bit}

    def perform(self, name: str, state: int = 0, number: int = 0) -> Any:
        """Do what a machine asks for; what it is to be told."""
        before = self.colour[state]
        match name:
            case "expand":
                return list(self.graph.successors(state))
            case "colour_shared":
                self.colour[state] |= number
            case "add_shared":
                self.count[state] += number
            case "raise_abort":
                self.is_aborted = True
            case "count":
                return self.count[state]
            case _:
                assert name == "colour"
        return before

    def perform_all(self, steps: Any) -> None:
        """Let a machine take a step, with one access at most."""
        request, accesses = next(steps, None), 0
        while request is not None:
            accesses += request[0] != "expand"
            try:
                request = steps.send(self.perform(*request))
            except StopIteration:
                request = None
        assert accesses <= 1


class Team(ABC, Generic[M]):
    """A team of both kinds. What it is made of is in `fields`, by name, for Viper, and in `machines` for Python."""

    files: ClassVar[tuple[str, ...]]
    """The last has the method `begin`."""

    def __init__(self, graph: Graph, machines: Iterable[M], change: Change, **functions: Callable[..., Any]) -> None:
        self.graph = graph
        self.shared = Shared(graph)
        self.machines = list(machines)
        self.fields: dict[str, Any] = {}
        names: dict[str, Any] = {
            "changed": changed,
            "element": element,
            "initial": lambda: tuple(graph.starts),
            "successors": lambda state: tuple(graph.successors(state)),
            "accepting": set(graph.accepting).__contains__,
            "size": lambda: len(graph.edges),
            "states": lambda: frozenset(range(len(graph.edges))),
            "workers": lambda: len(self.machines),
            "top": lambda stack: stack[-1],
            **functions,
        }
        exec(text_of(self.files, change), names)
        self.methods = names
        self.begin()

    def begin(self) -> None:
        """Method begin."""
        self.methods["begin"](self.fields)

    @abstractmethod
    def at_work(self, w: int) -> bool:
        """Whether worker w has not come to its end, in Viper."""

    @abstractmethod
    def turn(self, w: int) -> None:
        """The next step of worker w, of both kinds, and what is to be compared behind it."""

    @abstractmethod
    def outcomes(self) -> Sequence[int]:
        """What each worker has come to, in Viper."""

    def take_turns(self, seed: int) -> Sequence[int]:
        """Let all take steps, in turns drawn from the seed, to their end; what each has come to."""
        draw = random.Random(seed)
        while working := [w for w in range(len(self.machines)) if self.at_work(w)]:
            self.turn(draw.choice(working))
        return self.outcomes()

    def compare_path(self, path: Frames, stack: Sequence[int], cursor: Sequence[int]) -> None:
        """The path is this one, with these cursors."""
        assert path.stack == list(stack)
        assert path.rest == [list(self.graph.successors(s))[i:] for s, i in zip(stack, cursor, strict=True)]


SEARCHING, COMPLETED, ANSWERED = 2, 0, 1
"""What a worker of a nested search may have come to."""
N = TypeVar("N", SharingBlue, SharingRed)


class NestedTeam(Team[N]):
    """A team of a nested search. It ends when one answers."""

    def at_work(self, w: int) -> bool:
        return not self.fields["its_abort"] and self.fields["its_outcome"][w] == SEARCHING

    def outcomes(self) -> Sequence[int]:
        outcomes: Sequence[int] = self.fields["its_outcome"]
        return outcomes

    def turn(self, w: int) -> None:
        machine, taken = self.machines[w], self.fields["its_next"][w]
        run, entry, *_ = self.step(w, machine)
        goes_on = bool(machine.blue_path.stack) or taken < len(machine.initial)
        if goes_on:
            self.shared.perform_all(
                machine.step() if machine.blue_path.stack else machine.step_next(machine.initial[taken])
            )
        outcome = self.fields["its_outcome"][w]
        assert goes_on == (outcome != COMPLETED)
        assert (machine.answer is not None) == (outcome == ANSWERED)
        if machine.answer is None:
            self.compare_path(machine.blue_path, self.fields["its_stack"][w], self.fields["its_cursor"][w])
            self.compare(w, machine)
        else:
            assert machine.answer == (list(run), run[entry])
        assert self.shared.coloured(RED) == self.fields["its_red"]

    @abstractmethod
    def step(self, w: int, machine: N) -> Sequence[Any]:
        """Method step."""

    @abstractmethod
    def compare(self, w: int, machine: N) -> None:
        """Worker w is where its machine is, beside its path and what is red."""

    def compare_red_path(self, w: int, machine: N) -> None:
        """So is its red search."""
        self.compare_path(machine.red_path, self.fields["its_red_stack"][w], self.fields["its_red_cursor"][w])


class SharingRedTeam(NestedTeam[SharingRed]):
    """A team of PNDFS."""

    files = tuple(f"parallel/{name}" for name in ("steps", "pndfs_place", "pndfs_blue", "pndfs_frames", "pndfs"))

    def __init__(
        self,
        graph: Graph,
        workers: int,
        change: Change = UNCHANGED,
        making: Callable[[list[int], set[int]], SharingRed] = SharingRed,
    ) -> None:
        machines = (making(list(graph.starts), set(graph.accepting)) for _ in range(workers))
        # A witness of a cycle is noted for the proof only.
        super().__init__(graph, machines, change, accepting_cycle=lambda _state: False)

    def step(self, w: int, machine: SharingRed) -> Sequence[Any]:
        answer: Sequence[Any] = self.methods["step"](self.fields, w, machine.early, machine.redden, False, True)
        return answer

    def compare(self, w: int, machine: SharingRed) -> None:
        assert machine.phase == self.fields["its_phase"][w]
        assert machine.blue == self.fields["its_blue"][w]
        assert not machine.redden or machine.mixed == self.fields["its_mixed"][w]
        assert tuple(self.shared.count) == self.fields["its_count"]
        if machine.phase == 2:
            self.compare_red_path(w, machine)
            assert self.fields["its_pink"][w] == set(machine.red_path.stack)


class SharingBlueTeam(NestedTeam[SharingBlue]):
    """A team of CNDFS."""

    files = tuple(f"parallel/{name}" for name in ("cndfs_steps", "cndfs_place", "cndfs_frames", "cndfs"))

    def __init__(
        self, graph: Graph, workers: int, change: Change = UNCHANGED, making: type[SharingBlue] = SharingBlue
    ) -> None:
        machines = (making(list(graph.starts), set(graph.accepting)) for _ in range(workers))
        super().__init__(graph, machines, change)

    def step(self, w: int, machine: SharingBlue) -> Sequence[Any]:
        chosen = machine.left[0] if machine.stage in {2, 3} else -1
        answer: Sequence[Any] = self.methods["step"](self.fields, w, chosen, False, True)
        return answer

    def compare(self, w: int, machine: SharingBlue) -> None:
        assert machine.stage == self.fields["its_stage"][w]
        assert self.shared.coloured(DISCOVERED) == self.fields["its_blue"]
        assert set(machine.blue_path.stack) == self.fields["its_cyan"][w]
        if machine.stage == 1:
            self.compare_red_path(w, machine)
            assert machine.entered == self.fields["its_gathered"][w]
        elif machine.stage:
            assert set(machine.gathered) == self.fields["its_gathered"][w]
            assert set(machine.left) == self.fields["its_left"][w]
