"""Does the reference take the very steps that the program extracted from proofs/semantics takes?"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from everafter.certificates.verified import asked
from everafter.execution.packing import Packer
from everafter.execution.plain_program import NotPlainError, plain_form
from everafter.execution.plain_states import PlainStates
from everafter.execution.state import RuntimeProblem
from everafter.execution.step import Step, initial_state, is_valid_end, steps
from everafter.program.program import Program

ROOT = Path(__file__).parents[1]
Comparison = Literal["agrees", "differs", "not covered", "too large"]


def build() -> None:
    """Build the extracted program, if that of these texts is not there, and have it found."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everafter" / "verified"
    subprocess.run([ROOT / "scripts" / "verified", folder], check=True)
    os.environ["EVERAFTER_VERIFIED"] = str(folder / "everafter-verified")


def counts(program: Program, most: int) -> tuple[int, int, int, int] | None:
    """How many states the extracted program meets, how many inside atomic sequences, steps, and states with a mistake.

    None if there are more than `most` states.
    """
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "program"
        text.write_text(plain_form(program))
        try:
            said = asked(("count", str(text), str(most)), iter(()))
        except Exception as error:
            if "too many states" in str(error):
                return None
            raise
    states, inside, taken, wrong = map(int, said.split())
    return states, inside, taken, wrong


def compare(program: Program, most: int = 5000) -> tuple[Comparison, str]:
    """Whether every state of `program` has the same outcomes in both, in the same order; and the first that has not."""
    try:
        form = plain_form(program)
    except NotPlainError as error:
        return "not covered", str(error)
    try:
        found = dict(_explored(program, most))
    except (OverflowError, RecursionError) as stop:
        return "too large", str(stop)
    lines = (f"{state}\n" for state in found if state.startswith("("))
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "program"
        text.write_text(form)
        said = iter(asked(("outcomes", str(text)), lines).splitlines())
    for state, ours in found.items():
        theirs = [next(said)] if not state.startswith("(") else list(iter(lambda: next(said), "."))
        if ours != theirs:
            missing = [f"- {line}" for line in ours if line not in theirs]
            added = [f"+ {line}" for line in theirs if line not in ours]
            return "differs", "\n".join((state, *missing, *added, *([] if missing or added else ["another order"])))
    return "agrees", f"{len(found) - 1} states"


def _explored(program: Program, most: int) -> Iterator[tuple[str, list[str]]]:
    """What the reference says of the initial state, and of each state that can be reached, in plain text."""
    states, packer = PlainStates(program), Packer(program)
    try:
        first = initial_state(program)
    except RuntimeProblem:
        yield "initial", ["initial breaks"]
        return
    yield "initial", [f"initial {states.text(first)}"]
    pending = [packer.unpack(packer.pack(first))]
    seen = {states.text(first)}
    while pending:
        state = pending.pop()
        found = steps(program, state)
        said = [_said(states, step) for step in found]
        yield states.text(state), said or ["stops" if is_valid_end(program, state) else "deadlock"]
        for step in found:
            if step.state is not None and (text := states.text(step.state)) not in seen:
                seen.add(text)
                if len(seen) > most:
                    raise OverflowError(f"more than {most} states")
                pending.append(packer.unpack(packer.pack(step.state)))


def _said(states: PlainStates, step: Step) -> str:
    """What a step comes to, and who moves in it, as the extracted program says it."""
    if step.state is None:
        return "breaks"
    movers = " ".join(str(number) for number in (step.process, step.partner) if number is not None)
    return f"{'goes' if step.problem is None else step.problem.kind} ({movers}) {states.text(step.state)}"
