"""Proofs in Viper: what they claim, and how Silicon is asked about them. What they assume, `silver_tree` tells."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from os.path import normpath
from pathlib import Path, PurePosixPath
from typing import Any

from proofs.provers import VERSIONS, nagini_folder, run, silicon
from proofs.task import FOLDER, Outcome, Place, ProofError, Task, inside, one_line, write

PROVER = f"Silicon {VERSIONS['Silicon']}, Z3 {VERSIONS['Z3']}"
NEEDS = ("java", "nagini")
CHOOSES = True
"""Whether it can be asked about some methods only."""
DRIVER = FOLDER / "silicon.py"
ANSWER = '{"asked"'
"""How a line begins that is an answer."""
ALWAYS = ("--numberOfErrorsToReport", "0", "--numberOfParallelVerifiers", "1")
"""With one verifier, methods are verified in their order, by the same Z3: what it finds is no matter of scheduling."""
DECLARATION = re.compile(r"^(method|function|domain|define|field|predicate|import|@opaque)\b", re.MULTILINE)
BRACE = re.compile(r"[{}]")
FAULT = re.compile(
    r"^\s*\[\d+\] (?P<what>.*?)\((?:[^()@]*/)?(?P<file>[^()@/]+)@(?P<line>\d+)\.\d+.*\)\s*$", re.MULTILINE
)
MEASURE = re.compile(r"\bdecreases\b(.*?)(?=\b(?:requires|ensures|decreases)\b|\Z)", re.DOTALL)
COUNT = re.compile(r"found (\d+) errors? ")
REFUTES = re.compile(r"\bmight (?:not|fail|be|have|exist)\b|^Refute holds in all cases\b")
"""What a verifier says of a program. Of a text that does not parse or has no types, something else is said."""
BOUNDED = {"smoke": ("--assertTimeout", "200")}
"""To find no proof of a falsehood may take for ever. Bounds are of the prover's work, the same on every machine."""
UNSATURATED = "// Silicon does not saturate its state."
"""In a proof: Z3 is asked only what is to be shown. In long methods, what it infers in advance slows it down."""
ABSURD = "// absurd"
"""Marks a block that is a proof by contradiction: nothing comes to its end, and no falsehood is planted in it."""

BY_CONTRACT = "// by contract"
"""Behind an import: methods come without bodies, which are checked where they are. Silver reads long texts slowly."""
IF_NAMED = "// by contract, if named"
"""The same, and methods that the file does not name do not come at all."""


@dataclass(frozen=True, slots=True)
class Member:
    """A declaration at the top of a file."""

    kind: str
    name: str
    begin: int
    end: int
    body: int | None
    """Where the brace that opens its body is."""


