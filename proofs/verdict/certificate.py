"""Certificates: what convinces us of a verdict without trusting the search that found it.

A graph is given by lists. The states are the numbers below `size`; the successors of state s are `targets[first[s]]` to
`targets[first[s + 1] - 1]`. Nothing is taken for granted of the lists: what is no graph is not accepted.

This text is proofs/verdict/certificate.py without its contracts.
"""

from nagini_contracts.contracts import *


@Pure
def is_row(state: int, size: int, first: list[int], targets: list[int]) -> bool:
    """Whether the successors of the state are listed."""
    Requires(Acc(list_pred(first), 1 / 8) and Acc(list_pred(targets), 1 / 8))
    Requires(len(first) == size + 1 and 0 <= state and state < size)
    if first[state] < 0 or first[state + 1] > len(targets):
        return False
    return first[state] <= first[state + 1]


@Pure
def is_ranked(state: int, target: int, size: int, accepting: list[bool], member: list[bool], rank: list[int]) -> bool:
    """Whether the edge stays among the members, its rank does not rise, and falls if the state is accepting."""
    Requires(Acc(list_pred(accepting), 1 / 8) and Acc(list_pred(member), 1 / 8) and Acc(list_pred(rank), 1 / 8))
    Requires(len(accepting) == size and len(member) == size and len(rank) == size)
    Requires(0 <= state and state < size)
    if target < 0 or target >= size or not member[target]:
        return False
    return rank[target] < rank[state] or (rank[target] == rank[state] and not accepting[state])


