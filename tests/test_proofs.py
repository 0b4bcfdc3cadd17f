"""Every proof has been checked as it stands; one that has changed since is checked now."""

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from proofs import catalogue, coq, nagini, pinning, viper
from proofs.catalogue import ask, ask_together, batches, needed, tasks
from proofs.landed import keep, new_lines
from proofs.links import links_in_source
from proofs.provers import install
from proofs.record import is_fresh, recorded
from proofs.share import seed, share
from proofs.statements import pinned
from proofs.task import ROOT, Outcome, Place, ProofError, Task, inside
from proofs.variables import without_contracts

CONTRADICTION = """method first(x: Int)
  requires x > 0
{
  if (x < 0) { assert false } // absurd
  while (x < 0)
    invariant forall y: Int :: { f(y) } { g(y) } f(y) > 0
  {
  }
}
function chosen(x: Int): Int
  ensures result > x
domain D { axiom zero { forall x: Int :: { f(x) } f(x) == 0 } }
"""
COUNTDOWN = """def f(x: int) -> int:
    Requires(x > 0)
    while x:
        Invariant(x > 0)
        x = x - 1
    return x
"""


@pytest.mark.parametrize("task", [pytest.param(task, id=task.name) for task in tasks()])
@pytest.mark.provers
def test_proof_is_as_it_must_be(task: Task) -> None:
    if not is_fresh(task, recorded()):
        for program in needed([task]):
            install(program)
        assert ask(task).problem is None


PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.provers
def test_a_share_of_the_record_is_true_and_so_is_what_is_new_in_it(part: int) -> None:
    """A line that no prover has said is found at once; an old one at some commit, on some day."""
    every, entries = tasks(), recorded()
    names = {task.name for task in (*share(every, entries, 60, seed()), *new_lines(every, entries))}
    chosen = [task for number, task in enumerate(every) if number % PARTS == part and task.name in names]
    for program in needed(chosen):
        install(program)
    outcomes: list[Outcome] = []
    for batch in batches(chosen):
        ask_together(batch, outcomes.append)
    assert {outcome.task.name: outcome.problem for outcome in outcomes} == {task.name: None for task in chosen}
    for task in chosen:
        if is_fresh(task, entries):
            keep(task.name, entries[task.name])


def test_record_holds_nothing_else() -> None:
    assert set(recorded()) <= {task.name for task in tasks()}


def test_each_proof_has_a_smoke_test_or_is_coq() -> None:
    smoked = {task.file for task in tasks() if task.variant == "smoke"}
    assert smoked == {file for file in catalogue.files() if not file.endswith(".v")}


def test_each_proof_is_read_by_the_parser_of_its_prover_and_says_what_is_pinned() -> None:
    read = {task.file: task.pinned for task in tasks() if task.variant == "tree" or task.file.endswith(".v")}
    assert {file for file in catalogue.files() if not file.endswith(".py")} == set(read)
    for file, said in pinned_files().items():
        assert said, file


def test_whatever_the_running_text_names_is_pinned_with_its_whole_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    links = links_in_source()
    assert len(links) >= 121
    pinning.check_named(links)
    for function, file, name in links:
        contract = pinning.contract_of(file, name)
        lines = [line for line in contract.splitlines() if "nsures" in line] or [contract]
        for line in lines:
            shorter = pinned(file).replace(contract, contract.replace(line, "", 1))
            monkeypatch.setattr(pinning, "pinned", lambda _file, said=shorter: said)
            with pytest.raises(ProofError, match=rf"lacks the contract of {name}|promises nothing"):
                pinning.check_named([(function, file, name)])
            monkeypatch.undo()


def test_what_the_running_text_names_must_promise_something(monkeypatch: pytest.MonkeyPatch) -> None:
    text = inside("search/graph.vpr").read_text()
    monkeypatch.setattr(viper, "heads", lambda _text: {"search_nothing": "method search_nothing()\n  decreases"})
    with pytest.raises(ProofError, match="search_nothing, which a names, promises nothing"):
        pinning.check_named([("a", "search/graph.vpr", "search_nothing")])
    assert "search_nothing" not in text


@pytest.mark.parametrize("lost", ["control", "smoke", "tree", "ending"])
def test_twenty_tasks_that_are_gone_are_noticed(lost: str) -> None:
    every = tasks()
    gone = [task for task in every if task.variant.startswith(lost)][:20]
    with pytest.raises(ProofError, match=r"are not those of proofs/tasks\.txt") as raised:
        pinning.check_tasks([task for task in every if task not in gone])
    assert str(raised.value).count("\n- ") == len(gone) >= 8


def test_a_task_that_must_fail_elsewhere_or_comes_twice_is_noticed() -> None:
    every = tasks()
    control = next(task for task in every if task.fails is not None)
    for changed in (replace(control, fails=Place("any", "*")), replace(control, fails=None)):
        with pytest.raises(ProofError, match=r"are not those of proofs/tasks\.txt"):
            pinning.check_tasks([changed if task is control else task for task in every])
    with pytest.raises(ProofError, match=r"are not those of proofs/tasks\.txt"):
        pinning.check_tasks([*every, control])


