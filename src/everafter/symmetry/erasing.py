"""What may be written as zero where processes are exchanged: the same of all elements, and no zero that is a name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import and_
from types import MappingProxyType

from everafter.program.erasure import CellSet, Dead, Erasure
from everafter.program.program import Program
from everafter.symmetry.classes import PlaceValue
from everafter.symmetry.detection import SymmetricGroups
from everafter.symmetry.roles import roles
from everafter.symmetry.uses import Path


def erasing_alike(found: SymmetricGroups) -> Erasure | None:
    """Return what the program of `found` erases, without cells of arrays that elements index, and zeros that are names.

    An array that is never read may be erased all the same: it is zero in every state.
    """
    program, erased = found.program, found.program.erased
    if erased is None:
        return None
    kept = [_kept(found, region) for region in range(len(found.cells))]
    everywhere = kept[0]
    same = {kind: role.kinds for role in roles(program, found.start) for kind in role.kinds}
    listed = [same.get(kind, (kind,)) for kind in range(len(erased.dead))]
    return Erasure(
        unread=erased.unread & ~everywhere,
        unread_locals=tuple(
            _common(erased.unread_locals[kind] for kind in kinds) & ~kept[1 + number]
            for number, kinds in enumerate(listed)
        ),
        dead=tuple(
            MappingProxyType(
                {
                    node: Dead(
                        _common(erased.dead[kind].get(node, Dead()).local for kind in kinds) & ~kept[1 + number],
                        owned & ~everywhere,
                    )
                    for node, (_, owned) in erased.dead[number].items()
                }
            )
            for number, kinds in enumerate(listed)
        ),
        owned=tuple(cells & ~everywhere for cells in erased.owned),
        fields=_fields(program, found, erased.fields),
    )


def _common(sets: Iterable[CellSet]) -> CellSet:
    """The cells in all sets: what is erased of all processes of a role."""
    return reduce(and_, sets)


def _unread_paths(found: SymmetricGroups, region: int) -> frozenset[Path]:
    """Return the variables and fields of a `region` that are zero in every state; 0 is that of the globals."""
    erased = found.program.erased
    if erased is None:
        return frozenset()
    unread = erased.unread if region == 0 else erased.unread_locals[region - 1]
    cells = found.cells[region]
    return frozenset(cell.path for cell in cells) - {
        cell.path for number, cell in enumerate(cells) if not unread >> number & 1
    }


def _kept(found: SymmetricGroups, region: int) -> CellSet:
    """The cells that name an element by zero, or of arrays that elements index."""
    kept, unread = 0, _unread_paths(found, region)
    for number, cell in enumerate(found.cells[region]):
        if found.uses.is_used("value", cell.path) and _names_by_zero(found, found.uses.leaf(cell.path)):
            kept |= 1 << number
        for _, path, _ in cell.arrays():
            if cell.path not in unread and found.uses.is_used("index", path) and found.names.of(found.uses.index(path)):
                kept |= 1 << number
    return kept


def _names_by_zero(found: SymmetricGroups, term: PlaceValue) -> bool:
    return any(0 in each.values for each in found.names.of(term))


def _fields(program: Program, found: SymmetricGroups, fields: tuple[CellSet, ...]) -> tuple[CellSet, ...]:
    """The fields of messages that are erased: none where one may name an element by zero."""
    left = list(fields)
    for number, channel in enumerate(found.start.state.channels, 1):
        of = PlaceValue(found.uses.classes.named(("channel", number)))
        for position in range(len(program.channels[channel.type].widths)):
            if _names_by_zero(found, PlaceValue(found.uses.classes.field(of, position))):
                left[channel.type] &= ~(1 << position)
    return tuple(left)
