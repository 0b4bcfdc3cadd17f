"""The tables of options in docs/ are made of the fields that declare them. EVERAFTER_UPDATE=1 writes them anew."""

from __future__ import annotations

import argparse
import inspect
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from everafter import Model, Request
from everafter.backends.engines import ENGINES
from everafter.commands import option_parser
from everafter.commands.checkpoint import _lasting
from everafter.commands.option_parser import RECORDS, spellings
from everafter.commands.preprocessing import PREPROCESSING, ReadingOptions
from everafter.flags import BEARS_ON, CONDITION, PROPERTY, SEARCH, Flag, flags, option
from everafter.questions.request import ENGINE_NAMES
from everafter.record import dataclass
from everafter.source import OptionError

DOCS = Path(__file__).parent.parent.parent / "docs"
BEHIND = "{0}\n(?:\n?\\|[^\n]*\n?)*"
"""What stands behind a mark: a table, or nothing."""


def value(flag: Flag) -> str:
    """What a table writes for the value of an option of which it says one thing."""
    if flag.metavar is None:
        return ""
    return " NAME" if "|" in flag.metavar and flag.choices else f" {flag.metavar.partition('|')[0]}"


def described(every: Iterator[Flag]) -> Iterator[str]:
    yield "| option | meaning |\n|---|---|"
    for flag in every:
        if isinstance(flag.says, Mapping):
            yield from (f"| `{flag.option} {each}` | {said} |" for each, said in flag.says.items())
        else:
            yield f"| `{flag.option}{value(flag)}` | {flag.says or flag.help} |"


def of_reading() -> Iterator[str]:
    return described(iter((*PREPROCESSING, *flags(ReadingOptions))))


def of_checks() -> Iterator[str]:
    every = (flag for record in RECORDS if record is not ReadingOptions for flag in flags(record))
    return described(each for flag in every for each in spellings(flag))


def of_fields() -> str:
    """The row of docs/api.md on requests."""
    of = {
        bearing: ", ".join(f"`{each.name}`" for each in flags(Request) if each.bears_on == bearing) for bearing in ASKED
    }
    told = "; ".join(f"{said}: {of[bearing]}" for bearing, said in ASKED.items())
    return f"| `Request` | {told} ([command-line.md](command-line.md#check)) |"


ASKED = {PROPERTY: "properties", CONDITION: "what verdicts depend on", SEARCH: "how to search"}
TABLES = {"reading": of_reading, "check": of_checks}


@pytest.mark.parametrize("table", TABLES)
def test_the_page_has_every_option(table: str) -> None:
    mark = f"<!-- options: {table} -->"
    assert mark in (DOCS / "command-line.md").read_text()
    made = "\n".join((mark, *TABLES[table](), ""))
    compare(DOCS / "command-line.md", BEHIND.format(re.escape(mark)), made)


def test_the_page_on_python_has_every_field() -> None:
    compare(DOCS / "api.md", r"(?m)^\| `Request` \|[^\n]*$", of_fields())


def compare(page: Path, pattern: str, made: str) -> None:
    """Assert that `page` has what is `made` where it has something like `pattern`; or write it there."""
    text = page.read_text()
    wanted = re.sub(pattern, lambda _: made, text)
    assert made in wanted
    if os.environ.get("EVERAFTER_UPDATE"):
        page.write_text(wanted)
    assert text == wanted or os.environ.get("EVERAFTER_UPDATE")


@dataclass(frozen=True, slots=True)
class Planted(Request):
    """A request with one more option."""

    colour: str = option(
        "red",
        SEARCH,
        "look for this colour",
        metavar="red|green",
        choices=("red", "green"),
        may_change=True,
        resumed="another colour",
        says={"green": "only green ones"},
    )


def test_a_new_option_is_one_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(option_parser, "RECORDS", (Planted,))
    parser, resuming = argparse.ArgumentParser(), argparse.ArgumentParser()
    option_parser.add_flags(parser, flags(Planted))
    option_parser.add_resumed(resuming)
    assert "look for this colour" in parser.format_help()
    chosen = parser.parse_args(["--colour", "green", "--safety"])
    request = Planted(**option_parser.values_of(Planted, chosen))
    assert (request.colour, request.safety, request.wishes) == ("green", True, Planted(colour="green"))
    with pytest.raises(OptionError, match="there is no colour 'blue'; choose one of red, green"):
        Planted(colour="blue")
    assert "another colour" in resuming.format_help()
    assert resuming.parse_args(["--colour", "green"]).colour == "green"
    assert "| `--colour green` | only green ones |" in described(iter(flags(Planted)))
    assert "colour" not in _lasting({"colour": "green", "safety": True})


def test_every_field_of_a_request_says_what_it_bears_on() -> None:
    assert all(BEARS_ON in each.metadata for each in fields(Request))


def test_no_two_options_are_spelled_alike() -> None:
    every = [each.option for record in RECORDS for flag in flags(record) for each in spellings(flag)]
    assert len(set(every)) == len(every) > 30


def test_the_engines_that_can_be_asked_for_are_those_there_are() -> None:
    assert list(ENGINES) == list(ENGINE_NAMES)


def test_what_a_model_is_asked_has_the_types_of_a_request() -> None:
    ours, theirs = inspect.signature(Model.check).parameters, inspect.signature(Request).parameters
    same = set(ours) & set(theirs)
    assert set(ours) - same == {"self", "formula", "limits", "observer", "certificate"}
    for name in same:
        assert (ours[name].annotation, ours[name].default) == (theirs[name].annotation, theirs[name].default)