@Pure
def is_edge(state: int, target: int, place: int, size: int, first: list[int], targets: list[int]) -> bool:
    """Whether the target is listed, at this place, among the successors of the state."""
    Requires(Acc(list_pred(first), 1 / 8) and Acc(list_pred(targets), 1 / 8))
    Requires(len(first) == size + 1)
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
    Requires(Acc(list_pred(first), 1 / 2) and Acc(list_pred(targets), 1 / 2) and Acc(list_pred(initial), 1 / 2))
    Requires(Acc(list_pred(accepting), 1 / 2) and Acc(list_pred(member), 1 / 2) and Acc(list_pred(rank), 1 / 2))
    Ensures(Acc(list_pred(first), 1 / 2) and Acc(list_pred(targets), 1 / 2) and Acc(list_pred(initial), 1 / 2))
    Ensures(Acc(list_pred(accepting), 1 / 2) and Acc(list_pred(member), 1 / 2) and Acc(list_pred(rank), 1 / 2))
    Ensures(Implies(Result(), len(first) == size + 1 and len(accepting) == size and len(member) == size and len(rank) == size))
    Ensures(Implies(Result(), starts_are_members(len(initial), size, initial, member)))
    Ensures(Implies(Result(), rows_are_ranked(size, size, first, targets, accepting, member, rank)))
    if size < 0 or len(first) != size + 1 or len(accepting) != size or len(member) != size or len(rank) != size:
        return False
    position = 0
    while position < len(initial):
        Invariant(Acc(list_pred(initial), 1 / 4) and Acc(list_pred(member), 1 / 4))
        Invariant(0 <= position and position <= len(initial) and len(member) == size)
        Invariant(starts_are_members(position, size, initial, member))
        start = initial[position]
        if start < 0 or start >= size or not member[start]:
            return False
        position = position + 1
    state = 0
    while state < size:
        Invariant(Acc(list_pred(first), 1 / 4) and Acc(list_pred(targets), 1 / 4))
        Invariant(Acc(list_pred(accepting), 1 / 4) and Acc(list_pred(member), 1 / 4) and Acc(list_pred(rank), 1 / 4))
        Invariant(0 <= state and state <= size)
        Invariant(len(first) == size + 1 and len(accepting) == size and len(member) == size and len(rank) == size)
        Invariant(rows_are_ranked(state, size, first, targets, accepting, member, rank))
        if not is_row(state, size, first, targets):
            return False
        place = first[state]
        while place < first[state + 1]:
            Invariant(Acc(list_pred(first), 1 / 8) and Acc(list_pred(targets), 1 / 8))
            Invariant(Acc(list_pred(accepting), 1 / 8) and Acc(list_pred(member), 1 / 8) and Acc(list_pred(rank), 1 / 8))
            Invariant(0 <= state and state < size)
            Invariant(len(first) == size + 1 and len(accepting) == size and len(member) == size and len(rank) == size)
            Invariant(is_row(state, size, first, targets) and first[state] <= place and place <= first[state + 1])
            Invariant(Forall(int, lambda k: (Implies(first[state] <= k and k < place and member[state],
                is_ranked(state, targets[k], size, accepting, member, rank)), [[targets[k]]])))
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
    Requires(Acc(list_pred(first), 1 / 2) and Acc(list_pred(targets), 1 / 2) and Acc(list_pred(initial), 1 / 2))
    Requires(Acc(list_pred(accepting), 1 / 2) and Acc(list_pred(run), 1 / 2) and Acc(list_pred(places), 1 / 2))
    Ensures(Acc(list_pred(first), 1 / 2) and Acc(list_pred(targets), 1 / 2) and Acc(list_pred(initial), 1 / 2))
    Ensures(Acc(list_pred(accepting), 1 / 2) and Acc(list_pred(run), 1 / 2) and Acc(list_pred(places), 1 / 2))
    Ensures(Implies(Result(), len(first) == size + 1 and len(accepting) == size and len(places) == len(run)))
    Ensures(Implies(Result(), 0 <= entry and entry <= mark and mark < len(run) and 0 <= start and start < len(initial)))
    Ensures(Implies(Result(), run[0] == initial[start] and 0 <= run[mark] and run[mark] < size and accepting[run[mark]]))
    Ensures(Implies(Result(), is_walk(len(run) - 1, size, first, targets, run, places)))
    Ensures(Implies(Result(), is_edge(run[len(run) - 1], run[entry], places[len(run) - 1], size, first, targets)))
    if len(first) != size + 1 or len(accepting) != size or len(places) != len(run):
        return False
    if entry < 0 or mark < entry or mark >= len(run) or start < 0 or start >= len(initial):
        return False
    if run[0] != initial[start] or run[mark] < 0 or run[mark] >= size or not accepting[run[mark]]:
        return False
    position = 0
    while position < len(run) - 1:
        Invariant(Acc(list_pred(first), 1 / 4) and Acc(list_pred(targets), 1 / 4))
        Invariant(Acc(list_pred(run), 1 / 4) and Acc(list_pred(places), 1 / 4))
        Invariant(len(first) == size + 1 and len(places) == len(run) and 0 <= position and position <= len(run) - 1)
        Invariant(is_walk(position, size, first, targets, run, places))
        if not is_edge(run[position], run[position + 1], places[position], size, first, targets):
            return False
        position = position + 1
    return is_edge(run[position], run[entry], places[position], size, first, targets)


# ---- For the proof only: what the answers mean.
#
# Proof of everafter.verdict.certificate.accept_lasso: what its contract promises is a lasso.


@Pure
def starts_are_members(count: int, size: int, initial: list[int], member: list[bool]) -> bool:
    """The first `count` initial states are members."""
    Requires(Acc(list_pred(initial), 1 / 8) and Acc(list_pred(member), 1 / 8))
    Requires(len(member) == size and count <= len(initial))
    return Forall(int, lambda k: (Implies(0 <= k and k < count, 0 <= initial[k] and initial[k] < size and member[initial[k]]), [[initial[k]]]))


@Pure
def rows_are_ranked(count: int, size: int, first: list[int], targets: list[int], accepting: list[bool], member: list[bool], rank: list[int]) -> bool:
    """The first `count` states have their successors listed, and the edges of the members among them are ranked."""
    Requires(Acc(list_pred(first), 1 / 8) and Acc(list_pred(targets), 1 / 8))
    Requires(Acc(list_pred(accepting), 1 / 8) and Acc(list_pred(member), 1 / 8) and Acc(list_pred(rank), 1 / 8))
    Requires(len(first) == size + 1 and len(accepting) == size and len(member) == size and len(rank) == size)
    Requires(count <= size)
    return (Forall(int, lambda s: (Implies(0 <= s and s < count, is_row(s, size, first, targets)), [[is_row(s, size, first, targets)]])) and
            Forall(int, lambda s: (Implies(0 <= s and s < count and member[s],
                Forall(int, lambda k: (Implies(first[s] <= k and k < first[s + 1] and 0 <= k and k < len(targets),
                    is_ranked(s, targets[k], size, accepting, member, rank)), [[targets[k]]]))), [[member[s]]])))


