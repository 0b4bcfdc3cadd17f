"""What is known beside a verdict, for people."""

from __future__ import annotations

from everafter.hints.facts import Coverage, Needless, Vacuity
from everafter.verdict.result import Result

_MOST_UNREACHED = 10
"""Of more statements than these, the first are shown."""
_UNSURE = " (--coverage makes sure)"


def remarks(result: Result, full: bool) -> list[str]:
    """Return what one should know of the property of `result`, which holds, behind an empty line.

    Nothing if that is nothing.
    With `full`, all is listed.
    """
    lines = [] if result.coverage is None else _coverage(result.coverage, full)
    lines += [] if result.vacuity is None else _vacuity(result.vacuity)
    return ["", f"{result.property}:", *lines] if lines else []


def _vacuity(vacuity: Vacuity) -> list[str]:
    """Why a formula says less of the model than it seems to."""
    lines = ["  it is true of every run, whatever the model does"] if vacuity.is_valid else []
    lines += [f"  the premise {premise} is never true" for premise in vacuity.unmet]
    return lines + [
        f"  it would hold even if {_named(each)} were always {'true' if each.could_be else 'false'}"
        for each in vacuity.needless
    ]


def _named(part: Needless) -> str:
    """A part of a formula, distinct from those that read the same: what is said of one is not said of all together."""
    if part.occurrences == 1:
        return part.part
    return f"{part.part}, at place {part.occurrence} of {part.occurrences} and only there,"


def _coverage(coverage: Coverage, full: bool) -> list[str]:
    """The statements that were never executed."""
    lines = [f"  {line}" for line in unstarted(coverage)]
    unreached = coverage.unreached
    if not unreached:
        return lines
    certainly = "never executed" if coverage.is_exact else f"not executed by the reduced search{_UNSURE}"
    lines.append(f"  {certainly}, of {coverage.statements:,} statements:")
    shown = unreached if full or len(unreached) <= _MOST_UNREACHED else unreached[:_MOST_UNREACHED]
    places = [f"{each.spot.file}:{each.spot.line}" for each in shown]
    width, names = max(map(len, places)), max(len(each.proctype) for each in shown)
    lines += [
        f"    {place:<{width}}  {each.proctype:<{names}}  {each.statement}"
        for place, each in zip(places, shown, strict=True)
    ]
    left = len(unreached) - len(shown)
    return [*lines, f"    … {left:,} more, --full shows them all"] if left else lines


def unstarted(coverage: Coverage) -> list[str]:
    """Which proctypes have no process that takes a step, as far as that is known."""
    when = "ever takes a step" if coverage.is_exact else f"takes a step in the reduced search{_UNSURE}"
    return [f"no process {name} {when}" for name in coverage.unstarted]


def fairness_hint(result: Result) -> str | None:
    """What becomes of a violated property under fairness; nothing where the run ends: fairness cannot matter."""
    fair, run = result.under_fairness, result.counterexample
    if fair is None or run is None or not run.cycle:
        return None
    match fair.weak, fair.strong:
        case "holds", _:
            return "it holds under weak fairness: --fair weak"
        case "violated", "holds":
            return "it holds under strong fairness, not under weak: --fair strong"
        case _, "violated":
            return "it is violated under strong fairness, too"
        case "violated", _:
            return "it is violated under weak fairness, too; under strong fairness it was not decided"
        case _:
            return "whether it holds under fairness was not decided"
