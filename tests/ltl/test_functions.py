"""Both representations of boolean functions against truth tables built beside them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from everafter.ltl.diagrams import Diagrams
from everafter.ltl.functions import FALSE, TRUE, Functions, TooLargeError
from everafter.ltl.truth_tables import MOST_VARIABLES, Tables, functions_of

WIDTH = 4
ROWS = range(1 << WIDTH)
MAKERS: tuple[Callable[[], Functions], ...] = (Diagrams, lambda: Tables(WIDTH))
both_kinds = pytest.mark.parametrize("make", MAKERS, ids=["diagrams", "tables"])
Maker = Callable[[], Functions]


def random_function(functions: Functions, rng: random.Random, depth: int) -> tuple[int, int]:
    """A function and its truth table as a bit mask, built side by side."""
    if depth == 0:
        index = rng.randrange(WIDTH)
        table = sum(1 << row for row in ROWS if row >> index & 1)
        return functions.variable(index), table
    (f, a), (g, b) = random_function(functions, rng, depth - 1), random_function(functions, rng, rng.randrange(depth))
    full = (1 << len(ROWS)) - 1
    match rng.randrange(4):
        case 0:
            return functions.conjoin(f, g), a & b
        case 1:
            return functions.disjoin(f, g), a | b
        case 2:
            return functions.minus(f, g), a & ~b
        case _:
            return ~f, full & ~a


@both_kinds
def test_operations_agree_with_truth_tables(make: Maker) -> None:
    rng = random.Random(1)
    functions = make()
    known: dict[int, int] = {0: FALSE, (1 << len(ROWS)) - 1: TRUE}
    for _ in range(2000):
        function, table = random_function(functions, rng, rng.randint(0, 5))
        assert known.setdefault(table, function) == function, "equal functions have equal numbers"
        assert all(functions.holds(function, row) == bool(table >> row & 1) for row in ROWS)
        if function not in (FALSE, TRUE):
            assert functions.level(function) == first_variable(table)
            for side, cofactor in enumerate(functions.cofactors(function)):
                bit = 1 << functions.level(function)
                rows = ((row & ~bit) | side * bit for row in ROWS)
                assert all(functions.holds(cofactor, row) == bool(table >> row & 1) for row in rows)
    assert len(set(known.values())) == len(known)


def first_variable(table: int) -> int:
    return next(i for i in range(WIDTH) if any((table >> row ^ table >> (row ^ 1 << i)) & 1 for row in ROWS))


@both_kinds
def test_covers_are_exact_and_irredundant(make: Maker) -> None:
    rng = random.Random(2)
    functions = make()
    for _ in range(500):
        function, _ = random_function(functions, rng, rng.randint(0, 5))
        cubes = functions.cubes(function)
        assert union(functions, cubes) == function
        for index, (positive, negative) in enumerate(cubes):
            others = (*cubes[:index], *cubes[index + 1 :])
            assert union(functions, others) != function
            for literal in range(WIDTH):
                bit = 1 << literal
                if (positive | negative) & bit:
                    assert not functions.implies(functions.of_cube(positive & ~bit, negative & ~bit), function)


def union(functions: Functions, cubes: tuple[tuple[int, int], ...]) -> int:
    result = FALSE
    for cube in cubes:
        result = functions.disjoin(result, functions.of_cube(*cube))
    return result


@both_kinds
def test_some_cube_implies_the_function(make: Maker) -> None:
    rng = random.Random(5)
    functions = make()
    for _ in range(300):
        function, _ = random_function(functions, rng, rng.randint(0, 5))
        if function != FALSE:
            assert functions.implies(functions.of_cube(*functions.some_cube(function)), function)


def test_limits_are_kept() -> None:
    diagrams = Diagrams()
    clauses = TRUE
    for index in range(0, 40, 2):
        either = diagrams.disjoin(diagrams.variable(index), diagrams.variable(index + 1))
        clauses = diagrams.conjoin(clauses, either)
    with pytest.raises(TooLargeError):
        diagrams.cubes(clauses)
    assert len(diagrams.cubes(~clauses)) == 20


@pytest.mark.parametrize("target", [Diagrams, lambda: Tables(6)], ids=["diagrams", "tables"])
@both_kinds
def test_translation_renames(make: Maker, target: Maker) -> None:
    rng = random.Random(4)
    functions, other = make(), target()
    for _ in range(200):
        function, table = random_function(functions, rng, rng.randint(0, 5))
        moved = other.translated(function, functions, {0: 3, 1: 5, 2: 0, 3: 1})
        for row in ROWS:
            valuation = (row & 1) << 3 | (row >> 1 & 1) << 5 | (row >> 2 & 1) | (row >> 3 & 1) << 1
            assert other.holds(moved, valuation) == bool(table >> row & 1)


def test_many_variables_need_diagrams() -> None:
    assert isinstance(functions_of(MOST_VARIABLES), Tables)
    assert isinstance(functions_of(MOST_VARIABLES + 1), Diagrams)
