"""A payment that is tried again when no answer comes: without a key that tells the tries apart, it is paid twice."""

from everafter import model as m


class Payment(m.Model):
    """expect: violated paid_once."""

    IDEMPOTENT = False
    TRIES = 2

    requests = m.Int[0, TRIES](0)
    answered = False
    known = False
    paid = m.Int[0, TRIES](0)

    @m.process
    def customer(self) -> None:
        for _ in range(self.TRIES):
            if not self.answered:
                self.requests += 1
        m.end()
        m.wait(self.answered)

    @m.process
    def bank(self) -> None:
        while True:
            m.end()
            m.wait(self.requests > 0)
            self.requests -= 1
            if not (self.IDEMPOTENT and self.known):
                self.paid += 1
                self.known = True
            self.answered = m.choose([True, self.answered])  # the answer may be lost

    paid_once = m.always(lambda s: s.paid <= 1)


class Idempotent(Payment):
    """expect: holds."""

    IDEMPOTENT = True
