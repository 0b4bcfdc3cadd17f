"""`everafter resume`: go on with a check from its last checkpoint."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from everafter.commands.check import check_with
from everafter.commands.checkpoint import CheckFolder
from everafter.commands.option_parser import add_resumed, every_flag
from everafter.commands.status import Command
from everafter.source import OptionError


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the folder of the checkpoints, or the URL")
    add_resumed(parser)


def _run(options: argparse.Namespace) -> int:
    folder = CheckFolder.read(options.folder)
    changed = [each.dest for each in every_flag() if each.resumed and getattr(options, each.dest) is not None]
    given = {name: getattr(options, name) for name in changed}
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


RESUME = Command(_add_options, _run)
