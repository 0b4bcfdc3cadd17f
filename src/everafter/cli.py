"""The command line.

Exit status: 0 all hold, 1 something violated, 2 bad input or usage, 3 incomplete, 4 internal error.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import everafter
from everafter.check import Model, check, load, program_asked, read_source
from everafter.checking.limits import Limits
from everafter.checking.request import ALGORITHMS, Request
from everafter.deadline import Deadline, OutOfTime
from everafter.ltl import FORMATS, TooLargeError, show
from everafter.report.encoding import make_safe
from everafter.report.machine import as_json
from everafter.report.progress import ProgressLine
from everafter.report.simulation import interactive_run, random_run
from everafter.report.text import Style, counterexample, steps, summary
from everafter.source import InputError, OptionError, Source
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.trace import is_trail, read_trace, run_of_trace, run_of_trail, trace_of

HOLDS, VIOLATED, BAD_INPUT, INCOMPLETE, INTERNAL_ERROR = range(5)
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""What keeps an output from being written, and is no fault of ours."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit status listed above."""
    # A deeply nested expression is a deep recursion, and Python's own limit is low.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))
    make_safe(sys.stdout)
    make_safe(sys.stderr)
    try:
        options = _parser().parse_args(arguments)
        status: int = options.run(options)
        sys.stdout.flush()  # here at the latest it shows that the output cannot be written
        return status
    except InputError as error:
        _tell(error.render())
        return BAD_INPUT
    except OptionError as error:
        advice = f"\n  help: {error.advice}" if error.advice else ""
        _tell(f"everafter: {error.message}{advice}")
        return BAD_INPUT
    except ReplayError as error:
        _tell(f"everafter: {error}")
        return BAD_INPUT
    except (TooLargeError, OutOfTime) as error:
        _tell(f"everafter: {error}")
        return INCOMPLETE
    except KeyboardInterrupt:
        _tell("everafter: interrupted")
        return INCOMPLETE
    except BrokenPipeError:
        _drop_output()  # its reader has gone; there is nobody left to tell
        return INCOMPLETE
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            _drop_output()
            _tell(f"everafter: cannot write the output: {error.strerror}")
            return INCOMPLETE
        _tell(traceback.format_exc().rstrip("\n"))
        _tell("everafter: this is an error of everafter itself; please report it with the model")
        return INTERNAL_ERROR


def _tell(text: str) -> None:
    """A message for the user, if there still is somebody who reads it."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _drop_output() -> None:
    """Let what was not written go nowhere: Python would try once more at the end, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# check


def _check(options: argparse.Namespace) -> int:
    started = time.monotonic()
    if options.trace is not None:
        _check_writable(options.trace)
    request = Request(
        safety=options.safety,
        formulas=options.ltl,
        never=options.never is not None,
        automaton=read_source(options.hoa) if options.hoa is not None else None,
        acceptance=options.acceptance,
        progress=options.progress,
        fairness=options.fair,
        algorithm=options.algorithm,
        engine=options.engine,
        reduction=options.reduction,
        threads=options.threads,
    )
    limits = Limits(seconds=options.time, memory=options.memory)
    deadline = Deadline.after(limits.seconds, started)
    with deadline.enforced():
        model = _load(options, options.never)
    progress = ProgressLine(sys.stderr)
    try:
        results = check(model, request, limits, progress.show, deadline)
    finally:
        progress.clear()
    is_written = options.trace is None or _write_trace(options.trace, model, results)
    if options.format == "json":
        sys.stdout.writelines(as_json(model.name, results, time.monotonic() - started, everafter.__version__))
        print()
    else:
        _print_results(model, results, deadline, options.full)
    status = _status(model, results)
    return status if is_written else max(status, INCOMPLETE)


def _status(model: Model, results: list[Result]) -> int:
    """The exit status; a disagreement is told, with what to report."""
    for result in results:
        if result.disagreement:
            _tell_disagreement(model, result)
    if any(result.disagreement for result in results):
        return INTERNAL_ERROR
    verdicts = {result.verdict for result in results}
    if "violated" in verdicts:
        return VIOLATED
    return INCOMPLETE if "incomplete" in verdicts else HOLDS


def _tell_disagreement(model: Model, result: Result) -> None:
    defined = "".join(f" -D {name}={value}" for name, value in model.defines.items())
    print(
        f"everafter: the engine and the reference disagree about '{result.property}': {result.disagreement}",
        "  this is an error of everafter itself, and no verdict; please report it with",
        f"  the model {model.name}{defined}",
        f"  the property {result.property} and the options of this command",
        f"  everafter {everafter.__version__}, Python {sys.version.split()[0]}, {sys.platform}",
        sep="\n",
        file=sys.stderr,
    )


