"""The automata of classic formulas are about as small as Spot's, and never larger than SPIN's.

sizes.csv holds the formulas of Dwyer, Avrunin and Corbett (dac), Etessami and Holzmann (eh), and Somenzi and Bloem (sb)
with the number of states of SPIN's, and of Spot's Büchi and generalised Büchi automata.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from oracles.ltl.translators import SIZES

from everafter.ltl import parse
from everafter.ltl.translation import Translator


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    spin: int | None
    spot_buchi: int
    spot_generalised: int
    buchi: int
    generalised: int


@cache
def rows() -> tuple[Row, ...]:
    with SIZES.open() as file:
        return tuple(map(row, csv.DictReader(file)))


def row(line: dict[str, str]) -> Row:
    translator = Translator(parse(line["formula"], glued=True))
    return Row(
        line["name"],
        int(line["spin_states"]) if line["spin_states"].isdigit() else None,
        int(line["spot_buchi_states"]),
        int(line["spot_tgba_states"]),
        len(translator.buchi().states),
        len(translator.generalised().states),
    )


def test_buchi_automata_are_as_small_as_spots() -> None:
    assert sum(row.buchi for row in rows()) <= 1.10 * sum(row.spot_buchi for row in rows())


def test_generalised_automata_are_as_small_as_spots() -> None:
    assert sum(row.generalised for row in rows()) <= 1.10 * sum(row.spot_generalised for row in rows())


def test_never_worse_than_spin() -> None:
    assert [row for row in rows() if row.spin is not None and row.buchi > row.spin] == []
