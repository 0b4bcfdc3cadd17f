"""Classes of places that hold the same values: what flows into one of them may flow into all.

A class is a tree of a forest (Tarjan 1975), and a place in it has a distance to the root, as `me` has to `_pid` where
it is `_pid - 1`. Messages belong to the class of the channel (Steensgaard 1996).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from everafter.source import Place


class Term(NamedTuple):
    """A value: that of a place, and how much is added to it."""

    key: int
    more: int = 0


class Use(NamedTuple):
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
        self.numeric: dict[int, Use] = {}
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

    def root(self, key: int) -> Term:
        """Return the root of a place, and how much its value is more."""
        more = 0
        while self._parents[key] != key:
            more += self._distances[key]
            key = self._parents[key]
        return Term(key, more)

    def unite(self, left: Term, right: Term, use: Use) -> None:
        """Let two values be of one class; `use` says why."""
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
            self.unite(Term(self.field(Term(a.key), position)), Term(field), use)

    def compute(self, term: Term | None, use: Use) -> None:
        """Note that a value is used as a number."""
        if term is not None:
            self.numeric.setdefault(self.root(term.key).key, use)

    def fix(self, term: Term | None, value: int, place: Place) -> None:
        """Note that `term` is compared with, or may be, the number `value`, which names no element."""
        self._note(self.fixed, term, value, place)

    def state(self, term: Term, value: int, place: Place) -> None:
        """Note that the text has the constant `value` at `term`."""
        self._note(self.stated, term, value, place)

    def _note(self, table: dict[int, dict[int, Place]], term: Term | None, value: int, place: Place) -> None:
        if term is not None:
            root = self.root(term.key)
            table.setdefault(root.key, {}).setdefault(value - root.more - term.more, place)

    def field(self, channel: Term, position: int) -> int:
        """Return the place that a field of the messages of `channel` is."""
        fields = self.fields.setdefault(self.root(channel.key).key, {})
        if position not in fields:
            fields[position] = self.new()
        return fields[position]

    def share_messages(self, one: int, other: int, use: Use) -> bool:
        """Let channels of two places have the same messages; return whether that is new."""
        first, second = Term(one), Term(other)
        positions = {*self._fields_of(one), *self._fields_of(other)}
        is_new = False
        for position in positions:
            left, right = self.field(first, position), self.field(second, position)
            is_new |= self.root(left).key != self.root(right).key
            self.unite(Term(left), Term(right), use)
        return is_new

    def _fields_of(self, channel: int) -> dict[int, int]:
        return self.fields.get(self.root(channel).key, {})
