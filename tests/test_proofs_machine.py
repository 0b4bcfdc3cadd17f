"""Machines in Viper, which are proved, take the steps of those in Python, which workers are compared with."""

import random
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import pytest
from oracles.search.proved import Graph, random_graph
from oracles.search.viper_machines import ANSWERED, COMPLETED, SharingBlueTeam, SharingRedTeam, Team
from oracles.search.viper_searches import ForCycleTeam, ForTargetTeam, InDepthTeam
from oracles.viper_methods import functions_of
from proofs import searching_for_cycle, searching_for_target, searching_in_depth
from proofs.machines import SharingBlue, SharingRed
from proofs.searching_for_cycle import SearchingForCycle
from proofs.searching_for_target import SearchingForTarget
from proofs.searching_in_depth import SearchingInDepth

from everafter.search import ExplicitGraph
from everafter.search.parallel.stepwise import Request

Teams = Callable[..., Team[Any]]
Steps = Generator[Request, Any, None]
NESTED = (COMPLETED, ANSWERED)
IN_DEPTH = (searching_in_depth.COMPLETED, searching_in_depth.ANSWERED)
FOR_TARGET = (searching_for_target.COMPLETED, searching_for_target.ANSWERED)
FOR_CYCLE = (searching_for_cycle.COMPLETED, searching_for_cycle.ANSWERED, searching_for_cycle.UNDECIDED)


def sharing_red(early: bool, redden: bool) -> Teams:
    """Teams of a variant of PNDFS."""
    return partial(SharingRedTeam, making=partial(SharingRed, early=early, redden=redden))


def open_cycles(graph: Any, workers: int, **more: Any) -> Team[Any]:
    """A team that looks for any cycle where every other state is ordered, so that much cannot be decided."""
    return ForCycleTeam(graph, workers, ordered=range(0, len(graph.edges), 2), **more)


TEAMS: list[tuple[Teams, tuple[int, ...]]] = [
    *((sharing_red(early, redden), NESTED) for early in (False, True) for redden in (False, True)),
    (SharingBlueTeam, NESTED),
    (InDepthTeam, IN_DEPTH),
    (ForTargetTeam, FOR_TARGET),
    (ForCycleTeam, FOR_CYCLE[:2]),
    (open_cycles, FOR_CYCLE[2:]),
]


def wide_graph(seed: int) -> Graph:
    """A graph with more states than are expanded together, few of them accepting."""
    draw = random.Random(seed)
    edges = {s: draw.choices(range(90), k=draw.choice((0, 2, 4, 8))) for s in range(60)}
    edges |= {s: draw.choices(range(s, 90), k=draw.choice((0, 1))) for s in range(60, 90)}
    return ExplicitGraph(edges, [0, 1, 2, 3], draw.sample(range(60, 90), seed % 4))


def compare_all(teams: Teams, **more: Any) -> list[int]:
    """What the workers of teams of one, two and three come to."""
    graphs = [random_graph(seed) for seed in range(200)] + [wide_graph(seed) for seed in range(6)]
    return [
        outcome for seed, graph in enumerate(graphs) for outcome in teams(graph, 1 + seed % 3, **more).take_turns(seed)
    ]


@pytest.mark.parametrize(("teams", "ends"), TEAMS)
def test_machines_in_viper_and_in_python_are_one(teams: Teams, ends: tuple[int, ...]) -> None:
    outcomes = compare_all(teams)
    assert all(outcomes.count(outcome) > 40 for outcome in ends)


class Hasty(SharingRed):
    def step_look(self, s: int) -> Steps:
        yield ("count", s)
        self.phase += 1


class Unnoted(SharingRed):
    def step_back(self) -> Steps:
        yield from super().step_back()
        self.mixed.clear()


class Unawaited(SharingBlue):
    def step_look(self, s: int) -> Steps:
        self.left.remove(s)
        if not self.left:
            self.stage, self.left = 3, list(self.gathered)
        yield from ()


class LeftWhite(SharingBlue):
    def step_blue_end(self) -> Steps:
        if self.blue_path.stack[-1] in self.accepting:
            yield from super().step_blue_end()
        else:
            self.leave()


class Forgetful(SearchingInDepth):
    def step_leave(self) -> Steps:
        self.path.pop()
        yield from ()


class Twice(SearchingForTarget):
    def claim(self, node: int) -> Steps:
        yield ("colour_shared", node, 0)
        self.owed.append(node)


class Unsettled(SearchingForCycle):
    def step_note(self) -> None:
        self.stage = searching_for_cycle.WORKS
        self.owed.append(self.pass_on())


@pytest.mark.parametrize(
    ("teams", "machine"),
    [
        (SharingRedTeam, partial(Hasty, redden=True)),
        (SharingRedTeam, partial(Unnoted, redden=True)),
        (SharingBlueTeam, Unawaited),
        (SharingBlueTeam, LeftWhite),
        (InDepthTeam, Forgetful),
        (ForTargetTeam, Twice),
        (ForCycleTeam, Unsettled),
    ],
)
def test_a_changed_machine_in_python_is_noticed(teams: Teams, machine: Any) -> None:
    with pytest.raises(AssertionError):
        compare_all(teams, making=machine)


@pytest.mark.parametrize(
    ("teams", "change"),
    [
        (sharing_red(False, True), ("  if (g.its_count[s] == 0) {", "  if (g.its_count[s] >= 0) {")),
        (sharing_red(False, True), ("!redden || !is_red)", "!redden)")),
        (
            sharing_red(False, True),
            ("if (t in g.its_pink[w] || t in g.its_red) {", "if (t in g.its_pink[w]) {"),
        ),
        (
            sharing_red(False, True),
            (
                "cursor2 := cursor[|stack| - 1 := top(cursor) + 1]\n",
                "cursor2 := cursor[|stack| - 1 := top(cursor) + 2]\n",
            ),
        ),
        (
            sharing_red(False, True),
            ("  g.its_count := g.its_count[s := g.its_count[s] - 1]", "  g.its_count := g.its_count[s := 0]"),
        ),
        (
            SharingBlueTeam,
            ("if (s == g.its_root[w] || !accepting(s) || s in g.its_red) {", "if (s in g.its_left[w]) {"),
        ),
        (
            SharingBlueTeam,
            ("} elseif (t in g.its_gathered[w] || t in g.its_red) {", "} elseif (t in g.its_gathered[w]) {"),
        ),
        (InDepthTeam, ("if (!(t in g.its_own[w]) && target(t)) {", "if (target(t) && false) {")),
        (InDepthTeam, ("  g.its_discovered := g.its_discovered union Set(s)\n", "")),
        (ForTargetTeam, ("    pass(g, w)\n  } else {", "  } else {")),
        (
            ForTargetTeam,
            ("g.its_owed := g.its_owed[w := left setminus handed]", "g.its_owed := g.its_owed[w := handed]"),
        ),
        (ForCycleTeam, ("} elseif (!ordered(t)) {", "} elseif (ordered(t)) {")),
        (ForCycleTeam, ("g.its_source := g.its_source[w := Seq(-1)]", "g.its_source := g.its_source[w := Seq(0)]")),
    ],
)
def test_a_changed_machine_in_viper_is_noticed(teams: Teams, change: tuple[str, str]) -> None:
    with pytest.raises((AssertionError, IndexError)):
        compare_all(teams, change=change)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(AssertionError):
        list(functions_of("method f(g: Ref)\n{\n  label here\n}\n"))
