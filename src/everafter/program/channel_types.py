"""Which channels declarations create: every count and every number of a channel follows from this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.promela.model import ChannelShape, Struct, Variable


def created_by(variables: Iterable[Variable]) -> Iterator[ChannelShape]:
    """The shape of every channel that these variables create, in the order of their numbers."""
    for variable in variables:
        for _ in range(variable.cells):
            if isinstance(variable.type, Struct):
                yield from created_by(variable.type.fields)
            elif isinstance(variable.initial, ChannelShape):
                yield variable.initial
