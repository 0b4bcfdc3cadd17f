"""How a result shows itself: as the command line does, and in a notebook."""

from __future__ import annotations

from everafter.characters import visible
from everafter.report.text import PLAIN, counterexample, shown
from everafter.verdict.random_run import Simulation
from everafter.verdict.result import Counterexample, Result


class ResultPresenter:
    """Shows results to people."""

    def text(self, result: Result, /) -> str:
        """The result as the command line prints it."""
        return visible(shown(result))

    def html(self, result: Result, /) -> str:
        """The result as a notebook shows it."""
        from everafter.report.result_html import result_html  # noqa: PLC0415 # only notebooks ask for it

        return visible(result_html(result))

    def run(self, run: Counterexample, /) -> str:
        """The steps of a counterexample as the command line prints them."""
        return visible(counterexample(run, PLAIN))


def simulation(run: Simulation) -> str:
    """The steps of a random run, and how it ended, as the command line prints them."""
    from io import StringIO  # noqa: PLC0415 # few runs are printed so

    from everafter.report.simulation_text import ending  # noqa: PLC0415 # likewise
    from everafter.report.step_table import print_steps, shown  # noqa: PLC0415 # likewise

    text = StringIO()
    print_steps(run.program, shown(run.rows), text)
    return visible(f"{text.getvalue()}{ending(run)}")
