"""Random never claims over comparisons of variables: most of them cannot tell whether a state is repeated."""

from __future__ import annotations

import random


def never_over(generator: random.Random, names: list[str]) -> str:
    """A never claim of a few places, in Promela's syntax."""
    labels = [f"{generator.choice(('T', 'T', 'accept_T'))}{at}" for at in range(generator.choice((1, 2, 2, 3)))]
    body = " ".join(f"{label}: do {' '.join(_options(generator, names, label, labels))} od;" for label in labels)
    return f"never {{ {body} over: skip }}\n"


def _options(generator: random.Random, names: list[str], own: str, labels: list[str]) -> list[str]:
    """What can be read at a place, and where that leads."""
    found = [f":: {_test(generator, names)} -> goto {generator.choice(labels)}" for _ in range(generator.randrange(3))]
    staying = generator.choice(("true", "true", "else", "else", _test(generator, names), ""))
    found += [f":: {staying} -> goto {own}"] if staying else []
    found += [f":: {_test(generator, names)} -> goto over"] if generator.random() < 0.15 else []
    found += [f":: assert({_test(generator, names)}) -> goto {own}"] if generator.random() < 0.1 else []
    return found or [":: true"]


def _test(generator: random.Random, names: list[str]) -> str:
    """A comparison, or two."""
    parts = [
        f"{generator.choice(names)} {generator.choice(('==', '!=', '<', '>='))} {generator.randrange(3)}"
        for _ in range(1 if generator.random() < 0.7 else 2)
    ]
    return generator.choice((" && ", " || ")).join(parts)
