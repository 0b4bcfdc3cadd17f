"""A search counts what it sees, tells its caller, and can be stopped without looking finished."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everafter import search
from everafter.search import ALGORITHMS, Generalised, Meter, Statistics, Stopped


class Line:
    """0 → 1 → … → length - 1, and from the last an edge to `back` if there is one; every state or 0 is accepting."""

    def __init__(self, length: int, back: int | None = None, all_accepting: bool = True) -> None:
        self.length = length
        self.all_accepting = all_accepting
        self.last = () if back is None else (back,)

    def initial(self) -> tuple[int]:
        return (0,)

    def successors(self, state: int, /) -> tuple[int, ...]:
        return (state + 1,) if state + 1 < self.length else self.last

    def is_accepting(self, state: int, /) -> bool:
        return self.all_accepting or state == 0


SEARCHES: dict[str, Callable[[Line, Meter], object]] = {
    **ALGORITHMS,
    "reachable_states": search.reachable_states,
    "find_path": lambda line, meter: search.find_path(line, lambda _: False, meter),
    "find_way_into": lambda line, meter: search.find_way_into(line.successors, 0, lambda _: False, meter=meter),
    "shortest_path": lambda line, meter: search.shortest_path(line, lambda _: False, meter),
    "find_cycle": search.find_cycle,
    "topological_order": search.topological_order,
    "components": search.strongly_connected_components,
    "shortest_lasso": search.shortest_lasso,
    "explore": lambda line, meter: search.explore(line, meter=meter),
}
ONCE = [name for name in SEARCHES if name != "owcty"]
"""Those that go along every edge of a line once; each round of `owcty` goes along them again."""
NESTED = ("schwoon-esparza", "holzmann", "courcoubetis")


@pytest.mark.parametrize("name", ONCE)
def test_every_search_counts(name: str) -> None:
    meter = Meter()
    SEARCHES[name](Line(51), meter)
    assert meter.statistics == Statistics(states=51, transitions=50, depth=51)


def test_every_round_counts() -> None:
    meter = Meter()
    ALGORITHMS["owcty"](Line(51), meter)
    assert meter.statistics == Statistics(states=51, transitions=3 * 50, depth=51)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_can_be_stopped(name: str) -> None:
    seen: list[int] = []

    def report(meter: Meter) -> bool:
        seen.append(meter.states)
        return meter.states > 25

    with pytest.raises(Stopped, match="stopped after 31 states") as caught:
        SEARCHES[name](Line(1_000), Meter(report, every=10))
    assert seen == [11, 21, 31]
    assert caught.value.statistics.states == 31


@pytest.mark.parametrize("name", ONCE)
def test_a_report_that_does_not_object_lets_the_search_go_on(name: str) -> None:
    reports: list[Statistics] = []
    meter = Meter(lambda meter: reports.append(meter.statistics), every=10)
    expected = SEARCHES[name](Line(100), Meter())
    assert SEARCHES[name](Line(100), meter) == expected
    assert len(reports) == 10


def test_the_search_for_a_shorter_cycle_can_be_stopped() -> None:
    """The states have all been seen by then."""
    meter = Meter(lambda meter: meter.expansions > 300, every=1)
    with pytest.raises(Stopped, match="stopped after 100 states"):
        search.shortest_lasso(Line(100, back=3), meter)


@pytest.mark.parametrize("name", NESTED)
def test_the_red_search_counts_all_but_its_first_expansion(name: str) -> None:
    meter = Meter()
    ALGORITHMS[name](Line(51, all_accepting=False), meter)
    assert meter.statistics == Statistics(states=51, transitions=99, depth=51)


@pytest.mark.parametrize("name", NESTED)
def test_the_red_search_can_be_stopped(name: str) -> None:
    meter = Meter(lambda meter: meter.expansions > 150, every=1)
    with pytest.raises(Stopped, match="stopped after 100 states"):
        ALGORITHMS[name](Line(100, all_accepting=False), meter)
    assert meter.expansions == 151


@pytest.mark.parametrize("name", ["tarjan", "couvreur"])
def test_writing_down_the_lasso_can_be_stopped(name: str) -> None:
    meter = Meter(lambda meter: meter.expansions > 101, every=1)
    with pytest.raises(Stopped):
        ALGORITHMS[name](Line(100, back=3), meter)


def test_a_meter_starts_again_with_each_search() -> None:
    meter = Meter()
    search.nested_dfs(Line(70), meter)
    search.find_cycle(Line(50), meter)
    assert meter.statistics == Statistics(states=50, transitions=49, depth=50)


def test_a_meter_reports_now_and_then_or_not_at_all() -> None:
    with pytest.raises(ValueError, match="not every 0"):
        Meter(every=0)


MILLION = 1_000_000


@pytest.mark.parametrize("name", ["schwoon-esparza", "tarjan", "couvreur"])
def test_a_line_of_a_million_states_exhausts_no_stack(name: str) -> None:
    meter = Meter()
    assert ALGORITHMS[name](Line(MILLION), meter) is None
    assert meter.statistics.states == meter.statistics.depth == MILLION


def test_a_lasso_of_a_million_states() -> None:
    lasso = search.nested_dfs(Line(MILLION, back=7))
    assert lasso is not None
    assert lasso.prefix == tuple(range(7))
    assert lasso.cycle == tuple(range(7, MILLION))


def test_generalised_and_plain_counts_are_the_same() -> None:
    plain, generalised = Meter(), Meter()
    search.tarjan(Line(30), plain)
    search.couvreur(Generalised(Line(30)), generalised)
    assert plain.statistics == generalised.statistics
