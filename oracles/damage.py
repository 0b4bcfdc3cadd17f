"""Certificates that were changed, and whose digest is that of what they have become: some twenty ways to do it.

What is done to a file without its digest, the digest notices; so damage is done below it. A change may do no harm: rows
may stand in another order, and a rank may be lower than it was. Whoever tries them asks `oracles.certificates.is_true`.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everafter.certificates.file import MAGIC, VERSION
from everafter.certificates.rows import RowBlock
from everafter.user_model import Model
from oracles.certificates import Row, Section, content_of, encoded

_DIGEST = hashlib.sha256().digest_size
_STREAMS = ("words", "changes", "values", "ranks")


@dataclass(frozen=True, slots=True)
class Whole:
    """A certificate that is right, and the model that it is one of."""

    model: Model
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Damaged:
    """A certificate that was changed, and the model that it is shown with."""

    kind: str
    content: bytes
    model: Model


def damaged(chance: random.Random, whole: Whole, others: list[Model]) -> Damaged:
    """One section of the certificate, changed in one of all ways; what changes nothing is not counted as one."""
    while True:
        number = chance.randrange(len(whole.sections))
        found = _damaged(chance, whole, others, number)
        if found.model is not whole.model or found.content != content_of([whole.sections[number]]):
            return found


def _damaged(chance: random.Random, whole: Whole, others: list[Model], number: int) -> Damaged:
    kind = chance.choice(KINDS)
    sections = [(dict(heading), list(rows)) for heading, rows in whole.sections]
    if kind in _IN_SECTIONS:
        _IN_SECTIONS[kind](chance, sections, number)
        return Damaged(kind, content_of([sections[number]]), whole.model)
    if kind == "a stream has another bit":
        return Damaged(kind, _with_another_bit(chance, sections[number]), whole.model)
    content = content_of([sections[number]])
    if kind == "the model is another":
        return Damaged(kind, content, chance.choice(others))
    return Damaged(kind, _with_digest(_IN_BYTES[kind](chance, content[:-_DIGEST])), whole.model)


# In what is listed

Sections = list[tuple[dict[str, Any], list[Row]]]


def _drop(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    if rows:
        rows.pop(chance.randrange(len(rows)))


def _flip(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    if rows:
        place = chance.randrange(len(rows))
        row, rank = rows[place]
        at = chance.choice([at for at in range(1, len(row)) if at not in (2, 3)])  # the length is another damage
        rows[place] = (row[:at] + bytes([row[at] ^ 1 << chance.randrange(8)]) + row[at + 1 :], rank)


def _double(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    if rows:
        rows.insert(chance.randrange(len(rows) + 1), chance.choice(rows))


def _swap(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    if len(rows) > 1:
        one, other = chance.sample(range(len(rows)), 2)
        rows[one], rows[other] = rows[other], rows[one]


def _swap_ranks(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    if len(rows) > 1:
        one, other = chance.sample(range(len(rows)), 2)
        (first, rank), (second, another) = rows[one], rows[other]
        rows[one], rows[other] = (first, another), (second, rank)


def _raise(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    if rows:
        place = chance.randrange(len(rows))
        row, rank = rows[place]
        rows[place] = (row, rank + chance.choice((1, 2, 1 << 20)))


def _lower(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    places = [place for place, (_, rank) in enumerate(rows) if rank > 0]
    if places:
        place = chance.choice(places)
        row, rank = rows[place]
        rows[place] = (row, chance.randrange(rank))


def _shuffle_ranks(chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    ranks = [rank for _, rank in rows]
    chance.shuffle(ranks)
    rows[:] = [(row, rank) for (row, _), rank in zip(rows, ranks, strict=True)]


def _level(_chance: random.Random, sections: Sections, number: int) -> None:
    rows = sections[number][1]
    rows[:] = [(row, 0) for row, _ in rows]


def _other_rows(chance: random.Random, sections: Sections, number: int) -> None:
    heading, _ = sections[number]
    sections[number] = (heading, list(chance.choice(sections)[1]))


def _other_heading(chance: random.Random, sections: Sections, number: int) -> None:
    _, rows = sections[number]
    sections[number] = (dict(chance.choice(sections)[0]), rows)


def _other_automaton(chance: random.Random, sections: Sections, number: int) -> None:
    """A digit of the automaton is another one, or it has no accepting state; or there is one where none belongs."""
    heading = sections[number][0]
    text = heading["automaton"] or "1 2 3"
    at = chance.choice([at for at, letter in enumerate(text) if letter.isdigit()])
    heading["automaton"] = chance.choice([f"{text[:at]}{9 - int(text[at])}{text[at + 1 :]}", text.replace(" {0}", "")])


def _other_run(chance: random.Random, sections: Sections, number: int) -> None:
    """Of a run that shows a violation, a choice is another, or missing; one where there must be none, if it holds."""
    heading = sections[number][0]
    steps = [list(step) for step in heading["prefix"]]
    if steps and chance.randrange(2):
        steps.pop(chance.randrange(len(steps)))
    elif steps:
        step = chance.choice(steps)
        step[chance.randrange(len(step))] += chance.choice((-1, 1, 7))
    else:
        steps.append([0, chance.randrange(9)])
    heading["prefix"] = steps


_LIES: dict[str, tuple[Any, ...]] = {
    "everafter": (1, None),
    "digest": ("", "0" * 64),
    "conditions": ({}, {"ignore": [1]}, {"fairness": ["weak"], "defines": 3}),
    "property": ("", "another", "safety"),
    "kind": ("safety", "ltl", "never", "progress", "acceptance", "nothing"),
    "words": ("", "another", "<> false"),
    "verdict": ("holds", "violated", "incomplete"),
    "sets": (0, 1, 2, -1, 10**30),
    "reduced": (True, False),
    "cycle": ([[0, 0]], [[1]], [0]),
    "end": ("", "problem", "cycle", "stop", "another"),
}


def _lie(chance: random.Random, sections: Sections, number: int) -> None:
    heading = sections[number][0]
    field = chance.choice(sorted(_LIES))
    heading[field] = chance.choice(_LIES[field])


_CONDITIONS: dict[str, tuple[Any, ...]] = {
    "defines": ({"N": "3"}, {}, None),
    "loses_messages": (True, 0),
    "fairness": ("weak", "strong", "some"),
    "ignore": (["assertions"], ["end-states"], ["everything"]),
    "empty_channels": (True, None),
    "another": (True,),
}


def _other_condition(chance: random.Random, sections: Sections, number: int) -> None:
    heading = sections[number][0]
    name = chance.choice(sorted(_CONDITIONS))
    heading["conditions"] = heading["conditions"] | {name: chance.choice(_CONDITIONS[name])}


def _forget(chance: random.Random, sections: Sections, number: int) -> None:
    heading = sections[number][0]
    heading.pop(chance.choice(sorted(set(heading) - {"sets", "property"})))  # whoever writes the file needs these


_IN_SECTIONS: dict[str, Callable[[random.Random, Sections, int], None]] = {
    "a row is missing": _drop,
    "a row has another bit": _flip,
    "a row comes twice": _double,
    "two rows are swapped": _swap,
    "two ranks are swapped": _swap_ranks,
    "a rank is higher": _raise,
    "a rank is lower": _lower,
    "the ranks are shuffled": _shuffle_ranks,
    "all ranks are equal": _level,
    "the rows are another section's": _other_rows,
    "the heading is another section's": _other_heading,
    "the automaton is another": _other_automaton,
    "the run is another": _other_run,
    "the heading lies": _lie,
    "a condition is another": _other_condition,
    "the heading lacks a field": _forget,
}


# Below the rows


def _with_another_bit(chance: random.Random, section: Section) -> bytes:
    """The section with one bit changed in a stream of its rows."""

    def changed(rows: list[Row], ranked: bool) -> RowBlock:
        block = encoded(rows, ranked)
        name = chance.choice([name for name in _STREAMS if getattr(block, name)])
        stream = bytearray(getattr(block, name))
        stream[chance.randrange(len(stream))] ^= 1 << chance.randrange(8)
        streams = [bytes(stream) if each == name else getattr(block, each) for each in _STREAMS]
        return RowBlock(block.rows, *streams)

    return content_of([section], changed)


def _with_digest(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


def _bit(chance: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randrange(len(content))]


def _version(chance: random.Random, content: bytes) -> bytes:
    version = chance.choice((0, 1, VERSION - 1, VERSION + 1, 10))
    return MAGIC.replace(b"%d" % VERSION, b"%d" % version) + content[len(MAGIC) :]


def _piece_twice(chance: random.Random, content: bytes) -> bytes:
    begin, end = sorted(chance.sample(range(len(content)), 2))
    return content[:end] + content[begin:]


def _swap_pieces(chance: random.Random, content: bytes) -> bytes:
    first, second, third = sorted(chance.sample(range(len(content)), 3))
    return content[:first] + content[second:third] + content[first:second] + content[third:]


_IN_BYTES: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "the file has another bit": _bit,
    "the file is cut short": _cut,
    "the file has another version": _version,
    "a piece of the file comes twice": _piece_twice,
    "two pieces of the file are swapped": _swap_pieces,
}
KINDS = (*_IN_SECTIONS, *_IN_BYTES, "a stream has another bit", "the model is another")
"""What can be done to a certificate."""
