"""Comparing footprints by sets of bits gives what comparing every two of their locations gives."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from everafter.program.locations import Location, Space, overlap
from everafter.promela.model import Kind, Scalar, Variable
from everafter.reduction import sharing
from everafter.reduction.footprint import Footprint
from everafter.reduction.sharing import Summaries
from everafter.source import Place, Source

PLACE = Place(Source("", "test"), 1, 1)
GLOBALS = tuple(Variable(name, Scalar(Kind.BYTE), 2, PLACE) for name in ("a", "b"))
LOCALS = tuple(Variable(name, Scalar(Kind.BYTE), 2, PLACE, proctype="P") for name in ("a", "b"))
OF_PROCESSES: tuple[Space, ...] = ("local", "remote")
PLACES: tuple[Space, ...] = ("place", "passed")
LOCATIONS = (
    *(Location("global", *of) for of in product(GLOBALS, (None, 0, 1))),
    *(Location(space, *of) for space in OF_PROCESSES for of in product(LOCALS, (None, 0, 1))),
    *(Location(space, None, cell) for space in PLACES for cell in (None, 0, 1)),
    *(Location(space) for space in get_args(Space) if space not in ("global", *OF_PROCESSES, *PLACES)),
)


def meet(item: Location, written: Location) -> bool:
    """The definition: whether a location of one process may be one that another process writes."""
    if item.space in ("everything", "control") or written.space in ("everything", "control"):
        return True
    if written.space in ("local", "remote"):
        return item.variable is written.variable and "remote" in (item.space, written.space)
    if written.space == "passed":
        return item.space == "place" and (item.cell is None or written.cell is None or item.cell == written.cell)
    return item.space not in ("processes", "channels", "event", "passed") and overlap(item, written)


def differences() -> list[tuple[Location, Location]]:
    summaries = Summaries()
    pairs = product(LOCATIONS, LOCATIONS)
    return [
        (item, written)
        for item, written in pairs
        for reader in (Footprint(reads=frozenset({item})),)
        for writer in (Footprint(writes=frozenset({written})),)
        if summaries.of(reader).shares_variables(summaries.of(writer)) != meet(item, written)
        or summaries.of(writer).shares_variables(summaries.of(reader)) != meet(item, written)
    ]


def test_every_two_locations_are_compared_as_defined() -> None:
    assert not differences()


def test_a_cell_that_is_not_told_from_its_neighbour_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "_SOME_CELL", 0)
    assert differences()


def test_what_a_footprint_touches_is_the_sum_of_its_parts() -> None:
    array, other = GLOBALS
    summaries = Summaries()
    both = Footprint(reads=frozenset({Location("global", other)}), writes=frozenset({Location("global", array, 0)}))
    for location, expected in ((Location("global", array, 1), False), (Location("global", array), True)):
        assert summaries.of(both).shares_variables(summaries.of(Footprint(reads=frozenset({location})))) is expected
    writes_other = Footprint(writes=frozenset({Location("global", other, 1)}))
    assert summaries.of(both).shares_variables(summaries.of(writes_other))
