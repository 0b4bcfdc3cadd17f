"""Workers that look for a target or for any cycle as they are proved in Viper, beside the same machines in Python.

Accepting states are the targets. Nothing is handed over, as in the machines in Python. Every comparison raises
AssertionError if the two differ.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from proofs import searching_for_cycle, searching_for_target, searching_in_depth
from proofs.machines import Frames
from proofs.searching_for_cycle import SearchingForCycle
from proofs.searching_for_target import SearchingForTarget
from proofs.searching_in_depth import SearchingInDepth

from everafter.search.framework import TOGETHER
from everafter.search.space import DISCOVERED
from oracles.search.proved import Graph, behind_acceptance
from oracles.search.viper_machines import UNCHANGED, Change, Team

NOTHING: frozenset[int] = frozenset()
NO_PROCESS = -1
S = TypeVar("S", SearchingForTarget, SearchingInDepth, SearchingForCycle)


class SearchTeam(Team[S]):
    """A team of a search with stages. All workers go on until each has come to its end."""

    last_stage: int
    """The last stage in which a worker has not come to its end."""

    def at_work(self, w: int) -> bool:
        at_work: bool = self.fields["its_stage"][w] <= self.last_stage
        return at_work

    def outcomes(self) -> Sequence[int]:
        outcomes: Sequence[int] = self.fields["its_stage"]
        return outcomes

    def turn(self, w: int) -> None:
        machine = self.machines[w]
        self.methods["step"](self.fields, w, False, False, *self.wishes(machine))
        self.shared.perform_all(machine.step() or iter(()))
        assert machine.stage == self.fields["its_stage"][w]
        assert machine.start == self.fields["its_start"][w]
        assert self.shared.coloured(DISCOVERED) == self.fields["its_discovered"]
        assert self.shared.is_aborted == self.fields["its_abort"]
        self.compare(w, machine)

    def wishes(self, machine: S) -> tuple[Any, ...]:
        """What the scheduler wishes besides: that the worker chooses as its machine does."""
        del machine
        return ()

    @abstractmethod
    def compare(self, w: int, machine: S) -> None:
        """Worker w is where its machine is, beside its stage and what is shared."""

    def compare_search(self, w: int, path: Frames, goes_on: bool) -> None:
        """Its path is that of its machine, which is done with the edge that ends a search, while Viper looks at it."""
        if goes_on:
            self.compare_path(path, self.fields["its_stack"][w], self.fields["its_cursor"][w])
        else:
            assert path.stack == list(self.fields["its_stack"][w])


class InDepthTeam(SearchTeam[SearchingInDepth]):
    """A team of the depth-first search for a target."""

    files = ("parallel/reachability_place", "parallel/reachability")
    last_stage = searching_in_depth.TELLS

    def __init__(
        self, graph: Graph, workers: int, change: Change = UNCHANGED, making: type[SearchingInDepth] = SearchingInDepth
    ) -> None:
        targets = set(graph.accepting)
        machines = (making(list(graph.starts), targets) for _ in range(workers))
        # How much is left to do is for the proof only.
        super().__init__(graph, machines, change, target=targets.__contains__, frames_due=lambda _stack, _cursor: 0)

    def compare(self, w: int, machine: SearchingInDepth) -> None:
        assert machine.own == self.fields["its_own"][w]
        self.compare_search(w, machine.path, machine.stage < searching_in_depth.TELLS)
        if machine.stage in {searching_in_depth.TELLS, searching_in_depth.ANSWERED}:
            assert machine.found == self.fields["its_found"][w]


class ForTargetTeam(SearchTeam[SearchingForTarget]):
    """A team of the search for a target in no particular order."""

    files = ("parallel/unordered_steps", "parallel/unordered")
    last_stage = searching_for_target.TELLS

    def __init__(
        self,
        graph: Graph,
        workers: int,
        change: Change = UNCHANGED,
        making: type[SearchingForTarget] = SearchingForTarget,
    ) -> None:
        is_target = set(graph.accepting).__contains__
        machines = (making(list(graph.starts), is_target) for _ in range(workers))
        super().__init__(graph, machines, change, target=is_target)

    def begin(self) -> None:
        self.methods["begin"](self.fields, *self.methods["nothing_for_all"]())

    def wishes(self, machine: SearchingForTarget) -> tuple[Any, ...]:
        return tuple(machine.owed[-TOGETHER:]), NOTHING, True

    def compare(self, w: int, machine: SearchingForTarget) -> None:
        assert set(machine.owed) == self.fields["its_owed"][w]
        assert set(machine.batch) == self.fields["its_batch"][w]
        assert tuple(machine.rest) == self.fields["its_rest"][w]
        if machine.stage in {searching_for_target.TELLS, searching_for_target.ANSWERED}:
            assert machine.found == self.fields["its_found"][w]


class ForCycleTeam(SearchTeam[SearchingForCycle]):
    """A team of the search for any cycle behind acceptance."""

    files = ("parallel/acyclic_place", "parallel/acyclic_steps", "parallel/acyclic_moves", "parallel/acyclic")
    last_stage = searching_for_cycle.QUITS

    def __init__(
        self,
        graph: Graph,
        workers: int,
        change: Change = UNCHANGED,
        making: type[SearchingForCycle] = SearchingForCycle,
        ordered: Collection[int] | None = None,
    ) -> None:
        self.parent: dict[int, int] = {}
        ordered = behind_acceptance(graph) if ordered is None else ordered
        together = 1 if len(graph.edges) % 2 else TOGETHER  # both modes, on graphs of the same kinds
        accepting = set(graph.accepting)
        machines = (making(list(graph.starts), accepting, ordered, self.parent, together) for _ in range(workers))
        super().__init__(graph, machines, change, ordered=ordered.__contains__)

    def wishes(self, machine: SearchingForCycle) -> tuple[Any, ...]:
        return tuple(machine.owed[-machine.together :]), NOTHING, True, NO_PROCESS

    def compare(self, w: int, machine: SearchingForCycle) -> None:
        claimed = {machine.rest[0]} if machine.stage == searching_for_cycle.NOTES else set()
        assert set(machine.owed) | claimed == self.fields["its_owed"][w]
        assert set(machine.batch) == self.fields["its_batch"][w]
        assert tuple(machine.rest) == self.fields["its_rest"][w]
        assert tuple(machine.source) == self.fields["its_source"][w]
        self.compare_search(w, machine.path, machine.stage < searching_for_cycle.TELLS)
        assert self.parent == {state: self.fields["its_parent"][state] for state in self.fields["its_noted"]}
        if machine.stage in {searching_for_cycle.TELLS, searching_for_cycle.ANSWERED}:
            assert machine.found == self.fields["its_found"][w]
