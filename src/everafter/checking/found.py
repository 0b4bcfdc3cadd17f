"""What a search by levels has found, as a run of the reference."""

from __future__ import annotations

from collections.abc import Sequence

from everafter.checking.native import product_state
from everafter.checking.question import Question
from everafter.checking.runs import run_along, run_of_lasso, run_to_violation
from everafter.execution.run import Run
from everafter.product.claim import is_terminal
from everafter.product.product import VIOLATION, Product
from everafter.product.safety import SafetyGraph
from everafter.search import Lasso


def run_of_rows(question: Question, path: Sequence[bytes], cycle: Sequence[bytes], states: int) -> Run:
    """The run along a path of rows: to a violation, or to the first row of a cycle, among so many states."""
    program, start, asked = question.program, question.start, question.property
    if asked.claim is None:
        return run_to_violation(SafetyGraph(program, start=start), tuple(path))
    product = Product(program, asked.claim, asked.accept_labels, start=start)
    named = tuple(map(product_state, path))
    if not cycle:
        return run_along(product, (*named, VIOLATION))
    return run_of_lasso(product, Lasso(named[:-1], tuple(map(product_state, cycle))), states)


def is_shortest_way(question: Question, cycle: Sequence[bytes]) -> bool:
    """Whether no run is shorter than one on a shortest path of rows to a violation: no cycle might be."""
    claim = question.property.claim
    return not cycle and (claim is None or is_terminal(claim))
