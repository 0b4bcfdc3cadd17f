"""`everafter schema`: the shape of what `check --format json` prints."""

from __future__ import annotations

import argparse

from everafter.commands.command import HOLDS, Command
from everafter.report.machine import schema_text


def _add_options(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def _run(options: argparse.Namespace) -> int:
    print(schema_text(), end="")
    return HOLDS


SCHEMA = Command("schema", "print the JSON Schema of `check --format json`", _add_options, _run)
