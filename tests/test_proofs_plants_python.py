"""Mistakes planted into proofs about Python, among the proofs, and into the record: noticed without a prover."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from proofs import catalogue, coq, provers, python_text, viper
from proofs.catalogue import as_it_is, check_files, check_imports, files, fingerprint, listed, tasks
from proofs.inventory import PAGE as INVENTORY
from proofs.inventory import check_listed, inventory_page, row_of_paper
from proofs.page import PAGE, page
from proofs.record import is_fresh, recorded
from proofs.share import share
from proofs.statements import compared, pinned
from proofs.task import Assumption, ProofError, Task, inside

DECIDING = "certificates/deciding.py"
HEAD = "from nagini_contracts.contracts import *\n"
REFUSED = {
    "repeated list": "def f(n: int) -> None:\n    x = [0] * n\n",
    "list repeated from the left": "def f(n: int) -> None:\n    x = n * [0]\n",
    "named list repeated": "def f(n: int, xs: list[int]) -> None:\n    x = xs * n\n",
    "list of a call repeated": "def f(n: int) -> None:\n    x = g() * n\n",
    "list repeated in place": "def f(n: int, xs: list[int]) -> None:\n    xs *= n\n",
    "sum of lists repeated": "def f(n: int, xs: list[int]) -> None:\n    x = (xs + xs) * n\n",
    "item repeated": "def f(n: int, xs: list[list[int]]) -> None:\n    x = xs[0] * n\n",
    "list named as a number": "def f(n: int, m: int, xs: list[int]) -> None:\n    n = xs\n    x = n * m\n",
    "list bound in a lambda": "def f(n: int) -> None:\n    Assert(Forall(int, lambda k: k * n == 0))\n",
    "repeated by its method": "def f(n: int, xs: list[int]) -> None:\n    x = xs.__mul__(n)\n",
    "repeated by an operator": "from operator import mul\n\n\ndef f(n: int) -> None:\n    x = mul([0], n)\n",
    "letters repeated": "def f(n: int) -> None:\n    x = 'a' * n\n",
    "truth value repeated": "def f(n: int) -> None:\n    x = True * n\n",
    "comprehension": "def f(n: int) -> None:\n    x = [0 for _ in range(n)]\n",
    "class": "class C:\n    def f(self) -> None:\n        Ensures(False)\n",
    "function in a function": "def f() -> None:\n    def g() -> None:\n        Ensures(False)\n",
    "function under a condition": "if True:\n    def f() -> None:\n        Ensures(False)\n",
    "other import": "from nagini_contracts.io_contracts import *\n",
    "renaming import": "from nagini_contracts.contracts import Assume as Check\n",
    "import in a function": "def f() -> None:\n    from nagini_contracts.contracts import *\n",
    "other decorator": "@Ghost\ndef f() -> None:\n    pass\n",
    "decorator that is called": "@mark(1)\ndef f() -> None:\n    pass\n",
    "attribute that is assumed": "def f() -> None:\n    contracts.Assume(False)\n",
    "evaluated text": "def f() -> None:\n    eval('Assume(False)')\n",
    "constant at the top": "A = Assume\n",
    "exception": "def f() -> None:\n    raise Exception\n",
}
TAKEN = {
    "assumed": "def f() -> None:\n    Assume(False)\n",
    "assumed beside the word import": "def f() -> None:\n    Assume(False)  # import\n",
    "assumed under another name": "def f() -> None:\n    check = Assume\n    check(False)\n",
    "assumed in a condition": "def f() -> None:\n    if Assume(False):\n        pass\n",
    "contract only": "@ContractOnly\ndef f() -> None:\n    Ensures(False)\n",
    "loop for ever": "def f() -> None:\n    Ensures(False)\n    while True:\n        pass\n",
    "measure of nothing": "def f() -> None:\n    while True:\n        Invariant(True or MustTerminate(1))\n",
    "any measure": "def f() -> None:\n    Decreases(None)\n    f()\n",
    "measure on a condition": "def f() -> None:\n    Decreases(1, False)\n    f()\n",
    "function that is its own measure": "@Pure\ndef f(n: int) -> int:\n    Decreases(f(n))\n    return f(n - 1)\n",
    "function that leads to its own measure": (
        "@Pure\ndef f(n: int) -> int:\n    Decreases(g(n))\n    return f(n - 1)\n\n\n"
        "@Pure\ndef g(n: int) -> int:\n    return f(n)\n"
    ),
    "lemma that is its own proof": "def f() -> None:\n    Ensures(False)\n    f()\n",
    "lemmas that prove each other": "def f() -> None:\n    g()\n\n\ndef g() -> None:\n    Ensures(False)\n    f()\n",
    "lemma under another name": "def f() -> None:\n    g = f\n    g()\n",
}
LOOSE = {
    "admitted": "Lemma a : False. Admitted.",
    "admitted goal": "Lemma a : False. Proof. admit. Qed.",
    "admitted obligations": "Admit  Obligations.",
    "axiom": "Axiom a : False.",
    "axioms": "Axioms a b : False.",
    "parameter": "Parameter a : False.",
    "conjecture": "Conjecture a : False.",
    "no guard": "Unset  Guard\nChecking.",
    "no order of universes": "Unset Universe Checking.",
    "no positivity": "#[bypass_check(positivity)] Inductive a := b : (a -> False) -> a.",
    "other text": 'Load "elsewhere".',
    "code of a plugin": 'Declare ML Module "elsewhere".',
    "module without a proof": "Declare Module A : B.",
    "other folder": 'Add LoadPath "elsewhere" as everafter.',
}


PRINTED = {
    "notations are not printed": "Unset Printing Notations.",
    "everything is printed": "Set Printing All.",
    "printed for everybody": "Global Set Printing Depth 3.",
    "printed where it is required": "#[global] Set Printing Width 2.",
    "printed where it is imported": "#[export] Unset Printing Notations.",
    "another option": "Set Implicit Arguments.",
    "option in a proof": "Lemma a : True.\nProof. - Set Printing All. exact I. Qed.",
    "option in a block": "Lemma a : True.\nProof. { Set Printing All. exact I. } Qed.",
    "option for one goal": "Lemma a : True.\nProof. 1: { Set Printing All. exact I. } Qed.",
    "option on two lines": "Set\n  Printing  Depth 1.",
    "option after a remark": "(* *) Set (* *) Printing All.",
    "option behind its time": "Time Set Printing All.",
    "option that fails": "Fail Set Printing Nothing.",
    "notation": 'Notation "a ==> b" := (a -> b \\/ True) (at level 70).',
    "short name": "Notation strong := weak.",
    "short name after a section": "Section A. End A. Notation strong := weak.",
    "infix": 'Infix "and" := or (at level 70).',
    "reserved notation": 'Reserved Notation "a ==> b" (at level 70).',
    "notation of a definition": "Coercion is_true : bool >-> Sortclass.",
    "canonical": "Canonical Structure a := b.",
    "format": 'Format Notation "a" "b" "c".',
    "table of what is printed": "Add Printing If bool.",
    "constructor that is printed": "Add Printing Constructor prod.",
    "module": "Module Planted. End Planted.",
    "imported module of its own": "Export Planted.",
    "instance": "Existing Instance a.",
    "goal": "Goal True.",
    "scope": "Delimit Scope a with b.",
    "local module": "Local Module A. End A.",
    "unnamed option": "Local Unset Printing Coercions.",
}


@pytest.mark.parametrize("text", PRINTED.values(), ids=PRINTED)
def test_what_changes_how_coq_prints_is_refused(text: str) -> None:
    with pytest.raises(ProofError, match=r"^a\.v:[23]: .*(change how Coq prints|no proof is made of|no proof has)"):
        coq.check_constructs("a.v", f"(* Set Printing All. *)\n{text}\n")


COERCIONS = {
    "of a record": "Record a := b { c :> Prop }.",
    "of a constructor": "Inductive a := b :> nat -> a.",
    "of what is assumed": "Section A. Variable a :> b -> c. End A.",
}


@pytest.mark.parametrize("text", COERCIONS.values(), ids=COERCIONS)
def test_a_coercion_is_refused_however_it_is_declared(text: str) -> None:
    with pytest.raises(ProofError, match=r"^a\.v:2: a coercion would change how Coq prints$"):
        catalogue.check_coercions("a.v", f"(* a :> b *)\n{text}\n")


MEASURED = {
    "function that is its own measure": ("decreases planted(s)", ""),
    "through a macro": ("decreases falling(s)", "define falling(s) (s + planted(s))\n"),
    "of another function": ("decreases 1, circle(s)", "function circle(s: Int): Int\n  decreases s\n{ planted(s) }\n"),
    "of an imported function": ("decreases\n  imported(s)\n  ensures true", ""),
    "after another clause": ("ensures result > 0\n  requires true\n  decreases /* more */ planted(s - 1)", ""),
}


@pytest.mark.parametrize(("clause", "before"), MEASURED.values(), ids=MEASURED)
def test_a_measure_that_could_lead_back_is_refused(clause: str, before: str) -> None:
    """Silicon finds no fault in `ensures false` of a function whose measure is the function."""
    text = f"{before}function planted(s: Int): Int\n  ensures false\n  {clause}\n{{ planted(s - 1) }}\n"
    imported = "function imported(s: Int): Int\n  decreases\n{ s }\n"
    viper.check_measures("a.vpr", text.replace(clause, "decreases s"), [imported])
    with pytest.raises(ProofError, match=r"^a\.vpr: the measure of planted speaks of \w+$"):
        viper.check_measures("a.vpr", text, [imported])


def test_a_notation_of_a_section_is_no_matter_of_printing() -> None:
    coq.check_constructs("a.v", "Section A.\nNotation b := (c d).\nEnd A.\nLocal Notation e := (f : Set).\n")


def test_what_is_pinned_of_coq_departs_where_only_what_is_hidden_changes() -> None:
    task = Task("a.v", "proof", "", proves=("b",))
    said = {"b": "a.b\n     : c d", f"b{coq.IN_FULL}": "a.b\n     : @c nat d", coq.EVERYTHING: coq.CLOSED}
    hidden = {**said, f"b{coq.IN_FULL}": "a.b\n     : @c bool d"}
    assert coq.statements(task, said) != coq.statements(task, hidden)


def test_a_long_definition_departs_in_every_line() -> None:
    lines = ["a.b =", *(f"  {number}" for number in range(coq.LONGEST)), "     : c"]
    short = coq.shortened("\n".join(lines))
    assert len(short.splitlines()) == 2
    for number in range(len(lines)):
        assert coq.shortened("\n".join((*lines[:number], f"{lines[number]}0", *lines[number + 1 :]))) != short


def test_an_answer_of_coq_that_lacks_something_is_no_proof() -> None:
    task = Task("a.v", "proof", "", proves=("b",))
    for said in ({}, {"b": "a.b : c"}, {coq.EVERYTHING: coq.CLOSED}):
        assert "nothing is said of" in (coq.faults(task, {"b": "Parameter"}, said) or "")


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_a_proof_is_not_made_of_is_refused(text: str) -> None:
    with pytest.raises(ProofError, match=r"^a\.py:\d"):
        python_text.check_constructs("a.py", HEAD + text)


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_what_is_taken_for_granted_must_be_listed(text: str) -> None:
    with pytest.raises(ProofError, match=r"^a\.py:\d.* is not in trusted\.toml"):
        python_text.check_granted("a.py", HEAD + text, ())


def test_numbers_may_be_multiplied() -> None:
    python_text.check_constructs("a.py", HEAD + "def f(n: int) -> int:\n    return 2 * n\n")


def test_an_entry_that_nothing_needs_is_refused() -> None:
    with pytest.raises(ProofError, match="takes no such function"):
        python_text.check_granted("a.py", HEAD, [Assumption("a.py", 0, "function f", "has 1 loops, not shown to end")])


@pytest.mark.parametrize("text", LOOSE.values(), ids=LOOSE)
def test_what_coq_would_believe_is_refused(text: str) -> None:
    with pytest.raises(ProofError, match=r"^a\.v:2: no proof has"):
        coq.check_constructs("a.v", f"(* Axiom *)\n{text}\n")


@pytest.mark.parametrize(
    "name", ["search/planted.vo", "search/planted.txt", "search/planted", "planted.vpr", "planted.v"]
)
def test_a_file_that_is_no_proof_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "search").mkdir()
    (tmp_path / name).touch()
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    with pytest.raises(ProofError, match="is no proof of the catalogue"):
        check_files([])


def test_an_import_from_elsewhere_is_refused() -> None:
    with pytest.raises(ProofError, match=r"imports \.\./elsewhere\.vpr, which is no proof"):
        check_imports("a.vpr", [("../elsewhere.vpr", "")], files())


def test_a_letter_that_hides_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.vpr").write_bytes(b"// remark\rmethod planted() ensures false\n")
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path / "none")
    monkeypatch.setattr(catalogue, "inside", tmp_path.joinpath)
    with pytest.raises(ProofError, match="has the letter"):
        check_files(["a.vpr"])


def test_the_versions_of_provers_are_part_of_every_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("search/graph.vpr", DECIDING, "ltl/words.v"):
        task = as_it_is(file)
        before = fingerprint(task)
        monkeypatch.setattr(catalogue.prover_of(task), "PROVER", "another")
        assert fingerprint(task) != before


def test_a_prover_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "versions", lambda _program: {"Coq": "9.9"})
    with pytest.raises(ProofError, match=r"Coq is 9\.9; .* prove all anew"):
        provers.check_versions("coqc")


def test_a_change_of_what_is_pinned_or_granted_is_asked_anew() -> None:
    for task in tasks():
        if task.variant == "tree":
            entries = {task.name: {"fingerprint": fingerprint(task)}}
            assert is_fresh(task, entries)
            assert not is_fresh(replace(task, pinned=f"{task.pinned}\n"), entries)
            assert task.assumptions == () or not is_fresh(replace(task, assumptions=()), entries)


def test_every_pinned_statement_departs_when_a_line_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERAFTER_UPDATE", raising=False)
    for file in catalogue.files():
        task = replace(as_it_is(file), pinned=pinned(file))
        assert compared(task, task.pinned) == (task, None)
        _, problem = compared(task, task.pinned.split("\n", maxsplit=1)[1])
        assert problem is not None
        assert f"statements/{file}.txt" in problem


def test_the_share_that_is_proved_anew_comes_to_every_proof() -> None:
    every = tasks()
    shares = [share(every, recorded(), 60, f"commit {day}") for day in range(1500)]
    assert {task.name for chosen in shares for task in chosen} == {task.name for task in every}
    assert shares[0] != shares[1]


def test_a_cost_in_the_record_keeps_no_proof_from_the_share() -> None:
    every = tasks()
    forged = {task.name: {"processor": 1e9} for task in every}
    assert {share(every, forged, 60, f"commit {day}")[0].name for day in range(3000)} == {task.name for task in every}


def test_the_page_of_what_is_taken_for_granted_is_up_to_date() -> None:
    """`python -m proofs --page` writes it anew."""
    assert PAGE.read_text() == page()


def test_the_inventory_is_up_to_date_and_lists_every_proof_once() -> None:
    """`python -m proofs --page` writes it anew."""
    assert INVENTORY.read_text() == inventory_page()
    with pytest.raises(ProofError, match=r"graph\.vpr is a proof and listed 2 times"):
        check_listed([*files(), "search/graph.vpr"])
    with pytest.raises(ProofError, match=r"graph\.vpr is a proof and listed 0 times"):
        check_listed([file for file in files() if file != "search/graph.vpr"])


def test_theorems_of_papers_are_those_that_there_are() -> None:
    known = {"paper": "A", "theorem": "B", "ours": {"search/parallel/invariant.vpr": ["lemma_2"]}}
    assert list(row_of_paper(known)) == ["A", "B", "`lemma_2` in `search/parallel/invariant.vpr`", ""]
    with pytest.raises(ProofError, match=r"invariant\.vpr has no lemma_, which a theorem of a paper is to be"):
        list(row_of_paper({**known, "ours": {"search/parallel/invariant.vpr": ["lemma_"]}}))


def test_the_inventory_names_what_the_proofs_have() -> None:
    every = {file: inside(file).read_text() for file in files()}
    for entry in listed("inventory.toml", "proved"):
        folder = entry["files"][0].partition("/")[0]
        text = "".join(every[file] for file in every if file.startswith(folder))
        for name in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", entry["says"]):
            assert re.search(rf"(?<![a-z]){name}(?![a-z_])", text), (entry["files"], name)


def test_the_text_of_a_proof_says_what_is_pinned_of_python() -> None:
    for file in catalogue.files():
        if file.endswith(".py"):
            assert pinned(file) == python_text.statements(inside(file).read_text())
