"""Checks that an editor asks for, each in a process of its own, so that one whose text has changed can be stopped."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from everafter.record import dataclass, replace
from everafter.source import Source

_KNOWN = (0, 1, 3)
"""The exit statuses of a check that has results."""


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What a check came to, as the editor tells it."""

    verdict: str
    reason: str
    states: int = 0
    steps: tuple[str, ...] = ()
    """The counterexample, a line for each step."""
    line: int | None = None
    """The line in which something goes wrong, if it is a step that does."""
    page: str | None = None
    """The file with the page that shows the counterexample."""

    @property
    def title(self) -> str:
        """The answer in a few words."""
        if self.verdict == "holds":
            return f"holds ({self.states:,} states)"
        steps = f" in {len(self.steps)} steps" if self.steps else ""
        return f"{self.verdict}{steps}: {self.reason}"


async def answer(source: Source, asked: str | None, defines: dict[str, str], page: Path | None = None) -> CheckAnswer:
    """Return the verdict on the formula `asked` of `source`, or on safety, with the macros `defines`.

    A page that shows a violation is written to the file `page`. A task that is cancelled stops its process.
    """
    options = ["--ltl", asked] if asked is not None else ["--safety"]
    for name, value in defines.items():
        options += ["-D", f"{name}={value}"]
    if page is not None:
        options += ["--html", str(page)]
    folder = str(Path(source.name).parent)
    command = [sys.executable, "-m", "everafter", "check", "-", "-I", folder, "--format", "json", *options]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
    try:
        output, errors = await process.communicate(source.text.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode not in _KNOWN:
        lines = errors.decode(errors="replace").strip().splitlines()
        return CheckAnswer("unanswered", lines[0] if lines else "the check has failed")
    found = _told(json.loads(output)["results"][0])
    return replace(found, page=str(page)) if page is not None and found.verdict == "violated" else found


def _told(result: dict[str, Any]) -> CheckAnswer:
    run = result["counterexample"] or {"prefix": [], "cycle": []}
    steps = [*run["prefix"], *run["cycle"]]
    told = []
    for number, step in enumerate(steps, 1):
        if run["cycle"] and number == len(run["prefix"]) + 1:
            told.append("again and again, for ever:")
        told.append(f"{number:>4}  {step['process']:<16} line {step['line']:>4}  {step['statement']}")
    wrong = next((step["line"] for step in steps if step.get("problem")), None)
    return CheckAnswer(result["verdict"], result["reason"], result["states"], tuple(told), wrong)
