"""Labels as text: a short sum of products over the propositions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from everafter.ltl.automaton import Automaton
from everafter.ltl.formula_text import atom_text, is_name
from everafter.ltl.functions import Cube, TooLargeError
from everafter.record import dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """How a notation writes the boolean operators and constants."""

    conjunction: str
    disjunction: str
    true: str
    false: str


PROMELA = Signs(" && ", " || ", "1", "0")
READABLE = Signs(" && ", " || ", "true", "false")
HOA = Signs("&", " | ", "t", "f")


def label_text(automaton: Automaton, label: int, signs: Signs, name: Callable[[int], str] | None = None) -> str:
    """Return `label`, which is one of `automaton`, in the notation of `signs`.

    `name` writes a proposition, given its number; by default as the automaton calls it.
    """

    def own_name(index: int) -> str:
        text = automaton.propositions[index]
        if signs is PROMELA and not is_name(text):
            return f"({text})"
        return atom_text(text)

    try:
        return _sum(automaton.cubes(label), signs, name or own_name)
    except TooLargeError:
        # A long product of sums is short as a negated sum of products.
        return f"!({_sum(automaton.cubes(~label), signs, name or own_name)})"


def _sum(cubes: Iterable[Cube], signs: Signs, name: Callable[[int], str]) -> str:
    return signs.disjunction.join(_product(cube, signs, name) for cube in sorted(cubes)) or signs.false


def _product(cube: Cube, signs: Signs, name: Callable[[int], str]) -> str:
    positive, negative = cube
    literals = [
        name(index) if positive >> index & 1 else f"!{name(index)}"
        for index in range((positive | negative).bit_length())
        if (positive | negative) >> index & 1
    ]
    return signs.conjunction.join(literals) or signs.true