@Pure
def is_walk(count: int, size: int, first: list[int], targets: list[int], run: list[int], places: list[int]) -> bool:
    """The first `count` steps of the run are edges."""
    Requires(Acc(list_pred(first), 1 / 8) and Acc(list_pred(targets), 1 / 8))
    Requires(Acc(list_pred(run), 1 / 8) and Acc(list_pred(places), 1 / 8))
    Requires(len(first) == size + 1 and len(places) == len(run) and count <= len(run) - 1)
    return Forall(int, lambda k: (Implies(0 <= k and k < count,
        is_edge(run[k], run[k + 1], places[k], size, first, targets)), [[places[k]]]))


@Pure
def is_path(p: PSeq[int], e: PSeq[int], size: int, first: list[int], targets: list[int]) -> bool:
    """p is a path, and e are the places of its edges."""
    Requires(Acc(list_pred(first), 1 / 8) and Acc(list_pred(targets), 1 / 8))
    Requires(len(first) == size + 1)
    return (len(p) > 0 and len(e) == len(p) and
            Forall(int, lambda m: (Implies(0 <= m and m < len(p) - 1, is_edge(p[m], p[m + 1], e[m], size, first, targets)), [[e[m]]])))


def accepted_ranks_exclude_lassos(size: int, first: list[int], targets: list[int], initial: list[int], accepting: list[bool],
                                  member: list[bool], rank: list[int], start: int,
                                  p: PSeq[int], e: PSeq[int], entry: int, mark: int, last: int) -> bool:
    """If a path from an initial state comes back to where it was, with an accepting state in between, no ranks are accepted.

    Proof of everafter.verdict.certificate.accept_ranks.
    """
    Requires(Acc(list_pred(first), 3 / 4) and Acc(list_pred(targets), 3 / 4) and Acc(list_pred(initial), 3 / 4))
    Requires(Acc(list_pred(accepting), 3 / 4) and Acc(list_pred(member), 3 / 4) and Acc(list_pred(rank), 3 / 4))
    Requires(len(first) == size + 1 and len(accepting) == size and is_path(p, e, size, first, targets))
    Requires(0 <= start and start < len(initial) and p[0] == initial[start])
    Requires(0 <= entry and entry <= mark and mark < last and last < len(p) and p[entry] == p[last])
    Requires(0 <= p[mark] and p[mark] < size and accepting[p[mark]])
    Ensures(Result() == False)
    accepted = accept_ranks(size, first, targets, initial, accepting, member, rank)
    if accepted:  # absurd
        Assert(member[initial[start]])
        m = 0
        while m < last:
            Invariant(Acc(list_pred(first), 1 / 8) and Acc(list_pred(targets), 1 / 8))
            Invariant(Acc(list_pred(accepting), 1 / 8) and Acc(list_pred(member), 1 / 8) and Acc(list_pred(rank), 1 / 8))
            Invariant(len(first) == size + 1 and len(accepting) == size and len(member) == size and len(rank) == size)
            Invariant(rows_are_ranked(size, size, first, targets, accepting, member, rank) and is_path(p, e, size, first, targets))
            Invariant(0 <= entry and entry <= mark and mark < last and last < len(p) and 0 <= p[mark] and p[mark] < size and accepting[p[mark]])
            Invariant(0 <= m and m <= last and 0 <= p[m] and p[m] < size and member[p[m]])
            Invariant(Implies(m >= entry, 0 <= p[entry] and p[entry] < size and rank[p[m]] <= rank[p[entry]]))
            Invariant(Implies(m > mark, 0 <= p[entry] and p[entry] < size and rank[p[m]] < rank[p[entry]]))
            Assert(is_edge(p[m], p[m + 1], e[m], size, first, targets))
            Assert(is_row(p[m], size, first, targets))
            Assert(is_ranked(p[m], targets[e[m]], size, accepting, member, rank))
            m = m + 1
        Assert(False)
    return accepted
