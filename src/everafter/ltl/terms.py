"""What must hold now and what is left for later: a choice between sets of obligations, each open to some letters.

An obligation is a number, a set of them a mask, and obligations are never negated. So for each letter there is
exactly one shortest way to write the choice, by the sets that contain no other that would do, and equal choices are
written alike.
"""

from __future__ import annotations

from typing import TypeAlias

from everafter.ltl.functions import FALSE, TRUE, Functions, TooLargeError

Terms: TypeAlias = tuple[tuple[int, int], ...]
"""Masks of obligations in ascending order, each with the letters for which it is enough and no part of it is."""

NEVER: Terms = ()
AT_ONCE: Terms = ((0, TRUE),)

MOST_TERMS = 1000
"""With more ways to go on than this a formula is given up: TooLargeError."""


def now(letters: int) -> Terms:
    """One of the letters is read, and nothing is left to do."""
    return ((0, letters),) if letters != FALSE else NEVER


def later(obligations: int) -> Terms:
    """Whatever is read, the obligations of a mask are left."""
    return ((obligations, TRUE),)


def both(functions: Functions, one: Terms, other: Terms) -> Terms:
    """Return the choice that satisfies `one` and `other`, their letters joined in `functions`."""
    if len(one) == 1 and one[0][0] == 0:
        return _reading(functions, other, one[0][1])
    if len(other) == 1 and other[0][0] == 0:
        return _reading(functions, one, other[0][1])
    conjoin, disjoin = functions.conjoin, functions.disjoin
    found: dict[int, int] = {}
    for mask, letters in one:
        for other_mask, other_letters in other:
            common = conjoin(letters, other_letters)
            if common:
                key = mask | other_mask
                found[key] = disjoin(found[key], common) if key in found else common
        if len(found) > MOST_TERMS:
            raise TooLargeError
    return _shortest(functions, found)


def either(functions: Functions, one: Terms, other: Terms) -> Terms:
    """Return the choice that satisfies `one` or `other`, their letters joined in `functions`."""
    found = dict(one)
    for mask, letters in other:
        found[mask] = functions.disjoin(found[mask], letters) if mask in found else letters
    return _shortest(functions, found)


def _reading(functions: Functions, terms: Terms, letters: int) -> Terms:
    """The choice for some letters only."""
    conjoin = functions.conjoin
    return tuple([(mask, common) for mask, own in terms if (common := conjoin(own, letters))])


def _shortest(functions: Functions, found: dict[int, int]) -> Terms:
    """Without the letters for which fewer obligations suffice."""
    if len(found) > MOST_TERMS:
        raise TooLargeError
    minus = functions.minus
    # A part of a set is a smaller number: only what comes before can make a term superfluous.
    result: list[tuple[int, int]] = []
    for mask, letters in sorted(found.items()):
        needed = letters
        for other, better in result:
            if other & mask == other:
                needed = minus(needed, better)
        if needed:
            result.append((mask, needed))
    return tuple(result)


def widened(functions: Functions, terms: Terms) -> Terms:
    """Return the choice `terms` with every set open to all the letters for which it is enough, needed or not.

    The letters are in `functions`.
    """
    disjoin = functions.disjoin
    result = []
    for mask, letters in terms:
        enough = letters
        for other, more in terms:
            if other & mask == other:
                enough = disjoin(enough, more)
        result.append((mask, enough))
    return tuple(result)
