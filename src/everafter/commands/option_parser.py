"""Options of the command line, made of the fields of records (everafter.flags), and records made of parsed options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from everafter.commands.preprocessing import ReadingOptions
from everafter.commands.quantities import duration, size, whole_number
from everafter.commands.report_options import ReportOptions
from everafter.flags import Flag, Kind, flags
from everafter.questions.limits import Limits
from everafter.questions.request import Request

RECORDS: Final = (ReadingOptions, Request, Limits, ReportOptions)
"""The records that declare the options of a check."""
_READERS: Final[Mapping[Kind, Callable[[str], Any]]] = MappingProxyType(
    {"whole number": whole_number, "size": size, "duration": duration}
)


def every_flag() -> Iterator[Flag]:
    """Yield the options of a check that are declared by fields, each once."""
    for record in RECORDS:
        yield from flags(record)


def spellings(flag: Flag) -> Iterator[Flag]:
    """Yield `flag`, and its other spellings."""
    yield flag
    yield from flag.also


def add_flags(parser: argparse._ActionsContainer, chosen: Iterable[Flag]) -> None:
    """Let `parser` take the options `chosen` of those that records declare."""
    for each in chosen:
        for spelling in spellings(each):
            _add(parser, spelling, is_switch=each.default is False and each.kind != "file", default=each.default)


def _add(parser: argparse._ActionsContainer, flag: Flag, is_switch: bool, default: Any) -> None:
    if is_switch:
        parser.add_argument(flag.option, dest=flag.dest, action="store_true", help=flag.help)
    elif default == ():
        parser.add_argument(
            flag.option, dest=flag.dest, action="append", default=[], metavar=flag.metavar, help=flag.help
        )
    else:
        parser.add_argument(
            flag.option,
            dest=flag.dest,
            default=None if flag.kind == "file" else default,
            metavar=flag.metavar,
            help=flag.help,
            **_taken(flag),
        )


def _taken(flag: Flag) -> dict[str, Any]:
    """What argparse is to do with the text of an option."""
    if flag.choices and flag.metavar is None:
        return {"choices": flag.choices}
    return {"type": _READERS[flag.kind]} if flag.kind in _READERS else {}


def add_resumed(parser: argparse.ArgumentParser) -> None:
    """Let `parser` take the options that `resume` takes: without them all is as it was."""
    for each in every_flag():
        if each.resumed:
            parser.add_argument(each.option, metavar=each.metavar, help=each.resumed, **_taken(each))


def values_of(record: type, options: argparse.Namespace, bears_on: Collection[str] = ()) -> dict[str, Any]:
    """Return what `options` say of the fields of `record`: of all, or of those that bear on one of `bears_on`."""
    return {each.name: _value(each, options) for each in flags(record) if not bears_on or each.bears_on in bears_on}


def _value(flag: Flag, options: argparse.Namespace) -> Any:
    if flag.default == ():
        return list(
            dict.fromkeys(_read(each, text) for each in spellings(flag) for text in getattr(options, each.dest))
        )
    value = getattr(options, flag.dest)
    return value if value is None and flag.default is None else _read(flag, value)


def _read(flag: Flag, value: Any) -> Any:
    return value if flag.read is None else flag.read(value)


def request_of(options: argparse.Namespace) -> Request:
    """What `options` ask for, and how it is to be searched for. Raises OptionError for what has no meaning."""
    return Request(**values_of(Request, options))


def limits_of(options: argparse.Namespace) -> Limits:
    """The limits that `options` set. Raises OptionError for what has no meaning."""
    return Limits(**values_of(Limits, options))


def files_read(options: argparse.Namespace) -> Iterator[str]:
    """Yield the files, beside the models, that `options` name to be read."""
    for flag in every_flag():
        for each in spellings(flag):
            if each.kind == "file":
                value = getattr(options, each.dest)
                yield from value if isinstance(value, list) else [value] if value is not None else []
