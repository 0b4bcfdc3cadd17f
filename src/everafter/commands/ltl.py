"""`everafter ltl`: the automaton of a formula."""

from __future__ import annotations

import argparse

from everafter.commands.status import HOLDS, Command
from everafter.ltl.interchange import FORMATS, show
from everafter.source import Source


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("formula", metavar="FORMULA", help="for example '[] (p -> <> q)'")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print the automaton")


def _run(options: argparse.Namespace) -> int:
    print(show(Source("<formula>", options.formula), options.format).rstrip("\n"))
    return HOLDS


LTL = Command(_add_options, _run)
