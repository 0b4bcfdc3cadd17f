"""Two-phase commit with crashes: a participant that decides alone after a timeout may decide otherwise."""

from enum import Enum

from everafter import model as m


class Vote(Enum):
    """What a participant has said, and what was decided."""

    NONE, YES, NO = range(3)


class TwoPhaseCommit(m.Model):
    """expect: violated agreement."""

    IMPATIENT = True
    N = 2

    votes = m.Array[Vote, N](Vote.NONE)
    decision = Vote.NONE
    outcome = m.Array[Vote, N](Vote.NONE)
    crashed = False

    @m.process
    def coordinator(self) -> None:
        if m.either():
            m.wait(Vote.NONE not in self.votes)
            self.decision = Vote.YES if all(vote is Vote.YES for vote in self.votes) else Vote.NO
        elif m.either():
            self.crashed = True

    @m.process(instances=N)
    def participant(self, me: int) -> None:
        self.votes[me] = m.choose([Vote.YES, Vote.NO])
        m.end()
        if m.either(self.decision is not Vote.NONE):
            self.outcome[me] = self.decision
        elif m.either(self.votes[me] is Vote.NO or self.IMPATIENT):
            self.outcome[me] = Vote.NO

    agreement = m.always(lambda s: not (Vote.YES in s.outcome and Vote.NO in s.outcome))


class Patient(TwoPhaseCommit):
    """expect: holds."""

    IMPATIENT = False
