"""A model as HTML for notebooks: its name, its processes and formulas, and their control flow as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from everafter.characters import visible
from everafter.diagrams.control_diagram import control_flow
from everafter.drawing.svg import to_svg
from everafter.program.naming import proctype_name
from everafter.program.program import Program

_MOST_PLACES = 150
"""The control flow of a model with more places is not drawn unasked."""


def model_html(name: str, program: Program, formulas: Sequence[str]) -> str:
    """Return the HTML of the model `name`: the processes of `program`, the names of `formulas`, and a picture.

    A large model has no picture.
    """
    processes = [proctype_name(program, each.index) for each in program.processes if each.role in ("process", "init")]
    parts = [f"<p><strong>{escape(name)}</strong>: processes {_listed(processes)}; formulas {_listed(formulas)}</p>"]
    if sum(len(process.graph.nodes) for process in program.processes) <= _MOST_PLACES:
        picture = to_svg(control_flow(program))
        parts.append(f"<details open><summary>control flow</summary>{picture}</details>")
    return visible(f'<div class="everafter-model">{"".join(parts)}</div>')


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"<code>{escape(name)}</code>" for name in names) or "none"
