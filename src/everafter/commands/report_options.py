"""What a check prints and writes: options of the command line alone."""

from __future__ import annotations

from typing import Final, Literal

from everafter.flags import REPORT, option
from everafter.record import dataclass

FORMATS: Final = ("text", "json", "junit", "sarif", "github")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What is printed of a check, and written beside it."""

    certificate: str | None = option(
        None,
        REPORT,
        "write what shows each verdict to be right, for `everafter certify`",
        metavar="FILE",
        alone="one file cannot hold the certificates of several models",
        in_sweep=False,
        says="write what shows each verdict to be right, for `everafter certify` ([certificates.md](certificates.md))",
    )
    paranoid: bool = option(
        False,
        REPORT,
        "decide every verdict anew by its certificate, before it is shown",
        in_sweep=False,
        says="decide every verdict anew by its certificate before it is shown: all states on machine code, 1,000 also "
        "by the reference",
    )
    trace: str | None = option(
        None,
        REPORT,
        "write the counterexample, for `everafter replay`; FILE.trail: as SPIN does",
        metavar="FILE",
        may_change=True,
        alone="one file cannot hold the traces of several models",
        in_sweep=False,
        says="write the counterexample, for `everafter replay`; a name that ends in `.trail` makes it a trail of "
        "SPIN's, which `spin -t` replays; that the file can be written is checked before the search",
    )
    plot: str | None = option(
        None,
        REPORT,
        "draw how the states of a sweep (-D N=2..6) grow",
        metavar="FILE.svg",
        may_change=True,
        says="draw how the states of a sweep grow",
    )
    html: str | None = option(
        None,
        REPORT,
        "write a page that shows the verdicts and counterexamples",
        metavar="FILE",
        may_change=True,
        alone="one page cannot show several models",
        in_sweep=False,
        says="write one page that shows the verdicts and counterexamples, and needs nothing else ([page.md](page.md))",
    )
    format: Literal["text", "json", "junit", "sarif", "github"] = option(
        "text",
        REPORT,
        "how to print the results",
        choices=FORMATS,
        may_change=True,
        resumed="how to print the results, instead of as before",
        says={
            "json": "one JSON object instead of text: [below](#json)",
            "junit": "a test for each property, as JUnit writes them; `sarif`: SARIF 2.1.0; `github`: notes of GitHub "
            "Actions: [ci.md](ci.md)",
        },
    )
    full: bool = option(
        False,
        REPORT,
        "print every step of a long run, also those in the middle",
        may_change=True,
        says="print every step of a run: those in the middle of a long one, and those that only jump",
    )
