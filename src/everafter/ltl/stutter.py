"""Is a property insensitive to stuttering? Only then may a checker drop steps that change nothing it speaks of.

Michaud and Duret-Lutz, Practical stutter-invariance checks for ω-regular languages, SPIN 2015. Two words are
stutter-equivalent exactly when repeating letters can make them equal, so a property is invariant exactly when
no word is a stretching both of a word that satisfies it and of one that does not.

A few words recognise most formulas that count steps, long before there is an automaton: those with k copies of one
letter between two others, for several k. The automaton of "q comes twelve steps after each p" has 4,096 states.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from everafter.ltl.automaton import Automaton, Edge, on_alphabet
from everafter.ltl.automaton_product import product as synchronous
from everafter.ltl.formula import Formula, Next, Not, atoms, operands, subformulas
from everafter.ltl.functions import FALSE, TRUE, Functions
from everafter.ltl.lasso_semantics import Lasso, holds
from everafter.ltl.strong_components import is_empty
from everafter.ltl.truth_tables import functions_of

MOST_NAMES = 2
"""How many propositions are looked at by themselves, so that words stay few."""


def is_next_free(formula: Formula) -> bool:
    """Whether the formula, as written, has no operator X: enough to be invariant.

    Proof: proofs/ltl/stuttering.v, theorem next_free_cannot_tell.
    """
    return not any(isinstance(part, Next) for part in subformulas(formula))


def is_stutter_invariant(formula: Formula) -> bool:
    """Whether the formula cannot tell a word from the same word with letters repeated. An exact answer."""
    if is_next_free(formula):
        return True
    from everafter.ltl.simplification import simplify  # noqa: PLC0415 # few formulas have a next
    from everafter.ltl.translation import translate  # noqa: PLC0415 # likewise

    if is_next_free(simplify(formula)):
        return True
    if any(len({holds(formula, word) for word in words}) > 1 for words in telling_words(formula)):
        return False
    return are_stutter_separated(translate(formula), translate(Not(formula)))


def telling_words(formula: Formula) -> Iterator[list[Lasso]]:
    """Words that only differ in how often a letter is repeated: once, and about as often as X is nested."""
    depth = _next_depth(formula)
    counts = sorted({count for count in (1, 2, depth - 1, depth, depth + 1) if count > 0})
    for often, first, last in product(_some_letters(atoms(formula)), repeat=3):
        if first != often:
            yield [Lasso((first, *[often] * count, last), (often,)) for count in counts]
            yield [Lasso((), (first, *[often] * count, last)) for count in counts]


def _next_depth(formula: Formula) -> int:
    return isinstance(formula, Next) + max(map(_next_depth, operands(formula)), default=0)


def _some_letters(names: tuple[str, ...]) -> list[frozenset[str]]:
    """A few letters: with all propositions, with none, and with one more or less."""
    everything = frozenset(names)
    single = [letter for name in names[:MOST_NAMES] for letter in (frozenset({name}), everything - {name})]
    return list(dict.fromkeys([frozenset[str](), everything, *single]))


def are_stutter_separated(left: Automaton, right: Automaton) -> bool:
    """Return whether no word of `left` is stutter-equivalent to a word of `right`."""
    names = tuple(sorted({*left.propositions, *right.propositions}))
    functions = functions_of(len(names))
    left, right = on_alphabet(left, names, functions), on_alphabet(right, names, functions)
    letters = letter_classes(functions, {edge.label for automaton in (left, right) for _, edge in automaton.edges})
    return is_empty(synchronous(_stretched(left, letters), _stretched(right, letters)))


def letter_classes(functions: Functions, labels: set[int]) -> list[int]:
    """Return the classes of letters that none of `labels`, which are `functions`, tells apart.

    For stuttering a class is as good as a letter.
    """
    parts = [TRUE]
    for label in sorted(labels):
        split = (functions.conjoin(part, side) for part in parts for side in (label, ~label))
        parts = [part for part in split if part != FALSE]
    return parts


def _stretched(automaton: Automaton, letters: list[int]) -> Automaton:
    """The words that come from accepted ones by repeating letters, each finitely often.

    A state remembers the letter read last and may read it again. A set of its own on all other edges keeps a run
    from repeating one letter for ever.
    """
    start = (automaton.initial, FALSE)
    numbers = {start: 0}
    waiting = [start]
    outgoing: list[list[Edge]] = []
    progress = 1 << automaton.acceptance_sets
    while len(outgoing) < len(waiting):
        state, last = waiting[len(outgoing)]
        edges = [Edge(last, 0, len(outgoing))] if last != FALSE else []
        for edge in automaton.outgoing[state]:
            for letter in letters:
                if automaton.functions.conjoin(edge.label, letter) != FALSE:
                    target = (edge.target, letter)
                    if target not in numbers:
                        numbers[target] = len(waiting)
                        waiting.append(target)
                    edges.append(Edge(letter, edge.marks | progress, numbers[target]))
        outgoing.append(edges)
    return automaton.with_edges(outgoing, 0, automaton.acceptance_sets + 1)
