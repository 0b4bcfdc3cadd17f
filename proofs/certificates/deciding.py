"""What decides whether a certificate shows that a property holds.

A certificate lists states, closed under steps, and gives each a rank. Along every edge the rank must not rise. Where
it stays, the edge must not be one that the rank forbids: for an automaton, one that leaves an accepting state; for fair
runs, one of the acceptance set that the rank names; for safety, where all ranks are equal, one into a violation.

On an endless run the rank falls only finitely often. From then on no forbidden edge is taken, so that the run is not
accepting, not fair, or meets no violation.

This text is proofs/certificates/deciding.py without its contracts. It is compiled as it stands, and interpreted as it
stands: both checkers decide by it.
"""

from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


def accept_start(count: int, found: list[int], forbidden: list[int], size: int) -> bool:
    """Whether each of the initial states is listed and allowed.

    The k-th of them has the number `found[k]`, which is below `size` if it is listed; `forbidden[k]` is not 0 if it is
    a violation.
    Proof: proofs/certificates/deciding.py, function accept_start.
    Proof: proofs/certificates/deciding.v, theorem accept_start_contract.
    """
    Requires(Acc(list_pred(found), 1 / 4) and Acc(list_pred(forbidden), 1 / 4))  # Proof of everafter.certificates.deciding.accept_start
    Requires(0 <= count and count <= len(found) and count <= len(forbidden))
    Requires(MustTerminate(1))
    Ensures(Acc(list_pred(found), 1 / 4) and Acc(list_pred(forbidden), 1 / 4))
    Ensures(count <= len(found) and count <= len(forbidden))
    Ensures(Result() == Forall(int, lambda k: (Implies(0 <= k and k < count,
        0 <= found[k] and found[k] < size and forbidden[k] == 0), [[found[k]]])))
    place = 0
    while place < count:
        Invariant(Acc(list_pred(found), 1 / 8) and Acc(list_pred(forbidden), 1 / 8))
        Invariant(0 <= place and place <= count and count <= len(found) and count <= len(forbidden))
        Invariant(Forall(int, lambda k: (Implies(0 <= k and k < place,
            0 <= found[k] and found[k] < size and forbidden[k] == 0), [[found[k]]])))
        Invariant(MustTerminate(count - place))
        if found[place] < 0 or found[place] >= size or forbidden[place] != 0:
            return False
        place = place + 1
    return True


def accept_edges(state: int, count: int, found: list[int], forbidden: list[int], rank: list[int], size: int) -> bool:
    """Whether each of the state's edges leads to a listed state, and its rank falls, or stays and allows the edge.

    Edge k leads to `found[k]`, which is a number below `size` if that state is listed; `forbidden[k]` is not 0 if the
    rank of the state forbids the edge.
    Proof: proofs/certificates/deciding.py, function accept_edges.
    Proof: proofs/certificates/deciding.v, theorem accept_edges_contract.
    """
    Requires(Acc(list_pred(found), 1 / 4) and Acc(list_pred(forbidden), 1 / 4) and Acc(list_pred(rank), 1 / 4))  # Proof of everafter.certificates.deciding.accept_edges
    Requires(0 <= count and count <= len(found) and count <= len(forbidden))
    Requires(0 <= state and state < len(rank) and size <= len(rank))
    Requires(MustTerminate(1))
    Ensures(Acc(list_pred(found), 1 / 4) and Acc(list_pred(forbidden), 1 / 4) and Acc(list_pred(rank), 1 / 4))
    Ensures(count <= len(found) and count <= len(forbidden) and state < len(rank) and size <= len(rank))
    Ensures(Result() == edges_explained(state, count, found, forbidden, rank, size))
    edge = 0
    while edge < count:
        Invariant(Acc(list_pred(found), 1 / 8) and Acc(list_pred(forbidden), 1 / 8) and Acc(list_pred(rank), 1 / 8))
        Invariant(0 <= edge and edge <= count and count <= len(found) and count <= len(forbidden))
        Invariant(0 <= state and state < len(rank) and size <= len(rank))
        Invariant(edges_explained(state, edge, found, forbidden, rank, size))
        Invariant(MustTerminate(count - edge))
        target = found[edge]
        if target < 0 or target >= size:
            return False
        if rank[target] > rank[state]:
            return False
        if rank[target] == rank[state] and forbidden[edge] != 0:
            return False
        edge = edge + 1
    return True


