"""The public names and their signatures are pinned: a change here is a change for every user.

EVERAFTER_UPDATE=1 pytest tests/test_api.py     writes tests/api.txt anew; look at the difference
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import everafter
from everafter import public

ROOT = Path(__file__).parent.parent
PINNED = Path(__file__).parent / "api.txt"
SAFE, BROKEN = ROOT / "examples" / "peterson.pml", ROOT / "examples" / "mutex_broken.pml"


def _described(name: str, value: object) -> list[str]:
    if inspect.ismodule(value):
        return [f"module {name}", *(f"    {each}" for each in sorted(value.__all__))]
    if inspect.isclass(value):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        lines = [f"class {name}({bases})", f"    {_signature('__init__', value)}"]
        lines += [f"    {each}" for each in sorted(_members(value))]
        return lines
    return [_signature(name, value)]


def _members(value: type) -> list[str]:
    found = [name for name in getattr(value, "__dataclass_fields__", {}) if not name.startswith("_")]
    for name, member in vars(value).items():
        if name.startswith("_") or name in found:
            continue
        if inspect.isfunction(member):
            found.append(_signature(name, member))
        elif isinstance(member, property):
            found.append(name)
    return found


def _signature(name: str, value: object) -> str:
    assert callable(value)
    try:
        return re.sub(r"<(?:function )?([\w.]+)(?: object)? at \w+>", r"\1", f"{name}{inspect.signature(value)}")
    except ValueError:
        return name


def test_names_and_signatures_are_pinned() -> None:
    names = sorted(public.__all__)  # `everafter.check` is a module too, which calls the function
    text = "\n".join(line for name in names for line in _described(name, getattr(public, name)))
    if os.environ.get("EVERAFTER_UPDATE"):
        PINNED.write_text(text + "\n")
    assert text + "\n" == PINNED.read_text(), "the public API changed; see how tests/test_api.py is updated"


def test_every_name_is_documented() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    missing = [name for name in everafter.__all__ if not re.search(rf"\b{name}\b", page)]
    assert not missing


def _row_of(name: str) -> str:
    """Return the row of docs/api.md that describes the public `name`."""
    rows = (ROOT / "docs" / "api.md").read_text().splitlines()
    [row] = [each for each in rows if re.match(rf"\| `{name}\b", each)]
    return row


def _parameters(value: object) -> list[str]:
    assert callable(value)
    return [name for name in inspect.signature(value).parameters if name != "self"]


METHODS = [
    (name, method)
    for name in ("Counterexample", "Diagnostic", "Model", "NamedState", "Result", "StateSpace")
    for method, value in vars(getattr(everafter, name)).items()
    if inspect.isfunction(value) and not method.startswith("_")
]


@pytest.mark.parametrize("name", ["Limits", "Request", "load", "parse", "simulate"])
def test_every_parameter_is_documented(name: str) -> None:
    row = _row_of(name)
    assert [each for each in _parameters(getattr(everafter, name)) if not re.search(rf"\b{each}\b", row)] == []


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_every_method_and_its_parameters_are_documented(name: str, method: str) -> None:
    row = _row_of(name)
    names = [method, *_parameters(getattr(getattr(everafter, name), method))]
    assert [each for each in names if not re.search(rf"\b{each}\b", row)] == []


def test_every_field_of_a_result_is_documented() -> None:
    fields = set(_parameters(everafter.Result)) - {"presenter"}
    assert {each for each in fields if not re.search(rf"`{each}\b", _row_of("Result"))} == set()


def test_every_exception_is_in_the_tree() -> None:
    raised = [value for name in everafter.__all__ if isinstance(value := getattr(everafter, name), type)]
    errors = [value for value in raised if issubclass(value, Exception)]
    assert all(issubclass(error, everafter.EverafterError) for error in errors)
    page = (ROOT / "docs" / "api.md").read_text()
    assert all(error.__name__ in page for error in errors)
    drawn = re.findall(r"^[├└]── ([\w.]+)", page, re.MULTILINE)
    assert [name for name in drawn if name.split(".")[0] not in everafter.__all__] == []
    assert issubclass(everafter.search.Stopped, everafter.EverafterError)
    assert issubclass(everafter.search.CyclicGraphError, everafter.EverafterError)


# Results


def test_a_result_is_true_exactly_if_the_property_holds() -> None:
    assert everafter.load(SAFE).check()
    assert not everafter.load(BROKEN).check()
    endless = everafter.parse("int x; active proctype P() { do :: x++ od }")
    assert not endless.check(limits=everafter.Limits(states=1000), engine="reference", reduction="none")


def test_a_result_prints_itself_as_the_command_line_does() -> None:
    result = everafter.load(BROKEN).check()
    assert repr(result) == "<Result safety: violated (assert(inside == 1) failed), 22 states>"
    shown = subprocess.run(
        [sys.executable, "-m", "everafter", "check", str(BROKEN), "--safety"],
        text=True,
        capture_output=True,
        check=False,
    ).stdout
    rows = [line for line in str(result).splitlines() if line.strip()[:1].isdigit()]
    assert len(rows) == 7
    assert all(row in shown for row in rows)
    assert "violated" in str(result)


def test_raising() -> None:
    holds, broken = everafter.load(SAFE).check(), everafter.load(BROKEN).check()
    assert holds.raise_if_violated() is holds
    assert holds.raise_unless_holds() is holds
    with pytest.raises(everafter.Violated, match="inside = 2") as violated:
        broken.raise_if_violated()
    assert violated.value.result is broken
    with pytest.raises(AssertionError):
        broken.raise_unless_holds()
    cut = everafter.load(SAFE).check(limits=everafter.Limits(seconds=1e-9))
    assert cut.raise_if_violated() is cut
    with pytest.raises(everafter.Incomplete, match="time limit"):
        cut.raise_unless_holds()


def test_rows_of_a_trace_are_data() -> None:
    run = everafter.load(BROKEN).check().counterexample
    assert run is not None
    last = run.rows[-1]
    assert (last.number, last.statement, last.spot.line) == (7, "assert(inside == 1)", 20)
    assert last.problem == "assert(inside == 1) failed"
    assert [row.changes for row in run.rows[2:4]] == [{"busy[1]": 1}, {"inside": 1}]
    assert [row.change_texts for row in run.rows[2:4]] == [("busy[1] = 1",), ("inside = 1",)]
    before, after = run.rows[2].before, run.rows[2].state
    assert before is not None
    assert after is not None
    assert (before["busy"], after["busy"]) == ([0, 0], [0, 1])
    assert len(run) == len(run.rows) == len(run.steps)


def test_options_of_a_check_from_python() -> None:
    model = everafter.load(SAFE)
    result = model.check("first_gets_in", fairness="weak", reduction="none")
    assert (result.verdict, result.engine) == ("holds", "native")
    assert model.check(threads=2).threads == 2
    assert model.check("exclusive", algorithm="tarjan", engine="reference").algorithm == "tarjan"


def test_simulation() -> None:
    model = everafter.load(BROKEN)
    first, again = everafter.simulate(model, seed=3), everafter.simulate(model, seed=3)
    assert first.rows == again.rows
    assert len(everafter.simulate(model, seed=1, steps=2).rows) == 2
    wrong = next(run for seed in range(100) if not (run := everafter.simulate(model, seed=seed)))
    assert wrong.problem is not None
    assert wrong.problem.message == "assert(inside == 1) failed"


def test_python_m_everafter_is_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "everafter", "--version"], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"everafter {everafter.__version__}\n")
