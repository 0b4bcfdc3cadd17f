"""How a command ends: exit statuses, and what is said of errors. `cli` needs no more before a command is chosen.

Exit status: 0 all hold, 1 something violated, 2 bad input or usage, 3 incomplete, 4 internal error.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NoReturn

from everafter.characters import visible_line
from everafter.record import dataclass
from everafter.source import EverafterError, InputError, OptionError, closest

HOLDS, VIOLATED, BAD_INPUT, INCOMPLETE, INTERNAL_ERROR = range(5)
BY_WEIGHT = (HOLDS, INCOMPLETE, VIOLATED, BAD_INPUT, INTERNAL_ERROR)
"""Of several exit statuses the one that comes last here counts."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a word of the command line takes, and what it does, which returns the exit status."""

    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class StrictParser(argparse.ArgumentParser):
    """Raises OptionError for what is wrong with a command line, with what may be meant, and says no more."""

    def error(self, message: str) -> NoReturn:
        """Raise OptionError for the `message` of argparse."""
        if found := re.match(r"unrecognized arguments: ([^\s=]+)", message):
            raise OptionError(message, closest(found[1], self._spellings()))
        said = message.removeprefix("argument ")
        if found := re.match(r"(\S+): invalid choice: '(.*?)'", said):
            choices = self._choices(found[1])
            nearest = closest(found[2], choices)
            if found[1] == "COMMAND":
                raise OptionError(f"there is no command '{found[2]}'", nearest or f"{self.prog} --help")
            raise OptionError(f"{found[1]}: '{found[2]}' is none of {', '.join(choices)}", nearest)
        raise OptionError(said, f"{self.prog} --help" if "are required" in said else None)

    def _spellings(self) -> Iterable[str]:
        """The options of this parser and of its commands."""
        commands = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        parsers = [self, *(parser for action in commands for parser in action.choices.values())]
        return [option for parser in parsers for option in parser._option_string_actions]

    def _choices(self, name: str) -> list[str]:
        """The values of an option, or of an argument without one."""
        for action in self._actions:
            if name in (action.metavar, action.dest, *"/".join(action.option_strings).split("/")):
                return list(action.choices or ())
        return []


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
    if isinstance(error, InputError | OptionError):
        return BAD_INPUT
    from everafter.deadline import OutOfTime  # noqa: PLC0415 # what raises it has loaded it
    from everafter.ltl.functions import TooLargeError  # noqa: PLC0415 # likewise

    return INCOMPLETE if isinstance(error, TooLargeError | OutOfTime) else BAD_INPUT
