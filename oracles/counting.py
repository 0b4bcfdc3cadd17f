"""How many states there are, as SPIN counts them when it goes on past errors: for comparing with it."""

from __future__ import annotations

from everafter.backends.search_watch import SearchWatch
from everafter.choices import StoreKind
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.search_outcome import SearchEnding
from everafter.product.safety import SafetyGraph
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.questions.outcome import Figures
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.reduction.ample import Reduction
from everafter.search import Statistics, Stopped, reachable_states
from everafter.system import memory_size

_SHARE_OF_MEMORY = 0.8


def count_states(
    program: Program,
    limits: Limits | None = None,
    engine: str = "reference",
    reduction: Reduction | None = None,
    store: StoreKind = "plain",
) -> tuple[int, int]:
    """Return how many states of `program` SPIN would store when it goes on past errors, and how many of them are wrong.

    With `reduction`, how many are left. On machine code, an `engine`, they are kept as `store` says. Raises Stopped at
    one of `limits`.
    """
    watch = SearchWatch(Question(program, SAFETY, limits=limits or Limits()))
    if engine == "reference":
        graph = SafetyGraph(program, stops_at_violations=False, reduction=reduction)
        reachable_states(graph, meter=watch.meter(lambda: Figures(graph.states, graph.transitions)))
        return graph.states, graph.violations
    model = NativeModel(program, reduction=reduction)
    model.go_past_errors()
    memory = watch.question.limits.memory or int(memory_size() * _SHARE_OF_MEMORY)
    search = model.search("unordered", memory, watch.question.observer, store=store)
    outcome = search.run(lambda figures: watch.passed(figures.searched, figures.transitions, figures.depth))
    figures = outcome.figures
    if outcome.ending is not SearchEnding.COMPLETED:
        raise Stopped(Statistics(figures.searched, figures.transitions, figures.depth))
    return figures.states, model.violations
