"""A lease with expiry, and a lock with fencing tokens: a client that slept too long must not write."""

from everafter import model as m


class Lease(m.Model):
    """expect: violated in_order."""

    FENCED = False
    CLIENTS = 2

    holder = m.Int[-1, CLIENTS - 1](-1)
    token = m.Int[0, 3](0)
    newest = m.Int[0, 3](0)
    in_the_past = False

    @m.process(instances=CLIENTS)
    def client(self, me: int) -> None:
        with m.atomic():
            m.wait(self.holder == -1)
            self.holder = me
            self.token += 1
            mine = self.token
        # The client may sleep here for longer than its lease lasts.
        with m.atomic():
            if not self.FENCED or mine >= self.newest:
                if mine < self.newest:
                    self.in_the_past = True
                self.newest = mine
        with m.atomic():
            if self.holder == me:
                self.holder = -1

    @m.process
    def clock(self) -> None:
        for _ in range(2):
            self.holder = -1

    in_order = m.always(lambda s: not s.in_the_past)


class Fenced(Lease):
    """expect: holds."""

    FENCED = True
