"""A cache stampede: all requests miss at once, and all compute. The first should compute while the others wait."""

from everafter import model as m


class Stampede(m.Model):
    """expect: violated computed_once."""

    SINGLE_FLIGHT = False
    N = 3

    cached = False
    flying = False
    computed = m.Int[0, N](0)
    answered = m.Int[0, N](0)

    @m.process(instances=N)
    def request(self, me: int) -> None:
        if not self.cached:
            if self.SINGLE_FLIGHT:
                self.wait_or_compute()
            else:
                self.compute()
        self.answered += 1

    def wait_or_compute(self) -> None:
        with m.atomic():
            first = not self.flying
            self.flying = True
        if first:
            self.compute()
        m.wait(self.cached)

    def compute(self) -> None:
        self.computed += 1
        self.cached = True

    computed_once = m.always(lambda s: s.computed <= 1)
    all_answered = m.eventually(lambda s: s.answered == s.N)


class SingleFlight(Stampede):
    """expect: holds."""

    SINGLE_FLIGHT = True
