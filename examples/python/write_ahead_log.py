"""A write-ahead log: a program that may crash anywhere finds out by the log what it has to write again."""

from everafter import model as m


class Recovers(m.Model):
    """expect: holds consistent."""

    RECOVERS = True

    log = m.Optional[m.Int[0, 2]](None)
    one, other = m.Int[0, 2](0), m.Int[0, 2](0)

    @m.process(crashes=2, restarts=True)
    def program(self) -> None:
        if self.RECOVERS and self.log is not None:
            self.one = self.log
            self.other = self.log
        self.log = None
        for value in (1, 2):
            self.log = value
            self.one = value
            self.other = value
            self.log = None

    consistent = m.always(lambda s: s.log is not None or s.one == s.other)


class Forgets(Recovers):
    """expect: violated consistent."""

    RECOVERS = False
