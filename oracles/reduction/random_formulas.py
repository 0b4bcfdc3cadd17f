"""Random formulas without X over comparisons of variables."""

from __future__ import annotations

import random


def formula_over(generator: random.Random, names: list[str], size: int) -> str:
    """A formula of so many parts, in Promela's syntax."""
    if size <= 1:
        return f"({generator.choice(names)} {generator.choice(('==', '!=', '<'))} {generator.randrange(3)})"
    match generator.choice(("[]", "<>", "!", "&&", "||", "U", "V", "->")):
        case "[]" | "<>" | "!" as operator:
            return f"({operator} {formula_over(generator, names, size - 1)})"
        case operator:
            left = generator.randrange(1, size)
            right = formula_over(generator, names, size - left)
            return f"({formula_over(generator, names, left)} {operator} {right})"
