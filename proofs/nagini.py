"""Proofs about Python text: contracts that Nagini checks, and the text that ships, which is the same without them."""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from proofs.provers import VERSIONS, nagini_folder, run
from proofs.python_text import CONTRACTS, OBLIGATIONS
from proofs.task import Outcome, Place, Task, one_line

PROVER = f"Nagini {VERSIONS['Nagini']}, Silicon {VERSIONS['Silicon']}, Z3 {VERSIONS['Z3']}"
NEEDS = ("java", "nagini")
CHOOSES = True
"""Whether it can be asked about some methods only."""
FAULT = re.compile(r"^.*\((?:[^()@]*/)?(?P<file>[^()@/]+)@(?P<line>\d+)\.\d+.*\)\s*$", re.MULTILINE)
FAILED = "Verification failed\nErrors:\n"
"""What Nagini says before the faults of a program. A text that it cannot translate, it speaks of otherwise."""
REFUTES = re.compile(r"\b(?:might|may) (?:not|fail|be|have|exist)\b|^Refute holds in all cases\b")
ABSURD = "# absurd"
"""Marks a block that is a proof by contradiction: nothing comes to its end, and no falsehood is planted in it."""
SPOKEN = {"Requires", "Ensures", "Invariant", "Decreases", "Assert", "Assume", "Refute", "Fold", "Unfold"}
FOR_PROOF = "# ---- For the proof only"
"""The line from which on nothing runs."""
Function = ast.FunctionDef
Block = ast.FunctionDef | ast.While | ast.For | ast.If


def essence(text: str) -> str:
    """What of the text matters to the prover: all but comments, docstrings and layout."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.Module) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def functions(text: str) -> list[Function]:
    """The functions of the file."""
    return [node for node in ast.parse(text).body if isinstance(node, Function)]


def is_marked(function: Function, mark: str) -> bool:
    """Whether the function has this decorator."""
    return any(isinstance(each, ast.Name) and each.id == mark for each in function.decorator_list)


def methods(text: str) -> tuple[str, ...]:
    """The functions that have statements to check, or a meaning to be well defined."""
    return tuple(function.name for function in functions(text) if not is_marked(function, "ContractOnly"))


def with_falsehoods(text: str) -> str:
    """The text with `Refute(False)` before every return, and at the end of every function and loop."""
    lines = text.splitlines()
    planted: list[tuple[int, int]] = []
    for function in functions(text):
        if not is_marked(function, "Pure"):
            planted += _places(function, lines)
    for line, indent in sorted(set(planted), key=lambda each: (-each[0], each[1])):  # what is deeper comes first
        lines.insert(line - 1, f"{' ' * indent}Refute(False)")
    return "\n".join(lines) + "\n"


def _places(block: Block, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Before which lines a falsehood belongs, and how far it is indented."""
    if ABSURD in lines[block.lineno - 1]:
        return
    for statement in [*block.body, *getattr(block, "orelse", [])]:
        if isinstance(statement, ast.Return):
            yield statement.lineno, statement.col_offset
        elif isinstance(statement, ast.While | ast.For | ast.If):
            yield from _places(statement, lines)
    last = block.body[-1]
    if not isinstance(block, ast.If) and not isinstance(last, ast.Return) and last.end_lineno is not None:
        yield last.end_lineno + 1, last.col_offset


def is_contract(node: ast.stmt) -> bool:
    """Whether the statement is for the proof only."""
    if isinstance(node, ast.ImportFrom):
        return node.module in {CONTRACTS, OBLIGATIONS}
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in SPOKEN


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, Function) else []
    return min([node.lineno, *(each.lineno for each in decorators)])


def options(task: Task) -> list[str]:
    """How Nagini is to look at the task."""
    return ["--select", ",".join(task.only)] if task.only else []


def ask(task: Task) -> Outcome:
    """Run Nagini on the task."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / Path(task.file).name
        file.write_text(task.text)
        programs = nagini_folder() / "bin"
        command = [str(programs / "nagini"), "--z3", str(programs / "z3"), *options(task), file.name]
        answer = run(command, Path(name), {"JAVA_TOOL_OPTIONS": "-Xss64m -Xmx4g"})
    verified = answer.status == 0 and "Verification successful" in answer.said
    return Outcome(task, judge(task, verified, answer.said), answer.seconds, answer.processor)


def judge(task: Task, verified: bool, said: str) -> str | None:
    """Why the task is not as it must be."""
    if task.fails is None:
        return None if verified else said
    faults = list(FAULT.finditer(said))
    refuted = FAILED in said and all(REFUTES.search(fault[0]) for fault in faults)
    if verified or not faults or not refuted:
        return f"it must fail at {task.fails}, as a program that Nagini can translate:\n{said}"
    places = {place(task.text, int(fault["line"])) for fault in faults}
    return None if task.fails.covers(places) else f"it must fail at {task.fails}, not at {', '.join(map(str, places))}"


def excuse(outcome: Outcome) -> Outcome:
    """Nothing is excused."""
    return outcome


def place(text: str, line: int) -> Place:
    """The function and the content of the line."""
    method = next(each.name for each in functions(text) if _first_line(each) <= line <= (each.end_lineno or line))
    return Place(method, one_line(text.splitlines()[line - 1]))


ASKING = (ask, judge, excuse, place, run)
"""The code that asks and judges the answer."""
