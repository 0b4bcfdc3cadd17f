"""A connection pool: a client that times out while it waits must not take a connection along."""

from everafter import model as m


class Pool(m.Model):
    """expect: violated none_lost."""

    CAREFUL = False
    CLIENTS, SIZE = 3, 1

    free = m.Int[0, SIZE](SIZE)
    used = m.Int[0, SIZE](0)
    given = m.Array[bool, CLIENTS](False)
    waiting = m.Array[bool, CLIENTS](False)
    finished = m.Int[0, CLIENTS](0)

    @m.process(instances=CLIENTS)
    def client(self, me: int) -> None:
        self.waiting[me] = True
        if m.either(self.given[me]):
            self.waiting[me] = False
            self.give_back()
        elif m.either():  # the timeout
            if self.CAREFUL:
                with m.atomic():
                    self.waiting[me] = False
                    if self.given[me]:
                        self.give_back()
            else:
                self.waiting[me] = False
        self.finished += 1

    @m.process
    def pool(self) -> None:
        while True:
            m.end()
            with m.atomic():
                m.wait(self.free > 0 and any(self.waiting[i] and not self.given[i] for i in range(self.CLIENTS)))
                who = m.choose(i for i in range(self.CLIENTS) if self.waiting[i] and not self.given[i])
                self.given[who] = True
                self.free -= 1
                self.used += 1

    def give_back(self) -> None:
        self.free, self.used = self.free + 1, self.used - 1

    none_lost = m.always(lambda s: s.finished < s.CLIENTS or s.free == s.SIZE)


class Careful(Pool):
    """expect: holds."""

    CAREFUL = True
