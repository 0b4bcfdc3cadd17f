"""Certificates put together from parts of honest ones, so that they answer a question that others were made for.

`forged` takes the question of a target and whatever else of other certificates: rows, ranks, sets, automata, runs,
verdicts, sections, sizes. `Target.accepted` says whether a checker accepts such a file, what that cost, and whether
all that it then says is true by the definition.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from everafter.certificates.certification import Checker, certify
from everafter.certificates.file import MAGIC, CertificateError
from everafter.certificates.inquiry import in_words
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.stated_questions import questions
from everafter.user_model import Model, parse
from oracles.certificates import Section, content_of, is_true, is_violated, sections_of, written

COUNTER = """
#ifndef MOST
#define MOST 3
#endif
byte n; bool up;
active proctype Up() { do :: n < MOST -> n++; up = 1; assert(n <= 3) od }
active proctype Down() { progress: do :: n > 0 -> accept: n--; up = 0 od }
ltl low { [] (n <= 3) }
ltl empties { [] <> (n == 0) }
ltl rises { [] ((n == 0) -> <> up) }
"""
TURNS = """
bool wants[2]; byte turn, inside;
active [2] proctype P() {
  do :: wants[_pid] = 1; turn = 1 - _pid;
#ifdef RUDE
     skip;
#else
     (!wants[1 - _pid] || turn == _pid);
#endif
     inside++; assert(inside == 1);
progress: inside--; wants[_pid] = 0 od
}
ltl alone { [] (inside <= 1) }
ltl enters { [] (wants[0] -> <> (inside > 0)) }
"""
SENDER = """
chan q = [1] of { byte }; byte got;
active proctype Sends() { q!1; q!2; end: do :: q!2 od }
active proctype Takes() { byte x; q?x; got = x; if :: q?x -> got = x :: skip fi; (len(q) > 0) -> q?got }
ltl gets { <> (got == 2) }
ltl early { [] (got <= 2) }
"""
LABELS = Request(acceptance=True, progress=True, safety=True)
ASKED: tuple[tuple[str, dict[str, str], bool, Request], ...] = (
    *((COUNTER, {"MOST": most}, False, asked) for most in ("3", "4") for asked in (Request(), LABELS)),
    (COUNTER, {}, False, Request(formulas=["<> [] up", "[] <> up", "low"])),
    (COUNTER, {}, False, Request(formulas=["(n == 0)", "[] (n == 0)", "<> [] (n == 0)", "<> up -> <> (n == 0)"])),
    (COUNTER, {}, False, Request(fairness="weak", reduction="none")),
    (COUNTER, {"MOST": "4"}, False, Request(fairness="weak", ignore=["assertions"])),
    (COUNTER, {"assert": "!0||"}, False, Request(reduction="none")),
    *((TURNS, defines, False, asked) for defines in ({}, {"RUDE": "1"}) for asked in (Request(), LABELS)),
    (TURNS, {}, False, Request(reduction="none")),
    (TURNS, {"RUDE": "1"}, False, Request(ignore=["assertions"], formulas=["enters", "<> (inside == 0)"], safety=True)),
    (TURNS, {}, False, Request(fairness="weak", formulas=["<> (inside == 1)", "enters"])),
    *((SENDER, {}, loses, Request(reduction=how)) for loses in (False, True) for how in ("static", "none")),
    (SENDER, {}, True, Request(ignore=["end-states"])),
    (SENDER, {}, False, Request(empty_channels=True)),
    (SENDER, {}, True, Request(fairness="weak", formulas=["gets", "early"])),
)  # fmt: skip
"""Models, how they are read, and what is asked of them: much the same rows, and other verdicts."""


@dataclass(frozen=True)
class Target:
    """A question, and its honest certificate."""

    model: Model
    request: Request
    sections: tuple[Section, ...]
    content: bytes

    @classmethod
    def of(cls, text: str, defines: dict[str, str], loses: bool, request: Request, path: Path) -> Target:
        """The question that `request` asks of a model; its certificate is written to `path`."""
        model = parse(text, defines, loses_messages=loses)
        assert "incomplete" not in written(model, request, path)
        return cls(model, request, tuple(sections_of(path)), path.read_bytes())

    @cached_property
    def truth(self) -> dict[tuple[str, str, str], str]:
        """The verdict on each property that may be in a certificate, by the definition.

        What fair runs hold is said by the reference's search.
        """
        found: dict[tuple[str, str, str], str] = {}
        judged = replace(self.model, program=replace(self.model.program, expected=self.request.expected))
        for asked in (Request(), self.request):
            for item in questions(judged, asked):
                question = item.question(Question(item.program, SAFETY))
                if item.kind != "safety" and self.request.fairness is not None:
                    only = replace(Request(fairness=self.request.fairness, engine="reference"), formulas=(item.words,))
                    verdict: str = self.model.check_all(only)[0].verdict
                else:
                    verdict = "violated" if is_violated(question) else "holds"
                found[item.kind, item.name, in_words(item)] = verdict
        return found

    def accepted(self, path: Path, by: Checker, strict: bool = False) -> tuple[str, float]:
        """What the checker `by` says of the file at `path`: refused, true or FALSE; and the processor seconds."""
        began = time.process_time()
        try:
            found = certify(path, self.model, request=self.request, by=by, threads=1, strict=strict)
        except CertificateError:
            return "refused", time.process_time() - began
        cost = time.process_time() - began
        right = all(self.truth[each.kind, each.property, each.says] == each.verdict for each in found.verdicts)
        shows = self.request.fairness is not None or is_true(self.model, sections_of(path))
        return ("true" if right and shows else "FALSE"), cost


def targets(path: Path) -> list[Target]:
    """All questions, each with its honest certificate; `path` is a file that may be overwritten."""
    return [Target.of(*asked, path) for asked in ASKED]


def forged(chance: random.Random, target: Target, others: list[Target]) -> tuple[str, bytes]:
    """A forgery for `target` from parts of it and of `others`, which is no honest file, and what was done."""
    while True:
        named, content = _forged(chance, target, others)
        if content != content_of(target.sections):
            return named, content


def _forged(chance: random.Random, target: Target, others: list[Target]) -> tuple[str, bytes]:
    pool = [section for other in others for section in other.sections if _fits(other, target) or chance.random() < 0.1]
    own = [(dict(heading), list(rows)) for heading, rows in target.sections]
    kinds = chance.sample(sorted(_EXCHANGES), chance.choice((1, 1, 2, 3)))
    number = chance.randrange(len(own))
    for kind in kinds:
        own[number] = _EXCHANGES[kind](chance, own[number], [*pool, *own])
    heading = own[number][0]
    if chance.random() < 0.9:
        asked = target.sections[number][0]
        heading |= {name: asked[name] for name in ("model", "digest", "conditions", "property", "kind", "words")}
    named = " + ".join(kinds)
    if chance.random() < 0.15:
        size = chance.choice(sorted(_SIZES))
        return f"{named} + {size}", whole(_SIZES[size](chance, content_of(own)[len(MAGIC) : -33]))
    if chance.random() < 0.05:
        own = [chance.choice([*own, *pool]) for _ in range(chance.choice((1, 2, 4, 200)))]
        named += " + sections"
    return named, content_of(own)


def _fits(other: Target, target: Target) -> bool:
    return [each.name for each in other.model.tree.variables] == [each.name for each in target.model.tree.variables]


def whole(content: bytes) -> bytes:
    """A file with this between its first line and its end, and with its digest."""
    content = MAGIC + content + b"E"
    return content + hashlib.sha256(content).digest()


# What is exchanged

Pool = list[Section]
Exchange = Callable[[random.Random, Section, Pool], Section]


_LEFT_OUT = ("reduced", "erased", "merged")
"""The fields of a heading that say what is left out of rows."""


def _fields(*names: str) -> Exchange:
    """Take these fields of the heading from another section."""

    def exchanged(chance: random.Random, section: Section, pool: Pool) -> Section:
        other = chance.choice(pool)[0]
        return {**section[0], **{name: other[name] for name in names}}, section[1]

    return exchanged


def _rows(chance: random.Random, section: Section, pool: Pool) -> Section:
    other, rows = chance.choice(pool)
    return {**section[0], **{name: other[name] for name in ("sets", "automaton", *_LEFT_OUT)}}, rows


def _only_rows(chance: random.Random, section: Section, pool: Pool) -> Section:
    return section[0], chance.choice(pool)[1]


def _more_rows(chance: random.Random, section: Section, pool: Pool) -> Section:
    known = {row for row, _ in section[1]}
    return section[0], [*section[1], *(each for each in chance.choice(pool)[1] if each[0] not in known)]


def _fewer_rows(chance: random.Random, section: Section, pool: Pool) -> Section:
    theirs = {row for row, _ in chance.choice(pool)[1]}
    return section[0], [each for each in section[1] if each[0] in theirs or chance.random() < 0.5]


def _ranks(chance: random.Random, section: Section, pool: Pool) -> Section:
    ranks = [rank for _, rank in chance.choice(pool)[1]] or [0]
    return section[0], [(row, ranks[number % len(ranks)]) for number, (row, _) in enumerate(section[1])]


def _ordered_ranks(chance: random.Random, section: Section, pool: Pool) -> Section:
    count, up = len(section[1]), chance.random() < 0.5
    return section[0], [(row, at if up else count - at) for at, (row, _) in enumerate(section[1])]


def _sets(chance: random.Random, section: Section, pool: Pool) -> Section:
    return {**section[0], "sets": chance.choice((0, 1, 2, 3, 64, 1 << 40, -1))}, section[1]


def _reduced(chance: random.Random, section: Section, pool: Pool) -> Section:
    name = chance.choice(_LEFT_OUT)
    return {**section[0], name: not section[0][name]}, section[1]


def _claims_to_hold(chance: random.Random, section: Section, pool: Pool) -> Section:
    other, rows = chance.choice([each for each in pool if each[0]["verdict"] == "holds"] or pool)
    heading = {**section[0], "verdict": "holds", "prefix": [], "cycle": [], "end": ""}
    taken = ("sets", "reduced", "automaton") if chance.random() < 0.7 else ("sets", "reduced")
    return {**heading, **{name: other[name] for name in taken}}, rows


def _large_automaton(chance: random.Random, section: Section, pool: Pool) -> Section:
    """A chain or circle of many states over the propositions of the automaton that is there."""
    text, count = section[0]["automaton"] or "AP: 0\n", chance.choice((5, 100, 1500))
    names = next((line for line in text.splitlines() if line.startswith("AP:")), "AP: 0")
    accepts = chance.choice(("every", "last", "second", "none"))

    def state(number: int) -> str:
        is_last = number == count - 1
        marked = {"every": True, "last": is_last, "second": number % 2 == 0, "none": False}[accepts]
        return f"State: {number}{' {0}' if marked else ''}\n[t] {chance.choice((0, number)) if is_last else number + 1}"

    body = "\n".join(map(state, range(count)))
    made = f"HOA: v1\nStates: {count}\nStart: 0\n{names}\nAcceptance: 1 Inf(0)\n--BODY--\n{body}\n--END--\n"
    return {**section[0], "automaton": made}, section[1]


def _long_run(chance: random.Random, section: Section, pool: Pool) -> Section:
    heading = dict(section[0])
    for name in ("prefix", "cycle"):
        if chance.random() < 0.5:
            heading[name] = list(heading[name]) * chance.choice((2, 10, 100))
    return heading, section[1]


_EXCHANGES: dict[str, Exchange] = {
    "question": _fields("model", "digest", "conditions", "property", "kind", "words"),
    "options": _fields("conditions"),
    "property": _fields("property", "kind", "words"),
    "formula": _fields("words"),
    "model": _fields("digest"),
    "automaton": _fields("automaton"),
    "run": _fields("verdict", "prefix", "cycle", "end"),
    "verdict": _fields("verdict"),
    "rows with what they are": _rows,
    "rows": _only_rows,
    "more rows": _more_rows,
    "fewer rows": _fewer_rows,
    "ranks": _ranks,
    "ranks in order": _ordered_ranks,
    "sets": _sets,
    "reduced": _reduced,
    "holds": _claims_to_hold,
    "large automaton": _large_automaton,
    "long run": _long_run,
}


# Sizes


def _places(content: bytes) -> Iterator[tuple[int, int]]:
    """Where numbers that declare sizes stand, and how many bytes each has."""
    at = 0
    while at < len(content):
        yield at + 1, 4
        at += 5 + int.from_bytes(content[at + 1 : at + 5], "little")
        while True:
            yield from ((at + 4 * number, 4) for number in range(6))
            rows, size = struct.unpack_from("<I16xI", content, at)
            at += 24 + size
            if rows == 0:
                break


def _other_size(chance: random.Random, content: bytes) -> bytes:
    at, width = chance.choice(list(_places(content)))
    number = int.from_bytes(content[at : at + width], "little")
    other = chance.choice((0, 1, number + 1, max(number - 1, 0), 2 * number, 1 << 16, 1 << 24, (1 << 32) - 1))
    return content[:at] + other.to_bytes(width, "little") + content[at + width :]


def _sections_again(chance: random.Random, content: bytes) -> bytes:
    return content * chance.choice((2, 30))


def _nested(chance: random.Random, content: bytes) -> bytes:
    text = chance.choice(("[", '{"a":')) * chance.choice((90, 5_000))
    heading = json.dumps({"everafter": "x"})[:-1].encode() + b',"conditions":' + text.encode()
    return content + b"C" + struct.pack("<I", len(heading)) + heading + bytes(24)


def _wide(chance: random.Random, content: bytes) -> bytes:
    """A heading with long lists and texts."""
    length = struct.unpack_from("<I", content, 1)[0]
    heading: dict[str, Any] = json.loads(content[5 : 5 + length])
    match chance.randrange(4):
        case 0:
            heading["conditions"]["ignore"] = ["assertions"] * 5_000
        case 1:
            heading["conditions"]["defines"] = {f"m{number}": "(" * 9 for number in range(3_000)}
        case 2:
            heading["prefix"] = [[0, 1]] * 5_000
        case _:
            heading["words"] = "[] " * 10_000 + "x"
    text = json.dumps(heading).encode()
    return b"C" + struct.pack("<I", len(text)) + text + content[5 + length :]


_SIZES: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "a declared size": _other_size,
    "sections again": _sections_again,
    "brackets": _nested,
    "long lists": _wide,
}
