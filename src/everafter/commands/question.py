"""The options that make the question: which model, under which conditions, and which properties.

Whatever changes what a verdict says is declared here and marked in `Request`; other options of a check change nothing
of it. So `certify`, which compares the question of a certificate with the user's, takes these options and no others.
"""

from __future__ import annotations

import argparse

from everafter.check import read_source
from everafter.checking.request import Request
from everafter.commands.command import add_losing
from everafter.commands.preprocessing import add_preprocessing
from everafter.source import Diagnostic, InputError, Place


def add_question(parser: argparse.ArgumentParser, unnamed: str = "everything the model states is checked") -> None:
    """Let a command take all that changes what a verdict says; `unnamed` tells what is done without a property."""
    add_preprocessing(parser)
    add_losing(parser)
    asked = parser.add_argument_group("properties", f"without one of these, {unnamed}")
    asked.add_argument("--safety", action="store_true", help="assertions, end states and run-time errors")
    asked.add_argument(
        "--ltl", action="append", default=[], metavar="NAME-OR-FORMULA", help="a formula; may be given several times"
    )
    asked.add_argument(
        "-F",
        dest="formula_file",
        action="append",
        default=[],
        metavar="FILE",
        help="as for SPIN, a file whose first line is a formula of what must not be",
    )
    asked.add_argument("--never", metavar="FILE", help="a never claim to be checked with the model")
    asked.add_argument("--hoa", metavar="FILE", help="an automaton of what must not be, in HOA format")
    asked.add_argument("--acceptance", action="store_true", help="no run is at accept labels again and again")
    asked.add_argument("--progress", action="store_true", help="every endless run makes progress again and again")
    asked.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="assertions|end-states",
        help="as SPIN's -A and -E: these may fail, and are passed over",
    )
    asked.add_argument("--empty-channels", action="store_true", help="as SPIN's -q: at the end channels must be empty")
    # What this may be is checked by Request, for Python and the command line alike.
    asked.add_argument("--fair", metavar="weak|strong", help="look only at runs fair to every process")


def question_of(options: argparse.Namespace) -> Request:
    """What the options ask for. Raises OptionError for what has no meaning."""
    return Request(
        safety=options.safety,
        formulas=list(dict.fromkeys([*options.ltl, *map(_formula_in, options.formula_file)])),
        never=options.never is not None,
        automaton=read_source(options.hoa) if options.hoa is not None else None,
        acceptance=options.acceptance,
        progress=options.progress,
        fairness=options.fair,
        ignore=options.ignore,
        empty_channels=options.empty_channels,
    )


def _formula_in(path: str) -> str:
    """What must hold by a file of SPIN's: its first line says what must not be, and the lines behind it are notes."""
    source = read_source(path)
    if not source.line(1).strip():
        raise InputError([Diagnostic(Place(source, 1, 1), "the first line of this file must be a formula")])
    return f"!({source.line(1)})"
