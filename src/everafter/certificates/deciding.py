"""What decides whether a certificate shows that a property holds.

A certificate lists states, closed under steps, and gives each a rank. Along every edge the rank must not rise. Where
it stays, the edge must not be one that the rank forbids: for an automaton, one that leaves an accepting state; for fair
runs, one of the acceptance set that the rank names; for safety, where all ranks are equal, one into a violation.

On an endless run the rank falls only finitely often. From then on no forbidden edge is taken, so that the run is not
accepting, not fair, or meets no violation.

This text is proofs/certificates/deciding.py without its contracts. It is compiled as it stands, and interpreted as it
stands: both checkers decide by it.
"""


def accept_start(count: int, found: list[int], forbidden: list[int], size: int) -> bool:
    """Whether each of the initial states is listed and allowed.

    The k-th of them has the number `found[k]`, which is below `size` if it is listed; `forbidden[k]` is not 0 if it is
    a violation.
    Proof: proofs/certificates/deciding.py, function accept_start.
    Proof: proofs/certificates/deciding.v, theorem accept_start_contract.
    """
    place = 0
    while place < count:
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
    place = 0
    while place < count:
        if marks[numbers[place]] < least:
            return False
        place = place + 1
    return True
