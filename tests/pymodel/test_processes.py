"""Actions, processes that are started by others, and processes that crash, mean in the program what they say."""

from __future__ import annotations

import pytest
from oracles.pymodel.comparison import compared, compared_seed
from tests.pymodel.models import complaint, kind_of

import everafter

_ACTIONS = """x, y = m.Int[0, 2](0), m.Int[0, 3](0)
@m.action(when=lambda self, i: self.x == i, instances=2)
def go(self, i: int) -> None:
    self.y = (self.y + i) % 4
    self.x = 1 - i
@m.action
def free(self) -> None:
    self.y = 0
ok = m.always(lambda s: s.y < 3)
live = m.always(m.eventually(lambda s: s.x == 1))"""
_THREADS = """x = m.Int[0, 4](0)
@m.process(instances=2, started=False)
def worker(self, me: int) -> None:
    self.x += 1 + me
    if self.x == 3:
        return
    self.x += 0
@m.process
def main(self) -> None:
    m.start(self.worker, 0)
    self.x = 0
    m.start(self.worker, 1)
    m.join(self.worker, 0)
    m.join(self.worker, 1)
    assert self.x >= 1
ok = m.eventually(lambda s: s.x == 3)"""
_TWICE = """@m.process(started=False)
def worker(self) -> None:
    pass
@m.process
def main(self) -> None:
    m.start(self.worker)
    m.start(self.worker)"""
_RESTART = """x, lock, done = m.Int[0, 3](0), m.Lock(), m.Array[bool, 2](False)
@m.process(instances=2, crashes=1, restarts=True)
def worker(self, me: int) -> None:
    n = m.Int[0, 3](0)
    while n < 2:
        n += 1
        self.x = n
        if n == 2:
            continue
        with m.atomic():
            self.x = 0
            n = n
    m.end()
    m.wait(self.x > 0)
    self.done[me] = True
ok = m.eventually(lambda s: s.done[0])"""
_GONE = """x, lock = m.Int[0, 3](0), m.Lock()
@m.process(instances=2, crashes=1)
def worker(self, me: int) -> None:
    for i in range(2):
        with self.lock:
            self.x = me
            if me:
                break
    self.x = 3
ok = m.eventually(lambda s: s.x == 3)"""


@pytest.mark.parametrize("seed", range(10))
def test_a_random_model_does_what_it_does_as_python(seed: int) -> None:
    result = compared_seed(seed, most=200, kind="processes")
    assert result.outcome != "differs", result.explanation


_OWNER = """x, lock, cond = m.Int[0, 3](0), m.RLock(), m.Condition()
@m.process(instances=2, crashes=1, restarts=True)
def worker(self, me: int) -> None:
    m.end()
    with self.lock:
        with self.lock:
            self.x = me
    m.end()
    with self.cond:
        self.cond.notify()
    self.x = 2
ok = m.eventually(lambda s: s.x == 2)"""


@pytest.mark.parametrize("body", [_ACTIONS, _THREADS, _TWICE, _RESTART, _GONE, _OWNER])
def test_what_it_means(body: str) -> None:
    result = compared(kind_of(body), most=5000)
    assert result.outcome == "agrees", result.explanation


