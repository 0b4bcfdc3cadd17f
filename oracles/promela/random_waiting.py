"""Small random programs with a process that can move now and then: fairness decides what becomes of it."""

from __future__ import annotations

import random

_GUARDS = ("x == 1", "x == 0", "y == 1", "x == y", "x != y", "x == 1 && y == 1")
_ACTS = ("x = 1 - x", "y = 1 - y", "x = 1 - x", "y = 1 - y", "z = 1 - z", "skip")


def waiting_program(generator: random.Random) -> tuple[str, str]:
    """A few processes in loops, one of them waiting for what the others do; and a formula about that one."""
    others = "\n".join(
        f"active proctype P{number}() {{ do {_options(generator)} od }}"
        for number in range(generator.choice((1, 1, 2)))
    )
    text = f"byte x;\nbyte y;\nbyte z;\nbyte d;\nchan c = [0] of {{ bit }};\n{others}\n"
    waits = generator.choice((*_GUARDS, "c?1", "c!1"))
    served = generator.choice(
        (
            f"{waits}; d = 1",
            f"do :: {waits} -> d = 1 - d od",
            f"do :: atomic {{ {waits}; d = 1 }}; d = 0 od",
            f"do :: {waits} -> d = 1; {generator.choice(_GUARDS)}; d = 0 od",
        )
    )
    claim = generator.choice(("<> (d == 1)", "[] <> (d == 1)", "<> [] (d == 1)", "[] <> (d == 1 && x == 1)"))
    return f"{text}active proctype V() {{ {served} }}\n", claim


def _options(generator: random.Random) -> str:
    """What a process does again and again: often it can always move."""
    free = [generator.choice(_ACTS)] if generator.random() < 0.8 else []
    return " ".join(f":: {each}" for each in (*free, *(_option(generator) for _ in range(generator.randrange(3))))) or (
        ":: z = 1 - z"
    )


def _option(generator: random.Random) -> str:
    guard, act, other = generator.choice(_GUARDS), generator.choice(_ACTS), generator.choice(_ACTS)
    return generator.choice(
        (
            f"{guard} -> {act}",
            f"atomic {{ {guard}; {act}; {other} }}",
            f"atomic {{ {act}; {other} }}",
            "c!1",
            f"c?1 -> {act}",
        )
    )
