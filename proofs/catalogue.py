"""All there is to check: every proof as it is, how it is read, with falsehoods, and with each planted mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from inspect import getsource
from pathlib import Path
from typing import Any

from proofs import coq, nagini, pinning, python_text, silver_tree, viper
from proofs.literal import check_generated, companions, with_changed_kernel
from proofs.runnable import check_runnable
from proofs.statements import compared, pinned, pinned_path
from proofs.task import FOLDER, Assumption, Outcome, Place, ProofError, Task, inside, one_line, tables_of

PROVERS: dict[str, Any] = {".vpr": viper, ".py": nagini, ".v": coq}
"""By the ending of a file: the module that knows its prover."""
READ_TOGETHER = 16
"""So many files are read by one process: if it fails, no more than these are asked again."""
ASKED_TOGETHER = 40
"""So many programs are verified by one process: Java has learned by then what it can, and another can do the rest."""


def prover_of(task: Task) -> Any:
    """The module that knows how to ask the task."""
    return silver_tree if task.variant == "tree" else PROVERS[Path(task.file).suffix]


def fingerprint(task: Task) -> str:
    """The same for the same question, asked in the same way, with the same code, of the same version of the prover."""
    essence = PROVERS[Path(task.file).suffix].essence
    essential = tuple((file, essence(text)) for file, text in task.imports)
    module = prover_of(task)
    asked = (module.PROVER, *module.options(task), *map(getsource, module.ASKING))
    return replace(task, text=essence(task.text), imports=essential).fingerprint(asked)


def files() -> list[str]:
    """The proofs, from their folder. The files beside this one are the checker's own."""
    found = (path.relative_to(FOLDER) for path in FOLDER.glob("*/**/*") if path.suffix in PROVERS)
    return sorted(map(str, found))


def check_files(every: list[str]) -> None:
    """Refuse whatever lies among the proofs and is not one: nobody would check it."""
    known = {inside(file) for file in (*every, *companions())} | {pinned_path(file) for file in every}
    for path in sorted(FOLDER.rglob("*")):
        inner = path.parent != FOLDER and "__pycache__" not in path.parts
        if path.is_symlink() or (path.is_file() and path not in known and (inner or path.suffix in {".vpr", ".v"})):
            raise ProofError(f"{path.relative_to(FOLDER)} is no proof of the catalogue")
    for file in (*every, *companions()):
        text = inside(file).read_bytes().decode()
        odd = next((letter for letter in text if not (letter.isprintable() or letter == "\n")), "")
        if odd:
            raise ProofError(f"{file}: has the letter {odd!r}, which a prover may read otherwise than a reader")


def listed(name: str, key: str) -> list[dict[str, Any]]:
    """The tables of this key in a file of tables."""
    entries: list[dict[str, Any]] = tables_of(inside(name).read_text()).get(key, [])
    return entries


def granted(file: str) -> tuple[Assumption, ...]:
    """What the file may take for granted."""
    entries = listed("trusted.toml", "trusted")
    return tuple(Assumption(file, 0, each["name"], one_line(each["says"])) for each in entries if each["file"] == file)


def tasks() -> list[Task]:
    """Every run of a prover. Raises `ProofError` where the text of a proof already shows that something is wrong."""
    check_generated()
    check_runnable()
    every = files()
    check_files(every)
    check_trusted(every)
    found = [task for file in every for task in tasks_of(file)]
    pinning.check(found)
    return found


def tasks_of(file: str) -> Iterator[Task]:
    """The proof, how it is read, whether its functions end, its smoke test, and its controls.

    Silicon checks the measure of a function by a method of its own making, which it leaves out where it is asked about
    some methods only.
    """
    proof = as_it_is(file)
    yield proof
    if file.endswith(".vpr"):
        yield replace(proof, variant="tree", assumptions=granted(file), only=(), pinned=pinned(file))
    if proof.only and file.endswith(".vpr") and viper.recursive(proof.text):
        yield replace(proof, variant="ending", text=viper.functions_alone(proof.text), only=())
    if not file.endswith(".v"):
        planted = PROVERS[Path(file).suffix].with_falsehoods(proof.text)
        yield replace(proof, variant="smoke", text=planted, assumptions=())
    for control in listed("controls.toml", "control"):
        if control["file"] == file:
            yield with_mistake(proof, control)


def check_imports(file: str, imported: Iterable[tuple[str, str]], every: Iterable[str]) -> None:
    """Refuse a proof that rests on a file which is none of the proofs."""
    for other in {name for name, _ in imported} - set(every):
        raise ProofError(f"{file}: imports {other}, which is no proof of the catalogue")