def test_a_mistake_that_is_planted_otherwise_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = tasks()
    pinning.check_tasks(every)
    text = inside("controls.toml").read_text()
    (tmp_path / "controls.toml").write_text(text.replace('by = "', 'by = "assert false; ', 1))
    monkeypatch.setattr(pinning, "inside", tmp_path.joinpath)
    with pytest.raises(ProofError, match=r"tasks\.txt:\n- mistakes: sha256 \w+\n\+ mistakes: sha256 \w+$"):
        pinning.check_tasks(every)


def test_nothing_pinned_is_cut_short() -> None:
    for file, said in pinned_files().items():
        assert "..." not in said, file


def pinned_files() -> dict[str, str]:
    """By proof: what it must say."""
    return {file: pinned(file) for file in catalogue.files()}


def test_each_coq_file_says_what_it_proves() -> None:
    for task in tasks():
        if task.file.endswith(".v"):
            assert task.proves, task.file


def test_a_changed_proof_is_not_fresh() -> None:
    task = next(task for task in tasks() if task.file == "search/graph.vpr")
    entries = {task.name: {"fingerprint": catalogue.fingerprint(task)}}
    assert is_fresh(task, entries)
    assert not is_fresh(Task(task.file, task.variant, task.text + "field f: Int\n", task.imports, task.proves), entries)


def test_falsehoods_are_planted_in_methods_and_loops_and_not_where_nothing_comes() -> None:
    planted = viper.with_falsehoods(CONTRADICTION).splitlines()
    assert [number for number, line in enumerate(planted, 1) if "refute false" in line] == [3, 7, 8, 9]


def test_what_is_imported_by_contract_has_contracts_and_no_bodies() -> None:
    text = inside("search/parallel/cndfs_place.vpr").read_text()
    bare = viper.contracts(text)
    assert viper.heads(text).keys() == set(viper.methods(text))
    assert not viper.methods(bare)
    assert viper.definitions(bare) == viper.definitions(text)
    lines, code = bare.splitlines(), viper.without_comments(text).splitlines()
    assert all(kept in ("", line.rstrip()) for kept, line in zip(map(str.rstrip, lines), code, strict=True))
    for head in viper.heads(text).values():
        assert viper.essence(head) in viper.essence(bare)


def test_what_is_imported_if_named_lacks_the_other_methods_and_nothing_else() -> None:
    text = inside("search/parallel/cndfs_place.vpr").read_text()
    fewer = viper.contracts(text, frozenset({"entered"}))
    lost = [name for name in viper.methods(text) if f"method {name}(" not in fewer]
    assert lost == [name for name in viper.methods(text) if name != "entered"]
    assert viper.definitions(fewer) == viper.definitions(text)
    assert len(fewer.splitlines()) == len(text.splitlines())
    handed = dict(viper.needed("search/parallel/pndfs.vpr"))
    assert "method step(" in handed["search/parallel/pndfs_frames.vpr"]
    assert "method step_next(" not in handed["search/parallel/pndfs_frames.vpr"]


def test_a_control_has_the_body_of_its_method_and_no_other() -> None:
    text = inside("search/parallel/cndfs_place.vpr").read_text()
    alone = viper.with_body_of(text, "entered")
    assert viper.methods(alone) == ("entered",)
    assert viper.definitions(alone) == viper.definitions(text)
    assert viper.heads(text)["entered"] == viper.heads(alone)["entered"]
    pairs = zip(text.splitlines(), alone.splitlines(), strict=True)
    assert all(line.startswith(kept.rstrip()) for line, kept in pairs)
    for task in tasks():
        if task.fails is not None and task.file.endswith(".vpr") and "refute false" not in task.text:
            is_function = task.fails.method in viper.recursive(task.text)
            assert viper.methods(task.text) == (() if is_function else (task.fails.method,)), task.name


def test_a_fault_has_a_method_and_a_line() -> None:
    assert viper.place(CONTRADICTION, 4) == Place("first", "if (x < 0) { assert false }")
    task = Task("a.vpr", "control", CONTRADICTION, fails=Place("first", "if (x < 0) { assert false }"))
    said = "Silicon found 1 error in 1.00s:\n  [0] Assert might fail. f(x) might not hold. (a.vpr@{}.3--4.9)\n"
    assert viper.judge(task, False, said.format(4)) is None
    assert viper.judge(task, False, said.format(5)) is not None
    assert viper.judge(task, True, "") is not None


