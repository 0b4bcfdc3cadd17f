"""Reports for services that run checks: JUnit, SARIF, GitHub."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import jsonschema
import pytest

import everafter
from everafter.cli import main
from everafter.report.junit import as_junit
from everafter.report.model_report import Checked
from everafter.report.sarif import as_sarif

VIOLATED = """byte x;
active proctype P() {
    x = 1;
    assert(x == 2)
}
ltl small { [] (x < 2) }
ltl never_one { [] (x != 1) }
"""
WRONG = 'active proctype P() {\n    printf("<&>%d", y)\n}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "violated.pml").write_text(VIOLATED)
    (tmp_path / "wrong.pml").write_text(WRONG)
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "holds.pml").write_text("active proctype P() { skip }")
    monkeypatch.chdir(tmp_path)
    return tmp_path


MODELS = ["violated.pml", "wrong.pml", "a folder/holds.pml"]


def reported(form: str, capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> str:
    assert main(["check", *arguments, "--format", form]) == status
    return capsys.readouterr().out


# JUnit


@dataclass(frozen=True)
class Shape:
    """An element of a report as readers of JUnit expect it: what it must have, may have, and what may be in it."""

    required: set[str]
    allowed: set[str]
    children: set[str]


JUNIT = {
    "testsuites": Shape({"tests", "failures", "errors", "time"}, {"name"}, {"testsuite"}),
    "testsuite": Shape({"name", "tests", "failures", "errors", "skipped", "time"}, set(), {"testcase"}),
    "testcase": Shape({"name", "classname", "time"}, {"file"}, {"failure", "error"}),
    "failure": Shape({"message", "type"}, set(), set()),
    "error": Shape({"message", "type"}, set(), set()),
}


def validate(element: Element) -> None:
    shape = JUNIT[element.tag]
    assert shape.required <= set(element.attrib) <= shape.required | shape.allowed
    assert {child.tag for child in element} <= shape.children
    assert element.tag != "testcase" or len(element) <= 1
    for name in ("tests", "failures", "errors", "skipped"):
        assert element.get(name, "0").isdigit()
    assert float(element.get("time", "0")) >= 0
    for child in element:
        validate(child)
    if element.tag == "testsuite":
        assert int(element.attrib["tests"]) == len(element)
        for name, tag in (("failures", "failure"), ("errors", "error")):
            assert int(element.attrib[name]) == len(element.findall(f"testcase/{tag}"))


def test_junit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = ElementTree.fromstring(reported("junit", capsys, *MODELS, status=2).encode())
    validate(whole)
    assert (whole.get("tests"), whole.get("failures"), whole.get("errors")) == ("5", "2", "1")
    violated, wrong, holds = whole
    assert [case.get("name") for case in violated] == ["safety", "small", "never_one"]
    failure = violated[0].find("failure")
    assert failure is not None
    assert failure.get("message") == "assert(x == 2) failed"
    assert "x = 1" in (failure.text or "")
    error = wrong[0].find("error")
    assert error is not None
    assert "unknown variable 'y'" in (error.text or "")
    assert "<&>" in (error.text or "")
    assert (holds.get("name"), len(holds[0])) == ("a folder/holds.pml", 0)


def undecided() -> Checked:
    """What came of a check without time."""
    model = everafter.load("a folder/holds.pml")
    return Checked(model.name, tuple(model.check_all(limits=everafter.Limits(seconds=1e-9))))


def test_what_was_not_decided_is_an_error(folder: Path) -> None:
    whole = ElementTree.fromstring(as_junit([undecided()]).encode())
    validate(whole)
    assert (whole.get("failures"), whole.get("errors")) == ("0", "1")


def test_characters_that_no_xml_may_have(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "wrong.pml").write_text("active proctype P() { \x01\x1b[31m }")
    validate(ElementTree.fromstring(reported("junit", capsys, "wrong.pml", status=2).encode()))


# SARIF

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "message": TEXT,
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {"uri": {"type": "string", "pattern": r"^[\w./:%~-]+$"}},
                },
                "region": {
                    "type": "object",
                    "required": ["startLine"],
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "startColumn": {"type": "integer", "minimum": 1},
                    },
                },
            },
        },
    },
}
FLOW = {
    "type": "object",
    "required": ["threadFlows"],
    "properties": {
        "threadFlows": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["locations"],
                "properties": {
                    "locations": {
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": "object", "required": ["location"], "properties": {"location": LOCATION}},
                    }
                },
            },
        }
    },
}
RESULT = {
    "type": "object",
    "required": ["ruleId", "message", "level", "locations"],
    "properties": {
        "ruleId": {"type": "string"},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION},
        "codeFlows": {"type": "array", "items": FLOW},
    },
    "additionalProperties": False,
}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {"type": "array", "items": {"type": "object", "required": ["id"]}}
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {
                        "type": "array",
                        "items": {"type": "object", "required": ["executionSuccessful"]},
                    },
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}
"""What version 2.1.0 of the standard requires of the parts that we write."""


def sarif(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> Any:
    whole = json.loads(reported("sarif", capsys, *arguments, status=status))
    jsonschema.validate(whole, SARIF)
    (run,) = whole["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {result["ruleId"] for result in run["results"]} == set(rules)
    return run


def where(result: Any) -> tuple[str, int]:
    place = result["locations"][0]["physicalLocation"]
    return place["artifactLocation"]["uri"], place["region"]["startLine"]


def test_sarif(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = sarif(capsys, *MODELS, status=2)
    found = [(result["ruleId"], result["level"], *where(result)) for result in run["results"]]
    assert found == [
        ("assertion", "error", "violated.pml", 4),
        ("ltl", "error", "violated.pml", 7),
        ("input", "error", "wrong.pml", 2),
    ]
    steps = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == [
        "P(0): x = 1 [x = 1]",
        "P(0): assert(x == 2) [assert(x == 2) failed]",
    ]
    assert run["invocations"] == [{"executionSuccessful": False}]


def test_sarif_of_what_holds_and_of_what_was_not_decided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sarif(capsys, "a folder/holds.pml", status=0)["results"] == []
    cut = json.loads(as_sarif([undecided()], "1"))
    jsonschema.validate(cut, SARIF)
    (result,) = cut["runs"][0]["results"]
    assert (result["ruleId"], result["level"], where(result)) == ("incomplete", "warning", ("a%20folder/holds.pml", 1))


def test_long_runs_are_cut_for_sarif(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "long.pml").write_text(
        "int x; active proctype P() { do :: x < 3000 -> x++ :: else -> break od; assert(0) }"
    )
    run = sarif(capsys, "long.pml", status=1)
    steps = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(steps) == 1000
    assert "assert(0) failed" in steps[-1]["location"]["message"]["text"]


# GitHub


def test_github(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = reported("github", capsys, *MODELS, status=2)
    notes = re.findall(r"^::(error|warning) file=([^,]*),line=(\d+),col=\d+,title=([^:]*)::(.*)$", text, re.MULTILINE)
    assert [note[:4] for note in notes] == [
        ("error", "violated.pml", "4", "safety%3A violated"),
        ("error", "violated.pml", "7", "never_one%3A violated"),
        ("error", "wrong.pml", "2", "everafter"),
    ]
    assert notes[0][4].startswith("assert(x == 2) failed%0A")
    assert notes[2][4].startswith("unknown variable 'y'")
    assert text.count("::group::") == text.count("::endgroup::") == 4
    assert "a folder/holds.pml: safety holds" in text


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_options_without_meaning(form: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = reported(form, capsys, "violated.pml", "--algorithm", "nonsense", status=2)
    assert "nonsense" in text
