"""The counterexample that is to be debugged: found by a check in a process of its own, or read from a file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from everafter.execution.step import steps
from everafter.record import dataclass, field
from everafter.source import OptionError
from everafter.stated_questions import program_asked
from everafter.user_model import Model, load
from everafter.verdict.random_run import stopping_problem
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample
from everafter.verdict.trace import read_trace, run_of_trace
from everafter.verdict.trail import is_trail, run_of_trail

_KNOWN = (0, 1, 3)
"""The exit statuses of a check that has results."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be debugged: a model, and the property whose counterexample is wanted, or a file that has a run."""

    program: str
    property: str | None = None
    """The name of a formula, a formula, or `safety`; None for the first violation of anything stated."""
    trace: str | None = None
    defines: Mapping[str, str] = field(default_factory=dict)
    include: Sequence[str] = ()

    def model(self) -> Model:
        """The model, read. Raises InputError."""
        return load(self.program, self.defines, include=self.include)


@dataclass(frozen=True, slots=True)
class FoundRun:
    """What a check, or a file, came to: the run, if there is one, and what there is to say of it."""

    name: str
    run: Counterexample | None
    reason: str
    verdict: str


def read_run(wanted: Wanted, path: str) -> FoundRun:
    """Return the run in the trace or trail at `path`, of the model that is `wanted`. Raises EverafterError."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReplayError(f"cannot read {path}: {error.strerror or error}") from error
    if is_trail(text):
        program = wanted.model().program
        start, taken, repeated, ending = run_of_trail(program, text)
        name, reason = Path(path).name, ending or ""
    else:
        trace = read_trace(text)
        defines = {**trace.defines, **wanted.defines}
        program = program_asked(load(wanted.program, defines, include=wanted.include), trace.formula)
        start, taken = run_of_trace(program, trace)
        repeated, name, reason = len(trace.cycle), trace.property, ""
    turn = len(taken) - repeated
    problem = taken[-1].problem if taken else None
    last = taken[-1].state if taken else start
    is_over = problem is None and not repeated and last is not None and not steps(program, last)
    if is_over and last is not None:
        problem = stopping_problem(program, last)
    run = Counterexample(program, start, tuple(taken[:turn]), tuple(taken[turn:]), problem, stutters=is_over)
    return FoundRun(name, run, reason or (problem.message if problem is not None else "the run ends"), "violated")


class Checking:
    """A check that goes on, and can be stopped."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._folder = tempfile.TemporaryDirectory(prefix="everafter-")
        self._trace = Path(self._folder.name) / "counterexample.json"
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command(), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)

    def _command(self) -> list[str]:
        asked = self._wanted.property
        which = [] if asked is None else ["--safety"] if asked == "safety" else ["--ltl", asked]
        for name, value in self._wanted.defines.items():
            which += ["-D", f"{name}={value}"]
        for folder in self._wanted.include:
            which += ["-I", folder]
        written = ["--format", "json", "--warnings", "none", "--trace", str(self._trace)]
        return [sys.executable, "-m", "everafter", "check", self._wanted.program, *which, *written]

    def result(self) -> FoundRun:
        """Wait for the end of the check. Raises EverafterError if it has failed."""
        output, errors = self._process.communicate()
        try:
            if self._process.returncode not in _KNOWN:
                lines = errors.decode(errors="replace").strip().splitlines()
                raise OptionError(lines[0].removeprefix("everafter: ") if lines else "the check has failed")
            return self._found(json.loads(output)["results"])
        finally:
            self._folder.cleanup()

    def _found(self, results: Sequence[dict[str, Any]]) -> FoundRun:
        violated = next((each for each in results if each["verdict"] == "violated"), None)
        if violated is not None:
            found = read_run(self._wanted, str(self._trace))
            return FoundRun(violated["property"], found.run, violated["reason"], "violated")
        undecided = next((each for each in results if each["verdict"] != "holds"), None)
        if undecided is not None:
            return FoundRun(undecided["property"], None, undecided["reason"], "incomplete")
        names = ", ".join(each["property"] for each in results)
        return FoundRun(names, None, f"{names}: no counterexample", "holds")

    def stop(self) -> None:
        """End the check, if it goes on."""
        if self._process.poll() is None:
            self._process.kill()
