"""Records of options: each option is declared once, as a field, and all that offers it is made of that.

    store: StoreKind | None = option(None, SEARCH, "keep states whole, …", metavar="plain|tree", choices=STORES)

The command line (everafter.commands.option_parser), the Python API, the validation, the tables of docs/ and what
`resume` lets change are made of the fields of `Request`, `Limits` and `ReportOptions`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, Final, Literal

from everafter.record import dataclass, field, fields, replace
from everafter.source import OptionError, closest

BEARS_ON: Final = "bears on"
"""The key of the metadata under which a field says what it bears on: one of the following."""
PROPERTY: Final = "property"
"""It names a property."""
CONDITION: Final = "condition"
"""A verdict is true under it: the user who is shown the verdict must be shown the field, too."""
SEARCH: Final = "search"
"""It changes how an answer is found, or what is known beside it, and never the verdict."""
LIMIT: Final = "limit"
"""It bounds the check."""
REPORT: Final = "report"
"""It changes what is printed or written."""

Kind = Literal["text", "file", "whole number", "size", "duration"]
"""What an option takes, where that is not said by its default: a default of False is a switch, a tuple a list."""
_FLAG: Final = "flag"


@dataclass(frozen=True, slots=True)
class Flag:
    """How an option is spelled on the command line, and what its values may be."""

    help: str
    """What `--help` says of it."""
    says: str | Mapping[str, str] = ""
    """What docs/command-line.md says, where that is more: one text, or one for each of some values."""
    flag: str = ""
    """As it is written; without it, the name of the field with two dashes."""
    metavar: str | None = None
    """What `--help` writes for the value. Without it and with `choices`, these, and nothing else is parsed."""
    kind: Kind = "text"
    choices: Collection[str] = ()
    called: str = ""
    """What messages call it, if not by the name of the field."""
    check: Callable[[Any], None] | None = None
    """Raises OptionError for a value, not None, that has no meaning."""
    read: Callable[[Any], Any] | None = None
    """Makes the field's value of what the command line has."""
    also: tuple[Flag, ...] = ()
    """Other spellings, which add to the same list."""
    may_change: bool = False
    """Whether a check may go on from a checkpoint with another value."""
    resumed: str = ""
    """What `everafter resume --help` says of it, if `resume` takes it."""
    alone: str = ""
    """Why it has no meaning with several models, if it has none."""
    in_sweep: bool = True
    """Whether it has a meaning for a sweep."""
    name: str = ""
    """The field; of another spelling, the attribute of parsed options."""
    bears_on: str = ""
    default: Any = None

    @property
    def option(self) -> str:
        """The option as it is written."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def dest(self) -> str:
        """The attribute of parsed options that has the value."""
        return self.option[2:].replace("-", "_") if self.option.startswith("--") else self.name


def option(default: Any, bears_on: str, help: str, **how: Any) -> Any:
    """Declare a field of a record of options: its `default`, what it `bears_on`, its `help`, and more of its `Flag`."""
    return field(default=default, metadata={BEARS_ON: bears_on, _FLAG: Flag(help, **how)})


def flags(record: Any) -> tuple[Flag, ...]:
    """Return the options that the fields of `record`, a class of records, declare, in order."""
    return _flags(record)


@cache
def _flags(record: Any) -> tuple[Flag, ...]:
    return tuple(
        replace(each.metadata[_FLAG], name=each.name, bears_on=each.metadata[BEARS_ON], default=each.default)
        for each in fields(record)
        if _FLAG in each.metadata
    )


def check_options(record: Any) -> None:
    """Let each list of `record` be a tuple, and raise OptionError for a value that has no meaning."""
    for each in flags(type(record)):
        value = getattr(record, each.name)
        if each.default == ():
            value = (value,) if isinstance(value, str) else tuple(value)
            object.__setattr__(record, each.name, value)
        if value is None and each.default is None:
            continue
        if each.choices:
            for one in value if isinstance(value, tuple) else (value,):
                one_of(each.called or each.name, one, each.choices)
        if each.check is not None:
            each.check(value)


def one_of(what: str, value: object, allowed: Collection[str]) -> None:
    """Raise OptionError, with advice, unless `value`, which is called `what`, is one of those `allowed`."""
    if isinstance(value, str) and value in allowed:
        return
    advice = closest(value, allowed) if isinstance(value, str) else None
    raise OptionError(f"there is no {what} {value!r}", advice or f"choose one of {', '.join(allowed)}")