@cache
def without_comments(text: str) -> str:
    """The text with blanks for comments, so that every place stays where it was."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)


def essence(text: str) -> str:
    """What of the text matters to the prover."""
    return one_line(without_comments(text))


@cache
def members(text: str) -> tuple[Member, ...]:
    """The declarations of the file, in order. Each begins at the beginning of a line."""
    code = without_comments(text)
    starts = [found.start() for found in DECLARATION.finditer(code)] + [len(code)]
    return tuple(_member(code, begin, end) for begin, end in pairwise(starts))


def _member(code: str, begin: int, end: int) -> Member:
    words = re.match(r"(@?\w+)(?:\s+(\w+))?", code[begin:end])
    assert words is not None
    body = next((position for position, opens in braces(code, begin, end) if opens), None)
    return Member(words[1], words[2] or "", begin, end, body)


def braces(code: str, begin: int, end: int) -> Iterator[tuple[int, bool]]:
    """Where blocks open and close. The braces of a trigger are not those of a block: they follow `::` or each other."""
    triggers: list[bool] = []
    after, behind_trigger = begin, False
    for found in BRACE.finditer(code, begin, end):
        position = found.start()
        between = "".join(code[after:position].split())
        after = position + 1
        if code[position] == "{":
            triggers.append(between.endswith("::") or (behind_trigger and not between))
            behind_trigger = False
            if not triggers[-1]:
                yield position, True
        else:
            behind_trigger = triggers.pop()
            if not behind_trigger:
                yield position, False


def imports(file: str) -> tuple[tuple[str, str], ...]:
    """The files that the proof imports, with their texts, each after those it imports itself."""
    found: dict[str, str] = {}
    for name in imported(inside(file).read_text()):
        other = normpath(PurePosixPath(file).parent / name)
        found.update(imports(other))
        found[other] = inside(other).read_text()
    return tuple(found.items())


@cache
def imported(text: str) -> tuple[str, ...]:
    """The files that the text imports, as it names them."""
    return tuple(re.findall(r'^import "([^"]+)"', text, re.MULTILINE))


def needed(file: str) -> tuple[tuple[str, str], ...]:
    """What the proof is handed of the files it imports: all, or all but the bodies of methods, if it asks for that."""
    required = imports(file)
    own = inside(file).read_text()
    if BY_CONTRACT not in own:
        return required
    named = words(without_comments(own)) if IF_NAMED in own else None
    return tuple((name, contracts(text, named)) for name, text in required)


@cache
def contracts(text: str, named: frozenset[str] | None = None) -> str:
    """The text without remarks, bodies of methods, and methods not among the named. Every line stays where it was."""
    code = without_comments(text)
    for member in reversed(members(text)):
        if member.kind == "method" and member.body is not None:
            begin = member.body if named is None or member.name in named else member.begin
            code = _blanked(code, begin, _end_of_body(code, member))
    return code


def with_body_of(text: str, name: str) -> str:
    """The text without the bodies of all other methods. Every line stays where it was."""
    code = without_comments(text)
    for member in reversed(members(text)):
        if member.kind == "method" and member.body is not None and member.name != name:
            text = _blanked(text, member.body, _end_of_body(code, member))
    return text


def _end_of_body(code: str, method: Member) -> int:
    assert method.body is not None
    return max(position for position, opens in braces(code, method.body, method.end) if not opens) + 1


def _blanked(text: str, begin: int, end: int) -> str:
    return text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]


@cache
def words(text: str) -> frozenset[str]:
    """The words of the text, each once."""
    return frozenset(re.findall(r"\w+", text))


def methods(text: str) -> tuple[str, ...]:
    """The methods that have a body to check."""
    return tuple(member.name for member in members(text) if member.kind == "method" and member.body is not None)


@cache
def recursive(text: str) -> tuple[str, ...]:
    """The functions of the file that speak of themselves, or of others that speak of them."""
    code = without_comments(text)
    says = {each.name: code[each.begin : each.end] for each in members(text) if each.kind == "function"}
    spoken = {name: words(said.replace(name, "", 1)) & says.keys() for name, said in says.items()}
    return tuple(name for name in says if name in reached(name, spoken))


def check_measures(file: str, text: str, imported: Iterable[str]) -> None:
    """Refuse a function of `file`, with this `text`, whose measure speaks of functions or macros, also `imported` ones.

    Where the measure leads back to the function, Silicon takes for granted that it falls: from what the function
    promises, whatever that is.
    """
    spoken = {each.name for one in (text, *imported) for each in members(one) if each.kind in {"function", "define"}}
    code = without_comments(text)
    for each in members(text):
        head = code[each.begin : each.body or each.end] if each.name in recursive(text) else ""
        for measure in MEASURE.findall(head):
            for word in sorted(spoken.intersection(re.findall(r"\w+", measure))):
                raise ProofError(f"{file}: the measure of {each.name} speaks of {word}")


def reached(name: str, steps: Mapping[str, Collection[str]]) -> set[str]:
    """All that one comes to from the name in one step or more."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(steps.get(waiting.pop(), ())) - found
        found |= new
        waiting.extend(new)
    return found


def functions_alone(text: str) -> str:
    """The text without the bodies of methods. Every line stays where it was."""
    return with_body_of(text, "")


def definitions(text: str) -> dict[str, str]:
    """By name: what the file defines, without remarks; a domain by the names of its functions."""
    code = without_comments(text)
    found = {}
    for each in members(text):
        if each.kind in {"define", "function", "domain"}:
            says = _tidy(code[each.begin : each.end])
            names = re.findall(r"\bfunction\s+(\w+)", says) if each.kind == "domain" else [each.name]
            found.update(dict.fromkeys(names, says))
    return found


def heads(text: str) -> dict[str, str]:
    """By name: what each method of the file that has a body promises, without remarks."""
    code = without_comments(text)
    return {
        each.name: _tidy(code[each.begin : each.body])
        for each in members(text)
        if each.kind == "method" and each.body is not None
    }


