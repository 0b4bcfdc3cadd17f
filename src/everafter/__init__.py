"""everafter: an LTL model checker for Python people.

import everafter
model = everafter.load("peterson.pml")
result = model.check("[] !(critical[0] && critical[1])")
result.verdict, result.states, result.counterexample
"""

__version__ = "0.1.0"

from everafter import ltl, search
from everafter.check import Model, Request, load, parse
from everafter.source import InputError
from everafter.verdict.limits import Limits
from everafter.verdict.result import Counterexample, Result

__all__ = [
    "Counterexample",
    "InputError",
    "Limits",
    "Model",
    "Request",
    "Result",
    "load",
    "ltl",
    "parse",
    "search",
]
