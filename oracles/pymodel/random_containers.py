"""Random models with what the plain ones lack: records, containers, None, `match`, and what processes wait by."""

from __future__ import annotations

import random
import re

from oracles.pymodel.random_models import Author, indented

_HEAD = """from enum import Enum
from typing import Annotated, NamedTuple
from everafter import model as m

class Hue(Enum):
    RED, GREEN, BLUE = range(3)

Small = Annotated[int, m.Int[0, 2]]

class Pair(NamedTuple):
    hue: Hue
    n: Small = 0

class Random(m.Model):
"""
_KINDS = (
    "list", "deque", "set", "dict", "optional", "record", "grid", "lock", "semaphore", "event", "condition", "channel",
    "queue", "meeting", "rlock", "barrier", "shared", "tasks",
)  # fmt: skip


class ContainerAuthor(Author):
    """Writes models that have some of all kinds of variables."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.kinds = set(rng.sample(_KINDS, rng.choice((1, 1, 2, 3))))
        self.loop_values: list[str] = []
        self.count = 0
        self.in_lock = self.in_condition = False

    def variables(self) -> list[str]:
        lines = super().variables()
        rng = self.rng
        options = ", ".join(f"{each}=True" for each in ("lossy", "doubling", "reordering") if rng.random() < 0.3)
        self.room = rng.choice((1, 2))
        declared = {
            "list": f"xs = m.List[m.Int[0, 2], {rng.choice((1, 2))}]({rng.choice(([], [1]))})",
            "deque": "ps = m.Deque[Pair, 2]()",
            "set": f"ks = m.Set[m.Int[0, 2]]({rng.choice(('', '{1}'))})",
            "dict": f"d = m.Dict[Hue, m.Int[0, 2]]({rng.choice(('', '{Hue.RED: 1}'))})",
            "optional": f"o = m.Optional[m.Int[0, 2]]({rng.choice((None, 1))})",
            "record": "r = Pair(Hue.RED)\nrs = m.Array[Pair, 2](Pair(Hue.BLUE, 2))\nro = m.Optional[Pair](None)",
            "grid": "g = m.Array[m.Array[bool, 2], 2](False)\nls = m.Array[m.List[m.Int[0, 1], 1], 2]()",
            "lock": "lock = m.Lock()",
            "semaphore": "sem = m.Semaphore(1, 2)",
            "event": "ev = m.Event()",
            "condition": "cond = m.Condition()",
            "channel": f"ch = m.Channel[Pair, {self.room}]({options})",
            "queue": "qu = m.Queue[m.Int[0, 2], 1]()",
            "meeting": "ren = m.Channel[m.Int[0, 2], 0]()",
            "rlock": "rl = m.RLock()",
            "barrier": "gate = m.Barrier(2)",
            "shared": f"lk = m.{rng.choice(('Lock', 'RLock'))}()\nsh = m.Condition(lk)",
            "tasks": "tq = m.Queue[m.Int[0, 2], 2]()",
        }
        for kind in sorted(self.kinds):
            lines += declared[kind].split("\n")
        return lines

    # Expressions

    def number(self, depth: int = 2) -> tuple[str, int, int]:
        ways = self._numbers()
        if ways and self.rng.random() < 0.3:
            return self.rng.choice(ways)
        return super().number(depth)

    def _numbers(self) -> list[tuple[str, int, int]]:
        found = [(each, 0, 2) for each in self.loop_values]
        if "list" in self.kinds:
            found += [("len(self.xs)", 0, 2), ("self.xs.count(1)", 0, 2), ("sum(self.xs)", 0, 4)]
            found += [("max(self.xs, default=0)", 0, 2), ("(self.xs[-1] if self.xs else 0)", 0, 2)]
            found += [("min((x for x in self.xs if x > 0), default=2)", 0, 2)]
        if "deque" in self.kinds:
            found += [("len(self.ps)", 0, 2), ("(self.ps[0].n if self.ps else 1)", 0, 2)]
            found += [("sum(p.n for p in self.ps if p.hue is Hue.RED)", 0, 4)]
        if "set" in self.kinds:
            found += [("len(self.ks)", 0, 3), ("sum(self.ks)", 0, 3)]
        if "dict" in self.kinds:
            key = f"Hue.{self.hue()}"
            found += [(f"self.d.get({key}, 1)", 0, 2), ("len(self.d)", 0, 3), ("sum(self.d.values())", 0, 6)]
            found += [(f"(self.d[{key}] if {key} in self.d else 0)", 0, 2)]
        if "optional" in self.kinds:
            found += [("(self.o if self.o is not None else 0)", 0, 2)]
        if "channel" in self.kinds:
            found += [("len(self.ch)", 0, 2)]
        if "record" in self.kinds:
            found += [
                ("self.r.n", 0, 2),
                ("sum(r.n for r in self.rs)", 0, 4),
                ("(0 if self.ro is None else self.ro.n)", 0, 2),
            ]
        return found

    def truth(self, depth: int = 2) -> str:
        ways = self._truths()
        return self.rng.choice(ways) if ways and self.rng.random() < 0.3 else super().truth(depth)

    def _truths(self) -> list[str]:
        found: list[str] = []
        small = self.rng.randrange(3)
        if "list" in self.kinds:
            found += [
                f"{small} in self.xs",
                f"self.xs == [{small}]",
                f"any(x > {small} for x in self.xs)",
                "self.xs == []",
            ]
        if "deque" in self.kinds:
            found += [f"Pair(Hue.RED, {small}) in self.ps", f"all(p.n < {small} for p in self.ps)"]
        if "set" in self.kinds:
            found += [f"{small} in self.ks", f"{self.atom_of_state()} not in self.ks", f"self.ks <= {{0, {small}}}"]
            found += [f"self.ks == {{{small}}}"]
        if "dict" in self.kinds:
            found += [f"Hue.{self.hue()} in self.d", f"any(v == {small} for v in self.d.values())", "len(self.d) > 1"]
            found += ["all(v > 0 or k is Hue.RED for k, v in self.d.items())", "self.d == {}"]
        if "optional" in self.kinds:
            found += ["self.o is None", f"self.o == {small}", f"self.o is not None and self.o < {small}"]
            found += [f"self.o != {self.atom_of_state()}"]
        if "record" in self.kinds:
            found += [
                "self.r == self.rs[0]",
                f"self.r.hue is Hue.{self.hue()}",
                f"self.r == Pair(Hue.RED, {small})",
                "self.r in self.rs",
                "self.ro is None",
            ]
            found += ["self.ro == self.r", f"self.ro is not None and self.ro.n == {small}"]
        if "grid" in self.kinds:
            found += ["self.g[0][1]", "any(all(row) for row in self.g)", "1 in self.ls[0]", "len(self.ls[1]) == 0"]
        if "lock" in self.kinds:
            found += ["self.lock.locked()"]
        if "event" in self.kinds:
            found += ["self.ev.is_set()"]
        if "channel" in self.kinds:
            found += ["self.ch.empty()", "self.ch.full()", f"Pair(Hue.RED, {small}) in self.ch"]
        if "queue" in self.kinds:
            found += ["self.qu.empty()", "self.qu.qsize() == 1"]
        return found

    def pair(self) -> str:
        return f"Pair({self.rng.choice((f'Hue.{self.hue()}', *self.hues))}, {self.fitted(0, 2)})"

    # Statements

    def statement(self, depth: int) -> list[str]:
        if self.rng.random() < 0.55:
            ways = [each for kind in sorted(self.kinds) for each in getattr(self, f"_{kind}")(depth)]
            if ways:
                self.count += 1  # what is taken has a name of its own, since names have one range
                own = rf"\g<1>{self.count}"
                return [re.sub(r"\b([teu])\b", own, line) for line in self.rng.choice(ways)]
        return super().statement(depth)

    def _steps(self, test: str, *lines: str) -> list[str]:
        """Some lines where a test is true; mostly nothing comes in between."""
        made = [f"if {test}:", *indented(list(lines))]
        return made if self.in_atomic or self.rng.random() < 0.2 else ["with m.atomic():", *indented(made)]

    def _waiting(self, line: str) -> list[str]:
        return ["m.end()", line] if self.rng.random() < 0.7 else [line]

    def _inner(self, depth: int, value: str | None = None) -> list[str]:
        if value is not None:
            self.loop_values.append(value)
        made = self.body(depth - 1, 2)
        if value is not None:
            self.loop_values.remove(value)
        return made

    def _list(self, depth: int) -> list[list[str]]:
        value = self.fitted(0, 2)
        found = [
            self._steps("len(self.xs) < 1", f"self.xs.append({value})"),
            self._steps("self.xs", "t = self.xs.pop()", *self._use("t")),
            self._steps("len(self.xs) > 0", "t = self.xs.pop(0)", *self._use("t")),
            self._steps("1 in self.xs", "self.xs.remove(1)"),
            self._steps("self.xs", f"self.xs[0] = {value}"),
            ["self.xs = [x for x in self.xs if x != 1]"],
            ["self.xs = self.xs[1:]"],
            ["self.xs = [x + 1 if x == 0 else x for x in self.xs]"],
            ["self.xs.clear()"],
        ]
        if depth > 0:
            self.count += 1
            name = f"v{self.count}"
            found.append([f"for {name} in self.xs:", *indented(self._inner(depth, name))])
        if not self.strict:
            found += [[f"self.xs.append({value})"], ["t = self.xs.pop()"], [f"self.xs.insert(0, {value})"]]
        return found

    def _use(self, name: str) -> list[str]:
        target = self.rng.choice([each for each, bounds in sorted(self.ints.items()) if bounds[1] > 0])
        _, high = self.ints[target]
        return [f"{target} = {name} % {high + 1}"] if self.rng.random() < 0.6 else []

    def _deque(self, depth: int) -> list[list[str]]:
        return [
            self._steps("len(self.ps) < 2", f"self.ps.append({self.pair()})"),
            self._steps("len(self.ps) < 2", f"self.ps.appendleft({self.pair()})"),
            self._steps("self.ps", "u = self.ps.popleft()", *self._use("u.n")),
            self._steps("self.ps", "u = self.ps.pop()"),
            self._steps("self.ps", f"self.ps[0] = self.ps[0]._replace(n={self.fitted(0, 2)})"),
        ]

    def _set(self, depth: int) -> list[list[str]]:
        value = self.fitted(0, 2)
        found = [
            [f"self.ks.add({value})"],
            [f"self.ks.discard({value})"],
            [f"self.ks |= {{{value}, 1}}"],
            ["self.ks = self.ks - {1}"],
            ["self.ks = {(k + 1) % 3 for k in self.ks}"],
            self._steps("2 in self.ks", "self.ks.remove(2)"),
        ]
        if depth > 0:
            self.count += 1
            name = f"w{self.count}"
            found.append([f"for {name} in self.ks:", *indented(self._inner(depth, name))])
        return found

    def _dict(self, depth: int) -> list[list[str]]:
        key = self.rng.choice((f"Hue.{self.hue()}", *self.hues))
        return [
            [f"self.d[{key}] = {self.fitted(0, 2)}"],
            self._steps(f"{key} in self.d", f"del self.d[{key}]"),
            self._steps(f"{key} in self.d", f"t = self.d.pop({key})", *self._use("t")),
            ["self.d = {k: 1 for k in self.d}"],
            ["self.d.clear()"],
        ]

    def _optional(self, depth: int) -> list[list[str]]:
        found = [
            ["self.o = None"],
            [f"self.o = {self.fitted(0, 2)}"],
            [f"self.o = {self.fitted(0, 2)} if {self.truth(1)} else None"],
            self._steps("self.o is not None", "e = self.o", *self._use("e")),
        ]
        if depth > 0:
            found.append(
                ["match self.o:", "    case None:", *indented(indented(self._inner(depth))), "    case 1 | 2:",
                 *indented(indented(self._inner(depth)))]
            )  # fmt: skip
        return found

    def _record(self, depth: int) -> list[list[str]]:
        found = [
            [f"self.r = {self.pair()}"],
            [f"self.r = self.r._replace(n={self.fitted(0, 2)})"],
            [f"self.rs[{self.index(2)}] = self.r"],
            [f"self.r, self.rs[0] = self.rs[{self.index(2)}], self.r"],
            [f"self.ro = {self.rng.choice(('None', 'self.r', self.pair()))}"],
        ]
        if depth > 0:
            self.count += 1
            name = f"c{self.count}"
            found.append(
                ["match self.r:", f"    case Pair(Hue.RED, {name}) if {name} > 0:",
                 *indented(indented(self._inner(depth, name))), "    case Pair(hue=Hue.GREEN | Hue.BLUE):",
                 *indented(indented(self._inner(depth))),
                 *(["    case _:", *indented(indented(self._inner(depth)))] if self.rng.random() < 0.5 else [])]
            )  # fmt: skip
        return found

    def _grid(self, depth: int) -> list[list[str]]:
        return [
            [f"self.g[{self.index(2)}][{self.index(2)}] = {self.truth(1)}"],
            self._steps("not self.ls[0]", "self.ls[0].append(1)"),
            self._steps("self.ls[1]", "t = self.ls[1].pop()"),
            [f"self.ls[{self.index(2)}] = [{self.rng.randrange(2)}]"],
        ]

    def _lock(self, depth: int) -> list[list[str]]:
        held = self.in_lock
        if depth == 0 or held or self.in_atomic:
            return [] if self.strict else [["self.lock.release()"]]
        self.in_lock = True
        made = ["with self.lock:", *indented(self.body(depth - 1, 2))]
        self.in_lock = False
        return [["m.end()", *made], made, ["m.end()", "self.lock.acquire()", *self.plain(), "self.lock.release()"]]

    def _semaphore(self, depth: int) -> list[list[str]]:
        return [self._waiting("self.sem.acquire()"), self._steps(self.truth(1), "self.sem.release()")] * (
            not self.strict
        ) + [["m.end()", "self.sem.acquire()", *self.plain(), "self.sem.release()"]]

    def _event(self, depth: int) -> list[list[str]]:
        return [["self.ev.set()"], ["self.ev.clear()"], self._waiting("self.ev.wait()")]

    def _condition(self, depth: int) -> list[list[str]]:
        if self.in_atomic or depth == 0 or self.in_condition:
            return []
        self.in_condition = True
        inside = self.rng.choice(
            [["self.cond.notify()"], ["self.cond.notify_all()"], ["self.cond.wait()"],
             [f"while not {self.truth(1)}:", "    self.cond.wait()"]]
        )  # fmt: skip
        made = ["m.end()", "with self.cond:", *indented([*self.body(0, 1), *inside])]
        self.in_condition = False
        return [made]

    def _rlock(self, depth: int) -> list[list[str]]:
        if depth == 0 or self.in_atomic:
            return [] if self.strict else [["self.rl.release()"]]
        made = ["with self.rl:", *indented(self._inner(depth))]
        return [["m.end()", *made], made, ["m.end()", "self.rl.acquire()", *self.plain(), "self.rl.release()"]]

    def _barrier(self, depth: int) -> list[list[str]]:
        return [] if self.in_atomic else [self._waiting("self.gate.wait()")]

    def _shared(self, depth: int) -> list[list[str]]:
        if self.in_atomic or depth == 0 or self.in_condition:
            return [] if self.strict or self.in_atomic else [["self.sh.notify()"]]
        self.in_condition = True
        inside = self.rng.choice([["self.sh.notify()"], ["self.sh.notify_all()"], ["m.end()", "self.sh.wait()"]])
        name = self.rng.choice(("lk", "sh"))
        made = ["m.end()", f"with self.{name}:", *indented([*self.body(0, 1), *inside])]
        self.in_condition = False
        return [made]

    def _tasks(self, depth: int) -> list[list[str]]:
        return [
            self._waiting(f"self.tq.put({self.fitted(0, 2)})"),
            [*self._waiting("t = self.tq.get()"), *self._use("t"), "self.tq.task_done()"],
            self._waiting("self.tq.join()"),
        ]

    def _channel(self, depth: int) -> list[list[str]]:
        return [
            self._waiting(f"self.ch.send({self.pair()})"),
            self._waiting(f"self.ch.send({self.pair()})"),
            [*self._waiting("u = self.ch.receive()"), *self._use("u.n")],
            self._waiting("self.ch.receive()"),
        ]

    def _queue(self, depth: int) -> list[list[str]]:
        return [
            self._waiting(f"self.qu.put({self.fitted(0, 2)})"),
            [*self._waiting("t = self.qu.get()"), *self._use("t")],
            self._steps("not self.qu.full()", f"self.qu.put_nowait({self.fitted(0, 2)})"),
            self._steps("not self.qu.empty()", "t = self.qu.get_nowait()"),
        ]

    def _meeting(self, depth: int) -> list[list[str]]:
        if self.in_atomic:
            return []
        return [
            self._waiting(f"self.ren.send({self.fitted(0, 2)})"),
            [*self._waiting("t = self.ren.receive()"), *self._use("t")],
        ]


class ProcessAuthor(ContainerAuthor):
    """Writes models whose processes crash, restart and start each other, and actions."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.kinds = set(rng.sample(_KINDS, rng.choice((0, 1))))
        self.sorts = [rng.choice(("crash", "restart", "started", "action", "action")) for _ in range(2)]

    def process(self, name: str) -> list[str]:
        sort = self.sorts.pop()
        if sort == "action":
            return self._action(name)
        head, *rest = super().process(name)
        options = {"crash": "crashes=1", "restart": "crashes=1, restarts=True", "started": "started=False"}[sort]
        head = head.replace("instances=2", "instances=1") if sort != "started" else head
        made = [head.replace(")", f", {options})"), *rest]
        if sort == "started":
            made += ["@m.process", f"def starts_{name}(self) -> None:", *indented(self._starting(name, head))]
        return made

    def _starting(self, name: str, head: str) -> list[str]:
        numbers = (0, 1) if "instances=2" in head else (0,)
        made = [f"m.start(self.{name}, {number})" for number in numbers if self.rng.random() < 0.9]
        if not self.strict and self.rng.random() < 0.3:
            made.append(f"m.start(self.{name}, 0)")
        made += [line for number in numbers for line in ("m.end()", f"m.join(self.{name}, {number})")][: 2 * len(made)]
        return made or ["pass"]

    def _action(self, name: str) -> list[str]:
        self.turns.append(("me", 2))
        when = f"when=lambda self, me: {self.truth(1)}, " if self.rng.random() < 0.8 else ""
        self.in_atomic, loops, self.loops = True, self.loops, 0
        body = [line for _ in range(self.rng.randint(1, 2)) for line in self.statement(1)]
        self.in_atomic, self.loops = False, loops
        self.turns.pop()
        return [
            f"@m.action({when}instances={self.rng.randint(1, 2)})",
            f"def {name}(self, me: int) -> None:",
            *indented(body),
        ]


def random_processes(seed: int) -> str:
    """Return the text of a model whose processes come and go."""
    return _written(ProcessAuthor(random.Random(seed)))


def random_containers(seed: int) -> str:
    """Return the text of a model."""
    return _written(ContainerAuthor(random.Random(seed)))


def _written(author: ContainerAuthor) -> str:
    lines = author.variables()
    for name in ("one", "two")[: author.rng.randint(1, 2)]:
        lines += author.process(name)
    lines += author.properties()
    return _HEAD + "\n".join(indented(lines)) + "\n"
