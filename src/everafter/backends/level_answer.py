"""What a search by levels has found, as a run of the reference."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from everafter.backends.run_construction import run_along, run_of_lasso, run_to_violation
from everafter.backends.search_watch import SearchWatch
from everafter.backends.shortest_run import LEAST_SECONDS, Effort, has_length, shortest_near, shortest_on_machine_code
from everafter.engine.run.native_model import NativeModel
from everafter.execution.run import Run
from everafter.product.product import VIOLATION, Product
from everafter.product.safety import SafetyGraph
from everafter.questions.plan import Plan
from everafter.questions.question import Question
from everafter.questions.question_code import native_model, product_state
from everafter.search.lasso import Lasso
from everafter.system import memory_in_use, memory_size

_LEAST_MEMORY: Final = 1 << 24
_SHARE_OF_MEMORY: Final = 0.5


def run_of_rows(question: Question, path: Sequence[bytes], cycle: Sequence[bytes], states: int) -> Run:
    """Return the run along `path`, rows that lead to a violation or, then along `cycle`, back to the first row of that.

    `question` was searched up to `states` states.
    """
    program, start, asked = question.program, question.start, question.property
    if asked.claim is None:
        return run_to_violation(SafetyGraph(program, start=start), tuple(path))
    product = Product(program, asked.claim, asked.accept_labels, start=start)
    named = tuple(map(product_state, path))
    if not cycle:
        return run_along(product, (*named, VIOLATION))
    lasso = Lasso(named[:-1], tuple(map(product_state, cycle)))
    return run_of_lasso(product, lasso, states, question.shortened_by)


def shortened(
    plan: Plan, watch: SearchWatch, run: Run, is_shortest_path: bool, edges: int, taken: int
) -> tuple[Run, bool]:
    """Return a run in place of `run`, which leads over `edges` edges into a violation, and whether none is shorter.

    `is_shortest_path`: none leads there over fewer edges. An edge may be a whole atomic sequence. `plan` and `watch`
    are those of the search, whose states took `taken` bytes.
    """
    question = watch.question
    if run.end != "problem" or not has_length(question):
        return run, False
    if is_shortest_path and question.property.claim is None and len(run.prefix) == edges:
        return run, True  # each edge is a step, and the last state is a deadlock
    with question.shown_by.enforced():
        near = shortest_near(question, plan.usable_reduction)
    if near is not None:
        return near, True

    def made() -> NativeModel:
        with question.deadline.enforced():
            return native_model(question, plan.usable_reduction, is_way=True, quickly=True)

    effort = Effort(watch, LEAST_SECONDS + time.monotonic() - watch.started, _memory(question), taken)
    found, is_shortest = shortest_on_machine_code(question, made, effort)
    return found or run, is_shortest


def _memory(question: Question) -> int:
    """The bytes that a search for a shorter run may take."""
    limit = question.limits.memory
    return int(_SHARE_OF_MEMORY * memory_size()) if limit is None else max(limit - memory_in_use(), _LEAST_MEMORY)
