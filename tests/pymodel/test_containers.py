"""Records, lists, sets, dicts, None, channels and locks mean in the program what they mean as Python."""

from __future__ import annotations

import pytest
from oracles.pymodel.comparison import AUTHORS, compared, compared_seed
from tests.pymodel.models import kind_of, process_of

import everafter
from everafter.model.vocabulary import PythonModel
from everafter.user_model import Results

_VARIABLES = """x = m.Int[0, 3](0)
q = m.List[m.Int[0, 2], 2]([1])
ps = m.Deque[Pair, 2]()
s = m.Set[Hue]()
d = m.Dict[m.Int[1, 2], m.Optional[m.Int[0, 2]]]()
o = m.Optional[Pair](None)
grid = m.Array[m.Array[m.Int[0, 2], 2], 2]([[0, 1], [2, 0]])
inboxes = m.Array[m.List[Pair, 1], 2]()
lock, cond, ev, sem = m.Lock(), m.Condition(), m.Event(), m.Semaphore(1)
ch = m.Channel[Pair, 1]()
lossy = m.Channel[m.Int[0, 2], 2](lossy=True, doubling=True)
bag = m.Channel[m.Int[0, 2], 2](reordering=True)
meet = m.Channel[Pair, 0]()"""


def _model(*lines: str, after: str = "") -> type[PythonModel]:
    body = "\n".join(f"    {line}" for line in lines)
    return kind_of(f"{_VARIABLES}\n@m.process(instances=2)\ndef work(self, me: int) -> None:\n{body}\n{after}")


def _checked(kind: type[PythonModel]) -> Results:
    return everafter.check(kind, engine="reference")


@pytest.mark.parametrize("seed", range(12))
def test_a_random_model_with_containers_does_what_it_does_as_python(seed: int) -> None:
    result = compared_seed(seed, most=200, kind="containers")
    assert result.outcome != "differs", result.explanation


def test_random_models_have_all_kinds_of_variables() -> None:
    texts = [AUTHORS["containers"](seed) for seed in range(80)]
    for word in ("_replace", "match", "for w", "with self.lock", "notify", "receive", "popleft", "del ", "|=", "None"):
        assert any(word in text for text in texts), word


MEANINGS = {
    "lists": ["self.q.append(me)", "if len(self.q) > 1:", "    t = self.q.pop(0)", "    self.x = t"],
    "a list becomes too long": ["self.q.append(1)", "self.q.append(2)"],
    "there is nothing to pop": ["t = self.q.pop()", "self.x = t"],
    "elements": ["self.q[-1] = 2", "self.x = self.q[0]", "del self.q[0]"],
    "loops look at a list as it is": ["for v in self.q:", "    self.x = v", "self.q.clear()"],
    "deques": ["self.ps.appendleft(Pair(Hue.RED, me))", "u = self.ps.pop()", "self.x = u.n"],
    "sets": [
        "self.s |= {Hue.RED}", "self.s.add(Hue.GREEN)", "assert self.s == {Hue.RED, Hue.GREEN}", "self.s -= {Hue.RED}",
    ],
    "loops over sets": ["self.s.add(Hue.GREEN if me else Hue.RED)", "for h in self.s:", "    assert h in self.s"],
    "what a dict has may be None": [
        "self.d[1] = None", "assert 1 in self.d and self.d[1] is None", "self.d[me + 1] = me", "self.d.pop(1)",
    ],
    "a key is missing": ["self.x = self.d[2]"],
    "None has no field": ["self.o = Pair(Hue.RED, me)", "self.x = self.o.n", "self.o = None"],
    "records of records": [
        "self.o = Pair(Hue.RED, 1)", "m.wait(self.o is not None)", "self.x = self.o._replace(n=2).n",
    ],
    "arrays of arrays": ["self.grid[me][1 - me] += 1", "self.x = sum(sum(row) for row in self.grid) % 4"],
    "arrays of lists": ["self.inboxes[me].append(Pair(Hue.RED, me))", "assert len(self.inboxes[me]) == 1"],
    "the last of two values stays": ["self.x, self.x = 1 + me, self.x"],
    "match": [
        "self.o = Pair(Hue.RED, me) if me else None", "match self.o:", "    case Pair(Hue.RED, n) if n:",
        "        self.x = n", "    case None:", "        self.x = 3",
    ],
    "locks": ["with self.lock:", "    assert self.lock.locked()", "    if me:", "        return", "self.x = 1"],
    "a lock is not held": ["self.lock.release()"],
    "conditions": [
        "with self.cond:", "    if me:", "        self.cond.wait()", "    else:", "        self.cond.notify()",
    ],
    "all are woken": ["with self.cond:", "    self.cond.notify_all()", "m.end()", "self.cond.acquire()"],
    "events": ["if me:", "    self.ev.wait()", "    self.x = 1", "else:", "    self.ev.set()"],
    "semaphores": ["with self.sem:", "    self.x = 1 + me"],
    "a semaphore has a greatest value": ["self.sem.release()"],
    "channels": [
        "if me:", "    self.ch.send(Pair(Hue.RED, 1))", "else:", "    u = self.ch.receive()", "    self.x = u.n",
    ],
    "lost and doubled": ["m.end()", "self.lossy.send(me)", "m.end()", "t = self.lossy.receive()", "self.x = t"],
    "any order": ["self.bag.send(me)", "t = self.bag.receive()", "self.x = t"],
    "meetings": [
        "if me:", "    self.meet.send(Pair(Hue.RED, 2))", "else:", "    u = self.meet.receive()", "    self.x = u.n",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", MEANINGS)
def test_what_it_means(name: str) -> None:
    after = "    self.x = self.x\nok = m.always(lambda s: s.x != 2)\ndone = m.eventually(lambda s: s.x == 1)"
    result = compared(_model(*MEANINGS[name], after=after))
    assert result.outcome == "agrees", result.explanation


def test_a_planted_mistake_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: where `append` puts a value before the others, it does."""
    from everafter.pymodel import container_statements

    lines = ("if me:", "    self.q.append(2)", "    assert self.q[1] == 2")
    assert compared(_model(*lines)).outcome == "agrees"
    monkeypatch.setitem(container_statements._CHANGES, ("list", "append"), container_statements._insert_first)
    assert compared(_model(*lines)).outcome == "differs"


def test_a_run_shows_elements_by_name() -> None:
    kind = _model(
        "if me:", "    return", "self.q.append(2)", "self.grid[1][0] = 1", "self.o = Pair(Hue.GREEN, 1)", "assert False"
    )
    run = _checked(kind)[0].counterexample
    assert run is not None
    changes = {each for row in run.rows for each in row.change_texts}
    assert {"q.at[1] = 2", "grid[1][0] = 1", "o.value.hue = GREEN"} <= changes, changes


def test_a_lock_is_released_by_break_and_continue() -> None:
    kind = process_of(
        "while True:", "    with self.lock:", "        if self.x == 3:", "            break",
        "        self.x += 1", "        continue", "assert not self.lock.locked() or me != self.x",
    )  # fmt: skip
    assert compared(kind).outcome == "agrees"
