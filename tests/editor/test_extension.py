"""The extension for Visual Studio Code: its files are well-formed, and its grammar colours a model."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracles.corpus import EXAMPLES, EXAMPLES_FOLDER

from everafter.cli import main
from everafter.promela.cursor import KEYWORDS

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes" / "promela.tmLanguage.json").read_text())
MODEL = """#define N 2
mtype = { red };
byte x; /* if this were
coloured as code */ chan c = [N] of { byte };
active [2] proctype Worker() {
again: if
  :: x < N -> c!x; run Other() // do
  :: else -> goto again
  fi; printf("do %d", _pid); assert(x != 2)
}
ltl safe { [] (x <= 2 U x == 1) }
"""
COLOURS = {
    "define": "keyword.control.directive",
    "N 2": "entity.name.function.preprocessor",
    "if this": "comment.block",
    "coloured": "comment.block",
    "byte x": "storage.type",
    "chan": "storage.type",
    "proctype": "storage.type",
    "Worker": "entity.name.function",
    "again:": "entity.name.label",
    "if\n": "keyword.control",
    "run": "keyword.operator.run",
    "Other": "entity.name.function",
    "do\n": "comment.line",
    "again\n": "entity.name.label",
    "do %d": "string.quoted",
    "_pid": "variable.language",
    "assert": "support.function",
    "ltl": "storage.type.claim",
    "safe": "entity.name.function.claim",
    "[] (": "keyword.operator.temporal",
    "U x": "keyword.operator.temporal",
    "active": "storage.modifier",
}

Rule = dict[str, Any]


def rules(patterns: list[Rule]) -> Iterator[Rule]:
    """The rules of a list, in order, with what it includes."""
    for pattern in patterns:
        if "include" in pattern:
            included = GRAMMAR["repository"][pattern["include"].removeprefix("#")]
            yield from rules([included] if "match" in included or "begin" in included else included["patterns"])
        else:
            yield pattern


RULES = list(rules(GRAMMAR["patterns"]))


def coloured(text: str) -> list[str]:
    """The scope of every character, as an editor finds it: line by line, the first rule at the first place."""
    scopes: list[str] = []
    inside: Rule | None = None
    for line in text.splitlines(keepends=True):
        found = [""] * len(line)
        position = 0
        while position < len(line):
            if inside is not None:
                end = re.compile(inside["end"]).search(line, position)
                stop = end.end() if end is not None else len(line)
                found[position:stop] = [inside["name"]] * (stop - position)
                position = max(stop, position + 1)
                inside = None if end is not None else inside
                continue
            begins = [(re.compile(rule.get("match") or rule["begin"]).search(line, position), rule) for rule in RULES]
            hits = [(hit.start(), number, hit) for number, (hit, _) in enumerate(begins) if hit is not None]
            if not hits:
                break
            _, number, hit = min(hits, key=lambda item: item[:2])
            rule = RULES[number]
            found[hit.start() : hit.end()] = [rule.get("name", "")] * len(hit[0])
            for group, capture in rule.get("captures", {}).items():
                start, stop = hit.span(int(group))
                found[max(start, 0) : max(stop, 0)] = [capture["name"]] * (stop - start)
            inside = rule if "begin" in rule else None
            position = hit.end() if hit.end() > position or inside else position + 1
        scopes += found
    return scopes


@pytest.mark.parametrize("words", COLOURS)
def test_words_have_their_colour(words: str) -> None:
    scopes = coloured(MODEL)
    assert scopes[MODEL.index(words)].startswith(COLOURS[words])


def test_a_grammar_that_forgets_comments_is_seen() -> None:
    """The test of the colours can fail: the word in a comment would else be a keyword."""
    assert "keyword" not in coloured("x /* do */")[5]
    assert coloured("x  = 1; do ")[8].startswith("keyword.control")


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_every_keyword_has_a_colour(word: str) -> None:
    assert coloured(f"  {word} (x)")[2]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_coloured(path: Path) -> None:
    text = path.read_text()
    scopes = coloured(text)
    for match in re.finditer(r"\b(proctype|atomic|assert|ltl)\b", text):
        assert scopes[match.start()], f"{path.name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"


def test_the_files_of_the_extension_exist_and_are_json() -> None:
    package = json.loads((FOLDER / "package.json").read_text())
    json.loads((FOLDER / "language-configuration.json").read_text())
    named = [package["main"], package["contributes"]["grammars"][0]["path"]]
    named.append(package["contributes"]["languages"][0]["configuration"])
    assert all((FOLDER / name).is_file() for name in named)
    assert package["contributes"]["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]


@pytest.mark.spin
def test_the_editors_own_client_of_debug_adapters_steps_through_counterexamples(tmp_path: Path) -> None:
    if not (FOLDER / "test" / "node_modules").is_dir():
        pytest.skip("needs `npm install` in editors/vscode/test")
    command = tmp_path / "everafter"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m everafter "$@"\n')
    command.chmod(0o755)
    model, trace = EXAMPLES_FOLDER / "mutex_broken.pml", tmp_path / "trace.json"
    main(["check", str(model), "--engine", "reference", "--trace", str(trace)])
    environment = {**os.environ, "EVERAFTER": str(command), "TRACE": str(trace)}
    client = ["node", "--test", "."]
    done = subprocess.run(client, cwd=FOLDER / "test", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "# pass 5" in done.stdout


@pytest.mark.spin
def test_the_client_is_javascript() -> None:
    subprocess.run(["node", "--check", str(FOLDER / "extension.js")], check=True, timeout=60)
