"""A rate limiter with a bucket of tokens: to look whether there is one, and to take it, must be one step."""

from everafter import model as m


class Locked(m.Model):
    """expect: holds safety."""

    LOCKS = True

    lock = m.Lock()
    tokens = m.Int[0, 1](1)
    passed = m.Int[0, 2](0)

    @m.process(instances=2)
    def request(self, me: int) -> None:
        if self.LOCKS:
            with self.lock:
                self.take()
        else:
            self.take()

    def take(self) -> None:
        if self.tokens > 0:
            self.tokens -= 1
            self.passed += 1

    limited = m.always(lambda s: s.passed <= 1)


class Unlocked(Locked):
    """expect: violated safety."""

    LOCKS = False
