"""`everafter replay`: step through a counterexample, ours or SPIN's."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from everafter.commands.command import load_model, output_style
from everafter.commands.model_options import add_full, add_model
from everafter.commands.status import HOLDS, Command
from everafter.execution.state import Problem, State
from everafter.execution.step import Step
from everafter.execution.step import steps as possible_steps
from everafter.program.program import Program
from everafter.questions.request import Request
from everafter.report.text import fitted, steps
from everafter.stated_questions import program_asked
from everafter.verdict.random_run import stopping_problem
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample
from everafter.verdict.trace import read_trace, run_of_trace
from everafter.verdict.trail import is_trail, run_of_trail


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("trace", metavar="TRACE", help="a trace of ours, or a .trail of SPIN's")
    add_full(parser)


def _run(options: argparse.Namespace) -> int:
    run, ending = replayed(options)
    style = output_style()
    print("\n".join(steps(run, options.full, style)))
    problem = run.steps[-1].problem if len(run) else None
    if problem is not None:
        print(fitted(f"{problem.place}: {problem.message}", style))
    if ending is not None:
        print(fitted(ending, style))
    return HOLDS


def replayed(options: argparse.Namespace) -> tuple[Counterexample, str | None]:
    """Return the run of the trace or trail that `options` name, and what there is to say of its end besides."""
    try:
        text = Path(options.trace).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReplayError(f"cannot read {options.trace}: {error.strerror or error}") from error
    if is_trail(text):
        program = load_model(options.model, options).program
        start, taken, repeated, ending = run_of_trail(program, text)
        return _run_of(program, start, taken, repeated), ending
    trace = read_trace(text)
    options.define = [*trace.defines.items(), *options.define]
    asked = Request(formulas=() if trace.formula is None else (trace.formula,))
    program = program_asked(load_model(options.model, options, request=asked), trace.formula)
    run = _run_of(program, *run_of_trace(program, trace), len(trace.cycle))
    problem = deadlock(run)
    if problem is None:
        return run, None
    return run, f"{problem.place}: {problem.message}" if trace.formula is None else "and here everything stops"


def _run_of(program: Program, start: State, taken: Sequence[Step], repeated: int) -> Counterexample:
    """The run from `start` by the steps `taken`, the last ones of which are `repeated`."""
    turn = len(taken) - repeated
    return Counterexample(program, start, tuple(taken[:turn]), tuple(taken[turn:]))


def deadlock(run: Counterexample) -> Problem | None:
    """Return what is wrong where `run` ends, if no step is possible there and processes must not stop."""
    state = run.steps[-1].state if len(run) else run.start
    if run.cycle or state is None or (len(run) and run.steps[-1].problem) or possible_steps(run.program, state):
        return None
    return stopping_problem(run.program, state)


REPLAY = Command(_add_options, _run)
