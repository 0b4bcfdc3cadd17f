"""`everafter check`: the verdict on everything a model states, or on what is asked."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import everafter
from everafter.characters import visible_line
from everafter.commands.certificate import certified_results
from everafter.commands.command import check_writable, load_model, output_style, tell_warnings
from everafter.commands.option_parser import every_flag, limits_of, request_of, spellings
from everafter.commands.status import (
    BAD_INPUT,
    BY_WEIGHT,
    HOLDS,
    INCOMPLETE,
    INTERNAL_ERROR,
    VIOLATED,
    explanation,
    status_of,
    tell,
    tell_line,
)
from everafter.commands.sweep import Sweep, check_sweep
from everafter.deadline import Deadline, OutOfTime
from everafter.hints.sentences import remarks
from everafter.hints.unasked_labels import unasked_labels
from everafter.questions.request import Request
from everafter.record import replace
from everafter.report.json_report import as_json, unread_as_json
from everafter.report.model_report import Checked
from everafter.report.progress import ProgressLine
from everafter.report.text import counterexample, fitted, summary
from everafter.source import EverafterError, OptionError, check_apart, check_output
from everafter.specification import files_of
from everafter.user_model import Model
from everafter.verdict.result import Result


def check_with(options: argparse.Namespace) -> int:
    """Check as the options say; the exit status."""
    started = time.monotonic()
    several = len(options.models) > 1
    for each in every_flag():
        if several and each.alone and getattr(options, each.dest) is not None:
            raise OptionError(each.alone, "check them one by one")
    check_apart((options.trace, options.html, options.certificate, options.plot))
    for path in (options.trace, options.html):
        if path is not None:
            check_writable(path, _inputs(options))
    if options.certificate is not None:
        check_output(options.certificate, _inputs(options))
    try:
        request = request_of(options)
    except EverafterError as error:
        if options.format == "text":
            raise
        return _refused(options, error)
    deadline = Deadline.after(options.time, started)
    sweep = Sweep.of(options)
    if options.checkpoint is not None:
        from everafter.commands.checkpoint import check_alone  # noqa: PLC0415 # few checks write checkpoints

        check_alone(options, sweep is not None)
    if sweep is not None:
        return check_sweep(sweep, options, request, deadline, _status)
    if options.plot is not None:
        raise OptionError("--plot shows how a sweep grows", "sweep over a parameter: -D N=2..6")
    is_json = options.format == "json"
    statuses: list[int] = []
    done: list[Checked] = []
    for number, path in enumerate(options.models):
        if several and is_json:
            print("," if number else "[")
        elif number and options.format == "text":
            print()
        status, checked = _check_model(path, options, request, deadline.share(len(options.models) - number))
        statuses.append(status)
        done.append(checked)
        if any(result.reason.startswith("interrupted") for result in checked.results):
            break
    if several and is_json:
        print("]")
    if options.format not in ("text", "json"):
        print(_document(options.format, done), end="")
    if options.checkpoint is not None and all(map(_is_decided, done)):
        sys.stdout.flush()  # only then: whoever kills the check before can go on with it
        from everafter.commands.checkpoint import end  # noqa: PLC0415 # likewise

        end(options.checkpoint)
    return max(statuses, key=BY_WEIGHT.index)


def _inputs(options: argparse.Namespace) -> list[str]:
    """The files that the options name to be read."""
    every = chain.from_iterable(map(spellings, every_flag()))
    given = [getattr(options, each.dest, None) for each in every if each.kind == "file"]
    named = chain.from_iterable([each] if isinstance(each, str) else each or () for each in given)
    return [*options.models, *named]


def _is_decided(checked: Checked) -> bool:
    """Whether everything that was asked has its answer."""
    return checked.error is None and all(result.verdict != "incomplete" for result in checked.results)


def _refused(options: argparse.Namespace, error: EverafterError) -> int:
    """Say, also to programs, that nothing can be checked in this way."""
    tell(explanation(error))
    if options.format == "json":
        told = [unread_as_json(path, error, everafter.__version__) for path in options.models]
        print(told[0] if len(told) == 1 else "[\n" + ",\n".join(told) + "\n]")
    else:
        print(_document(options.format, [Checked(path, error=error) for path in options.models]), end="")
    return status_of(error)


def _document(format: str, models: Sequence[Checked]) -> str:
    """The report that is one document for all models of a command."""
    from everafter.report.github import as_github  # noqa: PLC0415 # few checks are reported so
    from everafter.report.junit import as_junit  # noqa: PLC0415 # likewise
    from everafter.report.sarif import as_sarif  # noqa: PLC0415 # likewise

    match format:
        case "junit":
            return as_junit(models)
        case "sarif":
            return as_sarif(models, everafter.__version__)
    return as_github(models)


def _check_model(path: str, options: argparse.Namespace, request: Request, deadline: Deadline) -> tuple[int, Checked]:
    """Check one model, and print what was found, or why it cannot be checked; the exit status, and what was found."""
    started = time.monotonic()
    try:
        with deadline.enforced():
            model = load_model(path, options, options.never, request)
        for output in (options.certificate, options.trace, options.html):
            if output is not None:
                check_output(output, files_of(model))
        if options.warnings != "none":
            unasked = unasked_labels(model.program, request)
            tell_warnings(unasked)
            model = replace(model, warnings=(*model.warnings, *unasked))
        unread = list(model.unread.values()) if request.asks_nothing else []
        if unread:
            request = _of_the_others(model, request)
            for wrong in unread:
                tell(explanation(wrong))
                model = replace(model, warnings=(*model.warnings, *wrong.diagnostics))
        if options.checkpoint is not None:
            from everafter.commands.checkpoint import CheckFolder  # noqa: PLC0415 # likewise

            CheckFolder.of(options, model, request).begin()
        limits = limits_of(options)
        progress = ProgressLine(sys.stderr)
        try:
            results, is_certified = certified_results(options, model, request, limits, progress.show, deadline)
        finally:
            progress.clear()
    except EverafterError as error:
        tell(explanation(error))
        if options.format == "json":
            print(unread_as_json(path, error, everafter.__version__))
        return status_of(error), Checked(path, seconds=time.monotonic() - started, error=error)
    is_written = _write_files(options, model, results) and is_certified
    seconds = time.monotonic() - started
    match options.format:
        case "json":
            sys.stdout.writelines(as_json(model.name, results, seconds, everafter.__version__, warnings=model.warnings))
            print()
        case "text":
            _print_results(model, results, deadline, options.full)
    status = max(_status(model, results), BAD_INPUT if unread else HOLDS, key=BY_WEIGHT.index)
    places = {formula.name: formula.place for formula in model.tree.formulas}
    checked = Checked(model.name, tuple(results), seconds, model.warnings, places)
    return (status if is_written else max(status, INCOMPLETE)), checked


def _of_the_others(model: Model, request: Request) -> Request:
    """The request for all that the model states but what cannot be read."""
    has_never = any(process.role == "never" for process in model.program.processes)
    return replace(request, safety=True, formulas=tuple(model.formulas), never=has_never)


def _write_files(options: argparse.Namespace, model: Model, results: list[Result]) -> bool:
    """Write what is asked for beside the report; whether that succeeded."""
    is_written = options.trace is None or _write_traces(options, model, results)
    return (options.html is None or _write_page(options.html, model, results)) and is_written


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
    style = output_style()
    width = max(len(result.property) for result in results)
    print(visible_line(model.name))
    for result in results:
        print("  " + summary(result, width, style).replace("\n", "\n  "))
    for result in results:
        for line in remarks(result, full):
            print(fitted(line, style))
        if result.counterexample is not None:
            print(f"\n{visible_line(result.property)}:")
            try:
                with deadline.enforced():
                    text = counterexample(result.counterexample, style, full)
            except OutOfTime as over:
                text = f"  {len(result.counterexample):,} steps, not printed: {over}"
            print(fitted(text, style))


def _write_traces(options: argparse.Namespace, model: Model, results: list[Result]) -> bool:
    """Write the first counterexample, or all if all are wanted: the second one to m.pml2.trail for m.pml.trail.

    If that fails, say why: the results are told all the same.
    """
    first = Path(options.trace)
    violated = [result for result in results if result.counterexample is not None]
    paths = [first, *(first.with_name(f"{first.stem}{n}{first.suffix}") for n in range(2, len(violated) + 1))]
    wanted = len(violated) if options.all_violations else 1
    return all(_write_trace(str(path), model, each) for path, each in zip(paths[:wanted], violated, strict=False))


def _write_trace(path: str, model: Model, violated: Result) -> bool:
    """Write a counterexample; whether that could be done."""
    from everafter.verdict.trace import trace_of  # noqa: PLC0415 # traces are seldom written
    from everafter.verdict.trail import trail_of  # noqa: PLC0415 # likewise

    run = violated.counterexample
    assert run is not None
    as_trail = path.endswith(".trail")
    lines = trail_of(run) if as_trail else trace_of(run, model.name, violated.property, model.defines).text()
    return _written(path, lines, "trace", files_of(model))


def _write_page(path: str, model: Model, results: list[Result]) -> bool:
    """Write the page of the results; whether that could be done."""
    from everafter.page.check_page import page_of  # noqa: PLC0415 # likewise
    from everafter.page.html import document  # noqa: PLC0415 # takes its time, and few checks need it

    page = page_of(model.name, everafter.__version__, model.program, results)
    return _written(path, document(page), "page", files_of(model))


def _written(path: str, pieces: Iterable[str], what: str, inputs: Iterable[str]) -> bool:
    """Write a file, none of the inputs, piece by piece, and say so, or why that failed."""
    try:
        check_output(path, inputs)
        with Path(path).open("w", encoding="utf-8") as file:
            file.writelines(pieces)
    except OptionError as error:
        tell(explanation(error))
        return False
    except OSError as error:
        tell_line(f"everafter: cannot write {path}: {error.strerror or error}")
        return False
    tell_line(f"{what} written to {path}")
    return True