def as_it_is(file: str) -> Task:
    """The proof itself."""
    text = inside(file).read_text()
    if file.endswith(".v"):
        coq.check_constructs(file, text)
        check_coercions(file, text)
        axioms = tuple(Assumption(file, 0, each["name"], each["says"]) for each in listed("trusted.toml", "coq"))
        required = coq.imports(file)
        check_imports(file, required, files())
        return Task(file, "proof", text, required, coq.theorems(text), axioms, pinned(file))
    if file.endswith(".py"):
        python_text.check_constructs(file, text)
        return Task(file, "proof", text, (), nagini.methods(text), granted(file))
    imported = viper.needed(file)
    check_imports(file, imported, files())
    viper.check_measures(file, text, (other for _, other in imported))
    own = viper.methods(text)
    return Task(file, "proof", text, imported, own, only=own if imported else ())


def check_coercions(file: str, text: str) -> None:
    """Refuse what Coq does not print: a function that `:>` has it put wherever its result is expected."""
    code = coq.without_comments(text)
    if ":>" in code:
        raise ProofError(f"{coq.at(file, code, code.index(':>'))}: a coercion would change how Coq prints")


def with_mistake(proof: Task, control: dict[str, Any]) -> Task:
    """The proof with a mistake planted; it must fail there. Some mistakes only the smoke test can see.

    If the control names a module, the mistake is planted into the Python that runs, and the proof made of that.
    """
    if "module" in control:
        text = with_changed_kernel(proof.file, control["module"], control["replace"], control["by"])
    elif proof.text.count(control["replace"]) != 1:
        raise ProofError(f"control {control['name']}: {proof.file} has not exactly one {control['replace']!r}")
    else:
        text = proof.text.replace(control["replace"], control["by"])
    module = PROVERS[Path(proof.file).suffix]
    if control.get("smoke"):
        text = module.with_falsehoods(text)
    if control.get("ending"):
        text = viper.functions_alone(text)
    fails = Place(control["fails"]["method"], one_line(control["fails"]["line"]))
    only = (fails.method,) if module.CHOOSES and not control.get("smoke") else proof.only
    only = () if control.get("ending") else only
    if module is viper and only == (fails.method,):
        text = viper.with_body_of(text, fails.method)
    name = f"control {control['name']}"
    return replace(proof, variant=name, text=text, assumptions=(), pinned="", fails=fails, only=only)


def check_trusted(every: Iterable[str]) -> None:
    """Make sure that what Python's tree shows to be taken for granted and to be said is what is listed and pinned.

    Of Viper this is for Silver to see, in the task `tree` of each file; of Coq, for Coq.
    """
    every = set(every)
    for entry in listed("trusted.toml", "trusted"):
        if entry["file"] not in every:
            raise ProofError(f"trusted.toml: there is no {entry['file']}")
    for file in sorted(every):
        if file.endswith(".py"):
            text = inside(file).read_text()
            python_text.check_granted(file, text, granted(file))
            _, problem = compared(Task(file, "proof", text, pinned=pinned(file)), python_text.statements(text))
            if problem is not None:
                raise ProofError(f"{file}: {problem}")


def ask(task: Task) -> Outcome:
    """Ask the prover."""
    outcomes: list[Outcome] = []
    ask_together([task], outcomes.append)
    return outcomes[0]


def batches(every: Iterable[Task]) -> list[list[Task]]:
    """The tasks, those together that are asked together: of Silver and Silicon some at a time, and each other alone.

    Proofs come first, and mistakes planted in them last.
    """
    order = sorted(every, key=lambda task: ["proof", "ending", "smoke", "tree", task.variant].index(task.variant))
    trees = [task for task in order if task.variant == "tree"]
    programs = [task for task in order if prover_of(task) is viper]
    others = [[task] for task in order if prover_of(task) not in (silver_tree, viper)]
    return [*some(programs, ASKED_TOGETHER), *others, *some(trees, READ_TOGETHER)]


def some(every: list[Task], most: int) -> Iterator[list[Task]]:
    """The tasks in their order, at most so many at a time."""
    return (every[begin : begin + most] for begin in range(0, len(every), most))


def ask_together(batch: list[Task], tell: Callable[[Outcome], None]) -> None:
    """Ask the prover about the tasks of a batch, and tell what comes of each as soon as it is known."""
    module = prover_of(batch[0])
    if module is viper:
        viper.ask_together(batch, lambda outcome: tell(excused(outcome)))
    elif module is silver_tree:
        for outcome in silver_tree.ask_together(batch):
            tell(outcome)
    else:
        for task in batch:
            tell(excused(module.ask(task)))


def excused(outcome: Outcome) -> Outcome:
    """What came of the task, but for what a smoke test may say."""
    if outcome.task.variant != "smoke":
        return outcome
    module: Any = prover_of(outcome.task)
    forgiven: Outcome = module.excuse(outcome)
    return forgiven


def needed(every: Iterable[Task]) -> list[str]:
    """The programs that these tasks need."""
    return sorted({program for task in every for program in prover_of(task).NEEDS})
