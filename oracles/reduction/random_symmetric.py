"""Tiny random models of several processes of one proctype that name themselves and each other.

In two of three, processes are only told apart by their numbers; in the others one statement or another treats them
differently.
"""

from __future__ import annotations

import random

_PLAIN = (
    "x < 2 -> x++", "x > 0 -> x--", "y = 1 - y", "x == 1", "y == 0", "assert(x < 2)", "skip", 'printf("%d", I)',
    "v = 1 - v", "v == 0", "timeout", "v = (owner == I)",
)  # fmt: skip
_NAMES = (
    "owner = I", "owner == I", "owner != I", "owner == NONE -> owner = I", "owner = NONE", "t = owner", "t = I",
    "t == I", "t != owner", "assert(owner != NONE || t == NONE)", "last = I", "t = NONE", "owner = t",
    "owner == I && t != I", "(t == I -> y : x) == 0",
)  # fmt: skip
_ARRAYS = (
    "flag[I] = 1", "flag[I] = 0", "flag[I] == 0", "num[I] < 2 -> num[I]++", "who[I] = t", "t = who[I]",
    "t != NONE -> flag[t] = 1", "t != NONE -> t = who[t]", "pair[I].b = owner", "pair[I].a = 1 - pair[I].a",
    "assert(flag[I] == 0 || owner == I)",
)  # fmt: skip
_CHANNELS = (
    "c!I,v", "c!t,0", "c?t,v", "c?eval(I),v", "c??eval(I),v", "z!I", "z?t", "z?eval(I)", "q[I]!t", "q[I]?t",
    "len(q[I]) == 0", "t != NONE -> q[t]!I", "c?[t,v]", "nempty(c)",
)  # fmt: skip
_LOOKS = ("_nr_pr > 2", "P[ID]@L", "t != NONE -> P[NUMBER]@L", "P[ID]:v == 0")
_PLANTED = (
    "t < I", "owner = FIRST", "owner == FIRST", "x = I", "t = t + 1", "flag[FIRST] = 1", "t = I + 1", "c!!I,v",
    "P[1]@L", "_last == ID", "x = (owner > FIRST)", "assert(owner != FIRST)", "x = enabled(FIRST)", "t = SECOND",
    "t = I ^ 1", "flag[FIRST] == 1 && flag[SECOND] == 0", "P@L", "v = I", "c!FIRST,0", "t = (I + 1) % 3",
    "last = last + 1", "x = pc_value(ID)",
)  # fmt: skip
_OTHERS = (
    "do :: c?u,w -> owner = u :: z?u -> owner = NONE od", "c!NONE,1; z?u; owner = u", "x == 1; owner = NONE; y = 1",
    "do :: owner != NONE -> u = owner; flag[u] = 1; owner = NONE od", "z?u; z!u; c!u,0", "assert(x < 3)",
)  # fmt: skip
_FORMULAS = (
    "[] (x < 2)", "<> (x == 1)", "[] <> (owner == NONE)", "<> [] (owner != NONE)", "[] (y == 0) || <> (x == 1)",
    "[] !(ALLFLAGS)", "<> (ANYFLAG)", "X (x == 0)", "[] (x == 1 -> <> (y == 1))", "[] (ANYFLAG -> <> !(ANYFLAG))",
    "[] (SUM < 3)",
)  # fmt: skip
_ABOUT_ONE = (
    "[] (flag[FIRST] == 0)", "<> (owner == FIRST)", "[] (flag[FIRST] == 1 -> <> (flag[SECOND] == 1))",
    "[] (owner < SECOND)",
)  # fmt: skip