def test_a_planted_mistake_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: where a process that crashed does not begin again, it does."""
    from everafter.pymodel import crash_option, process_reader

    assert compared(kind_of(_RESTART), most=5000).outcome == "agrees"
    monkeypatch.setattr(process_reader, "restarted", crash_option.stopped)
    assert compared(kind_of(_RESTART), most=5000).outcome == "differs"


def test_fairness_does_not_make_a_process_crash() -> None:
    """A process that waits for ever, and could crash, may wait for ever."""
    kind = kind_of(
        "up, tried = False, False\n@m.process(crashes=1)\ndef p(self) -> None:\n    m.end()\n    m.wait(self.up)\n"
        "@m.process\ndef q(self) -> None:\n    self.tried = True\n"
        "crashed = m.eventually(lambda s: s.up)\ntries = m.eventually(lambda s: s.tried)"
    )
    results = everafter.check(kind, engine="reference", fairness="weak")
    assert {each.property: each.verdict for each in results} == {
        "safety": "holds", "crashed": "violated", "tries": "holds",
    }  # fmt: skip


def test_an_action_that_never_is_possible_is_a_deadlock() -> None:
    kind = kind_of("x = m.Int[0, 1](0)\n@m.action(when=lambda self: self.x == 0)\ndef a(self) -> None:\n    self.x = 1")
    problem = everafter.check(kind, engine="reference")[0]
    assert problem.verdict == "violated"


REFUSED = {
    "m.start(self.worker, 7)": ("m.start(self.worker, 7)", "there is no such process to start"),
    "m.start(self.x)": ("m.start(self.x)", "there is no such process to start"),
    "m.join(self.worker, self.x)": ("m.join(self.worker, self.x)", "a process and its arguments are passed here"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_statement_is_refused(text: str) -> None:
    assert complaint(kind_of(_THREADS.replace("m.start(self.worker, 1)", text)))[:2] == REFUSED[text]


def test_a_condition_of_an_action_takes_its_arguments() -> None:
    kind = kind_of(_ACTIONS.replace("lambda self, i: self.x == i", "lambda self: self.x == 1"))
    assert complaint(kind)[1] == "`when` takes 2 values"


_LOST = """STEPS = "accesses"
x, done = m.Int[0, 4](0), m.Int[0, 2](0)
@m.process(instances=2)
def worker(self, me: int) -> None:
    self.x += 1
    self.done += 1
ok = m.always(lambda s: s.done < 2 or s.x == 2)"""
_READS = """STEPS = "accesses"
x, y, q = m.Int[0, 4](0), m.Int[0, 4](0), m.List[m.Int[0, 3], 2]([1])
@m.process(instances=2)
def worker(self, me: int) -> None:
    while self.x < self.y + 1:
        self.x = self.y
        if self.x == 2:
            self.y = 1
        elif self.y > self.x:
            break
        else:
            self.y = 1
        if me:
            continue
        with m.atomic():
            self.x = self.x + self.y - self.y
        if self.y in self.q:
            if len(self.q) == 1:
                self.q.append(self.y)
    self.help(self.x)
def help(self, v: int) -> None:
    self.y = (self.x + v) % 3
ok = m.eventually(lambda s: s.x == s.y)"""


@pytest.mark.parametrize("body", [_LOST, _READS])
def test_each_access_can_be_a_step(body: str) -> None:
    result = compared(kind_of(body), most=8000)
    assert result.outcome == "agrees", result.explanation


def test_an_update_is_lost_where_each_access_is_a_step() -> None:
    assert not everafter.check(kind_of(_LOST), "ok", engine="reference")
    assert everafter.check(kind_of(_LOST.replace("accesses", "statements")), "ok", engine="reference")


@pytest.mark.parametrize(
    ("text", "written", "message"),
    [
        ("    self.x = self.y if self.x else 1", "self.y", "what is read here depends on what was read before"),
        ("    assert any(v > 1 for v in self.q)", "self.q", "this reads several variables in one expression"),
        ("    self.x, self.y = 1, 2", "self.x, self.y = 1, 2", "this writes several variables in one statement"),
    ],
)
def test_accesses_that_are_not_taken_apart_are_refused(text: str, written: str, message: str) -> None:
    at, said, _ = complaint(kind_of(_READS.replace("    self.help(self.x)", text)))
    assert (at, message in said) == (written, True), (at, said)


def test_the_kinds_of_steps_are_named() -> None:
    written, message, advice = complaint(kind_of(_LOST.replace('"accesses"', '"all"')))
    assert (written, message) == ('STEPS = "all"', "STEPS is 'all'")
    assert "accesses" in advice
