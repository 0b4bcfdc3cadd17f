"""What Silver's own parser sees in a Viper proof, held against what the proof may be and must say.

The other half, `proofs/silver.py`, runs where Java can be asked. Whatever a text may look like, nothing is left out
here: every declaration is of a file of the catalogue, every method is one that Silicon is asked about and that has
falsehoods planted, whatever is taken for granted is listed, and so is what is not shown to end.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofs import viper
from proofs.links import links_in_source
from proofs.provers import nagini_folder, run, silicon
from proofs.statements import compared, needed
from proofs.task import FOLDER, Outcome, ProofError, Task, one_line, write

PROVER = viper.PROVER
NEEDS = ("java", "nagini")
READER = FOLDER / "silver.py"
LIBRARY = "decreases/"
"""Where Silver's own orders are, which it imports itself for measures of what ends."""
STATEMENTS = "Seqn LocalVarAssign LocalVarDeclStmt FieldAssign MethodCall If While Assert Refute"
DECLARATIONS = (
    "Method Function Domain DomainFunc NamedDomainAxiom AnonymousDomainAxiom Field LocalVarDecl DecreasesTuple"
)
EXPRESSIONS = """LocalVar Result IntLit TrueLit FalseLit Add Sub Mul Div Mod Minus EqCmp NeCmp LtCmp LeCmp GtCmp GeCmp
    And Or Not Implies CondExp Let Forall Exists Trigger Old FuncApp DomainFuncApp
    FieldAccess FieldAccessPredicate FullPerm
    EmptySet ExplicitSet AnySetUnion AnySetIntersection AnySetMinus AnySetSubset AnySetContains AnySetCardinality
    EmptySeq ExplicitSeq RangeSeq SeqAppend SeqIndex SeqTake SeqDrop SeqContains SeqUpdate SeqLength"""
