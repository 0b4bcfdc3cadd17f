"""How a command ends: exit statuses, and what is said of errors. `cli` needs no more before a command is chosen.

Exit status: 0 all hold, 1 something violated, 2 bad input or usage, 3 incomplete, 4 internal error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from everafter.characters import visible_line
from everafter.source import EverafterError, InputError, OptionError

HOLDS, VIOLATED, BAD_INPUT, INCOMPLETE, INTERNAL_ERROR = range(5)
BY_WEIGHT = (HOLDS, INCOMPLETE, VIOLATED, BAD_INPUT, INTERNAL_ERROR)
"""Of several exit statuses the one that comes last here counts."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a word of the command line takes, and what it does, which returns the exit status."""

    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def tell(text: str) -> None:
    """A message for the user, if the standard error output is still read."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def tell_line(text: str) -> None:
    """A message of one line, whatever the names in it are."""
    tell(visible_line(text))


def explanation(error: EverafterError) -> str:
    """What to say of input, options or limits that keep a command from its end."""
    if isinstance(error, InputError):
        return error.render()
    if isinstance(error, OptionError) and error.advice:
        return f"everafter: {visible_line(error.message)}\n  help: {visible_line(error.advice)}"
    return f"everafter: {visible_line(str(error))}"


def status_of(error: EverafterError) -> int:
    """The exit status of a command that such an error ends."""
    from everafter.deadline import OutOfTime  # noqa: PLC0415 # what raises it has loaded it
    from everafter.ltl import TooLargeError  # noqa: PLC0415 # likewise

    return INCOMPLETE if isinstance(error, TooLargeError | OutOfTime) else BAD_INPUT