class SymmetricAuthor:
    """Writes one model and formulas for it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.count = self.chance.choice((2, 2, 3, 3, 4))
        self.others = self.chance.choice((0, 0, 0, 1))
        self.is_started = self.chance.random() < 0.4
        self.is_planted = self.chance.random() < 0.33
        self.pid = 1 if self.is_started else self.others
        """The number of the first of the processes."""
        self.first = self.chance.choice((0, 1, self.pid))
        """What names the first of them."""
        self.own = self._own()
        pools = [_PLAIN, _NAMES]
        pools += [_ARRAYS] if self.chance.random() < 0.7 else []
        pools += [_CHANNELS] if self.chance.random() < 0.6 else []
        pools += [_LOOKS] if self.chance.random() < 0.15 else []
        self.pools = pools

    def _own(self) -> str:
        """How a process names itself."""
        if self.chance.random() < 0.4:
            self.first = self.pid
            return "_pid"
        if self.is_started or self.chance.random() < 0.5:
            return "me"
        return f"(_pid - {self.pid - self.first})" if self.pid >= self.first else f"(_pid + {self.first - self.pid})"

    def _named(self, text: str) -> str:
        words = {
            "ANYFLAG": " || ".join(f"flag[{each}] == 1" for each in self._all()),
            "ALLFLAGS": " && ".join(f"flag[{each}] == 1" for each in self._all()),
            "SUM": " + ".join(f"flag[{each}]" for each in self._all()),
            "NUMBER": f"t + {self.pid - self.first}" if self.pid >= self.first else f"t - {self.first - self.pid}",
            "NONE": "255",
            "FIRST": str(self.first),
            "SECOND": str(self.first + 1),
            "ID": "_pid",
        }
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        return (
            text.replace("[I]", f"[{self.own}]")
            .replace("(I)", f"({self.own})")
            .replace(" I", f" {self.own}")
            .replace("!I", f"!{self.own}")
        )

    def _all(self) -> range:
        return range(self.first, self.first + self.count)

    def model(self) -> str:
        """The text of the model."""
        size = self.first + self.count
        number = self.chance.choice(("255", "255", "0", str(self.first)))
        parts = [
            f"byte x, y; byte owner = {number}; byte last;\nbyte flag[{size}], num[{size}]; byte who[{size}] = 255;\n"
            f"typedef Pair {{ bit a; byte b }}; Pair pair[{size}];\n"
            f"chan c = [{self.chance.choice((1, 2))}] of {{ byte, bit }}; chan z = [0] of {{ byte }};\n"
            f"chan q[{size}] = [1] of {{ byte }};"
        ]
        other = self._named(self.chance.choice(_OTHERS))
        if self.others and not self.is_started:
            parts.append(f"active proctype Other() {{ byte u; bit w; {other} }}")
        has_parameter = self.own == "me" and self.is_started
        head = (
            f"active [{self.count}] proctype P()"
            if not self.is_started
            else f"proctype P({'byte me' if has_parameter else ''})"
        )
        shift = self.first - self.pid
        local = (
            f"byte me = _pid {'+' if shift >= 0 else '-'} {abs(shift)}; "
            if self.own == "me" and not has_parameter
            else ""
        )
        parts.append(
            f"{head} {{ {local}byte t = {self.chance.choice(('0', '255', '255'))}; bit v;\nL: {self._body()} }}"
        )
        if self.is_started:
            parts.append(self._init(has_parameter, other))
        return "\n".join(parts) + "\n"

    def _init(self, has_parameter: bool, other: str) -> str:
        arguments = [f"run P({each if has_parameter else ''})" for each in self._all()]
        if has_parameter and self.chance.random() < 0.4:
            loop = f"i = {self.first}; do :: i < {self.first + self.count} -> run P(i); i++ :: else -> break od"
        else:
            self.chance.shuffle(arguments)
            loop = "; ".join(arguments)
        behind = other if self.others else self.chance.choice(("", "skip", "y = 1", self._named("owner = 255")))
        return f"init {{ byte i, u; bit w; atomic {{ {loop} }}{'; ' + behind if behind else ''} }}"

    def _body(self) -> str:
        return ";\n".join(self._statement(0) for _ in range(self.chance.choice((2, 3, 4, 5))))

    def _simple(self) -> str:
        if self.is_planted and self.chance.random() < 0.2:
            return self._named(self.chance.choice(_PLANTED))
        return self._named(self.chance.choice(self.chance.choice(self.pools)))

    def _statement(self, depth: int) -> str:
        kind = self.chance.random()
        if depth >= 2 or kind < 0.6:
            return self._simple()
        first, second = (self._statement(depth + 1) for _ in range(2))
        if kind < 0.7:
            return f"atomic {{ {first}; {second} }}"
        if kind < 0.75:
            return f"{{ {first}; {second} }} unless {{ {self._simple()} }}"
        if kind < 0.87:
            last = self.chance.choice(("", " :: else", f" :: {self._simple()}"))
            return f"if :: {first} :: {second}{last} fi"
        return self.chance.choice(
            (f"do :: {first} :: {second} od", f"do :: {first}; {second} :: {self._simple()}; break od")
        )

    def formulas(self) -> list[str]:
        """Formulas for the model: one that says the same of all processes, and sometimes one that does not."""
        found = [self.chance.choice(_FORMULAS)]
        found += [self.chance.choice(_ABOUT_ONE)] if self.chance.random() < 0.3 else []
        return list(map(self._named, found))
