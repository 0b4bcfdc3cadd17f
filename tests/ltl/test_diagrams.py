"""Decision diagrams against truth tables."""

from __future__ import annotations

import random

import pytest

from everafter.ltl.diagrams import FALSE, TRUE, Diagrams, TooLargeError

WIDTH = 4
ROWS = range(1 << WIDTH)


def random_function(diagrams: Diagrams, rng: random.Random, depth: int) -> tuple[int, int]:
    """A function and its truth table as a bit mask, built side by side."""
    if depth == 0:
        index = rng.randrange(WIDTH)
        table = sum(1 << row for row in ROWS if row >> index & 1)
        return diagrams.variable(index), table
    (f, a), (g, b) = random_function(diagrams, rng, depth - 1), random_function(diagrams, rng, rng.randrange(depth))
    full = (1 << len(ROWS)) - 1
    match rng.randrange(4):
        case 0:
            return diagrams.conjoin(f, g), a & b
        case 1:
            return diagrams.disjoin(f, g), a | b
        case 2:
            return diagrams.minus(f, g), a & ~b
        case _:
            return f ^ 1, full & ~a


def test_operations_agree_with_truth_tables() -> None:
    rng = random.Random(1)
    diagrams = Diagrams()
    known: dict[int, int] = {}
    for _ in range(2000):
        function, table = random_function(diagrams, rng, rng.randint(0, 5))
        assert known.setdefault(table, function) == function, "equal functions have equal numbers"
        assert all(diagrams.holds(function, row) == bool(table >> row & 1) for row in ROWS)
        assert diagrams.table(function, WIDTH) == table
        assert diagrams.support(function) == sum(
            1 << i for i in range(WIDTH) if any((table >> row ^ table >> (row ^ 1 << i)) & 1 for row in ROWS)
        )
    assert len(set(known.values())) == len(known)


def test_covers_are_exact_and_irredundant() -> None:
    rng = random.Random(2)
    diagrams = Diagrams()
    for _ in range(500):
        function, _ = random_function(diagrams, rng, rng.randint(0, 5))
        cubes = diagrams.cubes(function)
        assert union(diagrams, cubes) == function
        for index, (positive, negative) in enumerate(cubes):
            others = (*cubes[:index], *cubes[index + 1 :])
            assert union(diagrams, others) != function
            for literal in range(WIDTH):
                bit = 1 << literal
                if (positive | negative) & bit:
                    assert not diagrams.implies(diagrams.of_cube(positive & ~bit, negative & ~bit), function)


def union(diagrams: Diagrams, cubes: tuple[tuple[int, int], ...]) -> int:
    result = FALSE
    for cube in cubes:
        result = diagrams.disjoin(result, diagrams.of_cube(*cube))
    return result


def test_branches_split_by_the_chosen_variables() -> None:
    rng = random.Random(3)
    diagrams = Diagrams()
    for _ in range(300):
        function, _ = random_function(diagrams, rng, rng.randint(0, 5))
        total, seen = FALSE, FALSE
        for rest, label in diagrams.branches(function, 0b1010, 100).items():
            assert diagrams.support(label) & ~0b1010 == 0
            assert diagrams.support(rest) & ~0b0101 == 0
            assert diagrams.conjoin(seen, label) == FALSE
            seen = diagrams.disjoin(seen, label)
            total = diagrams.disjoin(total, diagrams.conjoin(label, rest))
        assert seen == TRUE
        assert total == function


def test_one_cube_and_restriction() -> None:
    rng = random.Random(5)
    diagrams = Diagrams()
    for _ in range(300):
        function, _ = random_function(diagrams, rng, rng.randint(0, 5))
        if function != FALSE:
            assert diagrams.implies(diagrams.of_cube(*diagrams.some_cube(function)), function)
        for index in range(WIDTH):
            for value in (False, True):
                rest = diagrams.restricted(function, index, value)
                assert not diagrams.support(rest) >> index & 1
                for row in ROWS:
                    changed = row | 1 << index if value else row & ~(1 << index)
                    assert diagrams.holds(rest, row) == diagrams.holds(function, changed)


def test_limits_are_kept() -> None:
    diagrams = Diagrams()
    clauses = TRUE
    for index in range(0, 40, 2):
        either = diagrams.disjoin(diagrams.variable(index), diagrams.variable(index + 1))
        clauses = diagrams.conjoin(clauses, either)
    with pytest.raises(TooLargeError):
        diagrams.cubes(clauses)
    assert len(diagrams.cubes(clauses ^ 1)) == 20
    with pytest.raises(TooLargeError):
        diagrams.branches(clauses, sum(1 << index for index in range(0, 40, 2)), 100)


def test_translation_renames() -> None:
    rng = random.Random(4)
    diagrams, other = Diagrams(), Diagrams()
    for _ in range(200):
        function, table = random_function(diagrams, rng, rng.randint(0, 5))
        moved = other.translated(function, diagrams, {0: 3, 1: 5, 2: 0, 3: 1})
        for row in ROWS:
            valuation = (row & 1) << 3 | (row >> 1 & 1) << 5 | (row >> 2 & 1) | (row >> 3 & 1) << 1
            assert other.holds(moved, valuation) == bool(table >> row & 1)
