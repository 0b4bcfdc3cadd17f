"""Formulas decided on a graph of the user: an object with initial states and successors, or one of networkx.

The searches of `everafter.search` look for a run that violates a formula; what they find is compared with the
definition of the formula's meaning before it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Protocol

from everafter import ltl
from everafter.questions.outcome import Disagreement
from everafter.record import dataclass
from everafter.search.generalised import couvreur
from everafter.search.lasso import Lasso, path_flaw
from everafter.search.meter import Meter, Stopped
from everafter.source import OptionError, closest


class HasSuccessors(Protocol):
    """What can be checked as a graph; where its runs begin, `initial()` or an argument says."""

    def successors(self, state: Any, /) -> Iterable[Any]:
        """The states one step after `state`."""


State = Hashable
Labels = Callable[[Any], Iterable[str]] | Mapping[str, Callable[[Any], Any] | Collection[Any]]
"""The propositions that hold in a state, or for each of them the states in which it holds, or a function of a state."""
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class GraphResult:
    """The verdict on one formula: true exactly if it holds. A run that violates it is a lasso of the graph's states."""

    property: str
    verdict: str
    """`holds`, `violated`, or `incomplete` where there were more states than were to be looked at."""
    states: int
    """How many pairs of a state of the graph and one of the automaton were seen."""
    counterexample: Lasso[Any] | None = None

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    def __str__(self) -> str:
        lines = [f"{self.property}  {self.verdict}  {self.states:,} states"]
        if self.counterexample is not None:
            lines += [f"  {state}" for state in islice(self.counterexample.prefix, _MOST_SHOWN)]
            lines += ["  for ever:", *(f"  {state}" for state in islice(self.counterexample.cycle, _MOST_SHOWN))]
        return "\n".join(lines)


class GraphResults(tuple[GraphResult, ...]):
    """Results of one check, in order: true exactly if everything holds."""

    def __bool__(self) -> bool:
        return all(tuple(self))

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))


def is_graph(value: object) -> bool:
    """Whether `value` can be checked as a graph."""
    return callable(getattr(value, "successors", None)) and not isinstance(value, type)


def check_graph(
    graph: Any,
    formulas: Iterable[str],
    labels: Labels | None,
    initial: Collection[Any] | None,
    most: int | None,
) -> GraphResults:
    """The verdicts on `formulas` for the runs of `graph` from its initial states, or from those that `initial` names.

    `labels` say which propositions hold where; of a graph of networkx they are the attributes of its nodes. A run that
    comes to a state without successors stays there. Of one formula at most `most` states are looked at.
    """
    transitions = _Runs(graph, initial)
    if not list(transitions.initial()):
        raise OptionError("the graph has no initial state", "check(graph, formula, initial=[…]) names some")
    found = [_checked(transitions, text, _named(graph, labels, ltl.parse(text)), most) for text in formulas]
    if not found:
        raise OptionError("no formula is given", 'check(graph, "[] !failed", labels=…)')
    return GraphResults(found)


@dataclass(frozen=True, eq=False)
class _Runs:
    """The graph, in which every run goes on for ever."""

    graph: Any
    starts: Collection[Any] | None

    def initial(self) -> Iterable[State]:
        if self.starts is not None:
            return self.starts
        method = getattr(self.graph, "initial", None)
        if not callable(method):
            raise OptionError("where runs begin is not said", "check(graph, formula, initial=[…]) says it")
        found: Iterable[State] = method()
        return found

    def successors(self, state: State, /) -> Iterable[State]:
        return tuple(self.graph.successors(state)) or (state,)


@dataclass(frozen=True, eq=False)
class _Product:
    """The runs of a graph that an automaton accepts, which reads a state and then takes the step with it."""

    runs: _Runs
    automaton: ltl.Automaton
    letter: Callable[[State], frozenset[str]]

    @property
    def acceptance_sets(self) -> int:
        """Those of the automaton."""
        return self.automaton.acceptance_sets

    def initial(self) -> Iterator[tuple[State, int]]:
        """The initial states, with that of the automaton."""
        return ((state, self.automaton.initial) for state in self.runs.initial())

    def successors(self, pair: tuple[State, int], /) -> Iterator[tuple[int, tuple[State, int]]]:
        """Each step of both, with the acceptance sets that it is in."""
        state, at = pair
        moves = list(self.automaton.successors(at, self.automaton.valuation(self.letter(state))))
        for target in self.runs.successors(state) if moves else ():
            for edge in moves:
                yield edge.marks, (target, edge.target)


def _checked(runs: _Runs, text: str, letter: Callable[[State], frozenset[str]], most: int | None) -> GraphResult:
    formula = ltl.parse(text)
    product = _Product(runs, ltl.to_buchi(ltl.Not(formula)).eager(), letter)
    meter = Meter(lambda seen: most is not None and seen.states > most, every=1)
    try:
        found = couvreur(product, meter)
    except Stopped:
        return GraphResult(text, "incomplete", meter.states)
    if found is None:
        return GraphResult(text, "holds", meter.states)
    lasso = Lasso(tuple(state for state, _ in found.prefix), tuple(state for state, _ in found.cycle)).folded()
    word = ltl.Lasso(tuple(map(letter, lasso.prefix)), tuple(map(letter, lasso.cycle)))
    wrong = path_flaw(runs, (*lasso.prefix, *lasso.cycle, lasso.cycle[0]))
    if wrong is not None or ltl.holds(formula, word):
        raise Disagreement(wrong or f"'{text}' is true on the run that was found")
    return GraphResult(text, "violated", meter.states, lasso)


# Propositions


def _named(graph: Any, labels: Labels | None, formula: ltl.Formula) -> Callable[[State], frozenset[str]]:
    """The propositions of a formula that hold in a state."""
    names = sorted(ltl.atoms(formula))
    if labels is None:
        nodes = getattr(graph, "nodes", None)
        if nodes is None or callable(getattr(nodes, "keys", None)) is False:
            raise OptionError("which propositions hold where is not said", 'labels={"safe": lambda state: …}')
        return lambda state: frozenset(name for name in names if nodes[state].get(name))
    if isinstance(labels, Mapping):
        for name in names:
            if name not in labels:
                raise OptionError(f"no label is called '{name}'", closest(name, labels))
        told = {name: labels[name] for name in names}
        return cache(lambda state: frozenset(name for name, each in told.items() if _is_in(each, state)))
    given = labels
    return cache(lambda state: frozenset(given(state)))


def _is_in(label: Callable[[Any], Any] | Collection[Any], state: State) -> bool:
    return bool(label(state)) if callable(label) else state in label
