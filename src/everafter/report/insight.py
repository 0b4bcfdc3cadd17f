"""What is known beside a verdict, for people."""

from __future__ import annotations

from everafter.verdict.result import Result


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
