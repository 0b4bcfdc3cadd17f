"""The question of a certificate is the user's: whatever changes what a verdict says must be asked to confirm it."""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from oracles.certificates import changed, rewritten, sections_of

from everafter.cli import main
from everafter.commands.certify import CERTIFY
from everafter.commands.check_options import CHECK
from everafter.commands.option_parser import every_flag, request_of, spellings
from everafter.commands.preprocessing import PREPROCESSING
from everafter.commands.question_options import add_question
from everafter.flags import BEARS_ON, CONDITION, PROPERTY, Flag
from everafter.questions.request import Request

MODEL = """#include "part.h"
byte x;
chan q = [1] of { byte };
active proctype P() { do :: x = PART - x od }
ltl bounded { [] (x < 3) }
"""
FILES = {
    "m.pml": MODEL,
    "part.h": "#define PART 1\n",
    "other/part.h": "#define PART 2\n",
    "one/m.pml": MODEL,
    "first/part.h": "#define PART 1\n",
    "never.pml": "never { do :: x < 3 od }",
    "low.hoa": 'HOA: v1 Start: 0 AP: 1 "x < 3" Acceptance: 1 Inf(0) --BODY-- State: 0 {0} [!0] 0 --END--',
    "formula.txt": "<> (x > 2)\n",
}

QUESTIONS: dict[str, tuple[str, str]] = {
    "-D": ("m.pml -D K=2", "m.pml"),
    "-U": ("m.pml -D K=2", "m.pml -D K=2 -U K"),
    "-I": ("one/m.pml -I first", "one/m.pml -I other"),
    "-E": ("m.pml -E-DK=2", "m.pml"),
    "--lose-messages": ("m.pml --lose-messages", "m.pml"),
    "--safety": ("m.pml --safety", "m.pml --ltl bounded"),
    "--ltl": ("m.pml --ltl '[] true'", "m.pml"),
    "-F": ("m.pml -F formula.txt", "m.pml"),
    "--never": ("m.pml --never never.pml", "m.pml"),
    "--hoa": ("m.pml --hoa low.hoa", "m.pml"),
    "--acceptance": ("m.pml --acceptance", "m.pml"),
    "--progress": ("m.pml --progress", "m.pml"),
    "--ignore": ("m.pml --ignore assertions", "m.pml"),
    "--empty-channels": ("m.pml --empty-channels", "m.pml"),
    "--fair": ("m.pml --fair weak", "m.pml"),
}
"""Of each option that changes what a verdict says, two questions that differ by it."""
MAY_BE_THERE = {("--safety", 0)}
"""The model states it: it may be in the certificate without being asked for."""
OTHERS: dict[str, str] = {
    "--warnings": "--warnings none",
    "--all-violations": "--all-violations",
    "--coverage": "--coverage",
    "--algorithm": "--algorithm depth-first",
    "--engine": "--engine native",
    "--reduction": "--reduction none",
    "--threads": "--threads 2",
    "--store": "--store tree",
    "--cluster": "--cluster local:2",
    "--checkpoint": "--checkpoint folder",
    "--checkpoint-every": "--checkpoint-every 5s",
    "--certificate": "--certificate c",
    "--paranoid": "--paranoid",
    "--memory": "--memory 4G",
    "--disk": "--disk none",
    "--time": "--time 60s",
    "--trace": "--trace t",
    "--plot": "--plot p.svg",
    "--html": "--html h",
    "--format": "--format json",
    "--full": "--full",
}
"""Of each other option of a check an example: none of them changes what a verdict says."""
OWN = {"--strict", "--by", "--threads", "--warnings", "--format"}
"""What else `certify` takes: how to confirm."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(arguments: str, *others: str) -> None:
    """A certificate `c` of this check, which ends with a verdict."""
    assert main(["check", *shlex.split(arguments), "--certificate", "c", *others]) in (0, 1)


def certify(arguments: str) -> int:
    return main(["certify", "c", *shlex.split(arguments)])


# Every option


def taken(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a parser, each by the name that comes first."""
    return {action.option_strings[0] for action in parser._actions if action.option_strings} - {"-h"}


def parser_of(add: Any) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    add(parser)
    return parser


def declared() -> Iterator[Flag]:
    """Every option of a check, from where it is declared."""
    yield from PREPROCESSING
    for flag in every_flag():
        for spelling in spellings(flag):
            yield replace(spelling, bears_on=flag.bears_on)


def test_every_option_says_where_it_is_declared_whether_it_changes_what_is_asked() -> None:
    asked = {flag.option for flag in declared() if flag.bears_on in (PROPERTY, CONDITION)}
    assert asked == set(QUESTIONS)
    assert {flag.option for flag in declared()} - asked == set(OTHERS)


