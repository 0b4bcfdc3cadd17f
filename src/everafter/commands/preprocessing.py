"""How a model is read: the options that SPIN hands to its C preprocessor, and those that bear on its meaning."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import Final, Literal

from everafter.flags import CONDITION, REPORT, Flag, option
from everafter.record import dataclass

PREPROCESSING: Final = (
    Flag(
        "define a macro",
        flag="-D",
        metavar="NAME=VALUE",
        bears_on=CONDITION,
        says={
            "NAME=VALUE": "define a macro; `-D NAME` means 1",
            "NAME=2..6`, `-D NAME=2,4,8": "for `check`: a sweep over these values ([sweeps.md](sweeps.md))",
        },
    ),
    Flag("take back an earlier -D", flag="-U", metavar="NAME", bears_on=CONDITION, says="take back an earlier `-D`"),
    Flag(
        "look for included files in this folder too",
        flag="-I",
        metavar="FOLDER",
        bears_on=CONDITION,
        says="look for included files there too, behind the folder of the file that includes them",
    ),
    Flag(
        "-D, -U or -I, as SPIN passes them on: -E-DN=3",
        flag="-E",
        metavar="OPTION",
        bears_on=CONDITION,
        says="`-D`, `-U` or `-I`, as SPIN passes them on to its preprocessor: `-E-DNAME=3`",
    ),
)
"""The options of the preprocessor, which are collected in the order in which they are given."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What else bears on how a model is read."""

    lose_messages: bool = option(
        False,
        CONDITION,
        "a send to a full channel is executed, and its message lost",
        says="SPIN's `-m`: a send to a full channel is executed, and its message lost",
    )
    warnings: Literal["all", "none"] = option(
        "all",
        REPORT,
        "what is likely a mistake is told, or not",
        choices=("all", "none"),
        may_change=True,
        says={"none": "do not tell what is likely a mistake ([understanding.md](understanding.md#likely-mistakes))"},
    )


def add_preprocessing(parser: argparse.ArgumentParser) -> None:
    """Let a command take `-D`, `-U`, `-I` and `-E`; they become `define` and `include` of its options."""
    parser.set_defaults(define=[], include=[])
    for each in PREPROCESSING:
        parser.add_argument(
            each.flag,
            dest="preprocessing",
            action=_Preprocessing,
            default=argparse.SUPPRESS,
            metavar=each.metavar,
            help=each.help,
        )


def defined(options: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """The macros that are left when all is said: a later `-D` or `-U` takes back an earlier one."""
    found: dict[str, str] = {}
    for name, value in options:
        if value is None:
            found.pop(name, None)
        else:
            found[name] = value
    return found


class _Preprocessing(argparse.Action):
    """Collects the options in the order in which they are given, which matters."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        option, text = option_string, str(values)
        if option == "-E":
            option, text = text[:2], text[2:]
        match option:
            case "-I":
                namespace.include = [*namespace.include, text]
            case "-D" | "-U":
                namespace.define = [*namespace.define, self._definition(parser, option, text)]
            case _:
                parser.error(f"-E passes on -DNAME, -UNAME and -IFOLDER, not '{values}'")

    @staticmethod
    def _definition(parser: argparse.ArgumentParser, option: str, text: str) -> tuple[str, str | None]:
        name, equals, value = text.partition("=")
        if not re.fullmatch(r"[A-Za-z_]\w*", name) or (equals and option == "-U"):
            parser.error(f"argument {option}: '{text}' is not NAME{' or NAME=VALUE' if option == '-D' else ''}")
        return name, None if option == "-U" else value if equals else "1"
