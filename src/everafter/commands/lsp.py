"""`everafter lsp`: the language server that editors talk to."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

from everafter.commands.status import HOLDS, Command
from everafter.source import OptionError


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="talk by standard input and output, which is the rule")


def _run(_options: argparse.Namespace) -> int:
    if find_spec("pygls") is None:
        raise OptionError("the language server needs pygls", "pip install 'everafter[lsp]'")
    from everafter.editor.conversation import converse  # noqa: PLC0415 # needs an extra, and takes its time to load
    from everafter.editor.language_server import make_server  # noqa: PLC0415 # likewise

    converse(make_server(), sys.stdin.fileno(), sys.stdout.fileno())
    return HOLDS


LSP = Command(_add_options, _run)
