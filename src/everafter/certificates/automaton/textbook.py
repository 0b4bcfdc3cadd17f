"""The textbook automaton of a formula, as plain as can be: no search uses it, others are measured by it.

Vardi and Wolper 1986; Baier and Katoen, Principles of Model Checking, section 5.2. A formula is first written with six
operators, its kernel. A state is a guess: which parts of the kernel hold from here on. A guess agrees with itself, with
the letter read, and with the guess behind it, part by part. Every until that is believed is a promise, to be kept.

The definitions are those of proofs/ltl/formulas.v (`kernel_of`) and proofs/ltl/automaton.v (`parts`, `guesses`,
`right_step`, `promises`, `kept`), which prove that exactly the words that satisfy the formula are accepted. What is
said there by a test of each pair of guesses is said here by what a guess demands of the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import NamedTuple, assert_never

from everafter.ltl.formula import (
    TRUE,
    Always,
    And,
    Atom,
    Constant,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
    operands,
)
from everafter.ltl.functions import TooLargeError


def kernel_of(formula: Formula) -> Formula:
    """The same meaning with six operators: truth, a proposition, not, and (of two), next, until."""
    match formula:
        case Constant(value):
            return TRUE if value else Not(TRUE)
        case Atom():
            return formula
        case Not(f):
            return Not(kernel_of(f))
        case And(parts):
            return reduce(_both, map(kernel_of, parts)) if parts else TRUE
        case Or(parts):
            return reduce(_either, map(kernel_of, parts)) if parts else Not(TRUE)
        case Implies(f, g):
            return Not(_both(kernel_of(f), Not(kernel_of(g))))
        case Equivalent(f, g):
            return _same(kernel_of(f), kernel_of(g))
        case Xor(f, g):
            return Not(_same(kernel_of(f), kernel_of(g)))
        case Next(f):
            return Next(kernel_of(f))
        case Eventually(f):
            return Until(TRUE, kernel_of(f))
        case Always(f):
            return _forever(kernel_of(f))
        case Until(f, g):
            return Until(kernel_of(f), kernel_of(g))
        case WeakUntil(f, g):
            return _either(Until(kernel_of(f), kernel_of(g)), _forever(kernel_of(f)))
        case Release(f, g):
            return _either(_released(kernel_of(f), kernel_of(g)), _forever(kernel_of(g)))
        case StrongRelease(f, g):
            return _released(kernel_of(f), kernel_of(g))
        case _:
            assert_never(formula)


def _both(f: Formula, g: Formula) -> Formula:
    return And((f, g))


def _either(f: Formula, g: Formula) -> Formula:
    return Not(_both(Not(f), Not(g)))


def _same(f: Formula, g: Formula) -> Formula:
    return _both(Not(_both(f, Not(g))), Not(_both(g, Not(f))))


def _forever(f: Formula) -> Formula:
    return Not(Until(TRUE, Not(f)))


def _released(f: Formula, g: Formula) -> Formula:
    return Until(g, _both(f, g))


def parts_of(kernel: Formula) -> tuple[Formula, ...]:
    """All parts of a formula, each once, behind its own parts."""
    found: dict[Formula, None] = {}
    waiting = [kernel]
    while waiting:
        missing = [part for part in operands(waiting[-1]) if part not in found]
        if missing:
            waiting += missing
        else:
            found[waiting.pop()] = None
    return tuple(found)


class Demand(NamedTuple):
    """What a guess must fulfil: the parts that must be believed, and those that must not."""

    believed: int
    doubted: int


class Naive:
    """The automaton of a formula of the kernel. A guess is a mask of the parts that are believed.

    Guesses are found as they are met. TooLargeError where more than `most` of them meet one demand.

    Proof: proofs/ltl/automaton.v, theorem automaton_of_formula.
    """

    def __init__(self, kernel: Formula, most: int) -> None:
        self.parts = parts_of(kernel)
        self.propositions = frozenset(part.text for part in self.parts if isinstance(part, Atom))
        self.promises = tuple(part for part in self.parts if isinstance(part, Until))
        self._bits = {part: 1 << index for index, part in enumerate(self.parts)}
        self._whole = self._bits[kernel]
        self._most = most
        self._meeting: dict[Demand, Sequence[int]] = {}
        self._letters: dict[int, frozenset[str]] = {}

    def first(self) -> Sequence[int]:
        """The guesses with which a run may begin: the formula itself is believed."""
        return self.meeting(Demand(self._whole, 0))

    def followers(self, guess: int) -> Sequence[int]:
        """The guesses that may come next."""
        return self.meeting(self.demand(guess))

    def letter(self, guess: int) -> frozenset[str]:
        """The propositions that are believed; the letter read here has these, and none of the others."""
        if guess not in self._letters:
            self._letters[guess] = frozenset(
                part.text for part in self.parts if isinstance(part, Atom) and guess & self._bits[part]
            )
        return self._letters[guess]

    def keeps(self, guess: int, promise: int) -> bool:
        """Return whether the promise numbered `promise` is kept in `guess`, or is not believed there.

        Numbers are taken modulo the number of promises; where there are none, all are kept.
        """
        if not self.promises:
            return True
        until = self.promises[promise % len(self.promises)]
        return not guess & self._bits[until] or bool(guess & self._bits[until.right])

    def demand(self, guess: int) -> Demand:
        """What the next guess must be right about: the operand of every next, and every until that is left open."""
        believed = doubted = 0
        for part in self.parts:
            if isinstance(part, Next):
                spoken_of = self._bits[part.operand]
            elif isinstance(part, Until) and self._is_open(guess, part):
                spoken_of = self._bits[part]
            else:
                continue
            if guess & self._bits[part]:
                believed |= spoken_of
            else:
                doubted |= spoken_of
        return Demand(believed, doubted)

    def _is_open(self, guess: int, until: Until) -> bool:
        """Whether the next step decides: the left side holds here, and the right side does not."""
        return bool(guess & self._bits[until.left]) and not guess & self._bits[until.right]

    def meeting(self, demand: Demand) -> Sequence[int]:
        """All guesses that do not contradict themselves and meet the demand."""
        if demand not in self._meeting:
            believed, doubted = self._spread(demand)
            found = [0]
            for part in self.parts:
                bit = self._bits[part]
                allowed = [choice for choice in (0, bit) if not bit & (doubted if choice else believed)]
                found = [g | choice for g in found for choice in self._choices(g, part, bit) if choice in allowed]
                if len(found) > self._most:
                    raise TooLargeError
            self._meeting[demand] = found
        return self._meeting[demand]

    def _spread(self, demand: Demand) -> Demand:
        """The same demand, with what it says of parts of parts: fewer guesses are begun in vain."""
        believed, doubted = demand
        for part in reversed(self.parts):
            bit = self._bits[part]
            match part:
                case And((f, g)) if bit & believed:
                    believed |= self._bits[f] | self._bits[g]
                case Not(f):
                    believed |= self._bits[f] if bit & doubted else 0
                    doubted |= self._bits[f] if bit & believed else 0
        return Demand(believed, doubted)

    def _choices(self, guess: int, part: Formula, bit: int) -> Iterable[int]:
        """Whether a part can be believed, by what is believed of its own parts: its bit, nothing, or either."""
        match part:
            case Constant(True):
                return (bit,)
            case Atom() | Next():
                return (0, bit)
            case Not(f):
                return (0,) if guess & self._bits[f] else (bit,)
            case And((f, g)):
                return (bit,) if guess & self._bits[f] and guess & self._bits[g] else (0,)
            case Until(f, g):
                if guess & self._bits[g]:
                    return (bit,)
                return (0, bit) if guess & self._bits[f] else (0,)
            case _:
                raise ValueError("only formulas of the kernel are guessed")
