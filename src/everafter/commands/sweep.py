"""Sweeps of `everafter check`: a model under every choice of some parameters, `-D N=2..6` or `-D N=2,4,8`."""

from __future__ import annotations

import argparse
import itertools
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import everafter
from everafter.check import check
from everafter.commands.command import check_writable, load_model, output_style
from everafter.commands.option_parser import every_flag, limits_of
from everafter.commands.preprocessing import defined
from everafter.commands.status import BY_WEIGHT, explanation, status_of, tell, tell_line
from everafter.deadline import Deadline
from everafter.questions.request import Request
from everafter.record import dataclass
from everafter.report.json_report import as_json, unread_as_json
from everafter.report.progress import ProgressLine
from everafter.report.sweep_table import Point, SweepTable, bars
from everafter.source import EverafterError, OptionError
from everafter.user_model import Model
from everafter.verdict.result import Result

MOST_CHOICES = 1000
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_LIST = re.compile(r"-?\d+(,-?\d+)+")

Define = tuple[str, str | None]
Status = Callable[[Model, list[Result]], int]
"""The exit status of the results for one model."""


def values_of(text: str) -> list[str]:
    """The values that a definition stands for: all of a range or a list of numbers, else the text itself."""
    if (limits := _RANGE.fullmatch(text)) is not None:
        first, last = int(limits[1]), int(limits[2])
        if first > last:
            raise OptionError(f"the range {text} is empty", f"write {last}..{first}")
        if last - first >= MOST_CHOICES:
            raise OptionError(f"the range {text} has {last - first + 1:,} values", f"choose at most {MOST_CHOICES:,}")
        return [str(number) for number in range(first, last + 1)]
    return text.split(",") if _LIST.fullmatch(text) else [text]


@dataclass(frozen=True, slots=True)
class Sweep:
    """The choices of a sweep: what differs, and what is defined besides."""

    parameters: dict[str, list[str]]

    @staticmethod
    def of(options: argparse.Namespace) -> Sweep | None:
        """The sweep that the definitions ask for, or None if there is one choice only. Raises OptionError."""
        every = {name: values_of(value) for name, value in defined(options.define).items()}
        several = {name: values for name, values in every.items() if values != [defined(options.define)[name]]}
        return Sweep(several) if several else None

    def choices(self) -> list[dict[str, str]]:
        """Every choice of the parameters, the last one changing fastest."""
        return [
            dict(zip(self.parameters, chosen, strict=True)) for chosen in itertools.product(*self.parameters.values())
        ]


def check_sweep(sweep: Sweep, options: argparse.Namespace, request: Request, deadline: Deadline, status: Status) -> int:
    """Check the model under every choice of `sweep`, and print and draw the results; return the worst exit status.

    `options`, `request` and `deadline` are those of the command, `status` that of a result.
    """
    _refuse(options)
    choices = sweep.choices()
    if len(choices) > MOST_CHOICES:
        raise OptionError(f"the sweep has {len(choices):,} choices", f"choose at most {MOST_CHOICES:,}")
    if options.plot is not None:
        check_writable(options.plot, options.models)
    runner = _Runner(options, request, deadline, status, choices)
    is_json = options.format == "json"
    points = list(runner.told_as_json() if is_json else runner.told_as_table())
    if points and not is_json:
        encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
        print("", *bars(points, is_ascii=not encoding.startswith("utf")), sep="\n")
    if points and options.plot is not None:
        from everafter.report.sweep_picture import growth_svg  # noqa: PLC0415 # few sweeps are drawn

        Path(options.plot).write_text("\n".join(growth_svg(options.models[0], points)) + "\n", encoding="utf-8")
        tell_line(f"picture written to {options.plot}")
    return runner.worst()


def _refuse(options: argparse.Namespace) -> None:
    """What cannot be had of a sweep."""
    if len(options.models) > 1 or options.models == ["-"]:
        raise OptionError("a sweep is over one model in a file", "check models one by one")
    if options.format not in ("text", "json"):
        raise OptionError(f"--format {options.format} has no meaning for a sweep", "use text or json")
    for each in every_flag():
        if not each.in_sweep and getattr(options, each.dest) != each.default:
            raise OptionError(f"{each.option} has no meaning for a sweep", "check one choice of the parameters for it")


class _Runner:
    """Checks choice by choice, also after one that cannot be read."""

    def __init__(
        self,
        options: argparse.Namespace,
        request: Request,
        deadline: Deadline,
        status: Status,
        choices: list[dict[str, str]],
    ) -> None:
        self.options = options
        self.request = request
        self.deadline = deadline
        self.status = status
        self.choices = choices
        self.statuses: list[int] = []

    def worst(self) -> int:
        """The exit status of the sweep."""
        return max(self.statuses, key=BY_WEIGHT.index)

    def told_as_table(self) -> Iterator[Point]:
        """Print each result as a line of a table when it comes."""
        table: SweepTable | None = None
        for choice, results, _ in self._answers():
            if isinstance(results, EverafterError):
                tell(f"{_label(choice)}: {explanation(results)}")
                continue
            if table is None:
                print(self.options.models[0])
                table = SweepTable(self.choices, [result.property for result in results], output_style())
                print(table.heading())
            for result in results:
                point = Point(choice, result)
                print(table.line(point), flush=True)
                yield point

    def told_as_json(self) -> Iterator[Point]:
        """Print one list, with an object for each choice."""
        name, version = self.options.models[0], everafter.__version__
        print("[")
        for number, (choice, results, seconds) in enumerate(self._answers()):
            print("," if number else "", end="")
            if isinstance(results, EverafterError):
                tell(f"{_label(choice)}: {explanation(results)}")
                print(unread_as_json(name, results, version, choice))
                continue
            sys.stdout.writelines(as_json(name, results, seconds, version, choice=choice))
            print()
            yield from (Point(choice, result) for result in results)
        print("]")

    def _answers(self) -> Iterable[tuple[dict[str, str], list[Result] | EverafterError, float]]:
        """Each choice with its results, or why there are none, and the seconds it took."""
        for number, choice in enumerate(self.choices):
            started = time.monotonic()
            try:
                results = self._results(choice, self.deadline.share(len(self.choices) - number))
            except EverafterError as error:
                self.statuses.append(status_of(error))
                yield choice, error, 0.0
                continue
            yield choice, results, time.monotonic() - started
            if any(result.reason.startswith("interrupted") for result in results):
                return

    def _results(self, choice: dict[str, str], deadline: Deadline) -> list[Result]:
        options = argparse.Namespace(**vars(self.options))
        options.define = [*self.options.define, *choice.items()]
        with deadline.enforced():
            model = load_model(options.models[0], options, options.never, self.request)
        progress = ProgressLine(sys.stderr)
        try:
            limits = limits_of(options)
            results = check(model, self.request, limits, progress.show, deadline)
        finally:
            progress.clear()
        self.statuses.append(self.status(model, results))
        return results


def _label(choice: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in choice.items())
