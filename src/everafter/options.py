"""What the commands of the command line take. What values may be is checked by `Request`, for Python alike."""

from __future__ import annotations

import argparse
import re

import everafter
from everafter.checking.request import ALGORITHMS
from everafter.ltl import FORMATS
from everafter.preprocessing import add_preprocessing

_SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_TIMES = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text, re.IGNORECASE)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size; write 500M or 4G")
    return int(float(match[1]) * _SIZES[match[2].upper()])


def _duration(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a time; write 60s, 5m or 2h")
    return float(match[1]) * _TIMES[match[2]]


def parser() -> argparse.ArgumentParser:
    """The parser of the command line; `command` of what it returns is the command's name."""
    whole = argparse.ArgumentParser(prog="everafter", description="An LTL model checker: Promela in, a verdict out.")
    whole.add_argument("--version", action="version", version=f"everafter {everafter.__version__}")
    commands = whole.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    _add_check(commands.add_parser("check", help="check everything a model states"))
    _add_replay(commands.add_parser("replay", help="step through a counterexample, ours or SPIN's"))
    _add_simulate(commands.add_parser("simulate", help="run a model at random, or by hand"))
    _add_ltl(commands.add_parser("ltl", help="show the automaton of a formula"))
    return whole


_MODEL = "a Promela file, or - for the standard input"


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=_MODEL)
    _add_reading(parser)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    add_preprocessing(parser)
    parser.add_argument(
        "--lose-messages", action="store_true", help="a send to a full channel is executed, and its message lost"
    )


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", metavar="MODEL", nargs="+", help=f"{_MODEL}; several are checked one by one")
    _add_reading(parser)
    asked = parser.add_argument_group("properties", "without one of these, everything the model states is checked")
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
    # What these may be is checked by Request, for Python and the command line alike.
    parser.add_argument("--fair", metavar="weak|strong", help="look only at runs fair to every process")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"the search for safety, or that for infinite runs: {', '.join(ALGORITHMS)}",
    )
    parser.add_argument(
        "--engine", metavar="native|reference", help="machine code, which is the default, or plain interpretation"
    )
    parser.add_argument(
        "--reduction", metavar="static|none", default="static", help="leave out needless steps where that is sound"
    )
    parser.add_argument(
        "--threads",
        type=_whole,
        metavar="N",
        help="search with so many threads; without it one, or for large searches one for each processor",
    )
    parser.add_argument("--memory", type=_size, metavar="4G", help="stop, incomplete, above this much memory")
    parser.add_argument("--time", type=_duration, metavar="60s", help="stop, incomplete, after this time")
    parser.add_argument("--trace", metavar="FILE", help="write the counterexample here, for `everafter replay`")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print the results")
    _add_full(parser)


def _add_full(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="print every step of a long run, also those in the middle")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    parser.add_argument("trace", metavar="TRACE", help="a trace of ours, or a .trail of SPIN's")
    _add_full(parser)


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another run")
    parser.add_argument("--steps", type=int, default=1000, metavar="N", help="stop after so many steps")
    parser.add_argument("--interactive", action="store_true", help="choose every step yourself")


def _add_ltl(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("formula", metavar="FORMULA", help="for example '[] (p -> <> q)'")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print the automaton")
