"""Which cells a reference may mean, as a set of bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everafter.program.erasure import CellSet
from everafter.program.program import Program
from everafter.promela.model import Constant, Expression, Reference, Variable

GLOBAL = 0
"""The region of the global cells; that of proctype k is 1 + k."""


class CellSets:
    """Finds the cells of the references of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def region(self, variable: Variable) -> int:
        """Return the number of the region in which `variable` is."""
        return GLOBAL if variable.proctype is None else 1 + self.program.by_name[variable.proctype]

    def whole(self, variable: Variable) -> CellSet:
        """Return all cells of `variable`."""
        return ((1 << variable.cells * variable.type.size) - 1) << self._start(variable)

    def named(self, reference: Reference) -> CellSet:
        """Return the cells that `reference` may mean: the one that constant indices tell, or one of several."""
        return self._cells(reference, by_index=True)

    def slot(self, reference: Reference) -> CellSet:
        """Return the cells that `reference` may mean, whatever its indices are."""
        return self._cells(reference, by_index=False)

    def is_within(self, reference: Reference, regions: Sequence[CellSet]) -> bool:
        """Return whether all that `reference` may mean, by any index, is in what `regions` has of its region."""
        return not self.slot(reference) & ~regions[self.region(reference.variable)]

    def _start(self, variable: Variable) -> int:
        region = self.region(variable)
        memory = self.program.memory if region == GLOBAL else self.program.processes[region - 1].memory
        return memory.offsets[variable]

    def _cells(self, reference: Reference, by_index: bool) -> CellSet:
        cells = 1
        for owner, index in steps_of(reference):
            if owner is not reference.variable:
                cells <<= self.program.fields[owner]
            size = owner.type.size
            if by_index and is_told(owner, index):
                cells <<= size * (index.value if isinstance(index, Constant) else 0)
            else:
                cells *= _repeated(size, owner.cells)
        size = reference.leaf.type.size
        return cells * ((1 << size) - 1) << self._start(reference.variable)


def _repeated(size: int, times: int) -> int:
    """One bit for each element, of a given count and size."""
    return ((1 << size * times) - 1) // ((1 << size) - 1)


def steps_of(reference: Reference) -> Iterable[tuple[Variable, Expression | None]]:
    """The variable and the fields that `reference` goes through, each with its index."""
    return ((reference.variable, reference.index), *((item.field, item.index) for item in reference.selections))


def is_told(owner: Variable, index: Expression | None) -> bool:
    """Return whether the text tells which element of `owner` the `index` means."""
    return index is None or (isinstance(index, Constant) and 0 <= index.value < owner.cells)


def is_certain(reference: Reference) -> bool:
    """Return whether the text tells the one cell that `reference` means."""
    return all(is_told(owner, index) for owner, index in steps_of(reference)) and reference.leaf.type.size == 1
