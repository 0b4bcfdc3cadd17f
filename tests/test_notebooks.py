"""Notebooks: what values show there, `%%promela`, and the notebooks that are shipped, executed."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

import nbclient
import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

import everafter

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def element(html: str) -> ElementTree.Element:
    """The element that some HTML is, which must be well-formed."""
    return ElementTree.fromstring(html.replace("<details open>", "<details>"))


def words(html: str) -> str:
    return " ".join("".join(element(html).itertext()).split())


# What values show


def test_a_result_that_holds() -> None:
    html = everafter.parse("active proctype P() { skip }").check()._repr_html_()
    assert "safety holds" in words(html)
    assert not list(element(html).iter("table"))


def test_a_violation_shows_its_run() -> None:
    text = (
        'mtype = { red }; chan q = [1] of { mtype }; active proctype P() { q!red; printf("<b>&"); assert(len(q) < 1) }'
    )
    result = everafter.parse(text).check()
    (table,) = element(result._repr_html_()).iter("table")
    rows = ["|".join("".join(cell.itertext()) for cell in row) for row in table.iter("tr")]
    assert rows[0] == "step|process|line|statement|what changed"
    assert rows[1] == "1|P(0)|1|q!red|q = [red]"
    assert "<b>&" in rows[2]
    assert "len(q) < 1" in rows[3]
    assert len(rows) == 4


def test_a_cycle_and_its_truth() -> None:
    result = everafter.parse("bool x; active proctype P() { do :: x = !x od }").check("<> [] x")
    html = result._repr_html_()
    steps, truth = element(html).iter("table")
    assert "again and again, for ever:" in "".join(steps.itertext())
    signs = {"".join(row[0].itertext()): "".join(cell.text or "" for cell in row[1:]) for row in truth}
    assert set(signs["x"]) == {"+", "−"}
    assert set(signs["F G x"]) == {"−"}


def test_long_runs_are_folded() -> None:
    model = everafter.parse("int x; active proctype P() { do :: x < 3000 -> x++ :: else -> break od; assert(0) }")
    html = model.check()._repr_html_()
    assert "steps …" in html
    assert html.count("<tr>") < 150


def test_a_deadlock_says_who_waits() -> None:
    html = everafter.parse("bool x; active proctype P() { x }").check()._repr_html_()
    assert "nobody can move" in html


def test_a_model_shows_its_control_flow() -> None:
    html = everafter.load(ROOT / "examples" / "peterson.pml")._repr_html_()
    assert "processes Process; formulas exclusive, first_gets_in" in words(html)
    assert "<svg" in html
    large = "active proctype P() { int x; " + "x++; " * 200 + "}"
    assert "<svg" not in everafter.parse(large)._repr_html_()


def test_a_formula_and_an_automaton() -> None:
    formula = everafter.ltl.parse("[] (a<b -> <> c)")
    assert words(formula._repr_html_()) == everafter.ltl.text_of(formula)
    assert everafter.ltl.to_buchi(formula)._repr_html_().startswith("<svg")
    many = everafter.ltl.parse(" && ".join(f"<> p{number}" for number in range(7)))
    assert "an automaton with" in everafter.ltl.to_buchi(many)._repr_html_()


# The magic


@pytest.fixture
def shell() -> Any:
    """A shell in which `%load_ext everafter` was said."""
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "everafter")
    return shell


def ran(shell: Any, line: str, cell: str) -> tuple[str, list[str]]:
    """What a cell prints, and the HTML of what it displays."""
    out, shown = io.StringIO(), []
    with patch("IPython.display.display", lambda value: shown.append(value._repr_html_())), redirect_stdout(out):
        shell.run_cell_magic("promela", line, cell)
    return out.getvalue(), shown


BROKEN = "byte x = N; active proctype P() { assert(x == 2) }\nltl two { [] (x == 2) }\n"


def test_a_cell_is_a_model(shell: Any) -> None:
    printed, shown = ran(shell, "broken -D N=1", BROKEN)
    assert printed == ""
    assert [words(html).split()[:2] for html in shown] == [["safety", "violated"], ["two", "violated"]]
    assert isinstance(shell.user_ns["broken"], everafter.Model)
    _, shown = ran(shell, "-D N=2 --ltl '[] (x < 3)'", BROKEN)
    assert len(shown) == 1
    assert shell.user_ns["model"].check("two")


def test_a_model_that_is_only_read(shell: Any) -> None:
    _, (html,) = ran(shell, "it -D N=1 --read", BROKEN)
    assert "everafter-model" in html


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("", "active proctype P() { y = 1 }", "1 | active proctype P() { y = 1 }"),
        ("3x", BROKEN, "'3x' is no name of a variable"),
        ("m --nonsense", BROKEN, "unrecognized arguments"),
        ("m 'open", BROKEN, "No closing quotation"),
        ("m -D N=1 --ltl nothing", BROKEN, "no formula or variable is called 'nothing'"),
    ],
)
def test_mistakes_are_shown(line: str, cell: str, message: str, shell: Any) -> None:
    printed, shown = ran(shell, line, cell)
    assert message in printed
    assert not shown


# What is shipped


def executed(path: Path) -> list[str]:
    """What each cell of code of a shipped notebook prints."""
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "ship notebooks without what they print"
    resources = {"metadata": {"path": str(path.parent)}}
    done = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    return [
        "".join(str(output.get("data", output.get("text", ""))) for output in cell.outputs)
        for cell in done.cells
        if cell.cell_type == "code"
    ]


def test_every_shipped_notebook_is_executed() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"first_model", "strong_components"}


def test_the_notebook_of_a_first_model() -> None:
    _, lock, flow, repaired, starving, fair, formula, automaton, mistake = executed(FOLDER / "first_model.ipynb")
    assert "violated</span>" in lock
    assert "<svg" in flow
    assert "violated</span>" not in repaired
    assert repaired.count("holds</span>") == 3
    assert "violated</span>" in starving
    assert "holds</span>" in fair
    assert "request" in formula
    assert "<svg" in automaton
    assert "did you mean" in mistake


def test_the_notebook_of_strong_components() -> None:
    size, components, final, deadlock, way = executed(FOLDER / "strong_components.ipynb")
    assert "110 states, 168 steps" in size
    assert "[106, 1, 1, 1, 1]" in components
    assert "[[1, 1, 1]]" in final
    assert "Philosopher 2 at line 22 {'left': 2, 'right': 0}" in deadlock
    assert way.count("taken[left] = true") == 3
