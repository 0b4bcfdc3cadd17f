"""The JSON of every check has the shape that its schema describes, and nothing that the schema does not."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from everafter.cli import main
from everafter.report.json_report import SCHEMA, schema_text

EXAMPLES = Path(__file__).parents[2] / "examples"


def closed(schema: Any) -> Any:
    """The schema in which no object may have a field that is not described."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: closed(value) for name, value in schema.items()}
    if "properties" in schema:
        strict["additionalProperties"] = False
    return strict


STRICT = jsonschema.Draft202012Validator(closed(json.loads(schema_text())))


def checked(*arguments: str) -> Any:
    """What a check prints, when it has been found to have the shape of the schema."""
    out = io.StringIO()
    with redirect_stdout(out):
        main(["check", *arguments, "--format", "json"])
    report = json.loads(out.getvalue())
    STRICT.validate(report)
    return report


def test_the_schema_is_one() -> None:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:everafter:check:{SCHEMA}"
    assert schema["$defs"]["model"]["properties"]["schema"]["const"] == SCHEMA


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert capsys.readouterr().out == schema_text()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.pml")), ids=lambda path: path.stem)
def test_every_example(path: Path) -> None:
    report = checked(str(path), "--time", "300s")
    assert report["results"]


def test_what_is_asked_besides() -> None:
    model = str(EXAMPLES / "philosophers_fixed.pml")
    report = checked(model, "--acceptance", "--progress", "--ltl", "first_eats", "--fair", "weak")
    assert [result["kind"] for result in report["results"]] == ["ltl", "acceptance", "progress"]
    cut = checked(model, "--time", "0s")
    assert {result["verdict"] for result in cut.get("results")} <= {"incomplete"}


def test_several_models(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pml"
    wrong.write_text("active proctype P() { x = 1 }")
    first, second = checked(str(wrong), str(EXAMPLES / "mutex_broken.pml"))
    assert first["error"]
    assert second["results"]


def test_a_sweep() -> None:
    report = checked(str(EXAMPLES / "philosophers.pml"), "-D", "N=2..3")
    assert [each["defines"] for each in report] == [{"N": "2"}, {"N": "3"}]


def test_a_mistake_in_a_model(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pml"
    wrong.write_text("byte turn;\nactive proctype P() {\n  trun = 1;\n  y++\n}\n")
    report = checked(str(wrong))
    one, other = report["diagnostics"]
    assert (one["line"], one["column"], one["length"], one["severity"]) == (3, 3, 4, "error")
    assert one["file"] == str(wrong)
    assert one["advice"] == "did you mean 'turn'?"
    assert "^^^^" in one["rendered"]
    assert other["line"] == 4
    assert report["results"] == []


def test_a_warning(tmp_path: Path) -> None:
    model = tmp_path / "two.pml"
    model.write_text("init { skip }\ninit { skip }\n")
    assert [each["severity"] for each in checked(str(model))["diagnostics"]][:1] == ["warning"]


@pytest.mark.parametrize("options", [["--algorithm", "nonsense"], ["-F", "nowhere.prp"], ["--ltl", "nothing"]])
def test_options_without_meaning(options: list[str]) -> None:
    model = str(EXAMPLES / "peterson.pml")
    report = checked(model, *options)
    assert report["error"]
    assert report["model"] == model
    assert len(checked(model, model, *options)) == 2


def test_a_field_that_is_not_described_is_found() -> None:
    report = checked(str(EXAMPLES / "mutex_broken.pml"))
    changes: list[Callable[[Any], object]] = [
        lambda it: it.update(more=1),
        lambda it: it["results"][0]["counterexample"]["prefix"][0].update(more=1),
        lambda it: it["results"][0].pop("states"),
        lambda it: it["results"][0].update(verdict="maybe"),
    ]
    for change in changes:
        broken = deepcopy(report)
        change(broken)
        assert not STRICT.is_valid(broken)
