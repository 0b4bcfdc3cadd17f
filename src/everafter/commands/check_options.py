"""The options of `everafter check`; what it does is loaded when they are right."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from everafter.commands.model_options import MODEL, add_warnings
from everafter.commands.option_parser import add_flags
from everafter.commands.question_options import add_question
from everafter.commands.report_options import ReportOptions
from everafter.commands.status import Command, StrictParser
from everafter.flags import SEARCH, flags
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.source import OptionError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Let `parser` take what `everafter check` takes."""
    parser.add_argument("models", metavar="MODEL", nargs="+", help=f"{MODEL}; several are checked one by one")
    add_question(parser)
    add_warnings(parser)
    add_flags(parser, [flag for flag in flags(Request) if flag.bears_on == SEARCH])
    add_flags(parser, flags(Limits))
    add_flags(parser, flags(ReportOptions))


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a check that is not made by the command line. Raises OptionError for what it cannot have."""
    from everafter.commands.sweep import Sweep  # noqa: PLC0415 # the command line need not wait for it

    parser = StrictParser(add_help=False)
    add_options(parser)
    options = parser.parse_args(arguments)
    for name in ("trace", "html", "plot", "checkpoint"):
        if getattr(options, name) is not None:
            raise OptionError(f"--{name} has no meaning here", "use the command line")
    if options.format != "text" or len(options.models) > 1 or Sweep.of(options) is not None:
        raise OptionError("a format, several models or a sweep have no meaning here", "use the command line")
    return options


def _check(options: argparse.Namespace) -> int:
    from everafter.commands.check import check_with  # noqa: PLC0415 # a mistyped option need not wait for it

    return check_with(options)


CHECK = Command(add_options, _check)
