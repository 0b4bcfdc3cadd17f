"""The public names of everafter; docs/api.md describes each of them."""

from everafter import ltl, search
from everafter.arguments import guard
from everafter.certificates.file import CertificateError
from everafter.certification import Certification, Certified, certify
from everafter.checking.limits import Limits, Progress
from everafter.checking.outcome import Disagreement
from everafter.checking.request import Request
from everafter.deadline import OutOfTime
from everafter.inquiry import AnotherQuestionError
from everafter.ltl import TooLargeError
from everafter.model import Model, load, parse, simulate
from everafter.source import Diagnostic, EverafterError, InputError, OptionError
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample, Incomplete, Result, Violated
from everafter.verdict.rows import Row
from everafter.verdict.simulation import Simulation

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
    "Limits",
    "Model",
    "OptionError",
    "OutOfTime",
    "Progress",
    "ReplayError",
    "Request",
    "Result",
    "Row",
    "Simulation",
    "TooLargeError",
    "Violated",
    "certify",
    "load",
    "ltl",
    "parse",
    "search",
    "simulate",
]

guard(globals(), __all__, methods=True)
