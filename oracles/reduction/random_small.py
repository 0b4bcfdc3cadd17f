"""Tiny random models in which processes get into each other's way, so that many thousands can be looked at whole.

Every statement is one of a few that read, write, wait for, meet, start or end something that others do, mixed with
local steps, which are what a reduction takes alone.
"""

from __future__ import annotations

import random

_HEADER = """byte x, y;
chan q = [1] of { byte }, r = [2] of { byte };
chan z = [0] of { byte }, w = [0] of { byte };
chan c;
"""
_LOCAL = ("i = 1", "i = 1 - i", "i = i + 1", "j = i", "skip", 'printf("here")')
_SHARED = (
    "x = 1", "x = i", "i = x", "y = x", "y = 1 - y", "x == 1", "y == 0", "x != i", "assert(x == 0)", "assert(y < 2)",
    "i = _nr_pr", "assert(_pid < 3)", "x = _pid",
)  # fmt: skip
_CHANNELS = (
    "q!1", "q!i", "q?i", "q?1", "r!2", "r!x", "r?j", "r!!i", "r??1", "r?<j>", "x = len(r)", "nempty(q)", "full(q)",
    "q?[1]", "i = len(q)", "c = q", "c = r", "r?x",
)  # fmt: skip
_MEETINGS = ("z!1", "z!i", "z?i", "z?1", "w!x", "w?x", "w?j", "z?j")
_LOOKS = (
    "x = {0}:i", "{0}:i == 1", "{0}:j != i", "assert({0}:i < 2)", "y = {0}:j", "{0}@L", "!{0}@L", "x = {0}@L",
    "assert(!{0}@L || x == 0)", "i = {0}:i", "x = pc_value(0)", "{0}[0]@L", "{0}[_pid]:i == 0",
)  # fmt: skip
"""What asks for variables and places of other processes."""
_CLAUSES = ("x == 0", "y < 2", "x != y", "len(q) == 0", "_pid < 2")
_PROCESSES = ("run C(q, r)", "run C(r, z)", "run D(z)", "run D(c)")


class SmallAuthor:
    """Writes one model."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.loops = self.chance.random() < 0.6
        pools: list[tuple[str, ...]] = [_LOCAL, _LOCAL, _SHARED]
        pools += [_CHANNELS] if self.chance.random() < 0.7 else []
        pools += [_MEETINGS] if self.chance.random() < 0.7 else []
        pools += [_PROCESSES] if self.chance.random() < 0.3 else []
        self.pools = pools
        self.looks = random.Random(~seed)
        """What is drawn for processes that look at each other, so that all other models stay as they are."""
        self.are_watched = self.looks.random() < 0.35
        self.declared: list[str] = []
        pools += [_LOOKS, _LOOKS] if self.are_watched else []
        self.labels = 0
        self.promised: list[str] = []

    def model(self) -> str:
        """The text of the model."""
        parts = [_HEADER]
        initial = self.chance.choice(("i", "i", "i = x", "i = 1"))
        parts.append(
            f"proctype C(chan a, b){self._clause()} {{ byte {initial}, j; "
            f"{self._exclusive('a', 'b')}{self._marked('C')}{self._body(3, 'ab', False)} }}"
        )
        parts.append(f"proctype D(chan a) {{ chan b = [1] of {{ byte }}; byte i, j; {self._body(2, 'ab', False)} }}")
        count = self.chance.choice((2, 2, 3, 3, 4))
        for number in range(count):
            kind = "active D_proctype" if self.chance.random() < 0.03 else "active proctype"
            promise = self._unclaimed(self._exclusive("q", "r")) if self.chance.random() < 0.1 else ""
            parts.append(
                f"{kind} P{number}(){self._clause()} {{ byte i, j; {promise}{self._marked(f'P{number}')}"
                f"{self._body(self.chance.choice((1, 2, 3)), '', True)} }}"
            )
        if self.chance.random() < 0.05:
            parts.append("trace { do :: q!1; q?1 od }")
        return "\n".join(parts) + "\n"

    def _clause(self) -> str:
        """A `provided` clause, sometimes."""
        if not self.are_watched or self.looks.random() > 0.2:
            return ""
        return f" provided ({self._looking(self.looks.choice(_CLAUSES))})"

    def _looking(self, statement: str) -> str:
        """A statement with the name of a process that is declared already, if there is one."""
        return statement.format(self.looks.choice(self.declared)) if self.declared else "skip"

    def _marked(self, name: str) -> str:
        """A few steps of a process called `name`, one of them behind a label that others can look at."""
        if not self.are_watched:
            return ""
        self.declared.append(name)
        label = self.looks.choice(("L: ", "L: ", "L: progress: "))
        last = self.looks.choice(("i = 1", "i = x", "x = 1", "z?i", "y == 1", "i = 1 - i"))
        return f"j = 1; {label}{self.looks.choice(_LOCAL)}; {last}; "

    def _exclusive(self, receive: str, send: str) -> str:
        return self.chance.choice(("", "", f"xr {receive}; ", f"xs {send}; ", f"xr {receive}; xs {send}; "))

    def _unclaimed(self, promise: str) -> str:
        """What of a promise no other process has made: two cannot both be alone with a channel."""
        wanted = [each for each in promise.split("; ") if each and each not in self.promised]
        self.promised += wanted
        return "".join(f"{each}; " for each in wanted)

    def _fresh(self) -> int:
        self.labels += 1
        return self.labels

    def _simple(self, names: str, can_run: bool) -> str:
        pool = self.chance.choice([pool for pool in self.pools if can_run or pool is not _PROCESSES])
        if names and self.chance.random() < 0.5:
            name = self.chance.choice(names)
            return self.chance.choice((f"{name}!1", f"{name}!i", f"{name}?i", f"{name}?j"))
        return self._looking(self.chance.choice(pool)) if pool is _LOOKS else self.chance.choice(pool)

    def _body(self, size: int, names: str, can_run: bool) -> str:
        return "; ".join(self._statement(names, can_run, 0) for _ in range(size))

    def _statement(self, names: str, can_run: bool, depth: int) -> str:
        kind = self.chance.random()
        if depth >= 2 or kind < 0.6:
            return self._simple(names, can_run)
        can_run = can_run and kind < 0.9  # a loop would start as many processes as there may be
        first, second = (self._statement(names, can_run, depth + 1) for _ in range(2))
        if kind < 0.68:
            return f"atomic {{ {first}; {second} }}"
        if kind < 0.72:
            return f"d_step {{ {self.chance.choice(_LOCAL)}; {self.chance.choice(('x = 1', 'y = i', 'i = x'))} }}"
        if kind < 0.78:
            guard = self.chance.choice(("x == 1", "z!1", "q?1", "z?1", "timeout", "q!1"))
            return f"{{ {first}; {second} }} unless {{ {guard} }}"
        if kind < 0.9:
            last = self.chance.choice(("", " :: else", " :: timeout", f" :: {self._simple(names, can_run)}"))
            return f"if :: {first} :: {second}{last} fi"
        if not self.loops:
            return first
        return self.chance.choice(
            (
                f"do :: {first} :: {second} od",
                f"do :: {first}; {second} :: {self._simple(names, False)}; break od",
                f"do :: i < 2 -> {first}; i++ :: else -> break od",
                f"do :: i != 3 -> i = i + 1; {first} :: i == 3 -> break od",
                f"end{self._fresh()}: do :: {first} od",
            )
        )


def small_model(seed: int) -> str:
    """The tiny model of a seed."""
    return SmallAuthor(seed).model()
