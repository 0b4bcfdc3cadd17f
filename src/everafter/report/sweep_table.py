"""A sweep over parameters as a table, and how the searches grow, as bars for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from everafter.record import dataclass
from everafter.report.text import COLOURS, Style
from everafter.verdict.result import Result

_BAR = 40
"""The longest bar, in characters."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True)
class Point:
    """The result for one property under one choice of parameters."""

    defines: Mapping[str, str]
    result: Result

    @property
    def label(self) -> str:
        """The choice of parameters as one writes it: `N=2 K=3`."""
        return " ".join(f"{name}={value}" for name, value in self.defines.items())


def growth(points: Sequence[Point]) -> list[float | None]:
    """How many times the states of the point before it each point has; the first of every series has none.

    A point follows another if only the last parameter differs, and the property is the same.
    """
    before: dict[tuple[object, ...], int] = {}
    factors: list[float | None] = []
    for point in points:
        series = (point.result.property, *list(point.defines.items())[:-1])
        known = before.get(series)
        factors.append(point.result.states / known if known else None)
        before[series] = point.result.states
    return factors


def by_property(points: Iterable[Point]) -> dict[str, list[Point]]:
    """The points of each property, in order."""
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.result.property, []).append(point)
    return found


class SweepTable:
    """The table of a sweep, line by line as the results come."""

    def __init__(self, choices: Sequence[Mapping[str, str]], properties: Iterable[str], style: Style) -> None:
        self.names = list(choices[0])
        self.widths = [max(len(name), *(len(choice[name]) for choice in choices)) for name in self.names]
        self.width = max(len("property"), *map(len, properties))
        self.style = style
        self.points: list[Point] = []

    def heading(self) -> str:
        """The first line."""
        numbers = f"{'states':>13}  {'growth':>8}  {'transitions':>13}  {'time':>9}"
        return f"  {self._parameters(self.names)}  {'property':<{self.width}}  {'verdict':<10}  {numbers}"

    def line(self, point: Point) -> str:
        """The line of one more result."""
        self.points.append(point)
        factor, result = growth(self.points)[-1], point.result
        verdict = self.style.paint(f"{result.verdict:<10}", COLOURS[result.verdict])
        grown = "" if factor is None else f"× {factor:,.2f}"
        numbers = f"{result.states:>13,}  {grown:>8}  {result.transitions:>13,}  {result.seconds:>7.2f} s"
        return f"  {self._parameters(point.defines.values())}  {result.property:<{self.width}}  {verdict}  {numbers}"

    def _parameters(self, values: Iterable[str]) -> str:
        return "  ".join(f"{value:>{width}}" for value, width in zip(values, self.widths, strict=True))


def bars(points: Sequence[Point], is_ascii: bool) -> Iterator[str]:
    """Yield, for each property, a bar for each of `points`: its length is the logarithm of the states.

    With `is_ascii`, bars are drawn without other characters.
    """
    most = max((point.result.states for point in points), default=0)
    width = max((len(point.label) for point in points), default=0)
    for name, series in by_property(points).items():
        yield f"  states for {name}, on a logarithmic scale"
        for point in series:
            bar = _bar(point.result.states, most, is_ascii)
            more = " and more" if point.result.incomplete else " up to a violation" if point.result.violated else ""
            yield f"  {point.label:<{width}}  {bar} {point.result.states:,}{more}"


def _bar(states: int, most: int, is_ascii: bool) -> str:
    """A bar as long as the logarithm of a number, compared with the largest one."""
    length = _BAR * math.log1p(states) / math.log1p(most) if most else 0.0
    if is_ascii:
        return "#" * round(length)
    eighths = round(length * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
