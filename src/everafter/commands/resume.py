"""`everafter resume`: go on with a check from its last checkpoint."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from everafter.commands.check import FORMATS, check_with
from everafter.commands.checkpoint import Folder
from everafter.commands.command import Command
from everafter.commands.quantities import duration, size
from everafter.source import OptionError

CHANGED = ("memory", "time", "disk", "format", "checkpoint_every")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the folder of the checkpoints, or the URL")
    parser.add_argument(
        "--memory", type=size, metavar="4G", help="stop above this much memory, instead of the limit before"
    )
    parser.add_argument("--time", type=duration, metavar="60s", help="stop after this time, instead of the time before")
    parser.add_argument(
        "--disk", metavar="FOLDER|none", help="where stacks go when memory is short, instead of the folder before"
    )
    parser.add_argument("--format", choices=FORMATS, help="how to print the results, instead of as before")
    parser.add_argument("--checkpoint-every", type=duration, metavar="2m", help="write checkpoints so often")


def _run(options: argparse.Namespace) -> int:
    folder = Folder.read(options.folder)
    given = {name: getattr(options, name) for name in CHANGED if getattr(options, name) is not None}
    asked = argparse.Namespace(**(folder.options | given | {"checkpoint": folder.place}))
    with _inside(folder.directory):
        return check_with(asked)


@contextmanager
def _inside(directory: str) -> Iterator[None]:
    """Work in a folder, and then again in the one before, unless that has been removed meanwhile."""
    before = Path.cwd()
    try:
        os.chdir(directory)
    except OSError as error:
        raise OptionError(f"the folder {directory}, where the check was begun, is gone: {error.strerror}") from error
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(before)


RESUME = Command("resume", "go on with a check from its last checkpoint", _add_options, _run)
