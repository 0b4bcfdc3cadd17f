"""Whether the table of a sweep is what its choices give one by one, each from its whole graph.

A sweep checks the text in which the parameters are defined. So each choice is written into a text of its own, its graph
made, and what the table says compared: which choices there are and in which order, verdict, states, transitions, and
growth, which is the states of a line divided by those of the line before it of the same property and other parameters.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import math
import random
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from everafter.cli import main
from everafter.source import InputError
from everafter.user_model import parse
from oracles.hints import figures
from oracles.hints.programs import scheduled_model
from oracles.hints.whole import whole

_MOST_STATES = 2_000
_BAR = 40
_ROW = re.compile(
    r"^ +([\d -]+?)  safety(?: \S+)* .*?(holds|violated) +([\d,]+) +(?:× ([\d,.]+) +)?([\d,]+) +[\d.]+ s$"
)
_BAR_LINE = re.compile(r"^  [NM]=.*? ([█▏▎▍▌▋▊▉#]+) ([\d,]+)( up to a violation)?$")


def swept_model(seed: int) -> str:
    """A model of two parameters: how far a process counts, and a number that some condition asks for."""
    lines = [f"#ifndef {name}\n#define {name} 1\n#endif" for name in "NM"]
    counter = "active proctype Counter() { byte i; do :: i < N -> i++ :: i == N -> break od }"
    unreadable = "#if N == 3 && M == 2\nthis is no model\n#endif" if seed % 5 == 0 else ""
    text = scheduled_model(seed).replace("x == 1", "x == M").replace("do :: true od", "end: do :: x == M od")
    return "\n".join([*lines, text, counter, unreadable, "active proctype Judge() { assert(x != M || N < 3) }"])


def differences(seed: int) -> Iterator[str]:
    """How the report of a sweep over a random model differs from its definition; an empty text for each line that
    does not."""
    chance = random.Random(seed)
    ranges = {"N": chance.choice(("1..3", "1,3", "2..4")), "M": chance.choice(("0..2", "1,2", "2"))}
    values = {name: _values(text) for name, text in ranges.items()}
    model = swept_model(seed)
    expected = [
        (choice, _decided(model, choice))
        for choice in (dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values()))
    ]
    if any(isinstance(known, str) and known for _, known in expected):
        return
    several = [name for name, each in values.items() if len(each) > 1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.pml")
        path.write_text(model, encoding="utf-8")
        options = [str(path), "--safety", "--ignore", "end-states", "--reduction", "none", "--engine", "reference"]
        options += ["--algorithm", "breadth-first", "--warnings", "none"]
        options += [part for name, text in ranges.items() for part in ("-D", f"{name}={text}")]
        text, data = _printed(["check", *options]), json.loads(_printed(["check", *options, "--format", "json"]))
    yield from _of_json(data, expected, several)
    yield from _of_table(text, [(choice, known) for choice, known in expected if known is not None], several)


_BAR_LINE = re.compile(r"^  [NM]=.*? ([█▏▎▍▌▋▊▉#]+) ([\d,]+)( up to a violation)?$")

Known = tuple[str, int | None, int | None] | str | None
"""Verdict, and states and transitions of a search that visits all; why nothing is known; None: it cannot be read."""


def _values(text: str) -> list[str]:
    first, dots, last = text.partition("..")
    return [str(number) for number in range(int(first), int(last) + 1)] if dots else text.split(",")


def _decided(model: str, choice: Mapping[str, str]) -> Known:
    text = "".join(f"#define {name} {value}\n" for name, value in choice.items()) + model
    try:
        graph = whole(parse(text).program, _MOST_STATES)
    except InputError:
        return None
    if graph is None:
        return "it is too large"
    if any(step.problem is not None for _, step in graph.every_step()):
        return "violated", None, None
    return "holds", figures.states(graph), figures.transitions(graph)


def _printed(arguments: list[str]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()):
        main(arguments)
    return output.getvalue()


def _differs(known: Known, verdict: str, states: int, transitions: int) -> bool:
    assert isinstance(known, tuple)
    return known not in ((verdict, states, transitions), (verdict, None, None))


def _of_json(
    data: list[dict[str, object]], expected: list[tuple[dict[str, str], Known]], names: list[str]
) -> Iterator[str]:
    told = [each["defines"] for each in data]
    wanted = [{name: choice[name] for name in names} for choice, _ in expected]
    if told != wanted:
        yield f"JSON: the choices are {wanted}, told are {told}"
        return
    for (choice, known), each in zip(expected, data, strict=True):
        results = each["results"]
        assert isinstance(results, list)
        if (known is None) != (not results):
            yield f"JSON {choice}: {known}, {results}"
        for result in results:
            wrong = _differs(known, result["verdict"], result["states"], result["transitions"])
            yield f"JSON {choice}: {known}, told {result}" if wrong else ""


def _of_table(text: str, readable: list[tuple[dict[str, str], Known]], names: list[str]) -> Iterator[str]:
    rows = [found for line in text.splitlines() if (found := _ROW.match(line)) is not None]
    if len(rows) != len(readable):
        yield f"the table has {len(rows)} lines, not {len(readable)}:\n{text}"
        return
    before: dict[tuple[str, ...], int] = {}
    for (choice, known), found in zip(readable, rows, strict=True):
        chosen = [choice[name] for name in names]
        states, transitions = (int(found[group].replace(",", "")) for group in (3, 5))
        if found[1].split() != chosen or _differs(known, found[2], states, transitions):
            yield f"{choice}: {known}, told {found[0]}"
        last = before.get(tuple(chosen[:-1]))
        growth = None if last is None else f"{states / last:,.2f}"
        yield f"{choice}: growth {growth}, told {found[0]}" if growth != found[4] else ""
        before[tuple(chosen[:-1])] = states
    yield from _of_bars(text)


def _of_bars(text: str) -> Iterator[str]:
    """A bar is as long as the logarithm of the states; what stopped at a violation is marked."""
    rows = [found for line in text.splitlines() if (found := _ROW.match(line)) is not None]
    bars = [found for line in text.splitlines() if (found := _BAR_LINE.match(line)) is not None]
    if len(bars) != len(rows):
        yield f"{len(bars)} bars for {len(rows)} lines:\n{text}"
        return
    most = max(int(row[3].replace(",", "")) for row in rows)
    for row, bar in zip(rows, bars, strict=True):
        exactly = _BAR * math.log1p(int(row[3].replace(",", ""))) / math.log1p(most)
        is_right = bar[2] == row[3] and abs(len(bar[1]) - exactly) <= 1
        yield "" if is_right and (bar[3] is not None) == (row[2] == "violated") else f"a bar: {bar[0]}, for {row[0]}"
