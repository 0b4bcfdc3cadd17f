"""Small random models in which processes start others, one by one or in loops, and end while others go on."""

from __future__ import annotations

import random

_HEADER = """byte x, y;
chan q = [1] of { byte }, r = [2] of { byte };
chan z = [0] of { byte };
"""
_LOCAL = ("i = 1", "j = i", "i = i + n", "skip", 'printf("%d\\n", _pid)', "j = n")
_SHARED = (
    "x = 1", "x = i", "i = x", "y = x", "x++", "x == 1", "y == 0", "x != i", "assert(x < 3)", "y = 1 - y", "x = n",
    "assert(y < 2)",
)  # fmt: skip
_CHANNELS = ("q!1", "q?i", "r!n", "r?j", "r?i", "q?1", "nempty(q)", "i = len(r)", "z!1", "z?i", "z!i", "z?j")
_COUNTING = ("x = _pid", "i = _nr_pr", "_nr_pr == 2", "assert(_pid < 4)", "i = run B(1)", "y = B@L", "x = enabled(1)")
"""What makes numbers of processes matter."""
_STARTS = ("run A({0})", "run B({0})", "run A(1)", "run B(2)")


class _StartsAuthor:
    """Writes one model."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(f"starts {seed}")
        self.pools: list[tuple[str, ...]] = [_LOCAL, _SHARED, _SHARED]
        self.pools += [_CHANNELS] if self.chance.random() < 0.6 else []
        self.counts = self.chance.random() < 0.15

    def model(self) -> str:
        label = self.chance.choice(("", "", "progress: ", "accept: ", "end: "))
        marked = "L: skip; " if self.counts else ""
        parts = [
            _HEADER,
            f"proctype A(byte n) {{ byte i, j; {self._body(3)} }}",
            f"proctype B(byte n) {{ byte i, j; {marked}{label}{self._body(2)} }}",
            f"proctype S(byte n) {{ byte i, j; {self._statement(0)}; {self._starting()} }}",
        ]
        if self.chance.random() < 0.3:
            parts.append(f"active proctype P() {{ byte i, j, n; {self._body(2)} }}")
        if self.chance.random() < 0.1:
            parts.append("active proctype O() { chan own = [1] of { byte }; byte i; own!1; own?i }")
        first = f"{self._statement(0)}; " if self.chance.random() < 0.3 else ""
        starts = "; ".join(self._starting() for _ in range(self.chance.choice((1, 2, 2))))
        last = f"; {self._body(1)}" if self.chance.random() < 0.6 else ""
        parts.append(f"init {{ byte i, j, k; byte n = 1; {first}{starts}{self._nested()}{last} }}")
        return "\n".join(parts) + "\n"

    def _nested(self) -> str:
        return "; run S(1)" if self.chance.random() < 0.2 else ""

    def _starting(self) -> str:
        one, other = (self.chance.choice(_STARTS).format("i") for _ in range(2))
        kind = self.chance.random()
        if kind < 0.35:
            return one
        if kind < 0.6:
            return f"{one}; {other}"
        if kind < 0.75:
            return f"i = 0; do :: i < 2 -> {one}; i++ :: else -> break od"
        if kind < 0.85:
            return f"for (j : 1 .. 2) {{ {one} }}"
        if kind < 0.9:
            return f"if :: {one} :: {other} fi"
        return f"atomic {{ {one}; {other} }}"

    def _simple(self) -> str:
        pool = _COUNTING if self.counts and self.chance.random() < 0.3 else self.chance.choice(self.pools)
        return self.chance.choice(pool)

    def _body(self, size: int) -> str:
        return "; ".join(self._statement(0) for _ in range(self.chance.randint(1, size)))

    def _statement(self, depth: int) -> str:
        kind = self.chance.random()
        if depth >= 1 or kind < 0.7:
            return self._simple()
        first, second = (self._statement(depth + 1) for _ in range(2))
        if kind < 0.78:
            return f"atomic {{ {first}; {second} }}"
        if kind < 0.84:
            return f"if :: {first} :: {second}{self.chance.choice(('', ' :: else', ' :: timeout'))} fi"
        if kind < 0.88:
            return f"{{ {first}; {second} }} unless {{ {self.chance.choice(('x == 1', 'q?1', 'y == 1'))} }}"
        if kind < 0.94:
            return f"do :: {first} :: {second}; break od"
        return f"d_step {{ {self.chance.choice(_LOCAL[:3])}; {self.chance.choice(('x = 1', 'y = i', 'i = x'))} }}"


def starting_model(seed: int) -> str:
    """The model of a seed."""
    return _StartsAuthor(seed).model()
