"""A token ring: who has the token may send. A station that passes on a token it does not have makes a second one."""

from everafter import model as m


class TokenRing(m.Model):
    """expect: holds; fairness weak."""

    N = 4
    CARELESS = False

    token = m.Array[bool, N]([True] + [False] * (N - 1))
    sending = m.Array[bool, N](False)

    @m.process(instances=N)
    def station(self, me: int) -> None:
        while True:
            m.wait(self.token[me])
            self.sending[me] = True
            self.sending[me] = False
            if self.CARELESS:
                self.token[(me + 1) % self.N] = True
                self.token[me] = False
            else:
                self.token[(me + 1) % self.N], self.token[me] = True, False

    one_token = m.always(lambda s: s.token.count(True) == 1)
    one_sends = m.always(lambda s: sum(s.sending) <= 1)
    all_send = m.each(N, lambda s, i: m.always(m.eventually(s.sending[i])))


class Careless(TokenRing):
    """expect: violated one_token."""

    CARELESS = True
