"""Proofs in Coq: compiled with what they need, and each theorem asked what it rests on."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from threading import Lock

from proofs.provers import VERSIONS, Answer, run
from proofs.statements import compared
from proofs.task import Outcome, Place, ProofError, Task, inside, one_line, write

PROVER = f"Coq {VERSIONS['Coq']}"
NEEDS = ("coqc",)
CHOOSES = False
"""Whether it can be asked about some methods only."""
COMPILE = ("coqc", "-q", "-Q", ".", "everafter")
REQUIRE = re.compile(r"(?:\bFrom\s+([\w.]+)\s+)?\bRequire\s+(?:Import\s+|Export\s+)?([\w.\s]+?)\.(?=\s|$)")
LOOSE = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|bypass_check|Admit\s+Obligations|Load|Declare\s+\w+|Add\s+\w*LoadPath"
    r"|Redirect|Cd|Drop|(?:Unset|Set)\s+(?:Guard|Positivity|Universe)\s+Checking)\b"
)
SENTENCE = re.compile(r"(?:^|\.)(?=\s)[\s\-+*{}]*(#?[A-Z\[]\w*)(?:\s+(\w+))?")
"""The first words of a command, which has a capital, as no tactic has."""
WORDS = """Proof Qed Defined Definition Fixpoint Lemma Theorem Corollary Fact Example Inductive Record Section End
    Variable Variables Hypothesis Hypotheses From Import Arguments Notation Local Open Ltac"""
COMMANDS = frozenset(WORDS.split())
"""What a proof is made of."""
LOCAL = frozenset({"Notation", "Open", "Ltac", "Definition"})
"""What a proof may have for itself alone."""
PRINTING = re.compile(r"\b(?:(?:Set|Unset)\s+[A-Z]\w*|Printing|Infix|Reserved|Coercions?|Canonical|Format)\b")
"""By what a file would say how Coq prints, wherever it stands."""
MARK = re.compile(r'"[^"]*"|\(\*|\*\)')
"""A string, or where a comment opens or closes."""
CLOSED = "Closed under the global context"
FAULT = re.compile(r'^File "\./([^"]+)", line (\d+), characters (\d+)-\d+:\s*(?=Error:)', re.MULTILINE)
UNREAD = re.compile(
    r"Syntax error|not found in the current environment|Unknown interpretation|physical path|Unable to locate library"
)
"""What Coq says of a text that means nothing."""
SCRIPT = re.compile(r"\b(Proof)\b|\b(?:Qed|Defined|Abort)\.")
"""Where a proof begins or ends."""
INDENT = " " * 5
"""Before what a module declares, and before nothing else that Coq prints of it."""
TYPES = ("Inductive", "CoInductive", "Variant", "Record", "Structure", "Class")
MARK_PART = "---- "
EVERYTHING = "everything that is declared"
IN_FULL = " in full"
"""Behind a name: what Coq prints of it without notations and with implicit arguments."""
LONGEST = 100
"""So many lines of a definition are pinned as they are."""
PRINTS = "Set Printing Width 118. Set Printing Depth 1000000. Unset Printing All."
MADE: dict[tuple[str, str], bytes] = {}
"""What Coq has made of files that others require, by name and text."""
MAKING = Lock()


@cache
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


@cache
def theorems(text: str) -> tuple[str, ...]:
    """The names in the comment that begins with `Proves:`."""
    found = re.findall(r"\(\*\s*Proves:(.*?)\*\)", text, re.DOTALL)
    return tuple(name for names in found for name in re.findall(r"[\w']+", names))


def imports(file: str) -> tuple[tuple[str, str], ...]:
    """The files of the project that the proof requires, with their texts, each after those it requires itself."""
    found: dict[str, str] = {}
    for origin, names in required(inside(file).read_text()):
        for name in names.split():
            parts = f"{origin}.{name}" if origin else name
            if parts.startswith("everafter."):
                other = str(PurePosixPath(*parts.split(".")[1:])) + ".v"
                found.update(imports(other))
                found[other] = inside(other).read_text()
    return tuple(found.items())


@cache
def required(text: str) -> tuple[tuple[str, str], ...]:
    """What the text requires: the origin, if one is said, and the names, each pair as it stands there."""
    return tuple(REQUIRE.findall(without_comments(text)))


def essence(text: str) -> str:
    """What of the text matters to the prover: all but comments and layout. What is asked of it, the task says."""
    return one_line(without_comments(text))


@cache
def check_constructs(file: str, text: str) -> None:
    """Refuse what is no part of a proof, before Coq is asked, which would be told what to think by some of it."""
    code = without_comments(text)
    for found in LOOSE.finditer(code):
        raise ProofError(f"{at(file, code, found.start())}: no proof has {one_line(found[0])}")
    for found in PRINTING.finditer(code):
        raise ProofError(f"{at(file, code, found.start())}: {one_line(found[0])} would change how Coq prints")
    depth = 0
    for found in SENTENCE.finditer(f"\n{code}"):
        first, second = found[1], found[2] or ""
        depth += (first == "Section") - (first == "End")
        number = at(file, code, found.start(1) - 1)
        if first not in COMMANDS or (first == "Local" and second not in LOCAL):
            raise ProofError(f"{number}: no proof is made of {' '.join((first, second)).strip()}")
        if first == "Notation" and not depth:
            raise ProofError(f"{number}: a notation is to be local, or in a section: it would change how Coq prints")


def at(file: str, code: str, place: int) -> str:
    """The file and the line of this place in it."""
    return f"{file}:{code.count(chr(10), 0, place) + 1}"


def module(file: str) -> str:
    """The name under which Coq knows the file."""
    return ".".join(("everafter", *PurePosixPath(file).with_suffix("").parts))


def options(_task: Task) -> list[str]:
    """How Coq is to look at the task."""
    return list(COMPILE)


def ask(task: Task) -> Outcome:
    """Compile the file and what it needs; ask what it declares, what that rests on, and what is said there."""
    with tempfile.TemporaryDirectory() as name:
        own = [(task.file, task.text), ("declared.v", declared_question(task))]
        answers: list[Answer] = []
        for file, text in (*task.imports, *own):
            answers.append((provided if (file, text) in task.imports else compiled)(file, text, Path(name)))
            if answers[-1].status:
                return _outcome(task, judge(task, answers[-1].said), answers)
        if task.fails:
            return _outcome(task, f"it must fail at {task.fails}", answers)
        declared = declarations(answers[-1].said)
        answers.append(compiled("question.v", question(task, declared), Path(name)))
    if answers[-1].status:
        return _outcome(task, answers[-1].said, answers)
    said = parts(answers[-1].said)
    problem = faults(task, declared, said)
    if problem is None:
        task, problem = compared(task, statements(task, said))
    return _outcome(task, problem, answers, tuple(sorted(axioms(said.get(EVERYTHING, "")))))


def provided(file: str, text: str, folder: Path) -> Answer:
    """Have Coq compile a file that others require, once in a run: most proofs require the same ones.

    Coq itself compares digests, and refuses what was compiled against other files than those in the folder.
    """
    with MAKING:
        if (file, text) not in MADE:
            answer = compiled(file, text, folder)
            if not answer.status:
                MADE[file, text] = (folder / file).with_suffix(".vo").read_bytes()
            return answer
    target = (folder / file).with_suffix(".vo")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(MADE[file, text])
    return Answer(0, "", 0, 0)


def compiled(file: str, text: str, folder: Path) -> Answer:
    """Have Coq compile a file with this text."""
    write([(file, text)], folder)
    return run([*COMPILE, file], folder)


def _outcome(task: Task, problem: str | None, answers: Sequence[Answer], notes: tuple[str, ...] = ()) -> Outcome:
    seconds, processor = sum(each.seconds for each in answers), sum(each.processor for each in answers)
    return Outcome(task, problem, seconds, processor, notes)


def declared_question(task: Task) -> str:
    """A file that asks what the proof declares."""
    return f"Require {module(task.file)}.\nSet Printing Width 60.\nPrint Module {module(task.file)}.\n"


def declarations(said: str) -> dict[str, str]:
    """By name: the kind of what is declared, as Coq says, which shows the types alone of what is proved or assumed."""
    found = re.findall(rf"^{INDENT}(\w+)\s+([\w']+)", said, re.MULTILINE)
    made = {f"{name}_{ending}" for kind, name in found if kind in TYPES for ending in ("rect", "ind", "rec", "sind")}
    return {name: kind for kind, name in found if name not in made}


def question(task: Task, declared: Mapping[str, str]) -> str:
    """A file that asks for the definitions and theorems, and what everything rests on."""
    here = module(task.file)
    defined = [name for name, kind in declared.items() if kind != "Parameter"]
    lines = [f"Require {here}."]
    for prints, ending in ((PRINTS, ""), ("Set Printing All.", IN_FULL)):
        lines.append(prints)
        for name in (*defined, *task.proves):
            lines += [
                f'Goal True. idtac "{MARK_PART}{name}{ending}". Abort.',
                f"Print {here}.{name}." if name in defined else f"Check @{here}.{name}.",
            ]
    together = ", ".join(f"@{here}.{name}" for name, kind in declared.items() if kind not in TYPES)
    lines += [f"Definition everything := ({together or 'tt'}).", "Set Printing Width 100000. Set Printing All."]
    return "\n".join(
        (*lines, f'Goal True. idtac "{MARK_PART}{EVERYTHING}". Abort.', "Print Assumptions everything.", "")
    )


def parts(said: str) -> dict[str, str]:
    """By name: what Coq says of it."""
    found = (part.split("\n", maxsplit=1) for part in said.split(MARK_PART)[1:])
    return {name: rest.strip() for name, rest in found}


def axioms(said: str) -> Iterator[str]:
    """What everything rests on: each axiom with its type."""
    return (one_line(line) for line in said.splitlines() if line and line not in {"Axioms:", CLOSED})


def faults(task: Task, declared: Mapping[str, str], said: Mapping[str, str]) -> str | None:
    """What is wrong with the proof, although Coq has compiled it."""
    granted = {f"{each.name} : {each.says}" for each in task.assumptions}
    odd = sorted(set(declared.values()) - {"Definition", "Parameter", *TYPES})
    missing = sorted({*task.proves, EVERYTHING} - said.keys() | set(task.proves) - declared.keys())
    strange = sorted(set(axioms(said.get(EVERYTHING, ""))) - granted)
    if odd:
        return f"declares {', '.join(odd)}, of which no proof is made"
    if missing:
        return f"nothing is said of {', '.join(missing)}"
    return f"rests on {'; '.join(strange)}" if strange else None


def statements(task: Task, said: Mapping[str, str]) -> str:
    """The theorems that matter, with all that a section assumes, and the definitions, as Coq prints them.

    The last line stands for the same without notations and with implicit arguments.
    """
    full = {name: text for name, text in said.items() if name.endswith(IN_FULL)}
    digest = hashlib.sha256(json.dumps(full).encode()).hexdigest()
    proved = [f"theorem {said[name]}" for name in task.proves]
    defined = [shortened(text) for name, text in said.items() if name not in {*task.proves, *full, EVERYTHING}]
    return "\n\n".join((*proved, *defined, f"printed in full: {digest}")) + "\n"


def shortened(definition: str) -> str:
    """The definition; a long one, which a tactic has written, by its type, its length and a digest."""
    lines = definition.splitlines()
    typed = max((number for number, line in enumerate(lines) if line.startswith("     : ")), default=0)
    if typed <= LONGEST:
        return definition
    digest = hashlib.sha256(definition.encode()).hexdigest()
    return "\n".join((f"{lines[0].split(' =')[0]} = {typed} lines, sha256 {digest}", *lines[typed:]))


def judge(task: Task, said: str) -> str | None:
    """Why the task is not as it must be, after Coq has found fault.

    A mistake is noticed where a proof does not go through. A statement or a definition that Coq cannot read, or that
    has no type, is no mistake of the kind that proofs are there to find.
    """
    found = FAULT.search(said)
    if task.fails is None or found is None or found[1] != task.file:
        return said
    if UNREAD.search(one_line(said)) or not in_proof(task.text, int(found[2]), int(found[3])):
        return f"it does not parse, or has no types:\n{said}"
    there = place(task.text, int(found[2]))
    return None if task.fails.covers([there]) else f"it must fail at {task.fails}, not at {there}"


def in_proof(text: str, line: int, column: int) -> bool:
    """Whether a proof has begun before this place and has not ended."""
    lines = without_comments(text).encode().splitlines(keepends=True)
    before = b"".join((*lines[: line - 1], lines[line - 1][:column])).decode()
    marks = [found[1] for found in SCRIPT.finditer(before)]
    return bool(marks) and marks[-1] is not None


def excuse(outcome: Outcome) -> Outcome:
    """Nothing is excused."""
    return outcome


def place(text: str, line: int) -> Place:
    """The theorem and the content of the line."""
    lines = text.splitlines()
    names = re.findall(r"\b(?:Theorem|Lemma|Corollary|Fact|Example|Definition)\s+([\w']+)", "\n".join(lines[:line]))
    return Place(names[-1] if names else "", one_line(lines[line - 1]))


ASKING = (sys.modules[__name__],)
"""What the answer depends on, beside the proof."""
