"""The cells of a region by the names of their places: which variable or field each is of, and by which indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from everafter.promela.model import Struct, Variable
from everafter.symmetry.uses import Path


class NamedCell(NamedTuple):
    """A cell: its path, and the index of each array on the way, None for what is no array."""

    path: Path
    indices: tuple[int | None, ...]

    def arrays(self) -> Iterator[tuple[int, Path, int]]:
        """Yield each array on the way: its position, its path, and the index of this cell in it."""
        for position, index in enumerate(self.indices):
            if index is not None:
                yield position, self.path[: position + 1], index


def named_cells(variables: Iterable[Variable]) -> list[NamedCell]:
    """Return the cells of `variables` in order, one behind the other."""
    return [cell for variable in variables for cell in _cells(variable, (), ())]


def _cells(variable: Variable, path: Path, indices: tuple[int | None, ...]) -> Iterator[NamedCell]:
    here = (*path, variable)
    for index in [None] if variable.length is None else range(variable.length):
        if isinstance(variable.type, Struct):
            for item in variable.type.fields:
                yield from _cells(item, here, (*indices, index))
        else:
            yield NamedCell(here, (*indices, index))
