"""How a result shows itself: as the command line does, and in a notebook."""

from __future__ import annotations

from everafter.characters import visible
from everafter.report.text import shown
from everafter.verdict.result import Result


class ResultPresenter:
    """Shows results to people."""

    def text(self, result: Result, /) -> str:
        """The result as the command line prints it."""
        return visible(shown(result))

    def html(self, result: Result, /) -> str:
        """The result as a notebook shows it."""
        from everafter.report.result_html import result_html  # noqa: PLC0415 # only notebooks ask for it

        return visible(result_html(result))
