"""What decides whether a certificate shows that a property holds: the edges of one state at a time.

A certificate lists states, closed under steps, and gives each a rank. Along every edge the rank must not rise. Where
it stays, the edge must not be one that the rank forbids: for an automaton, one that leaves an accepting state; for fair
runs, one of the acceptance set that the rank names; for safety, where all ranks are equal, one into a violation.

On an endless run the rank falls only finitely often. From then on no forbidden edge is taken, so that the run is not
accepting, not fair, or meets no violation.

This text is compiled as it stands, and interpreted as it stands: both checkers decide by it.
"""

from __future__ import annotations

from collections.abc import Sequence


def accept_edges(
    state: int, count: int, found: Sequence[int], forbidden: Sequence[int], rank: Sequence[int], size: int
) -> bool:
    """Whether each of the state's edges leads to a listed state, and its rank falls, or stays and allows the edge.

    Edge k leads to `found[k]`, which is a number below `size` if that state is listed; `forbidden[k]` is not 0 if the
    rank of the state forbids the edge.
    """
    edge = 0
    while edge < count:
        target = found[edge]
        if target < 0 or target >= size:
            return False
        if rank[target] > rank[state]:
            return False
        if rank[target] == rank[state] and forbidden[edge] != 0:
            return False
        edge = edge + 1
    return True
