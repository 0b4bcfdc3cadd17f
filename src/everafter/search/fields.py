"""How each field of a store is indexed and kept: said once, in the annotation of the field.

    low: Annotated[Numbers, BY_DEPTH]

Every store, in plain Python or in memory by address, derives from `fields_of` what it keeps, where, and in how many
bytes. To add a field to a store is to annotate it there.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, MutableSequence
from types import MappingProxyType
from typing import Any, Final, Literal, get_type_hints

from everafter.record import dataclass

Numbers = MutableSequence[int]
NO_COLUMN: Final[Numbers] = array("q")

Index = Literal["once", "start", "state", "depth", "edge", "row"]
"""What a field has an element for: `length` of them in all, or one for each initial state, each state, each frame of
the stack, each successor waiting; or, for queues and stacks of states, never more than there are states."""
Content = Literal["number", "byte", "small", "sets", "count"]
"""A number as large as a state's, a byte of colours, a number that fits into a byte, acceptance sets as bits of a word,
or a word that counts edges."""
Sharing = Literal["own", "same", "shared"]
"""In a team: each worker has its own, all have the same one, or they tell each other something in it, so that reads
and changes are atomic."""


@dataclass(frozen=True, slots=True)
class Field:
    """What a store that keeps a field must know of it."""

    index: Index
    holds: Content = "number"
    always: bool = False
    """Whether every search needs it; else those that name it among their columns do."""
    team: Sharing = "own"
    length: int = 1
    least: Literal[0, -1] = 0
    """The least number it holds."""

    def empty(self, kept: bool) -> Numbers:
        """The field in plain Python, while there are no states; one that is not kept stays so."""
        match self.index:
            case "once":
                return [0] * self.length
            case "depth" if self.always:
                return [0]
            case "start" | "edge":
                return []
            case _ if self.holds in ("byte", "small"):
                return bytearray()
            case _:
                return array("q") if kept else NO_COLUMN

    @property
    def grows(self) -> bool:
        """Whether, in plain Python, it has an element for each state: also stacks, which never need more."""
        return self.index in ("state", "row") or (self.index == "depth" and not self.always)


ONE_NUMBER: Final = Field("once", always=True)
EVERY_DEPTH: Final = Field("depth", always=True)
BY_DEPTH: Final = Field("depth")
SETS_BY_DEPTH: Final = Field("depth", "sets")
SETS: Final = Field("once", "sets", always=True)
BY_STATE: Final = Field("state")
BY_ROW: Final = Field("row")


def fields_of(store: type[Any]) -> Mapping[str, Field]:
    """The fields of a store by name, in the order in which they are declared."""
    found: dict[str, Field] = {}
    for name, hint in get_type_hints(store, include_extras=True).items():
        said = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Field)]
        if len(said) != 1:
            raise TypeError(f"the field {name} of {store.__name__} does not say how it is kept")
        found[name] = said[0]
    return MappingProxyType(found)