def test_every_option_is_taken_where_it_is_a_question() -> None:
    assert taken(parser_of(add_question)) == set(QUESTIONS)
    assert taken(parser_of(CHECK.add_options)) == set(QUESTIONS) | set(OTHERS)
    assert taken(parser_of(CERTIFY.add_options)) == set(QUESTIONS) | OWN


def test_every_field_of_a_request_says_what_it_bears_on() -> None:
    assert {field.metadata.get(BEARS_ON) for field in fields(Request)} == {"property", "condition", "search"}


def changed_by(arguments: Sequence[str], base: Sequence[str]) -> set[str]:
    """What these arguments change of what is asked: fields of the request, or how the model is read."""
    parser = parser_of(CHECK.add_options)
    usual, chosen = parser.parse_args(base), parser.parse_args(arguments)
    one, other = request_of(usual), request_of(chosen)
    asked = [field for field in fields(Request) if getattr(one, field.name) != getattr(other, field.name)]
    read = [name for name in ("define", "include", "lose_messages", "never") if vars(usual)[name] != vars(chosen)[name]]
    return {field.metadata[BEARS_ON] for field in asked} - {"search"} | set(read)


@pytest.mark.parametrize("option", OTHERS)
def test_other_options_do_not_change_what_is_asked(option: str, files: Path) -> None:
    assert changed_by(["m.pml", *OTHERS[option].split()], ["m.pml"]) == set()


@pytest.mark.parametrize("option", QUESTIONS)
def test_options_of_the_question_change_it(option: str, files: Path) -> None:
    assert changed_by(*(shlex.split(arguments) for arguments in QUESTIONS[option]))


