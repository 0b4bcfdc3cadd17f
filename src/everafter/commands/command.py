"""What the commands share: how a model is read, and how they write."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from os.path import exists
from pathlib import Path

from everafter.commands.preprocessing import defined
from everafter.questions.request import Request
from everafter.record import replace
from everafter.report.text import PLAIN, Style
from everafter.source import Diagnostic, InputError, OptionError, check_output
from everafter.stated_questions import warnings_of
from everafter.user_model import Model, load


def load_model(
    path: str, options: argparse.Namespace, never: str | None = None, request: Request | None = None
) -> Model:
    """Return the model in the file `path`, read as `options` and the claim `never` say, and print its warnings.

    With `request`, some of the warnings depend on it.
    """
    defines = defined(options.define)
    model = load(path, defines, loses_messages=options.lose_messages, never=never, include=options.include)
    if request is not None:
        with suppress(InputError):  # told when it is asked
            model = replace(model, warnings=warnings_of(model, request))
    if options.warnings == "none":
        return replace(model, warnings=())
    tell_warnings(model.warnings)
    return model


def tell_warnings(warnings: Iterable[Diagnostic]) -> None:
    """Print warnings, each with its place."""
    for warning in warnings:
        print(warning.render(), file=sys.stderr)


def output_style() -> Style:
    """How to write to the standard output: as wide as the terminal, and in colours, unless the user wants none."""
    if not sys.stdout.isatty():
        return PLAIN
    return Style(colours=not os.environ.get("NO_COLOR"), width=shutil.get_terminal_size().columns)


def check_writable(path: str, inputs: Iterable[str | None]) -> None:
    """Check that the file `path` can be written, before time is spent on what goes into it, and is none of `inputs`.

    Raises OptionError.
    """
    check_output(path, inputs)
    file = Path(path)
    is_new = not exists(file)
    if not is_new and not file.is_file() and not file.is_dir():
        return  # to open a pipe may mean something to its reader
    try:
        file.open("a").close()
        if is_new:
            file.unlink()
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror or error}") from error
