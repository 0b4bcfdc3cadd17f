"""Classes of places that hold the same values: what flows into one of them may flow into all.

A class is a tree of a forest (Tarjan 1975), and a place in it has a distance to the root, as `me` has to `_pid` where
it is `_pid - 1`. Messages belong to the class of the channel (Steensgaard 1996).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from everafter.source import Place


class PlaceValue(NamedTuple):
    """A value: that of a place, and how much is added to it."""

    key: int
    more: int = 0


class NumericUse(NamedTuple):
    """What is done to a value that may not be done to a name, and where."""

    words: str
    place: Place

    def __str__(self) -> str:
        return f"{self.place}: {self.words}"


class ValueClasses:
    """The classes of the places of one program."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        self._distances: list[int] = []
        self._names: dict[Hashable, int] = {}
        self.numeric: dict[int, NumericUse] = {}
        """Of a root whose values are not only compared and handed on, why."""
        self.fixed: dict[int, dict[int, Place]] = {}
        """Of a root, values that belong to no element wherever they stand."""
        self.stated: dict[int, dict[int, Place]] = {}
        """Of a root, constants of the text."""
        self.fields: dict[int, dict[int, int]] = {}
        """Of a root of channels, the place that each field of their messages is."""

    def new(self) -> int:
        """Return a place without a name."""
        self._parents.append(len(self._parents))
        self._distances.append(0)
        return len(self._parents) - 1

    def named(self, name: Hashable) -> int:
        """Return the place called `name`."""
        if name not in self._names:
            self._names[name] = self.new()
        return self._names[name]

    def knows(self, name: Hashable) -> bool:
        """Return whether a place is called `name`: nothing else is read or written."""
        return name in self._names

    def root(self, key: int) -> PlaceValue:
        """Return the root of a place, and how much its value is more."""
        more = 0
        while self._parents[key] != key:
            more += self._distances[key]
            key = self._parents[key]
        return PlaceValue(key, more)

    def unite(self, left: PlaceValue, right: PlaceValue, use: NumericUse) -> None:
        """Let `left` and `right` be of one class; `use` says why."""
        a, b = self.root(left.key), self.root(right.key)
        distance = a.more + left.more - b.more - right.more
        if a.key == b.key:
            if distance:
                self.compute(left, use)
            return
        self._parents[b.key], self._distances[b.key] = a.key, distance
        if b.key in self.numeric:
            self.numeric.setdefault(a.key, self.numeric.pop(b.key))
        for table in (self.fixed, self.stated):
            for value, place in table.pop(b.key, {}).items():
                table.setdefault(a.key, {}).setdefault(value - distance, place)
        for position, field in self.fields.pop(b.key, {}).items():
            self.unite(PlaceValue(self.field(PlaceValue(a.key), position)), PlaceValue(field), use)

    def compute(self, term: PlaceValue | None, use: NumericUse) -> None:
        """Note that `term` is used as a number, as `use` says."""
        if term is not None:
            self.numeric.setdefault(self.root(term.key).key, use)

    def fix(self, term: PlaceValue | None, value: int, place: Place) -> None:
        """Note that `term` is compared at `place` with the number `value`, or may be it, which names no element."""
        self._note(self.fixed, term, value, place)

    def state(self, term: PlaceValue, value: int, place: Place) -> None:
        """Note that the text has the constant `value` for `term`, at `place`."""
        self._note(self.stated, term, value, place)

    def _note(self, table: dict[int, dict[int, Place]], term: PlaceValue | None, value: int, place: Place) -> None:
        if term is not None:
            root = self.root(term.key)
            table.setdefault(root.key, {}).setdefault(value - root.more - term.more, place)

    def field(self, channel: PlaceValue, position: int) -> int:
        """Return the place that the field at `position` of the messages of `channel` is."""
        fields = self.fields.setdefault(self.root(channel.key).key, {})
        if position not in fields:
            fields[position] = self.new()
        return fields[position]

    def share_messages(self, one: int, other: int, use: NumericUse) -> bool:
        """Let the channels `one` and `other` have the same messages, as `use` says; return whether that is new."""
        first, second = PlaceValue(one), PlaceValue(other)
        positions = {*self._fields_of(one), *self._fields_of(other)}
        is_new = False
        for position in positions:
            left, right = self.field(first, position), self.field(second, position)
            is_new |= self.root(left).key != self.root(right).key
            self.unite(PlaceValue(left), PlaceValue(right), use)
        return is_new

    def _fields_of(self, channel: int) -> dict[int, int]:
        return self.fields.get(self.root(channel).key, {})