def _tidy(text: str) -> str:
    """The text without blanks at the ends of lines, and without empty lines."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def with_falsehoods(text: str) -> str:
    """The text with `refute false` at the beginning of every block of a method, and at the end of methods and loops.

    A falsehood that can be proved there shows that the assumptions contradict each other, or that nothing gets there.
    """
    code = without_comments(text)
    places: list[int] = []
    for member in members(text):
        if member.kind == "method" and member.body is not None:
            places += _places(text, code, member.body, member.end)
    for place in sorted(places, reverse=True):
        text = f"{text[:place]} refute false; {text[place:]}"
    return text


def _places(text: str, code: str, begin: int, end: int) -> Iterator[int]:
    blocks: list[tuple[bool, bool]] = []
    last = begin
    for position, opens in braces(code, begin, end):
        if opens:
            absurd = ABSURD in text[position : text.find("\n", position) % (len(text) + 1)]
            head = code[last:position]
            blocks.append((not blocks or re.search(r"\bwhile\b", head) is not None, absurd))
            if not any(absurd for _, absurd in blocks):
                yield position + 1
        else:
            absurd = any(absurd for _, absurd in blocks)
            closes_all, _ = blocks.pop()
            if closes_all and not absurd:
                yield position
            if not blocks:
                return
        last = position + 1


def options(task: Task) -> list[str]:
    """How Silicon is to look at the task, and the program that asks it."""
    return [*flags(task), DRIVER.read_text()]


def flags(task: Task) -> list[str]:
    """The options of Silicon's command line."""
    only = ["--includeMethods", f"({'|'.join(task.only)})"] if task.only else []
    saturation = ["--proverSaturationTimeout", "0"] if UNSATURATED in task.text.splitlines() else []
    return [*ALWAYS, *saturation, *BOUNDED.get(task.variant, ()), *only]


def ask_together(tasks: Sequence[Task], tell: Callable[[Outcome], None]) -> None:
    """Ask Silicon about the tasks in one process, and tell what comes of each. What gets no answer is asked alone."""
    waiting = dict(zip(map(str, range(len(tasks))), tasks, strict=True))

    def hear(line: str) -> None:
        if line.startswith(ANSWER):
            name, outcome = heard(json.loads(line), waiting)
            del waiting[name]
            tell(outcome)

    with tempfile.TemporaryDirectory() as folder:
        answer = run(command(waiting, Path(folder)), Path(folder), told=hear)
    for task in tuple(waiting.values()):
        if len(tasks) > 1:
            ask_together([task], tell)
        else:
            tell(Outcome(task, f"Silicon has not answered:\n{answer.said}", answer.seconds, answer.processor))


def command(tasks: Mapping[str, Task], folder: Path) -> list[str]:
    """Write the tasks, each by its name, into the folder: what asks Silicon about them then."""
    programs = nagini_folder() / "bin"
    questions = []
    for name, task in tasks.items():
        write((*task.imports, (task.file, task.text)), folder / name)
        questions.append((name, ["--z3Exe", str(programs / "z3"), *flags(task), f"{name}/{task.file}"]))
    (folder / "questions").write_text(json.dumps(questions))
    return [str(programs / "python"), str(DRIVER), str(silicon()), "questions"]


def heard(answer: dict[str, Any], waiting: Mapping[str, Task]) -> tuple[str, Outcome]:
    """The name of the task that the answer is about, and what came of it. It must be one that waits for its answer."""
    name, said = answer["asked"], answer["said"]
    if name not in waiting:
        raise ProofError(f"Silicon answers what nobody asks, or a second time: {name}")
    verified = answer["verified"] is True and "finished verification successfully" in said
    task = waiting[name]
    problem = judge(task, verified, said) if answer["read"] is True else unread(said)
    return name, Outcome(task, problem, answer["seconds"], answer["processor"])


def unread(said: str) -> str:
    """Why the task is not as it must be if Silver cannot read it: nothing is noticed in a text that is no program."""
    return f"it does not parse, or has no types:\n{said}"


def refutations(said: str) -> list[re.Match[str]]:
    """The faults, if they are all that is said, and each is one of the program."""
    faults, count = list(FAULT.finditer(said)), COUNT.search(said)
    whole = count is not None and int(count[1]) == len(faults)
    return faults if whole and all(REFUTES.search(fault["what"]) for fault in faults) else []


def judge(task: Task, verified: bool, said: str) -> str | None:
    """Why the task is not as it must be."""
    if task.fails is None:
        return None if verified else said
    faults = refutations(said)
    if verified or not faults:
        return f"it must fail at {task.fails}:\n{said}"
    own = Path(task.file).name
    places = {place(task.text, int(fault["line"])) if fault["file"] == own else Place("", said) for fault in faults}
    return None if task.fails.covers(places) else f"it must fail at {task.fails}, not at {', '.join(map(str, places))}"


def excuse(outcome: Outcome) -> Outcome:
    """A smoke test asks only whether a falsehood is proved. What it cannot prove within its bound, the proof does."""
    faults = refutations(outcome.problem or "")
    if faults and not any(fault["what"].startswith("Refute") for fault in faults):
        return replace(outcome, problem=None)
    return outcome


def place(text: str, line: int) -> Place:
    """The method and the content of the line."""
    offset = sum(map(len, text.splitlines(keepends=True)[: line - 1]))
    method = next(member.name for member in members(text) if member.begin <= offset < member.end)
    return Place(method, one_line(without_comments(text).splitlines()[line - 1]))


ASKING = (ask_together, command, heard, unread, refutations, judge, excuse, place, run)
"""The code that asks and judges the answer."""
