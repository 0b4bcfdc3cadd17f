"""Whether a claim accepts a word is decided by components; the definition asks for each state whether it comes back."""

import random
from dataclasses import dataclass
from typing import Any

import pytest

from everafter.questions.property import SAFETY
from everafter.verdict import judge


@dataclass(frozen=True)
class Table:
    """A claim given by the targets for each letter and state; a state of the system is a letter here."""

    targets: tuple[tuple[tuple[int, ...], ...], ...]
    accepting: frozenset[int]
    ends: frozenset[int]
    start = 0

    def moves(self, letter: Any, at: int, stopped: bool) -> list[int]:
        return list(self.targets[letter][at])

    def is_accepting(self, at: int) -> bool:
        return at in self.accepting

    def is_end(self, at: int) -> bool:
        return at in self.ends


def random_case(seed: int) -> tuple[Table, list[int], int]:
    rng = random.Random(seed)
    size = rng.randint(1, 4)

    def some(chance: float) -> tuple[int, ...]:
        return tuple(state for state in range(size) if rng.random() < chance)

    targets = tuple(tuple(some(0.35) for _ in range(size)) for _ in range(2))
    claim = Table(targets, frozenset(some(0.4)), frozenset(some(0.05)))
    word = [rng.randrange(2) for _ in range(rng.randint(1, 6))]
    return claim, word, rng.randrange(len(word))


def accepts_by_definition(claim: Table, word: list[int], loop: int) -> bool:
    """Whether a reachable pair of position and claim state is an end, or accepting and reachable from itself."""

    def after(pair: tuple[int, int]) -> set[tuple[int, int]]:
        position, at = pair
        return {((position + 1) if position + 1 < len(word) else loop, to) for to in claim.targets[word[position]][at]}

    def reachable(start: set[tuple[int, int]]) -> set[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        while start:
            seen |= start
            start = {target for pair in start if pair[1] not in claim.ends for target in after(pair)} - seen
        return seen

    pairs = reachable({(0, 0)})
    if any(at in claim.ends for _, at in pairs):
        return True
    return any(pair[1] in claim.accepting and pair in reachable(after(pair)) for pair in pairs)


def accepts(claim: Any, word: list[int], loop: int) -> bool:
    described: Any = [(letter, position) for position, letter in enumerate(word)]
    nothing: Any = None
    return judge._accepts(claim, nothing, SAFETY, described, loop, False)


def disagreements(count: int) -> list[bool]:
    """What the definition says where the judge says something else."""
    cases = map(random_case, range(count))
    return [expected for case in cases if accepts(*case) != (expected := accepts_by_definition(*case))]


def test_the_judge_follows_the_definition() -> None:
    assert disagreements(4000) == []
    assert {accepts(*random_case(seed)) for seed in range(50)} == {True, False}


def test_mistakes_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "components_of", lambda targets, roots: [0] * len(targets))
    assert disagreements(500)
    monkeypatch.setattr(judge, "components_of", lambda targets, roots: list(range(len(targets))))
    assert disagreements(500)
