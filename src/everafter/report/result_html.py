"""Results as HTML for notebooks: the verdict, and the counterexample as a table. Colours suit light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from everafter.hints.sentences import fairness_hint, remarks
from everafter.ltl.formula import Atom
from everafter.ltl.formula_text import text_of
from everafter.report.text import described, folded
from everafter.report.waiting_text import waiting
from everafter.verdict.result import Counterexample, Result

_COLOURS = {"holds": "#2f9158", "violated": "#c93a3a", "incomplete": "#b7791f"}
_MOST_LETTERS = 60
"""A truth table has no more columns than these."""
_LEFT = "text-align:left"


def result_html(result: Result) -> str:
    """The verdict and how it was reached; if the property is violated, the run that shows it."""
    badge = (
        f'<span style="background:{_COLOURS[result.verdict]};color:#fff;border-radius:4px;padding:1px 8px">'
        f"{result.verdict}</span>"
    )
    size = f"{result.states:,} states, {result.transitions:,} transitions, {result.seconds:.2f} s"
    parts = [f"<p><strong>{escape(result.property)}</strong> {badge} <small>{size}</small></p>"]
    notes = [] if result.holds else [result.reason]
    notes += [hint] if (hint := fairness_hint(result)) is not None else []
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    if result.counterexample is not None:
        parts += [_steps(result.counterexample), _truth(result.counterexample)]
        parts.append(_preformatted(waiting(result.counterexample.waits)))
    parts.append(_preformatted(remarks(result, full=False)))
    return f'<div class="everafter-result">{"".join(parts)}</div>'


def _preformatted(lines: list[str]) -> str:
    return f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else ""


def _steps(run: Counterexample) -> str:
    headings = "".join(
        f'<th style="{_LEFT}">{name}</th>' for name in ("step", "process", "line", "statement", "what changed")
    )
    return f"<table><thead><tr>{headings}</tr></thead><tbody>{''.join(_rows(run))}</tbody></table>{_ending(run)}"


def _rows(run: Counterexample) -> Iterator[str]:
    prefix, total = len(run.prefix), len(run)
    at = 0
    for part in (*folded(range(prefix), False), *folded(range(prefix, total), False)):
        if part.start > at:
            yield _across(f"… {part.start - at:,} steps …")
        if run.cycle and part.start == prefix:
            yield _across("again and again, for ever:")
        for row in run.rows_between(part.start, part.stop):
            cells = (str(row.number), *described(row))
            yield "<tr>" + "".join(f'<td style="{_LEFT}"><code>{escape(cell)}</code></td>' for cell in cells) + "</tr>"
        at = part.stop


def _across(text: str) -> str:
    return f'<tr><td colspan="5" style="{_LEFT}"><em>{escape(text)}</em></td></tr>'


def _ending(run: Counterexample) -> str:
    return "<p>and here everything stops, for ever</p>" if run.stutters else ""


def _truth(run: Counterexample) -> str:
    """The formula and its propositions before each step, as far as there is room."""
    rows = [row for row in run.truth() if row[0] == run.formula or isinstance(row[0], Atom)]
    if not rows:
        return ""
    columns = range(min(len(run.letters), _MOST_LETTERS))
    more = "<th>…</th>" if len(run.letters) > _MOST_LETTERS else ""
    heading = "".join(f"<th>{run.positions[column] + 1}</th>" for column in columns)
    lines = [f'<tr><th style="{_LEFT}">before step</th>{heading}{more}</tr>']
    for part, values in rows:
        cells = "".join(_cell(values[column]) for column in columns)
        lines.append(f'<tr><td style="{_LEFT}"><code>{escape(text_of(part))}</code></td>{cells}</tr>')
    return f"<details open><summary>truth</summary><table>{''.join(lines)}</table></details>"


def _cell(value: bool) -> str:
    colour, word, sign = ("#2f9158", "true", "+") if value else ("#c93a3a", "false", "−")
    return f'<td style="color:{colour};text-align:center" title="{word}">{sign}</td>'
