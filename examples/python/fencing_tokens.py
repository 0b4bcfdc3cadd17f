"""A distributed lock whose lease may run out: the storage refuses a writer with an older token than one it has seen."""

from everafter import model as m


class Fenced(m.Model):
    """expect: holds safety."""

    LOOKS_AT_TOKEN = True

    granted = m.Int[0, 2](0)  # the last token that the lock service gave
    seen = m.Int[0, 2](0)  # the greatest token that the storage has seen

    @m.process(instances=2)
    def client(self, me: int) -> None:
        with m.atomic():  # the lock is granted, also if the lease of the other ran out while it paused
            self.granted += 1
            token = self.granted
        with m.atomic():  # the storage answers a request
            if token >= self.seen or not self.LOOKS_AT_TOKEN:
                assert token >= self.seen
                self.seen = token


class Unfenced(Fenced):
    """expect: violated safety."""

    LOOKS_AT_TOKEN = False
