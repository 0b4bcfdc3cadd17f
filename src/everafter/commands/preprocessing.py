"""The options that SPIN hands to its C preprocessor: macros, and folders of included files."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable


def add_preprocessing(parser: argparse.ArgumentParser) -> None:
    """Let a command take `-D`, `-U`, `-I` and `-E`; they become `define` and `include` of its options."""
    parser.set_defaults(define=[], include=[])
    for option, value, meaning in (
        ("-D", "NAME=VALUE", "define a macro"),
        ("-U", "NAME", "take back an earlier -D"),
        ("-I", "FOLDER", "look for included files in this folder too"),
        ("-E", "OPTION", "-D, -U or -I, as SPIN passes them on: -E-DN=3"),
    ):
        parser.add_argument(
            option, dest="preprocessing", action=_Preprocessing, default=argparse.SUPPRESS, metavar=value, help=meaning
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