SORTS = "Int$ Bool$ Ref$ Perm$ SetType SeqType TypeVar"
ALLOWED = frozenset(f"{STATEMENTS} {DECLARATIONS} {EXPRESSIONS} {SORTS}".split())
"""What a proof is made of. Not among them: `inhale`, `assume`, and whatever a caller is told but nobody has to show."""
REVEALS = frozenset({"opaque", "reveal"})
"""The annotations that may be used: they keep something from the prover, and tell it nothing."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """What Silver reads in the proof, and in the proof with planted falsehoods."""

    proof: Json
    smoke: Json


def options(_task: Task) -> list[str]:
    """How Silver is asked."""
    return [READER.read_text()]


def ask(task: Task) -> Outcome:
    """Have Silver read the proof."""
    return ask_together([task])[0]


def ask_together(tasks: Sequence[Task]) -> list[Outcome]:
    """Have Silver read the proofs, all at once: most of the time of a short reading is what Java takes to start."""
    readings, seconds, processor = read(tasks)
    return [
        _judged(task, reading, seconds / len(tasks), processor / len(tasks))
        for task, reading in zip(tasks, readings, strict=True)
    ]


def _judged(task: Task, reading: Reading, seconds: float, processor: float) -> Outcome:
    problem = "\n".join(faults(task, reading)) or None
    if problem is None:
        task, problem = compared(task, statements(task, reading.proof))
    return Outcome(task, problem, seconds, processor)


def read(tasks: Iterable[Task]) -> tuple[list[Reading], float, float]:
    """Have Silver read the proofs, all at once; and how long it took, in all and of processor time."""
    with tempfile.TemporaryDirectory() as name:
        asked: list[str] = []
        for number, task in enumerate(tasks):
            for kind, text in (("proof", task.text), ("smoke", viper.with_falsehoods(task.text))):
                folder = f"{number}/{kind}"
                write((*task.imports, (task.file, text)), Path(name) / folder)
                asked += [folder, task.file]
        python = nagini_folder() / "bin" / "python"
        answer = run([str(python), str(READER), str(silicon()), *asked], Path(name))
    trees = [_placed(json.loads(line)) for line in answer.said.splitlines() if line.startswith('{"errors"')]
    if answer.status or len(trees) != len(asked) // 2:
        raise ProofError(f"Silver cannot be asked:\n{answer.said}")
    return [Reading(*pair) for pair in zip(trees[::2], trees[1::2], strict=True)], answer.seconds, answer.processor


def _placed(tree: Json) -> Json:
    """The tree with files named as in the catalogue."""
    for member in tree.get("members", []):
        member["file"] = member.get("file", "").removeprefix(tree["folder"])
    return tree


def statements(task: Task, tree: Json) -> str:
    """The contracts that are pinned, as they are written, and the definitions that they are made of.

    The last line stands for the same with every macro written out, as Silver prints it.
    """
    texts = (*task.imports, (task.file, task.text))
    written = {name: text for file in texts for name, text in viper.definitions(file[1]).items()}
    named = {name for _, file, name in links_in_source() if file == task.file}
    heads = {
        name: head for name, head in viper.heads(task.text).items() if name in named or f"method {name}(" in task.pinned
    }
    promised = [member["printed"] for member in tree["members"] if member["name"] in heads and "printed" in member]
    defined = [member["says"] for member in tree["members"] if member["sort"] in {"domains", "functions"}]
    digest = hashlib.sha256(json.dumps([promised, defined]).encode()).hexdigest()
    return "\n\n".join((*heads.values(), *needed(heads.values(), written), f"printed in full: {digest}")) + "\n"


def faults(task: Task, reading: Reading) -> Iterator[str]:
    """Everything that is wrong with the proof, whatever Silicon says of it."""
    for tree in (reading.proof, reading.smoke):
        yield from tree["errors"]
        if tree["errors"]:
            return
    own = [member for member in reading.proof["members"] if member.get("file") == task.file]
    yield from _strangers(task, reading.proof["members"])
    for member in own:
        yield from _odd_parts(member)
    yield from _unasked(task, own)
    yield from _assumed(task, set(taken_for_granted(own, ends(reading.proof["members"]))))
    planted = [member for member in reading.smoke["members"] if member.get("file") == task.file and "body" in member]
    yield from _unplanted(task, planted)


def _strangers(task: Task, members: Iterable[Json]) -> Iterator[str]:
    """Declarations that no file of the catalogue has."""
    known = {task.file, *(file for file, _ in task.imports)}
    for member in members:
        file = member.get("file", "")
        if file not in known and not file.startswith(LIBRARY):
            yield f"{member['name']} is declared in {file or 'no file'}, which is no proof of the catalogue"


def _odd_parts(member: Json) -> Iterator[str]:
    """What a proof is not made of."""
    for kind in sorted(set(member["kinds"]) - ALLOWED):
        yield f"{member['file']}:{member['line']}: {member['name']} uses {kind}, of which no proof is made"
    for mark in sorted(set(member["marks"]) - REVEALS):
        yield f"{member['file']}:{member['line']}: {member['name']} is marked {mark}"


def _unasked(task: Task, own: Iterable[Json]) -> Iterator[str]:
    """Methods that Silicon is not asked about, and names it is asked about that are none."""
    found = {member["name"] for member in own if member["sort"] == "methods" and member["has body"]}
    for name in sorted(found - set(task.proves)):
        yield f"{task.file}: nobody asks whether {name} is right"
    for name in sorted(set(task.proves) - found):
        yield f"{task.file}: {name} is no method"
    asked = viper.recursive(task.text)
    for member in own:
        if member["sort"] == "functions" and _calls_itself(member, own) and member["name"] not in asked:
            yield f"{task.file}: Silicon is not asked whether the measure of {member['name']} falls"


def _calls_itself(function: Json, members: Iterable[Json]) -> bool:
    """Whether what it calls leads back to it."""
    return function["name"] in viper.reached(
        function["name"], {member["name"]: member["calls"] for member in members if "calls" in member}
    )


def taken_for_granted(own: Sequence[Json], ending: set[str]) -> Iterator[tuple[str, str]]:
    """What the declarations take for granted, each with the words in which Silver prints it."""
    for member in own:
        sort = member["sort"].removesuffix("s")
        if sort == "domain":
            yield from ((f"axiom {axiom['name']}".strip(), one_line(axiom["says"])) for axiom in member["axioms"])
            for function in member["functions"]:
                if function.startswith("unique") or "interpretation" in function:
                    yield f"function of {member['name']}", one_line(function)
        elif sort == "extension" or not member.get("has body", True):
            yield f"{sort} {member['name']}", one_line(member["says"])
        if sort in {"function", "method"} and member["name"] not in ending:
            loops = sum(not _is_measured(loop) for loop in _loops(member.get("body", {})))
            yield f"{sort} {member['name']}", f"is not shown to end{f', nor are {loops} of its loops' if loops else ''}"


def ends(members: Iterable[Json]) -> set[str]:
    """The functions and methods that are shown to end.

    Either a measure falls whenever something calls itself, which Silicon checks: of functions if it is asked about them
    (`recursive` in `proofs.viper`). Or nothing called leads back, and all that is called ends. Loops have measures of
    their own. Of methods of other files only the measure is known.
    """
    callables = [member for member in members if "measures" in member]
    found = {
        member["name"]
        for member in callables
        if _is_measured(member)
        and _has_measured_loops(member)
        and (member["sort"] == "methods" or _calls_itself(member, callables))
    }
    while True:
        more = {
            member["name"]
            for member in callables
            if (member["sort"] == "functions" or not member["measures"])
            and "calls" in member
            and not _calls_itself(member, callables)
            and found.issuperset(member["calls"])
            and _has_measured_loops(member)
        }
        if more <= found:
            return found
        found |= more


def _has_measured_loops(member: Json) -> bool:
    return all(map(_is_measured, _loops(member.get("body", {}))))


def _loops(block: Json) -> Iterator[Json]:
    for inner in block.get("blocks", []):
        if inner["sort"] == "loop":
            yield inner
        yield from _loops(inner)


def _is_measured(node: Json) -> bool:
    """Whether a measure that falls is given, and under no condition."""
    measures = node["measures"]
    return bool(measures) and all(each["kind"] == "DecreasesTuple" and each["always"] for each in measures)


def _assumed(task: Task, found: set[tuple[str, str]]) -> Iterator[str]:
    """What is taken for granted but not listed, and what is listed but not taken for granted."""
    granted = {(each.name, each.says) for each in task.assumptions}
    for name, says in sorted(found - granted):
        yield f"{task.file}: {name} is not in trusted.toml: {says}"
    for name, says in sorted(granted - found):
        yield f"trusted.toml: {task.file} takes no such {name} for granted: {says}"


def _unplanted(task: Task, methods: Iterable[Json]) -> Iterator[str]:
    """Methods and loops where no falsehood is planted, so that nobody would notice if nothing got there."""
    for method in methods:
        for block in _blind(method["body"]):
            yield f"{task.file}: {method['name']} has a {block['sort']} in which no falsehood is planted"


def _blind(block: Json) -> Iterator[Json]:
    """Blocks without a falsehood where they begin and, unless they are branches, where they end.

    A branch may be a proof by contradiction, to whose end nothing comes, and neither to the blocks in it.
    """
    if block["sort"] == "branch":
        if not block["begins"]:
            return
    elif not (block["begins"] and block["ends"]):
        yield block
    for inner in block["blocks"]:
        yield from _blind(inner)


ASKING = (sys.modules[__name__],)
"""What the answer depends on, beside the proof."""
