"""Proofs in Coq: compiled with what they need, and each theorem asked what it rests on."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from proofs.provers import run
from proofs.task import Assumption, Outcome, Place, Task, inside, one_line

PROVER = "Coq"
NEEDS = ("coqc",)
CHOOSES = False
"""Whether it can be asked about some methods only."""
COMPILE = ("coqc", "-q", "-Q", ".", "everafter")
REQUIRE = re.compile(r"(?:\bFrom\s+([\w.]+)\s+)?\bRequire\s+(?:Import\s+|Export\s+)?([\w.\s]+?)\.(?=\s|$)")
LOOSE = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|bypass_check|Unset\s+(?:Guard|Positivity|Universe)\s+Checking)\b"
)
MARK = re.compile(r'"[^"]*"|\(\*|\*\)')
"""A string, or where a comment opens or closes."""
CLOSED = "Closed under the global context"


def without_comments(text: str) -> str:
    """The text with blanks for comments, which may be nested. What a string holds opens and closes none."""
    pieces = []
    depth = begin = 0
    for mark in MARK.finditer(text):
        if mark[0] == "(*":
            if not depth:
                pieces.append(text[begin : mark.start()])
                begin = mark.start()
            depth += 1
        elif mark[0] == "*)" and depth:
            depth -= 1
            if not depth:
                pieces.append(blanks(text[begin : mark.end()]))
                begin = mark.end()
    return "".join((*pieces, blanks(text[begin:]) if depth else text[begin:]))


def blanks(text: str) -> str:
    """As many lines of blanks."""
    return re.sub(r"[^\n]", " ", text)


def theorems(text: str) -> tuple[str, ...]:
    """The names in the comment that begins with `Proves:`."""
    found = re.findall(r"\(\*\s*Proves:(.*?)\*\)", text, re.DOTALL)
    return tuple(name for names in found for name in re.findall(r"[\w']+", names))


def imports(file: str) -> tuple[tuple[str, str], ...]:
    """The files of the project that the proof requires, with their texts, each after those it requires itself."""
    found: dict[str, str] = {}
    for origin, names in REQUIRE.findall(without_comments(inside(file).read_text())):
        for name in names.split():
            parts = f"{origin}.{name}" if origin else name
            if parts.startswith("everafter."):
                other = str(PurePosixPath(*parts.split(".")[1:])) + ".v"
                found.update(imports(other))
                found[other] = inside(other).read_text()
    return tuple(found.items())


def essence(text: str) -> str:
    """What of the text matters to the prover: all but comments and layout. What is asked of it, the task says."""
    return one_line(without_comments(text))


def assumptions(file: str, text: str) -> Iterator[Assumption]:
    """Where the file takes something for granted, or leaves a proof open."""
    code = without_comments(text)
    for found in LOOSE.finditer(code):
        number = code.count("\n", 0, found.start()) + 1
        yield Assumption(file, number, "statement", one_line(code.splitlines()[number - 1]))


def module(file: str) -> str:
    """The name under which Coq knows the file."""
    return ".".join(("everafter", *PurePosixPath(file).with_suffix("").parts))


def options(_task: Task) -> list[str]:
    """How Coq is to look at the task."""
    return list(COMPILE)


def ask(task: Task) -> Outcome:
    """Compile the file and what it needs, and ask what each theorem rests on."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds = processor = 0.0
        for file, text in (*task.imports, (task.file, task.text), ("question.v", question(task))):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
            answer = run([*COMPILE, file], folder)
            seconds += answer.seconds
            processor += answer.processor
            if answer.status:
                return Outcome(task, judge(task, answer.said), seconds, processor)
    notes = tuple(sorted(axioms(answer.said)))
    strange = set(notes) - {each.name for each in task.assumptions}
    problem = f"rests on {', '.join(sorted(strange))}" if strange else silent(task, answer.said)
    return Outcome(task, f"it must fail at {task.fails}" if task.fails else problem, seconds, processor, notes)


def question(task: Task) -> str:
    """A file that asks what each theorem rests on."""
    asked = (
        f'Goal True. idtac "theorem {name}". Abort.\nPrint Assumptions {module(task.file)}.{name}.\n'
        for name in task.proves
    )
    return f"Require {module(task.file)}.\n" + "".join(asked)


def axioms(said: str) -> Iterator[str]:
    """The names of the axioms that the theorems rest on."""
    for part in said.split("Axioms:")[1:]:
        for line in part.splitlines():
            if line.startswith("theorem "):
                break
            named = re.match(r"([\w.']+)\s*(?::|$)", line)
            if named:
                yield named[1]


def silent(task: Task, said: str) -> str | None:
    """Whether Coq has failed to answer for a theorem."""
    parts = re.split(r"^theorem ", said, flags=re.MULTILINE)[1:]
    answered = {part.split(maxsplit=1)[0] for part in parts if CLOSED in part or "Axioms:" in part}
    missing = set(task.proves) - answered
    return f"nothing is said of {', '.join(sorted(missing))}" if missing else None


def judge(task: Task, said: str) -> str | None:
    """Why the task is not as it must be, after Coq has found fault."""
    found = re.search(r'^File "\./([^"]+)", line (\d+)', said, re.MULTILINE)
    if task.fails is None or found is None or found[1] != task.file:
        return said
    there = place(task.text, int(found[2]))
    return None if task.fails.covers([there]) else f"it must fail at {task.fails}, not at {there}"


def excuse(outcome: Outcome) -> Outcome:
    """Nothing is excused."""
    return outcome


def place(text: str, line: int) -> Place:
    """The theorem and the content of the line."""
    lines = text.splitlines()
    names = re.findall(r"\b(?:Theorem|Lemma|Corollary|Fact|Example|Definition)\s+([\w']+)", "\n".join(lines[:line]))
    return Place(names[-1] if names else "", one_line(lines[line - 1]))