def _print_results(model: Model, results: list[Result], deadline: Deadline, full: bool) -> None:
    style = _style()
    width = max(len(result.property) for result in results)
    print(model.name)
    for result in results:
        print("  " + summary(result, width, style).replace("\n", "\n  "))
    for result in results:
        if result.counterexample is not None:
            print(f"\n{result.property}:")
            try:
                with deadline.enforced():
                    text = counterexample(result.counterexample, style, full)
            except OutOfTime as over:
                text = f"  {len(result.counterexample):,} steps, not printed: {over}"
            print(text)


def _check_writable(path: str) -> None:
    """That a file can be written, before time is spent on what goes into it. Raises OptionError."""
    file = Path(path)
    is_new = not file.exists()
    if not is_new and not file.is_file() and not file.is_dir():
        return  # to open a pipe may mean something to its reader
    try:
        file.open("a").close()
        if is_new:
            file.unlink()
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror or error}") from error


def _write_trace(path: str, model: Model, results: list[Result]) -> bool:
    """Write the first counterexample, if there is one. If that fails, say why: the results are told all the same."""
    violated = next((result for result in results if result.counterexample is not None), None)
    if violated is None or violated.counterexample is None:
        return True
    trace = trace_of(violated.counterexample, model.name, violated.property, model.defines)
    try:
        with Path(path).open("w", encoding="utf-8") as file:
            file.writelines(trace.text())
    except OSError as error:
        _tell(f"everafter: cannot write {path}: {error.strerror or error}")
        return False
    _tell(f"trace written to {path}")
    return True


# replay and simulate


def _replay(options: argparse.Namespace) -> int:
    try:
        text = Path(options.trace).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReplayError(f"cannot read {options.trace}: {error.strerror or error}") from error
    if is_trail(text):
        program = _load(options).program
        start, taken = run_of_trail(program, text)
        repeated = 0
    else:
        trace = read_trace(text)
        options.define = [f"{name}={value}" for name, value in trace.defines.items()] + options.define
        program = program_asked(_load(options), trace.formula)
        start, taken = run_of_trace(program, trace)
        repeated = len(trace.cycle)
    turn = len(taken) - repeated
    run = Counterexample(program, start, tuple(taken[:turn]), tuple(taken[turn:]))
    print("\n".join(steps(run, options.full)))
    problem = taken[-1].problem if taken else None
    if problem is not None:
        print(f"{problem.place}: {problem.message}")
    return HOLDS


def _simulate(options: argparse.Namespace) -> int:
    model = _load(options)
    if options.interactive:
        return interactive_run(model.program, sys.stdin, sys.stdout)
    return random_run(model.program, sys.stdout, options.seed, options.steps)


# ltl


def _ltl(options: argparse.Namespace) -> int:
    print(show(Source("<formula>", options.formula), options.format).rstrip("\n"))
    return HOLDS


# Options


def _load(options: argparse.Namespace, never: str | None = None) -> Model:
    defines = dict(_definition(text) for text in options.define)
    model = load(options.model, defines, loses_messages=options.lose_messages, never=never)
    for warning in model.warnings:
        print(warning.render(), file=sys.stderr)
    return model


def _definition(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value if "=" in text else "1"


def _style() -> Style:
    return Style(colours=sys.stdout.isatty() and "NO_COLOR" not in os.environ)


def _defined(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*(=.*)?", text, re.DOTALL):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME or NAME=VALUE")
    return text


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="everafter", description="An LTL model checker: Promela in, a verdict out.")
    parser.add_argument("--version", action="version", version=f"everafter {everafter.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_check(commands.add_parser("check", help="check everything a model states"))
    _add_replay(commands.add_parser("replay", help="step through a counterexample, ours or SPIN's"))
    _add_simulate(commands.add_parser("simulate", help="run a model at random, or by hand"))
    _add_ltl(commands.add_parser("ltl", help="show the automaton of a formula"))
    return parser


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a Promela file")
    parser.add_argument(
        "-D", dest="define", action="append", default=[], type=_defined, metavar="NAME=VALUE", help="define a macro"
    )
    parser.add_argument(
        "--lose-messages", action="store_true", help="a send to a full channel is executed, and its message lost"
    )


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    asked = parser.add_argument_group("properties", "without one of these, everything the model states is checked")
    asked.add_argument("--safety", action="store_true", help="assertions, end states and run-time errors")
    asked.add_argument(
        "--ltl", action="append", default=[], metavar="NAME-OR-FORMULA", help="a formula; may be given several times"
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
    parser.set_defaults(run=_check)


def _add_full(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="print every step of a long run, also those in the middle")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    parser.add_argument("trace", metavar="TRACE", help="a trace of ours, or a .trail of SPIN's")
    _add_full(parser)
    parser.set_defaults(run=_replay)


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another run")
    parser.add_argument("--steps", type=int, default=1000, metavar="N", help="stop after so many steps")
    parser.add_argument("--interactive", action="store_true", help="choose every step yourself")
    parser.set_defaults(run=_simulate)


def _add_ltl(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("formula", metavar="FORMULA", help="for example '[] (p -> <> q)'")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print the automaton")
    parser.set_defaults(run=_ltl)


if __name__ == "__main__":
    sys.exit(main())
