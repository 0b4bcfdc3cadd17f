"""What SPIN reads we read, and what SPIN refuses we refuse; every exception is listed with its reason."""

from __future__ import annotations

import pytest
from oracles.spin import accepts
from tests.promela.language import (
    DIFFERENCES,
    KNOWN,
    STATEMENTS,
    UNITS,
    WRONG_STATEMENTS,
    WRONG_UNITS,
    Difference,
)

from everafter.program.program import build
from everafter.promela.parser import parse
from everafter.source import InputError, Source


def we_accept(text: str) -> bool:
    try:
        model, _ = parse(Source("model.pml", text))
        build(model)
    except InputError:
        return False
    return True


def model_of(unit: str) -> str:
    started = "active" in unit and "[0]" not in unit
    return unit if started or not unit.strip() else unit + "\nactive proctype Main() { skip }"


def process_of(statements: str) -> str:
    return f"{KNOWN}\nactive proctype Main() {{ {statements} }}\n"


RIGHT = {name: model_of(text) for name, text in UNITS.items()}
RIGHT |= {name: process_of(text) for name, text in STATEMENTS.items()}
WRONG = {name: model_of(text) for name, text in WRONG_UNITS.items()}
WRONG |= {name: process_of(text) for name, text in WRONG_STATEMENTS.items()}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT.keys())
@pytest.mark.spin
def test_what_spin_reads_we_read(text: str) -> None:
    assert accepts(text)
    assert we_accept(text)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
@pytest.mark.spin
def test_what_spin_refuses_we_refuse(text: str) -> None:
    assert not accepts(text)
    assert not we_accept(text)


@pytest.mark.parametrize("difference", DIFFERENCES.values(), ids=DIFFERENCES.keys())
@pytest.mark.spin
def test_deliberate_differences(difference: Difference) -> None:
    assert accepts(difference.text) == (difference.accepted_by == "SPIN")
    assert we_accept(difference.text) == (difference.accepted_by == "us")
