"""Which variable a name means at a place of the text.

SPIN's rules: a name must be declared before it is used; sibling blocks may reuse a name; a declaration may not
hide a visible variable, not even a global one.
"""

from __future__ import annotations

from collections.abc import Iterator

from everafter.promela.model import Variable
from everafter.record import dataclass, field


@dataclass(slots=True)
class Scopes:
    """The blocks around the current place; the first is the global one."""

    blocks: list[dict[str, Variable]] = field(default_factory=lambda: [{}])
    path: tuple[int, ...] = ()
    _opened: int = 0

    def open(self) -> None:
        """Enter a block."""
        self._opened += 1
        self.path = (*self.path, self._opened)
        self.blocks.append({})

    def close(self) -> None:
        """Leave the innermost block."""
        self.path = self.path[:-1]
        self.blocks.pop()

    def close_to(self, depth: int) -> None:
        """Leave blocks until `depth` are open, as recovery from an error needs."""
        while len(self.blocks) > depth:
            self.close()

    def declare(self, variable: Variable) -> None:
        """Make a variable visible from here to the end of the block."""
        self.blocks[-1][variable.name] = variable

    def find(self, name: str) -> Variable | None:
        """The variable this name means here, if any."""
        return next((block[name] for block in reversed(self.blocks) if name in block), None)

    def names(self) -> Iterator[str]:
        """All visible names."""
        for block in self.blocks:
            yield from block
