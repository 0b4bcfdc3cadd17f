"""Which numbers name which element, in each class of places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everafter.symmetry.classes import PlaceValue, ValueClasses


class Numbering(NamedTuple):
    """The names that the elements of a group have at the root of a class, in the order of the elements."""

    group: int
    values: tuple[int, ...]


class ClashError(Exception):
    """The same number names two elements."""

    def __init__(self, groups: frozenset[int]) -> None:
        super().__init__("the same number names two processes")
        self.groups = groups


class ElementNames:
    """Groups of elements, each the processes of one proctype or of several, and the names that they have."""

    def __init__(self, classes: ValueClasses) -> None:
        self.classes = classes
        self.members: dict[int, list[tuple[int, ...]]] = {}
        """For each group, the processes of each proctype in it, in the order of the elements."""
        self.numberings: dict[int, list[Numbering]] = {}
        """For the root of a class, the names in it."""

    def group_of(self, process: int) -> int:
        """Return the group that a process is in, which must be in one."""
        return next(group for group, roles in self.members.items() if any(process in role for role in roles))

    def of(self, term: PlaceValue) -> list[Numbering]:
        """Return the names that elements have at `term`."""
        root = self.classes.root(term.key)
        more = root.more + term.more
        found = self.numberings.get(root.key, ())
        return [Numbering(group, tuple(value + more for value in values)) for group, values in found]

    def element(self, term: PlaceValue, value: int) -> tuple[int, int] | None:
        """Return the group and the position of the element that `value` names at `term`."""
        found = ((each.group, each.values.index(value)) for each in self.of(term) if value in each.values)
        return next(found, None)

    def give(self, term: PlaceValue, group: int, values: Sequence[int]) -> None:
        """Let the elements of `group` be named `values` at `term`.

        If another group has these names, they are one. Raises ClashError where it has some of them.
        """
        root = self.classes.root(term.key)
        names = tuple(value - root.more - term.more for value in values)
        for other, known in self.numberings.get(root.key, ()):
            if set(known).isdisjoint(names):
                continue
            if other == group and sorted(known) == sorted(names):
                return
            if other == group or sorted(known) != sorted(names):
                raise ClashError(frozenset({group, other}))
            self._join(other, group, [names.index(value) for value in known])
            return
        self.numberings.setdefault(root.key, []).append(Numbering(group, names))

    def _join(self, group: int, other: int, order: list[int]) -> None:
        """Let the elements of `other`, in this order, be those of `group`."""
        self.members[group] += [tuple(role[at] for at in order) for role in self.members.pop(other)]
        for root, found in self.numberings.items():
            self.numberings[root] = [
                Numbering(group, tuple(values[at] for at in order)) if each == other else Numbering(each, values)
                for each, values in found
            ]

    def named_roots(self) -> Iterator[tuple[int, Numbering]]:
        """Yield each class in which elements have names, with the names."""
        for root, found in self.numberings.items():
            for each in found:
                yield root, each
