"""find_or_put, insert_again, grow, cleared: made of proofs/store/table.vpr by proofs/runnable.py."""
# of 89f9195ec9268a0806f6e46b8403d7215f0543ad66923ee145ce6890cc252f45
# mypy: ignore-errors

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofs.execution import changed, divided, dropped, element, remainder, span, taken


@dataclass(frozen=True)
class Program:
    anything: Callable[[str], Any]
    tag: Callable[..., Any]
    hash: Callable[..., Any]

    def find_or_put(self, row: Any, fresh: Any, width: Any, lines: Any, numbers: Any, tags: Any, arena: Any, stored: Any, place: Any) -> Any:
        arena2 = arena
        numbers2 = numbers
        tags2 = tags
        stored2 = stored
        place2 = place
        number = self.candidate(row, self.begin_of(self.line_of(row, lines), width), width, lines, numbers, tags, arena, stored, place)
        if ((number == 0) or (element(arena, number) != row)):
            found, number, free = self.probe(row, width, lines, numbers, tags, arena, stored, place)
            if (not found):
                number = fresh
                arena2 = changed(arena, number, row)
                numbers2, tags2, stored2, place2 = self.enter(number, free, width, lines, numbers, tags, arena2, stored, place)
        return number, numbers2, tags2, arena2, stored2, place2

    def insert_again(self, number: Any, width: Any, lines: Any, numbers: Any, tags: Any, arena: Any, stored: Any, place: Any) -> Any:
        free = self.first_free(element(arena, number), width, lines, numbers, stored, place)
        numbers2, tags2, stored2, place2 = self.enter(number, free, width, lines, numbers, tags, arena, stored, place)
        return numbers2, tags2, stored2, place2

    def grow(self, lines2: Any, empty: Any, order: Any, width: Any, lines: Any, numbers: Any, tags: Any, arena: Any, stored: Any, place: Any) -> Any:
        numbers2 = empty
        tags2 = empty
        place2 = place
        again = frozenset(())
        k = 0
        while (k < len(order)):
            numbers2, tags2, again, place2 = self.insert_again(element(order, k), width, lines2, numbers2, tags2, arena, again, place2)
            k = (k + 1)
        return numbers2, tags2, place2

    def cleared(self, size: Any) -> Any:
        empty = ()
        while (len(empty) < size):
            empty = (empty + (0,))
        return empty

    def candidate(self, row: Any, line: Any, width: Any, lines: Any, numbers: Any, tags: Any, arena: Any, stored: Any, place: Any) -> Any:
        i = 0
        while ((i < width) and (element(tags, (line + i)) != self.tag(row))):
            i = (i + 1)
        known = (element(numbers, (line + i)) if (i < width) else 0)
        return known

    def begin_of(self, line: Any, width: Any) -> Any:
        return (line * width)

    def line_of(self, row: Any, lines: Any) -> Any:
        return divided((remainder(self.hash(row), 18446744073709551616) * lines), 18446744073709551616)

    def probe(self, row: Any, width: Any, lines: Any, numbers: Any, tags: Any, arena: Any, stored: Any, place: Any) -> Any:
        at = self.line_of(row, lines)
        line = self.begin_of(at, width)
        first = line
        round = 0
        found, number = self.compare_line(row, line, width, lines, numbers, tags, arena, stored, place)
        free = self.first_empty(line, width, numbers)
        while ((not found) and (free == (line + width))):
            round = (round + width)
            if ((line + width) == len(numbers)):
                at = 0
            else:
                at = (at + 1)
            line = self.begin_of(at, width)
            found, number = self.compare_line(row, line, width, lines, numbers, tags, arena, stored, place)
            free = self.first_empty(line, width, numbers)
        return found, number, free

    def enter(self, number: Any, free: Any, width: Any, lines: Any, numbers: Any, tags: Any, arena: Any, stored: Any, place: Any) -> Any:
        numbers2 = changed(numbers, free, number)
        tags2 = changed(tags, free, self.tag(element(arena, number)))
        place2 = changed(place, number, free)
        stored2 = (stored | frozenset((number,)))
        return numbers2, tags2, stored2, place2

    def first_free(self, row: Any, width: Any, lines: Any, numbers: Any, stored: Any, place: Any) -> Any:
        at = self.line_of(row, lines)
        line = self.begin_of(at, width)
        first = line
        round = 0
        free = self.first_empty(line, width, numbers)
        while (free == (line + width)):
            round = (round + width)
            if ((line + width) == len(numbers)):
                at = 0
            else:
                at = (at + 1)
            line = self.begin_of(at, width)
            free = self.first_empty(line, width, numbers)
        return free

    def compare_line(self, row: Any, line: Any, width: Any, lines: Any, numbers: Any, tags: Any, arena: Any, stored: Any, place: Any) -> Any:
        number = self.anything("compare_line.number")
        i = 0
        found = False
        while ((i < width) and (not found)):
            if ((element(tags, (line + i)) == self.tag(row)) and (element(arena, element(numbers, (line + i))) == row)):
                number = element(numbers, (line + i))
                found = True
            else:
                i = (i + 1)
        return found, number

    def first_empty(self, line: Any, width: Any, numbers: Any) -> Any:
        free = line
        while ((free < (line + width)) and (element(numbers, free) != 0)):
            free = (free + 1)
        return free
