"""`everafter simulate`: one run of a model, at random, along a trace, or by hand."""

from __future__ import annotations

import argparse
import sys

from everafter.commands.command import load_model, output_style
from everafter.commands.model_options import add_model
from everafter.commands.quantities import count
from everafter.commands.replay import deadlock, replayed
from everafter.commands.status import HOLDS, VIOLATED, Command
from everafter.report.simulated_steps import RandomRun
from everafter.report.simulation_text import interactive_run, print_output, printed_run, random_run
from everafter.report.step_table import print_steps, shown
from everafter.report.text import fitted
from everafter.source import OptionError


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another run")
    parser.add_argument("--steps", type=count, default=1000, metavar="N", help="stop after so many steps")
    parser.add_argument("--interactive", action="store_true", help="choose every step yourself")
    parser.add_argument("--trace", metavar="FILE", help="take the steps of a trace of ours, or of a .trail of SPIN's")
    parser.add_argument("--printed", action="store_true", help="show only what the model prints")
    parser.add_argument(
        "--engine",
        choices=("reference", "native"),
        help="who takes the steps, which are the same; without it the reference, and native code if there are many",
    )


def _run(options: argparse.Namespace) -> int:
    if options.interactive and options.model == "-":
        raise OptionError("the standard input cannot give both the model and the choices", "name a file")
    if options.interactive and (options.printed or options.trace is not None):
        raise OptionError("--interactive leaves each step to you, and shows it", "leave out --trace and --printed")
    if options.trace is not None:
        return _along_trace(options)
    model = load_model(options.model, options)
    if options.interactive:
        return interactive_run(model.program, sys.stdin, sys.stdout, output_style())
    run = RandomRun(model.program, options.seed, options.steps, options.printed, options.engine)
    if options.printed:
        return printed_run(run, sys.stdout)
    return random_run(run, model.program, sys.stdout, output_style())


def _along_trace(options: argparse.Namespace) -> int:
    """Show the steps of a trace; 1 if the last one goes wrong, or if processes stop behind it that must not."""
    run, ending = replayed(options)
    problem = run.steps[-1].problem if len(run) else None
    steps = shown(run.rows_between(0, len(run)))
    if options.printed:
        print_output(steps, sys.stdout)
    else:
        print_steps(run.program, steps, sys.stdout, width=output_style().width)
    for text in ([f"{problem.place}: {problem.message}"] if problem is not None else []) + [ending or ""]:
        if text:
            print(fitted(text, output_style()))
    return HOLDS if problem is None and deadlock(run) is None else VIOLATED


SIMULATE = Command(_add_options, _run)