def decide_state(
    state: int,
    count: int,
    found: list[int],
    forbidden: list[int],
    rank: list[int],
    size: int,
    marks: list[int],
    mark: int,
) -> bool:
    """Whether the edges of the state are accepted; if they are, it gets the mark, which shows that it is decided.

    Proof: proofs/certificates/deciding.py, function decide_state.
    Proof: proofs/certificates/deciding.v, theorem decide_state_contract.
    """
    Requires(Acc(list_pred(found), 1 / 4) and Acc(list_pred(forbidden), 1 / 4) and Acc(list_pred(rank), 1 / 4))  # Proof of everafter.certificates.deciding.decide_state
    Requires(Acc(list_pred(marks)))
    Requires(0 <= count and count <= len(found) and count <= len(forbidden))
    Requires(0 <= state and state < len(rank) and size <= len(rank) and state < len(marks))
    Requires(MustTerminate(2))
    Ensures(Acc(list_pred(found), 1 / 4) and Acc(list_pred(forbidden), 1 / 4) and Acc(list_pred(rank), 1 / 4))
    Ensures(count <= len(found) and count <= len(forbidden) and state < len(rank) and size <= len(rank))
    Ensures(Acc(list_pred(marks)) and len(marks) == Old(len(marks)))
    Ensures(Result() == edges_explained(state, count, found, forbidden, rank, size))
    Ensures(Implies(Result(), marks[state] == mark))
    Ensures(Implies(not Result(), marks[state] == Old(marks[state])))
    Ensures(Forall(int, lambda k: (Implies(0 <= k and k < len(marks) and k != state, marks[k] == Old(marks[k])), [[marks[k]]])))
    if not accept_edges(state, count, found, forbidden, rank, size):
        return False
    marks[state] = mark
    return True


def all_decided(count: int, numbers: list[int], marks: list[int], least: int) -> bool:
    """Whether each of these states is decided: its mark is not below the least that decided states get, and no others.

    Once the initial states are accepted and every listed state is decided, the certificate shows what it claims.
    Proof: proofs/certificates/deciding.py, function all_decided.
    Proof: proofs/certificates/deciding.v, theorem all_decided_contract.
    Proof: proofs/certificates/deciding.v, theorem decided_excludes_accepting_runs.
    Proof: proofs/certificates/deciding.v, theorem decided_excludes_fair_runs.
    Proof: proofs/certificates/deciding.v, theorem decided_excludes_violations.
    """
    Requires(Acc(list_pred(numbers), 1 / 4) and Acc(list_pred(marks), 1 / 4))  # Proof of everafter.certificates.deciding.all_decided
    Requires(0 <= count and count <= len(numbers))
    Requires(Forall(int, lambda k: (Implies(0 <= k and k < count, 0 <= numbers[k] and numbers[k] < len(marks)), [[numbers[k]]])))
    Requires(MustTerminate(1))
    Ensures(Acc(list_pred(numbers), 1 / 4) and Acc(list_pred(marks), 1 / 4))
    Ensures(count <= len(numbers))
    Ensures(Forall(int, lambda k: (Implies(0 <= k and k < count, 0 <= numbers[k] and numbers[k] < len(marks)), [[numbers[k]]])))
    Ensures(Result() == are_decided(count, numbers, marks, least))
    place = 0
    while place < count:
        Invariant(Acc(list_pred(numbers), 1 / 8) and Acc(list_pred(marks), 1 / 8))
        Invariant(0 <= place and place <= count and count <= len(numbers))
        Invariant(Forall(int, lambda k: (Implies(0 <= k and k < count, 0 <= numbers[k] and numbers[k] < len(marks)), [[numbers[k]]])))
        Invariant(are_decided(place, numbers, marks, least))
        Invariant(MustTerminate(count - place))
        if marks[numbers[place]] < least:
            return False
        place = place + 1
    return True


# ---- For the proof only: what the answers mean.


@Pure
def edges_explained(state: int, count: int, found: list[int], forbidden: list[int], rank: list[int], size: int) -> bool:
    """Of each edge: it leads to a listed state, its rank does not rise, and where it stays the edge is allowed."""
    Requires(Acc(list_pred(found), 1 / 8) and Acc(list_pred(forbidden), 1 / 8) and Acc(list_pred(rank), 1 / 8))
    Requires(count <= len(found) and count <= len(forbidden))
    Requires(0 <= state and state < len(rank) and size <= len(rank))
    return Forall(int, lambda k: (Implies(0 <= k and k < count,
        0 <= found[k] and found[k] < size and
        rank[found[k]] <= rank[state] and
        Implies(rank[found[k]] == rank[state], forbidden[k] == 0)), [[found[k]]]))


@Pure
def are_decided(count: int, numbers: list[int], marks: list[int], least: int) -> bool:
    """Each of these states has at least this mark."""
    Requires(Acc(list_pred(numbers), 1 / 8) and Acc(list_pred(marks), 1 / 8))
    Requires(count <= len(numbers))
    Requires(Forall(int, lambda k: (Implies(0 <= k and k < count, 0 <= numbers[k] and numbers[k] < len(marks)), [[numbers[k]]])))
    return Forall(int, lambda k: (Implies(0 <= k and k < count, marks[numbers[k]] >= least), [[numbers[k]]]))
