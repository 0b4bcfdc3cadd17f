"""Random tasks of asyncio: locks, events, queues, ways out by cancelling, and plain statements between awaits."""

from __future__ import annotations

import random

from oracles.pymodel.random_models import indented

VARIABLES = ("x", "y", "f")
_HEAD = """import asyncio
from everafter import model as m

class Random(m.Model):
"""


class TaskAuthor:
    """Writes models of tasks."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.names: list[str] = []
        self.kinds = set(rng.sample(("lock", "event", "queue"), rng.choice((1, 1, 2, 3))))
        self.tasks = rng.choice((("one",), ("one", "two"), ("one", "two")))
        self.cancels = {name: rng.choice((0, 0, 1)) for name in self.tasks}
        self.cancelling = rng.random() < 0.4
        self.budget = rng.randint(3, 7)

    def text(self) -> str:
        lines = ["x = m.Int[0, 3](0)", "y = m.Int[0, 3](0)", "f = False"]
        lines += ["lock = m.AsyncLock()"] * ("lock" in self.kinds)
        lines += ["ev = m.AsyncEvent()"] * ("event" in self.kinds)
        lines += [f"q = m.AsyncQueue[m.Int[0, 3], {self.rng.choice((1, 1, 2))}]()"] * ("queue" in self.kinds)
        instances = self.rng.choice((1, 2)) if len(self.tasks) == 2 else self.rng.choice((2, 3))
        for name in self.tasks:
            number = instances if name == "one" else 1
            lines.append(f"@m.process(instances={number}, cancels={self.cancels[name]})")
            lines.append(f"async def {name}(self, me: int) -> None:")
            self.names = []
            lines += indented([*self.body(2, self.rng.randint(2, 4)), "self.f = self.f"])
        if self.rng.random() < 0.5:
            self.names, self.cancelling = [], False
            lines += ["async def help(self, v: int) -> None:", *indented([*self.body(1, 2), "self.y = v"])]
        else:
            lines += ["async def help(self, v: int) -> None:", "    self.y = v"]
        return _HEAD + "\n".join(indented(lines)) + "\n"

    def number(self) -> str:
        ways = ["self.x", "self.y", "0", "1", "2", "3", *self.names]
        return self.rng.choice(ways)

    def truth(self) -> str:
        ways = ["self.f", "self.x < 2", "self.x == self.y", "not self.f"]
        ways += ["self.lock.locked()"] * ("lock" in self.kinds) + ["self.ev.is_set()"] * ("event" in self.kinds)
        ways += ["self.q.empty()", "self.q.full()", "self.q.qsize() == 1"] * ("queue" in self.kinds)
        return self.rng.choice(ways)

    def plain(self) -> str:
        target = self.rng.choice(("x", "y"))
        ways = [f"self.{target} = {self.number()}", f"self.{target} = ({self.number()} + 1) % 4"]
        return self.rng.choice([*ways, f"self.f = {self.truth()}"])

    def body(self, depth: int, length: int) -> list[str]:
        known = list(self.names)
        made = [line for _ in range(length) for line in self.statement(depth)]
        self.names = known
        return made

    def statement(self, depth: int) -> list[str]:
        self.budget -= 1
        if self.budget < 0 or self.rng.random() < 0.25:
            return [self.plain()]
        ways = [["await asyncio.sleep(0)"], [f"await self.help({self.number()})"] if depth == 2 else [self.plain()]]
        if self.cancelling and depth:
            ways.append([f"m.cancel(self.{self.rng.choice(self.tasks)}, 0)"])
        for kind in sorted(self.kinds):
            ways += getattr(self, f"_{kind}")(depth)
        if depth:
            ways += self._nested(depth)
        made = self.rng.choice(ways)
        self.names += [line.split(" ")[0] for line in made if line.startswith("n")]
        return made

    def _nested(self, depth: int) -> list[list[str]]:
        inner = indented(self.body(depth - 1, self.rng.randint(1, 2)))
        other = indented(self.body(depth - 1, 1))
        self.count += 1
        name = f"n{self.count}"
        return [
            [f"{name} = self.x", self.plain()],
            [f"if {self.truth()}:", *inner, "else:", *other],
            [f"if {self.truth()}:", "    return"],
            ["for i in range(2):", *inner],
            ["while self.x < 2:", "    self.x += 1", *inner],
            ["try:", *inner, "finally:", *other],
            ["try:", *inner, "except asyncio.CancelledError:", *other],
            ["try:", *inner, "except asyncio.CancelledError:", *other, "    raise"],
            ["for i in range(2):", "    try:", *indented(inner), f"        if {self.truth()}:", "            break",
             "    finally:", *indented(other)],
        ]  # fmt: skip

    def _lock(self, depth: int) -> list[list[str]]:
        inner = indented(self.body(depth - 1 if depth else 0, 1)) if depth else [f"    {self.plain()}"]
        return [
            ["async with self.lock:", *inner],
            ["async with self.lock:", "    await asyncio.sleep(0)", *inner],
            ["await self.lock.acquire()", "try:", *inner, "finally:", "    self.lock.release()"],
            ["if self.lock.locked():", "    self.lock.release()"],
        ]

    def _event(self, depth: int) -> list[list[str]]:
        return [["self.ev.set()"], ["self.ev.set()", "self.ev.clear()"], ["self.ev.clear()"], ["await self.ev.wait()"]]

    def _queue(self, depth: int) -> list[list[str]]:
        self.count += 1
        name = f"n{self.count}"
        return [
            [f"await self.q.put({self.number()})"],
            [f"await self.q.put({self.number()})"],
            [f"{name} = await self.q.get()", f"self.x = {name}"],
            ["self.y = await self.q.get()"],
            ["await self.q.get()"],
            ["if not self.q.full():", f"    self.q.put_nowait({self.number()})"],
            ["if not self.q.empty():", f"    {name} = self.q.get_nowait()", f"    self.y = {name}"],
        ]


def random_tasks(seed: int) -> str:
    """Return the text of a model of tasks."""
    return TaskAuthor(random.Random(seed)).text()
