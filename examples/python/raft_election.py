"""Leader election as in Raft: in each term a server has at most one leader, if servers remember whom they voted for.

Every action is one step; `rest` keeps the model going when all terms are used up.
"""

from enum import Enum
from itertools import permutations

from everafter import model as m


class Role(Enum):
    """What a server is."""

    FOLLOWER, CANDIDATE, LEADER = range(3)


class Election(m.Model):
    """expect: holds one_leader."""

    REMEMBERS_VOTE = True
    SERVERS = 3

    role = m.Array[Role, SERVERS](Role.FOLLOWER)
    term = m.Array[m.Int[0, 1], SERVERS](0)
    voted = m.Array[m.Optional[m.Int[0, 2]], SERVERS](None)
    votes = m.Array[m.Set[m.Int[0, 2]], SERVERS]()

    @m.action(when=lambda self, me: self.role[me] is not Role.LEADER and self.term[me] == 0, instances=SERVERS)
    def stands(self, me: int) -> None:
        self.term[me] = 1
        self.role[me], self.voted[me] = Role.CANDIDATE, me
        self.votes[me] = {me}

    @m.action(
        when=lambda self, me, other: (
            self.role[other] is Role.CANDIDATE
            and (self.term[other] > self.term[me] or (self.term[other] == self.term[me] and self.voted[me] is None))
        ),
        given=permutations(range(SERVERS), 2),
    )
    def votes_for(self, me: int, other: int) -> None:
        self.term[me] = self.term[other]
        self.role[me], self.voted[me] = Role.FOLLOWER, other
        self.votes[other].add(me)

    @m.action(
        when=lambda self, me: self.role[me] is Role.CANDIDATE and len(self.votes[me]) * 2 > self.SERVERS,
        instances=SERVERS,
    )
    def wins(self, me: int) -> None:
        self.role[me] = Role.LEADER

    @m.action(when=lambda self, me: self.role[me] is Role.FOLLOWER, instances=SERVERS)
    def restarts(self, me: int) -> None:
        if not self.REMEMBERS_VOTE:
            self.voted[me] = None

    @m.action
    def rest(self) -> None:
        pass

    one_leader = m.always(lambda s: s.role.count(Role.LEADER) <= 1)


class Forgetful(Election):
    """expect: violated one_leader."""

    REMEMBERS_VOTE = False