@pytest.mark.parametrize("turn", [0, 1], ids=["with", "without"])
@pytest.mark.parametrize("option", QUESTIONS)
def test_what_was_asked_otherwise_is_refused(
    option: str, turn: int, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Made with the option and confirmed without it, and the other way round."""
    one, other = QUESTIONS[option][turn], QUESTIONS[option][1 - turn]
    made(one)
    assert certify(one) in (0, 1)
    capsys.readouterr()
    if (option, turn) in MAY_BE_THERE:
        assert certify("m.pml") == 0
        return
    assert certify(other) == 2
    shown = capsys.readouterr()
    assert "the certificate answers another question than yours:\n  it " in shown.err
    assert "certified" not in shown.out
    if option not in ("-I", "--never"):  # files that a certificate does not name
        command = shown.err.partition("what it answers is asked by\n    everafter ")[2]
        assert main(shlex.split(command)) in (0, 1)


# What could be done


def test_an_assertion_defined_away_is_told(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "as.pml").write_text("byte n; active [2] proctype P() { n++; assert(n == 1); n-- }")
    made("as.pml --safety -D 'assert=true ||'")
    assert certify("as.pml --strict") == 2
    shown = capsys.readouterr().err
    assert "it was made with -D 'assert=true ||', and you ask without" in shown
    assert "everafter certify c as.pml -D 'assert=true ||'\n" in shown
    assert certify("as.pml --strict -D 'assert=true ||'") == 0
    assert "definitions  -D 'assert=true ||'\n" in capsys.readouterr().out


def test_lost_messages_are_told(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "dead.pml").write_text("chan q = [1] of { byte }; active proctype S() { q!1; q!2 }")
    made("dead.pml --safety --lose-messages")
    assert certify("dead.pml") == 2
    assert "it was made with --lose-messages, and you ask without" in capsys.readouterr().err
    assert certify("dead.pml --lose-messages") == 0
    assert "options      --lose-messages\n" in capsys.readouterr().out


def test_a_formula_is_asked_for_and_told_in_full(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("m.pml --ltl '[] true'")
    assert certify("m.pml") == 2
    assert "it was made with --ltl '[] true', which you do not ask for, nor the model state" in capsys.readouterr().err
    made("m.pml -D 'p=(x < 3)' --ltl '[] p'")
    capsys.readouterr()
    assert certify("m.pml -D 'p=(x < 3)' --ltl '[]  p'") == 0
    assert "[] (x < 3)" in capsys.readouterr().out
    assert certify("m.pml -D p=true --ltl '[] p'") == 2
    assert "it was made with -D 'p=(x < 3)', and you ask without" in capsys.readouterr().err


def test_formulas_that_differ_by_a_space_in_a_character_are_two(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that decides one of them does not decide the other."""
    asked = """m.pml --ltl "[] (x != '\t')" --ltl "[] (x != ' ')" """
    made(asked)
    assert certify(asked) == 0
    assert "[] (x != ' ')" in capsys.readouterr().out
    rewritten(Path("c"), sections_of(Path("c"))[:1])
    assert certify(asked) == 2
    assert "it does not decide ltl, which you ask for" in capsys.readouterr().err


def test_a_property_that_is_not_there_is_told(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("m.pml --safety")
    assert certify("m.pml --ltl bounded") == 2
    assert "it does not decide bounded, which you ask for" in capsys.readouterr().err


def test_the_whole_question_is_printed(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = "m.pml -D K=2 --lose-messages --empty-channels --fair weak --safety --ltl '<> (x == 1)' --acceptance"
    made(question)
    capsys.readouterr()
    assert certify(question) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "question:\n"
        "  model                               m.pml\n"
        "  definitions                         -D K=2\n"
        "  options                             --lose-messages --empty-channels\n"
        "  fairness                            weak\n"
        "  safety (channels empty at the end)  no assertion fails, no run stops where it must not or with a message "
        "in a channel, no step goes wrong\n"
        "  ltl                                 <> (x == 1)\n"
        "  acceptance                          no run is at accept labels again and again\n"
        "\n"
        "answer:\n"
    )
    undecided = "  bounded                             [] (x < 3)\n"
    assert f"not decided by this certificate, though the model states it:\n{undecided}\n" in shown


def test_what_is_decided_is_not_told_as_missing(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("m.pml")
    assert certify("m.pml") == 0
    shown = capsys.readouterr().out
    assert "definitions  none\n" in shown
    assert "not decided" not in shown


# As JSON


def closed(schema: Any) -> Any:
    """The schema in which no object may have a field that is not described."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: closed(value) for name, value in schema.items()}
    return strict | ({"additionalProperties": False} if "properties" in schema else {})


def printed(arguments: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """What `certify` prints as JSON, when it has been found to have the shape of its schema."""
    capsys.readouterr()
    certify(f"{arguments} --format json")
    report = json.loads(capsys.readouterr().out)
    assert main(["schema", "certify"]) == 0
    jsonschema.Draft202012Validator(closed(json.loads(capsys.readouterr().out))).validate(report)
    return report


def test_json_has_the_whole_question(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("m.pml -D p=(x==1) --ltl '<> p' --ignore end-states --safety --fair weak")
    report = printed("m.pml -D p=(x==1) --ltl '<> p' --ignore end-states --fair weak", capsys)
    assert report["question"] == {
        "defines": {"p": "(x==1)"},
        "loses_messages": False,
        "fairness": "weak",
        "ignore": ["end-states"],
        "empty_channels": False,
    }
    assert [(each["property"], each["says"], each["verdict"]) for each in report["results"]] == [
        ("safety (end states ignored)", "no assertion fails, no step goes wrong", "holds"),
        ("ltl", "<> (x == 1)", "holds"),
    ]
    assert [(each["property"], each["says"]) for each in report["undecided"]] == [("bounded", "[] (x < 3)")]
    assert report["trusted"]


def test_json_says_why_it_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("m.pml --fair weak")
    report = printed("m.pml", capsys)
    assert report["differences"] == ["it was made with --fair weak, and you ask without"]
    assert report["command"] == "everafter certify c m.pml --fair weak"
    Path("c").write_text("no certificate at all" * 9)
    assert "not a certificate" in printed("m.pml", capsys)["error"]


# Forged


def test_a_model_that_cannot_be_read_so_is_told_with_what_was_defined(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "n.pml").write_text("byte x[N]; active proctype P() { x[0] = 1 }")
    made("n.pml --safety -D N=2")
    assert certify("n.pml") == 2
    assert "it was made with -D N=2, and you ask without" in capsys.readouterr().err


@pytest.mark.parametrize(
    "conditions",
    [
        {"defines": {"assert": "!0||"}},
        {"fairness": "weak"},
        {"another": 1},
        {"defines": ["N"]},
        {"ignore": None},
        {"loses_messages": 1},
        {"fairness": "\x1b[2J"},
    ],
    ids=str,
)
def test_a_forged_condition_is_never_taken_over(
    conditions: dict[str, Any], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("m.pml --safety")
    changed(Path("c"), lambda heading, rows: ({**heading, "conditions": heading["conditions"] | conditions}, rows))
    assert certify("m.pml") == 2
    shown = capsys.readouterr().err
    assert "another question than yours:\n  it" in shown
    assert "\x1b" not in shown


def test_an_older_certificate_is_refused_as_such(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("m.pml --safety")
    content = Path("c").read_bytes()[:-32].replace(b"certificate 4", b"certificate 3", 1)
    Path("c").write_bytes(content + hashlib.sha256(content).digest())
    assert certify("m.pml") == 2
    assert "no certificate of version 4, which everafter has now" in capsys.readouterr().err


def test_a_property_is_decided_once(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each time would cost as much as an honest certificate."""
    made("m.pml --safety --ltl bounded")
    rewritten(Path("c"), sections_of(Path("c")) * 50)
    assert certify("m.pml") == 2
    shown = capsys.readouterr().err
    assert "it decides safety 50 times" in shown
    assert "it decides bounded 50 times" in shown


def test_a_formula_that_is_named_twice_is_asked_once(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("m.pml --ltl bounded --ltl bounded -F formula.txt")
    assert [heading["property"] for heading, _ in sections_of(Path("c"))] == ["bounded", "ltl"]
