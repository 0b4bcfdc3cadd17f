"""The public names of everafter; docs/api.md describes each of them."""

from everafter import ltl, model, search
from everafter.arguments import guard
from everafter.certificates.certification import Certification, Certified, certify
from everafter.certificates.file import CertificateError
from everafter.certificates.inquiry import AnotherQuestionError
from everafter.deadline import OutOfTime
from everafter.ltl import TooLargeError
from everafter.questions.limits import Limits, Progress
from everafter.questions.outcome import Disagreement
from everafter.questions.request import Request
from everafter.source import Diagnostic, EverafterError, InputError, OptionError
from everafter.user_model import Model, Results, load, parse, simulate
from everafter.user_model import check_model as check
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

guard(globals(), __all__, methods=True)
