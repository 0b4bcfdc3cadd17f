"""Results as workflow commands of GitHub Actions: notes at the lines they are about, and the whole in the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everafter.characters import visible
from everafter.report.model_report import Checked
from everafter.report.text import PLAIN, counterexample
from everafter.source import Diagnostic, Spot
from everafter.verdict.result import Result


def as_github(models: Sequence[Checked]) -> str:
    """A note for each thing that is not as it should be, and a foldable report for each property."""
    return "".join(line + "\n" for checked in models for line in _lines(checked))


def _lines(checked: Checked) -> Iterator[str]:
    for diagnostic in checked.diagnostics:
        yield _diagnosed(diagnostic)
    if checked.error is not None and not any(each.severity == "error" for each in checked.diagnostics):
        yield _note("error", Spot(checked.model, 1, 1), "everafter", str(checked.error))
    for result in checked.results:
        if not result.holds:
            level = "error" if result.violated else "warning"
            run = "" if result.counterexample is None else "\n" + counterexample(result.counterexample, PLAIN)
            yield _note(level, checked.spot_of(result), f"{result.property}: {result.verdict}", result.reason + run)
        yield from _folded(checked, result)


def _diagnosed(diagnostic: Diagnostic) -> str:
    message = diagnostic.message + (f"\nhelp: {diagnostic.advice}" if diagnostic.advice else "")
    return _note(diagnostic.severity, Spot.of(diagnostic.place), "everafter", message)


def _folded(checked: Checked, result: Result) -> Iterator[str]:
    title = f"{checked.model}: {result.property} {result.verdict}, {result.states:,} states, {result.seconds:.2f} s"
    yield f"::group::{_escaped(title)}"
    yield from map(_no_command, str(result).splitlines())
    yield "::endgroup::"


def _note(level: str, spot: Spot, title: str, message: str) -> str:
    where = f"file={_property(spot.file)},line={max(spot.line, 1)},col={max(spot.column, 1)}"
    return f"::{level} {where},title={_property(title)}::{_escaped(message)}"


def _no_command(line: str) -> str:
    """A line of a report that the runner takes for no workflow command, in either of the two ways to write one."""
    told = line.replace("##[", "## [")
    return told if not told.lstrip().startswith("::") else told.replace("::", ": :", 1)


def _escaped(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
