"""`everafter simulate`: one run of a model, at random or by hand."""

from __future__ import annotations

import argparse
import sys

from everafter.commands.command import load_model
from everafter.commands.model_options import add_model
from everafter.commands.status import Command
from everafter.report.simulation_text import interactive_run, random_run
from everafter.source import OptionError


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another run")
    parser.add_argument("--steps", type=int, default=1000, metavar="N", help="stop after so many steps")
    parser.add_argument("--interactive", action="store_true", help="choose every step yourself")


def _run(options: argparse.Namespace) -> int:
    if options.interactive and options.model == "-":
        raise OptionError("the standard input cannot give both the model and the choices", "name a file")
    model = load_model(options.model, options)
    if options.interactive:
        return interactive_run(model.program, sys.stdin, sys.stdout)
    return random_run(model.program, sys.stdout, options.seed, options.steps)


SIMULATE = Command(_add_options, _run)
