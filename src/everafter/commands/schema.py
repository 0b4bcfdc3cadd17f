"""`everafter schema`: the shape of what `--format json` prints."""

from __future__ import annotations

import argparse

from everafter.commands.status import HOLDS, Command
from everafter.report.json_report import schema_text


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("of", nargs="?", choices=("check", "certify"), default="check", help="of which command")


def _run(options: argparse.Namespace) -> int:
    print(schema_text(options.of), end="")
    return HOLDS


SCHEMA = Command(_add_options, _run)
