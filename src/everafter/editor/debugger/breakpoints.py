"""Lines at which a debugger wants a run to stop."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator

from everafter.editor.debugger.state_variables import NotEvaluated, evaluated
from everafter.execution.state import State
from everafter.program.program import Program
from everafter.record import dataclass, field
from everafter.source import Place


@dataclass(slots=True)
class Breakpoints:
    """The lines of each file, with conditions. `program` tells which lines have statements."""

    program: Program | None = None
    _lines: dict[str, dict[int, str]] = field(default_factory=dict)

    def put(self, path: str, wanted: Iterable[tuple[int, str]]) -> list[tuple[int, bool, str]]:
        """Put those `wanted`, lines and conditions, in the place of all in the file at `path`.

        Returns each with the line at which it stops, whether it can, and why not. One at a line without a statement
        goes to the next line that has one.
        """
        lines = sorted(self.lines(path))
        found: list[tuple[int, bool, str]] = []
        kept: dict[int, str] = {}
        for line, condition in wanted:
            reached = next((each for each in lines if each >= line), None)
            if reached is None:
                found.append((line, False, "no statement stands here"))
            else:
                kept[reached] = condition
                found.append((reached, True, ""))
        self._lines[os.path.realpath(path)] = kept
        return found

    def lines(self, path: str) -> set[int]:
        """The lines of the file at `path` at which a step may be taken."""
        file = os.path.realpath(path)
        return {place.line for place in self._places() if os.path.realpath(place.source.name) == file}

    def _places(self) -> Iterator[Place]:
        for kind in self.program.processes if self.program is not None else ():
            if kind.role in ("process", "init"):
                yield from (step.place.seen_at() for step in kind.graph.transitions())

    def stop_at(self, state: State, number: int, place: Place) -> bool:
        """Whether to stop in `state`, where process `number` is about to take the step at `place`."""
        seen = place.seen_at()
        condition = self._lines.get(os.path.realpath(seen.source.name), {}).get(seen.line)
        if condition is None or self.program is None:
            return False
        if not condition:
            return True
        try:
            return evaluated(self.program, state, number, condition).value not in ("0", "false")
        except NotEvaluated:
            return True  # what cannot be decided is shown
