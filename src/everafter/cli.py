"""The command line.

Exit status: 0 all hold, 1 something violated, 2 bad input or usage, 3 incomplete, 4 internal error.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import everafter
from everafter.check import Model, check, load, program_asked, read_source
from everafter.checking.limits import Limits
from everafter.checking.request import Request
from everafter.deadline import Deadline, OutOfTime
from everafter.ltl import TooLargeError, show
from everafter.options import parser
from everafter.preprocessing import defined
from everafter.report.encoding import make_safe
from everafter.report.machine import as_json, unread_as_json
from everafter.report.progress import ProgressLine
from everafter.report.simulation import interactive_run, random_run
from everafter.report.text import Style, counterexample, steps, summary
from everafter.source import Diagnostic, EverafterError, InputError, OptionError, Place, Source
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.trace import is_trail, read_trace, run_of_trace, run_of_trail, trace_of

HOLDS, VIOLATED, BAD_INPUT, INCOMPLETE, INTERNAL_ERROR = range(5)
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""What keeps an output from being written, and is no fault of ours."""
_BY_WEIGHT = (HOLDS, INCOMPLETE, VIOLATED, BAD_INPUT, INTERNAL_ERROR)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit status listed above."""
    # A deeply nested expression is a deep recursion, and Python's own limit is low.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))
    make_safe(sys.stdout)
    make_safe(sys.stderr)
    try:
        options = parser().parse_args(arguments)
        status = _COMMANDS[options.command](options)
        sys.stdout.flush()  # here at the latest it shows that the output cannot be written
        return status
    except EverafterError as error:
        _tell(_explanation(error))
        return _status_of(error)
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


def _explanation(error: EverafterError) -> str:
    """What to say of input, options or limits that keep a command from its end."""
    if isinstance(error, InputError):
        return error.render()
    if isinstance(error, OptionError) and error.advice:
        return f"everafter: {error.message}\n  help: {error.advice}"
    return f"everafter: {error}"


def _status_of(error: EverafterError) -> int:
    return INCOMPLETE if isinstance(error, TooLargeError | OutOfTime) else BAD_INPUT


# check


def _check(options: argparse.Namespace) -> int:
    started = time.monotonic()
    if options.trace is not None:
        _check_writable(options.trace)
    request = _request(options)
    deadline = Deadline.after(options.time, started)
    if len(options.models) == 1:
        return _check_model(options.models[0], options, request, deadline)[0]
    return _check_several(options, request, deadline)


def _check_several(options: argparse.Namespace, request: Request, deadline: Deadline) -> int:
    """Check model by model, also after one that cannot be read; the exit status is the worst of theirs."""
    if options.trace is not None:
        raise OptionError("one file cannot hold the traces of several models", "check them one by one")
    is_json = options.format == "json"
    statuses: list[int] = []
    for number, path in enumerate(options.models):
        print(("," if number else "[") if is_json else "\n" * (number > 0), end="\n" if is_json else "")
        try:
            share = deadline.share(len(options.models) - number)
            status, results = _check_model(path, options, request, share)
            statuses.append(status)
            if any(result.reason == "interrupted" for result in results):
                break
        except EverafterError as error:
            _tell(_explanation(error))
            statuses.append(_status_of(error))
            if is_json:
                print(unread_as_json(path, str(error), everafter.__version__))
    if is_json:
        print("]")
    return max(statuses, key=_BY_WEIGHT.index)


def _check_model(
    path: str, options: argparse.Namespace, request: Request, deadline: Deadline
) -> tuple[int, list[Result]]:
    """Check one model, and print what was found; the exit status, and the results."""
    started = time.monotonic()
    with deadline.enforced():
        model = _load(path, options, options.never)
    limits = Limits(seconds=options.time, memory=options.memory)
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
    return (status if is_written else max(status, INCOMPLETE)), results


def _request(options: argparse.Namespace) -> Request:
    return Request(
        safety=options.safety,
        formulas=[*options.ltl, *map(_formula_in, options.formula_file)],
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


def _formula_in(path: str) -> str:
    """What must hold by a file of SPIN's: its first line says what must not be, and the lines behind it are notes."""
    source = read_source(path)
    if not source.line(1).strip():
        raise InputError([Diagnostic(Place(source, 1, 1), "the first line of this file must be a formula")])
    return f"!({source.line(1)})"


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
        program = _load(options.model, options).program
        start, taken = run_of_trail(program, text)
        repeated = 0
    else:
        trace = read_trace(text)
        options.define = [*trace.defines.items(), *options.define]
        program = program_asked(_load(options.model, options), trace.formula)
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
    if options.interactive and options.model == "-":
        raise OptionError("the standard input cannot give both the model and the choices", "name a file")
    model = _load(options.model, options)
    if options.interactive:
        return interactive_run(model.program, sys.stdin, sys.stdout)
    return random_run(model.program, sys.stdout, options.seed, options.steps)


# ltl


def _ltl(options: argparse.Namespace) -> int:
    print(show(Source("<formula>", options.formula), options.format).rstrip("\n"))
    return HOLDS


# What all commands share


def _load(path: str, options: argparse.Namespace, never: str | None = None) -> Model:
    defines = defined(options.define)
    model = load(path, defines, loses_messages=options.lose_messages, never=never, include=options.include)
    for warning in model.warnings:
        print(warning.render(), file=sys.stderr)
    return model


def _style() -> Style:
    return Style(colours=sys.stdout.isatty() and "NO_COLOR" not in os.environ)


_COMMANDS = {"check": _check, "replay": _replay, "simulate": _simulate, "ltl": _ltl}


if __name__ == "__main__":
    sys.exit(main())
