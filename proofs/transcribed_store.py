"""The proved stores in Python, line by line as in store/table.vpr and store/tree.vpr, run beside the running ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

WORD = 1 << 64
HALF_WORD = 1 << 32
EMPTY = 0


@dataclass
class Table:
    """store/table.vpr. The hash and the tag of a row are whatever these functions say."""

    width: int
    lines: int
    hash: Callable[[int], int]
    tag: Callable[[int], int]
    arena: dict[int, int] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clear(self.lines)

    def clear(self, lines: int) -> None:
        """Method cleared."""
        self.lines = lines
        self.numbers = [EMPTY] * (lines * self.width)
        self.tags = [0] * (lines * self.width)

    def line_of(self, row: int) -> int:
        """Function line_of."""
        return ((self.hash(row) % WORD) * self.lines) // WORD

    def lines_from(self, at: int) -> Iterator[int]:
        """The first slot of each line, from this one on, around the table."""
        while True:
            yield at * self.width
            at = 0 if (at + 1) * self.width == len(self.numbers) else at + 1

    def compare_line(self, row: int, line: int) -> int | None:
        """Method compare_line."""
        for slot in range(line, line + self.width):
            if self.tags[slot] == self.tag(row) and self.arena.get(self.numbers[slot]) == row:
                return self.numbers[slot]
        return None

    def first_empty(self, line: int) -> int:
        """Method first_empty."""
        free = line
        while free < line + self.width and self.numbers[free] != EMPTY:
            free += 1
        return free

    def enter(self, number: int, free: int) -> None:
        """Method enter."""
        self.numbers[free] = number
        self.tags[free] = self.tag(self.arena[number])

    def find_or_put(self, row: int, fresh: int) -> int:
        """Methods probe and find_or_put."""
        for line in self.lines_from(self.line_of(row)):
            number = self.compare_line(row, line)
            if number is not None:
                return number
            free = self.first_empty(line)
            if free < line + self.width:
                self.arena[fresh] = row
                self.enter(fresh, free)
                return fresh
        raise AssertionError

    def insert_again(self, number: int) -> None:
        """Methods first_free and insert_again."""
        for line in self.lines_from(self.line_of(self.arena[number])):
            free = self.first_empty(line)
            if free < line + self.width:
                self.enter(number, free)
                return

    def grow(self, lines: int) -> None:
        """Method grow."""
        self.clear(lines)
        for number in sorted(self.arena):
            self.insert_again(number)


@dataclass
class Tree:
    """store/tree.vpr."""

    nodes: list[int] = field(default_factory=lambda: [0])

    def number_of(self, value: int) -> int:
        """Method number_of."""
        number = 1
        while number < len(self.nodes) and self.nodes[number] != value:
            number += 1
        if number == len(self.nodes):
            self.nodes.append(value)
        return number

    def number_of_half(self, words: list[int]) -> list[int]:
        """Method number_of_half: the numbers at all positions."""
        leaves = (len(words) + 1) // 2
        inner = inner_of(leaves)
        heap = [0] * (4 * inner + 1)
        for leaf in range(leaves):
            second = words[2 * leaf + 1] if 2 * leaf + 1 < len(words) else 0
            heap[inner + leaf] = self.number_of(words[2 * leaf] + WORD * second)
        for position in range(inner - 1, -1, -1):
            a, b, c, d = heap[4 * position + 1 : 4 * position + 5]
            heap[position] = self.number_of(a + HALF_WORD * b + WORD * c + WORD * HALF_WORD * d)
        return heap

    def rebuild_half(self, top: int, leaves: int) -> tuple[list[int], list[int]]:
        """Method rebuild_half: the words, and the numbers at all positions."""
        inner = inner_of(leaves)
        heap = [0] * (4 * inner + 1)
        heap[0] = top
        for position in range(inner):
            node = self.nodes[heap[position]]
            below = node, node // HALF_WORD, node // WORD, node // (WORD * HALF_WORD)
            heap[4 * position + 1 : 4 * position + 5] = [number % HALF_WORD for number in below]
        words = []
        for leaf in range(leaves):
            node = self.nodes[heap[inner + leaf]]
            words += [node % WORD, node // WORD]
        return words, heap


def inner_of(leaves: int) -> int:
    """How many inner nodes there are above so many leaves."""
    return (leaves + 1) // 3
