"""Where each variable lives, and how wide it is.

Memory is a row of cells, one for each scalar: the global cells once, the local cells once for each process. A value
is cut to the width of its cell when it is stored, as C does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from everafter.promela.model import Kind, Scalar, Struct, Variable
from everafter.record import dataclass


@dataclass(frozen=True, slots=True)
class Width:
    """How a cell stores a number: the number of bits, with or without a sign."""

    bits: int
    signed: bool = False

    @property
    def least(self) -> int:
        """The least number."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        """The greatest number."""
        return self.least + (1 << self.bits) - 1

    def store(self, value: int) -> int:
        """What is left of a value once it is stored."""
        cut = value & ((1 << self.bits) - 1)
        return cut - (1 << self.bits) if self.signed and cut >> (self.bits - 1) else cut


_WIDTHS = {
    Kind.BIT: Width(1),
    Kind.BYTE: Width(8),
    Kind.MTYPE: Width(8),
    Kind.CHAN: Width(8),
    Kind.SHORT: Width(16, signed=True),
    Kind.INT: Width(32, signed=True),
}


def width_of(variable: Variable) -> Width:
    """The width of a variable's cells. SPIN keeps the bits of an array in bytes, and does not cut them."""
    assert isinstance(variable.type, Scalar)
    if variable.type.kind is Kind.UNSIGNED:
        return Width(8) if variable.is_hidden else Width(variable.type.bits)
    if variable.type.kind is Kind.BIT and variable.length is not None:
        return Width(8)
    return _WIDTHS[variable.type.kind]


def field_widths(fields: tuple[Scalar, ...]) -> tuple[Width, ...]:
    """The widths of a channel's fields. A bit that is the only field is kept in a byte."""
    if len(fields) == 1 and fields[0].kind is Kind.BIT:
        return (Width(8),)
    return tuple(_WIDTHS[item.kind] for item in fields)


def cells_of(variable: Variable) -> Iterator[tuple[str, Variable]]:
    """The cells of a variable in order, each with its full name and the declaration its type comes from."""
    names = [variable.name] if variable.length is None else [f"{variable.name}[{i}]" for i in range(variable.length)]
    for name in names:
        if isinstance(variable.type, Struct):
            for item in variable.type.fields:
                for inner, leaf in cells_of(item):
                    yield f"{name}.{inner}" if item.name else f"{name}{inner}", leaf
        else:
            yield name, variable


@dataclass(frozen=True, slots=True)
class Cell:
    """One scalar of the memory, as a person would name it. A hidden one does not distinguish states."""

    name: str
    width: Width
    variable: Variable
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """A row of cells with the place of every variable in it."""

    cells: tuple[Cell, ...]
    offsets: Mapping[Variable, int]
    channels: tuple[int, ...]
    """The cells that hold channels."""


def lay_out(variables: Iterable[Variable], unseen: Collection[Variable] = ()) -> Region:
    """Return the memory of `variables`, one behind the other; those `unseen` do not distinguish states."""
    cells: list[Cell] = []
    offsets: dict[Variable, int] = {}
    for variable in variables:
        offsets[variable] = len(cells)
        hidden = variable in unseen
        cells += [Cell(name, width_of(leaf), leaf, hidden) for name, leaf in cells_of(variable)]
    channels = tuple(number for number, cell in enumerate(cells) if _is_channel(cell.variable))
    return Region(tuple(cells), MappingProxyType(offsets), channels)


def _is_channel(variable: Variable) -> bool:
    return isinstance(variable.type, Scalar) and variable.type.kind is Kind.CHAN


def field_offsets(structs: Iterable[Struct]) -> Mapping[Variable, int]:
    """The place of every field within its structure."""
    offsets: dict[Variable, int] = {}
    for struct in structs:
        position = 0
        for item in struct.fields:
            offsets[item] = position
            position += item.cells * item.type.size
    return MappingProxyType(offsets)
