"""Every operator that can be written has a meaning."""

from __future__ import annotations

from everafter.execution.evaluate import _OPERATIONS
from everafter.promela.expressions import _STRENGTH


def test_every_operator_between_two_operands_has_a_meaning() -> None:
    decided_by_the_left_operand = {"&&", "||"}
    assert _OPERATIONS.keys() | decided_by_the_left_operand == _STRENGTH.keys()
