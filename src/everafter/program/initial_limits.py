"""More of something at the start than there are numbers for: proctypes, processes, channels."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.program.channel_types import created_by
from everafter.promela.units import ModelTree
from everafter.source import Diagnostic, Place

MOST = 255
"""SPIN counts each of them in a byte."""


def initial_limits(model: ModelTree) -> Iterator[Diagnostic]:
    """What is too much, at the place where it becomes so."""
    kinds = ((kind.place, 1) for kind in model.proctypes)
    processes = ((kind.place, kind.instances) for kind in model.proctypes)
    for name, counted in (("proctypes", kinds), ("processes at the start", processes), ("channels", _channels(model))):
        total = 0
        for place, count in counted:
            total += count
            if total > MOST:
                yield Diagnostic(place, f"more than {MOST} {name}", _ADVICE[name])
                break


_ADVICE = {
    "proctypes": "give one of them a parameter in place of many that are alike",
    "processes at the start": "a smaller number of them often shows the same",
    "channels": "a smaller number of them often shows the same",
}


def _channels(model: ModelTree) -> Iterator[tuple[Place, int]]:
    """The channels that there are before any step: of the model, and of the processes of the start."""
    for variable in model.variables:
        yield variable.place, sum(1 for _ in created_by([variable]))
    for kind in model.proctypes:
        yield kind.place, kind.instances * sum(1 for _ in created_by(kind.variables))