@pytest.mark.parametrize(
    "said",
    [
        'Silicon found 1 error in 1.00s:\n  [0] Parse error: Expected ")":1:11 (a.vpr@4.3--4.9)\n',
        "Silicon found 1 error in 1.00s:\n  [0] found incompatible type `Bool`, expected `Int` (a.vpr@4.3--4.9)\n",
        "Silicon found 1 error in 1.00s:\n  [0] undeclared identifier `might` (a.vpr@4.3--4.9)\n",
        "Silicon found 2 errors in 1.00s:\n  [0] Assert might fail. x might not hold. (a.vpr@4.3--4.9)\n"
        "  [1] { y > 0 } is not a valid Trigger (a.vpr@4.3--4.9)\n",
        "Silicon found 2 errors in 1.00s:\n  [0] Assert might fail. x might not hold. (a.vpr@4.3--4.9)\n",
    ],
)
def test_a_mistake_is_noticed_by_a_verifier_or_not_at_all(said: str) -> None:
    task = Task("a.vpr", "control", CONTRADICTION, fails=Place("first", "*"))
    assert viper.judge(task, False, said) is not None


def test_a_smoke_test_excuses_what_it_could_not_prove_but_no_falsehood_proved() -> None:
    task = Task("a.vpr", "smoke", CONTRADICTION)
    unproved = "  [0] Assert might fail. f(x) might not hold. (a.vpr@4.3--4.9)\n"
    proved = "  [1] Refute holds in all cases (e.g. see `x`). Assertion false definitely holds. (a.vpr@5.3--5.9)\n"
    one, both = f"Silicon found 1 error in 3s:\n{unproved}", f"Silicon found 2 errors in 3s:\n{unproved}{proved}"
    assert viper.excuse(Outcome(task, one, 1, 1)).problem is None
    for said in (both, f"Silicon found 2 errors in 3s:\n{unproved}", "Silicon found 1 error in 3s:\n", "stopped"):
        assert viper.excuse(Outcome(task, said, 1, 1)).problem == said


def test_a_fault_in_coq_has_a_theorem_and_a_line() -> None:
    text = "Lemma a : True.\nProof. exact I. Qed.\nTheorem b' : False.\nProof.\n  exact  I.\nQed.\n"
    assert coq.place(text, 5) == Place("b'", "exact I.")
    task = Task("c/d.v", "control", text, fails=Place("b'", "exact I."))
    said = 'File "./c/{}.v", line {}, characters 2-3:\nError: ...\n'
    assert coq.judge(task, said.format("d", 5)) is None
    for other in (said.format("d", 2), said.format("e", 5), "stopped"):
        assert coq.judge(task, other) is not None


def test_a_mistake_is_noticed_in_coq_where_a_proof_does_not_go_through() -> None:
    text = "Theorem b : False. (* Proof *)\nProof. exact I. Qed.\nDefinition c := I I.\n"
    anywhere = [Task("c/d.v", "control", text, fails=Place(name, "*")) for name in ("b", "c")]
    said = 'File "./c/d.v", line {}, characters {}-99:\nError: {}\n'
    for where in ((2, 7), (2, 16)):
        assert coq.judge(anywhere[0], said.format(*where, 'The term "I" has\ntype "True".')) is None
    for where in ((1, 12), (2, 0), (3, 16)):
        for task in anywhere:
            assert coq.judge(task, said.format(*where, 'The term "I" has type "True".')) is not None
    for unread in ("Syntax error: '.' expected.", "The reference I was not found in the current\nenvironment."):
        assert coq.judge(anywhere[0], said.format(2, 7, unread)) is not None


def test_a_mistake_is_noticed_in_python_that_nagini_can_translate() -> None:
    task = Task("a.py", "control", COUNTDOWN, fails=Place("f", "x = x - 1"))
    fault = "Assert might fail. Assertion x might not hold. (a.py@5.8)\n"
    failed = f"Verification failed\nErrors:\n{fault}Verification took 1.00 seconds.\n"
    assert nagini.judge(task, False, failed) is None
    others = (f"Translation failed\n{fault}", failed.replace(fault, "Type error: x is not defined (a.py@5.0)\n"), fault)
    for said in others:
        assert nagini.judge(task, False, said) is not None


def test_comments_of_coq_are_blanks_and_what_is_asked_stays() -> None:
    text = '(* a "*)" (* b *)\nc *) Lemma d : "(*" = e. (* f'
    assert coq.without_comments(text) == " " * 17 + "\n" + " " * 5 + 'Lemma d : "(*" = e. ' + " " * 4
    assert coq.essence("(* Proof of everafter.a *)\nLemma a.") == coq.essence("Lemma  a.") != coq.essence("Lemma b.")


def test_contracts_are_stripped_and_falsehoods_planted() -> None:
    stripped = "\n".join(map(ast.unparse, without_contracts(ast.parse(COUNTDOWN))))
    assert stripped == "def f(x: int) -> int:\n    while x:\n        x = x - 1\n    return x"
    lines = nagini.with_falsehoods(COUNTDOWN).splitlines()
    assert [number for number, line in enumerate(lines, 1) if "Refute(False)" in line] == [6, 7]


def test_the_wheel_does_not_hold_the_proofs() -> None:
    code = "import everafter, sys; print('proofs' in sys.modules)"
    away = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path("/"), env=away, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
    assert 'packages = ["src/everafter"]' in (ROOT / "pyproject.toml").read_text()
