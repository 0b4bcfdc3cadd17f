"""Certificates: what convinces us of a verdict without trusting the search that found it.

A graph is given by lists. The states are the numbers below `size`; the successors of state s are `targets[first[s]]` to
`targets[first[s + 1] - 1]`. Nothing is taken for granted of the lists: what is no graph is not accepted.

This text is proofs/verdict/certificate.py without its contracts.
"""


def is_row(state: int, size: int, first: list[int], targets: list[int]) -> bool:
    """Whether the successors of the state are listed."""
    if first[state] < 0 or first[state + 1] > len(targets):
        return False
    return first[state] <= first[state + 1]


def is_ranked(state: int, target: int, size: int, accepting: list[bool], member: list[bool], rank: list[int]) -> bool:
    """Whether the edge stays among the members, its rank does not rise, and falls if the state is accepting."""
    if target < 0 or target >= size or not member[target]:
        return False
    return rank[target] < rank[state] or (rank[target] == rank[state] and not accepting[state])


def is_edge(state: int, target: int, place: int, size: int, first: list[int], targets: list[int]) -> bool:
    """Whether the target is listed, at this place, among the successors of the state."""
    if state < 0 or state >= size or place < 0 or place >= len(targets):
        return False
    if place < first[state] or place >= first[state + 1]:
        return False
    return targets[place] == target


def accept_ranks(
    size: int,
    first: list[int],
    targets: list[int],
    initial: list[int],
    accepting: list[bool],
    member: list[bool],
    rank: list[int],
) -> bool:
    """Whether the ranks show that no run from an initial state meets accepting states for ever.

    The initial states must be members, and every edge from a member must be ranked: then the rank falls whenever an
    accepting state is left and never rises, so that only finitely many accepting states can be met.
    Proof: proofs/verdict/certificate.py, function accepted_ranks_exclude_lassos.
    Proof: proofs/verdict/certificates.v, theorem accepted_ranks_exclude_accepting_runs.
    """
    if size < 0 or len(first) != size + 1 or len(accepting) != size or len(member) != size or len(rank) != size:
        return False
    position = 0
    while position < len(initial):
        start = initial[position]
        if start < 0 or start >= size or not member[start]:
            return False
        position = position + 1
    state = 0
    while state < size:
        if not is_row(state, size, first, targets):
            return False
        place = first[state]
        while place < first[state + 1]:
            if member[state] and not is_ranked(state, targets[place], size, accepting, member, rank):
                return False
            place = place + 1
        state = state + 1
    return True


def accept_lasso(
    size: int,
    first: list[int],
    targets: list[int],
    initial: list[int],
    accepting: list[bool],
    run: list[int],
    places: list[int],
    start: int,
    entry: int,
    mark: int,
) -> bool:
    """Whether the run, from an initial state and back from its end to `run[entry]`, meets an accepting state for ever.

    The edge from `run[k]` is listed at `places[k]`, the run begins with `initial[start]`, and `run[mark]` is accepting.
    Proof: proofs/verdict/certificate.py, function accept_lasso.
    Proof: proofs/verdict/certificates.v, theorem accepted_lasso_is_an_accepting_run.
    """
    if len(first) != size + 1 or len(accepting) != size or len(places) != len(run):
        return False
    if entry < 0 or mark < entry or mark >= len(run) or start < 0 or start >= len(initial):
        return False
    if run[0] != initial[start] or run[mark] < 0 or run[mark] >= size or not accepting[run[mark]]:
        return False
    position = 0
    while position < len(run) - 1:
        if not is_edge(run[position], run[position + 1], places[position], size, first, targets):
            return False
        position = position + 1
    return is_edge(run[position], run[entry], places[position], size, first, targets)
