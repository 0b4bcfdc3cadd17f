"""The public names of everafter; docs/api.md describes each of them."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, overload

from everafter import ltl, model, search
from everafter.arguments import guard
from everafter.certificates.certification import Certification, Certified, certify
from everafter.certificates.file import CertificateError
from everafter.certificates.inquiry import AnotherQuestionError
from everafter.deadline import OutOfTime
from everafter.graph_check import GraphResult, GraphResults, HasSuccessors, Labels, check_graph, is_graph
from everafter.ltl.functions import TooLargeError
from everafter.model.vocabulary import PythonModel
from everafter.questions.limits import Limits, Progress
from everafter.questions.outcome import Disagreement
from everafter.questions.request import Request
from everafter.source import Diagnostic, EverafterError, InputError, OptionError
from everafter.user_model import Model, Results, check_model, load, parse, simulate
from everafter.verdict.named_state import NamedProcess, NamedState
from everafter.verdict.random_run import Simulation
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample, Incomplete, Result, Violated
from everafter.verdict.run_rows import Row
from everafter.verdict.state_space import LabelledStep, ReachedState, StateSpace

__all__ = [
    "AnotherQuestionError",
    "CertificateError",
    "Certification",
    "Certified",
    "Counterexample",
    "Diagnostic",
    "Disagreement",
    "EverafterError",
    "GraphResult",
    "GraphResults",
    "Incomplete",
    "InputError",
    "LabelledStep",
    "Limits",
    "Model",
    "NamedProcess",
    "NamedState",
    "OptionError",
    "OutOfTime",
    "Progress",
    "ReachedState",
    "ReplayError",
    "Request",
    "Result",
    "Results",
    "Row",
    "Simulation",
    "StateSpace",
    "TooLargeError",
    "Violated",
    "certify",
    "check",
    "load",
    "ltl",
    "model",
    "parse",
    "search",
    "simulate",
]


@overload
def check(
    model: type[PythonModel] | Model | str | Path,
    *formulas: str,
    defines: Mapping[str, object] | None = None,
    limits: Limits | None = None,
    certificate: str | Path | None = None,
    **asked: Any,
) -> Results: ...


@overload
def check(
    model: HasSuccessors,
    *formulas: str,
    labels: Labels | None = None,
    initial: Collection[Any] | None = None,
    states: int | None = None,
) -> GraphResults: ...


def check(
    model: Any,
    *formulas: str,
    labels: Labels | None = None,
    initial: Collection[Any] | None = None,
    states: int | None = None,
    **asked: Any,
) -> Results | GraphResults:
    """The verdicts on `formulas`, or their names, or on all that `model` states: true exactly if everything holds.

    The model is a class of Python, a file read with `defines`, or a `Model`; `asked` is what a `Request` has besides,
    `limits`, and `certificate`. Or it is a graph: an object with initial states and successors, or one of networkx with
    `initial` states; `labels` say which propositions hold where, and `states` how many are looked at, if not all.
    """
    if is_graph(model):
        if asked:
            raise OptionError(f"{next(iter(asked))} is of models, and this is a graph")
        return check_graph(model, formulas, labels, initial, states)
    if labels is not None or initial is not None or states is not None:
        raise OptionError("labels, initial and states are of graphs", "limits=Limits(states=…) bounds a model")
    return check_model(model, *formulas, **asked)


guard(globals(), __all__, methods=True)
