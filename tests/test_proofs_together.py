"""Many runs of a prover in one process: each is answered once, for itself, and none is believed without an answer."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from proofs import catalogue, silver_tree, viper
from proofs.catalogue import ask_together, batches, prover_of, tasks
from proofs.provers import Answer, install, nagini_folder, run, silicon
from proofs.task import Outcome, Place, ProofError, Task

WELL = "Silicon finished verification successfully in 1.00s.\n"
RIGHT = Task("right.vpr", "proof", "method right() ensures true decreases {}\n", proves=("right",))
WRONG = Task("wrong.vpr", "proof", "method wrong() ensures false decreases {}\n", proves=("wrong",))
BROKEN = Task("broken.vpr", "proof", "method broken( {}\n")
PLANTED = Task("wrong.vpr", "control planted", WRONG.text, fails=Place("wrong", "*"))
NO_PROGRAMS = {
    "does not parse": "method planted() ensures false decreases { assert }",
    "has no types": "method planted() ensures 1 decreases {}",
    "names nothing": "method planted() ensures false decreases { assert might }",
    "matches nothing": "method planted(x: Int) ensures forall y: Int :: { y > x } y > x decreases {}",
    "writes what it is handed": "method planted(x: Int) ensures false decreases { x := 1 }",
    "imports nothing": 'import "nothing.vpr"\nmethod planted() ensures false decreases {}',
}
NEEDS_PROVERS = pytest.mark.provers


def test_a_proof_may_do_without_saturation() -> None:
    without = replace(RIGHT, text=f"{viper.UNSATURATED}\n{RIGHT.text}")
    assert "--proverSaturationTimeout" not in viper.flags(RIGHT)
    for variant in ("proof", "smoke", "control other"):
        flags = viper.flags(replace(without, variant=variant))
        assert flags[flags.index("--proverSaturationTimeout") + 1] == "0"


def test_every_task_is_in_one_batch() -> None:
    asked = [task.name for batch in batches(tasks()) for task in batch]
    assert sorted(asked) == sorted(task.name for task in tasks())
    assert all(len({prover_of(task) for task in batch}) == 1 for batch in batches(tasks()))


def test_proofs_are_asked_before_mistakes_planted_in_them() -> None:
    asked = [task.variant for batch in batches(tasks()) for task in batch if prover_of(task) is viper]
    assert asked == sorted(asked, key=lambda variant: {"proof": 0, "smoke": 1, "ending": 1}.get(variant, 2))


def test_files_that_are_read_together_are_judged_each_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [task for task in tasks() if task.variant == "tree"][:3]
    good = silver_tree.Reading({"errors": [], "members": []}, {"errors": [], "members": []})
    bad = silver_tree.Reading({"errors": ["it is no text"]}, {"errors": ["it is no text"]})
    monkeypatch.setattr(silver_tree, "read", lambda _: ([good, bad, good], 3.0, 6.0))
    outcomes = told(trees)
    assert [outcome.task.file for outcome in outcomes] == [task.file for task in trees]
    assert ["it is no text" in (outcome.problem or "") for outcome in outcomes] == [False, True, False]
    assert {(outcome.seconds, outcome.processor) for outcome in outcomes} == {(1.0, 2.0)}


def told(batch: Sequence[Task]) -> list[Outcome]:
    """What is told of the tasks."""
    outcomes: list[Outcome] = []
    ask_together(list(batch), outcomes.append)
    return outcomes


def line(name: str, verified: object = True, said: str = WELL, *, read: object = True) -> str:
    """An answer as the program prints it."""
    answer = {"asked": name, "read": read, "verified": verified, "said": said, "seconds": 1.0, "processor": 2.0}
    return f"{json.dumps(answer)}\n"


def program_says(monkeypatch: pytest.MonkeyPatch, *runs: Sequence[str]) -> None:
    """Let the first run of the program say this, the next that, and later ones nothing."""
    waiting = list(runs)

    def pretended(
        _command: Sequence[str], _folder: Path, _environment: None = None, told: Callable[[str], None] = print
    ) -> Answer:
        lines = waiting.pop(0) if waiting else ()
        for said in lines:
            told(said)
        return Answer(0, "".join(lines), 1.0, 2.0)

    monkeypatch.setattr(viper, "run", pretended)
    monkeypatch.setattr(viper, "silicon", lambda: Path("silicon.jar"))


def test_each_program_is_believed_by_its_own_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    program_says(monkeypatch, [line("1", verified=False, said="it is wrong"), "a warning\n", line("0")])
    assert [(outcome.task, outcome.problem) for outcome in told([RIGHT, WRONG])] == [
        (WRONG, "it is wrong"),
        (RIGHT, None),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        line("0", verified=False),
        line("0", verified="true"),
        line("0", verified=1),
        line("0", said="Silicon found 1 error in 1.00s:\n"),
        line("0", said=""),
        line("0", read=False),
        line("0", read="true"),
    ],
)
def test_an_answer_that_is_no_clear_yes_is_a_no(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    program_says(monkeypatch, [answer])
    assert told([RIGHT])[0].problem is not None


def test_what_gets_no_answer_is_asked_alone_and_then_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the process died over the second program; asked alone, so do the second and the fourth."""
    program_says(monkeypatch, [line("0"), "killed\n"], ["killed\n"], [line("0")], [])
    outcomes = told([RIGHT, WRONG, RIGHT, BROKEN])
    assert [outcome.task for outcome in outcomes] == [RIGHT, WRONG, RIGHT, BROKEN]
    assert [(outcome.problem or "").splitlines() for outcome in outcomes] == [
        [],
        ["Silicon has not answered:", "killed"],
        [],
        ["Silicon has not answered:"],
    ]


def test_a_mistake_that_gets_no_answer_is_not_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    program_says(monkeypatch)
    assert "has not answered" in (told([PLANTED])[0].problem or "")


@pytest.mark.parametrize("lines", [[line("0"), line("0")], [line("7")], [line("0"), line("1"), line("1")]])
def test_an_answer_to_no_question_or_a_second_one_is_refused(monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    program_says(monkeypatch, lines)
    with pytest.raises(ProofError, match="nobody asks, or a second time"):
        told([RIGHT, WRONG])


def test_how_silicon_is_asked_is_part_of_the_fingerprint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    task = next(task for task in tasks() if task.file == "search/graph.vpr" and task.variant == "proof")
    before = catalogue.fingerprint(task)
    with monkeypatch.context() as changed:
        changed.setattr(viper, "ALWAYS", ("--numberOfErrorsToReport", "0", "--numberOfParallelVerifiers", "2"))
        assert catalogue.fingerprint(task) != before
    (tmp_path / "silicon.py").write_text(f"{viper.DRIVER.read_text()}\n")
    monkeypatch.setattr(viper, "DRIVER", tmp_path / "silicon.py")
    assert catalogue.fingerprint(task) != before


@NEEDS_PROVERS
def test_silicon_judges_each_program_for_itself() -> None:
    for program in viper.NEEDS:
        install(program)
    outcomes = told([RIGHT, WRONG, BROKEN, PLANTED, RIGHT])
    assert [outcome.task for outcome in outcomes] == [RIGHT, WRONG, BROKEN, PLANTED, RIGHT]
    problems = [outcome.problem or "" for outcome in outcomes]
    assert [bool(problem) for problem in problems] == [False, True, True, False, False]
    assert "might not hold" in problems[1]
    assert "Parse error" in problems[2]
    assert all(outcome.processor > 0 for outcome in outcomes)


@NEEDS_PROVERS
def test_a_mistake_that_makes_the_text_no_program_is_not_noticed() -> None:
    for program in viper.NEEDS:
        install(program)
    planted = [Task("a.vpr", "control", f"{text}\n", fails=Place("planted", "*")) for text in NO_PROGRAMS.values()]
    outcomes = told(planted)
    assert [outcome.task for outcome in outcomes] == planted
    for outcome in outcomes:
        assert "does not parse, or has no types" in (outcome.problem or ""), outcome.task.text
        said = (outcome.problem or "").partition("\n")[2]
        assert viper.judge(outcome.task, False, said) is not None, "what is said shows it, too"


@NEEDS_PROVERS
def test_what_z3_is_told_does_not_depend_on_earlier_programs(tmp_path: Path) -> None:
    """Word for word, but for remarks, in which the time of the day is."""
    for program in viper.NEEDS:
        install(program)
    asked = "function f(x: Int): Int { x + 1 }\nmethod asked(x: Int) ensures f(x) > x {}\n"
    (tmp_path / "asked.vpr").write_text(asked)
    (tmp_path / "other.vpr").write_text(f"field a: Int\nfunction g(x: Int): Int {{ x }}\n{asked}")
    first = words(tmp_path, "alone", ["asked.vpr"])
    assert "quant-u-" in first
    assert words(tmp_path, "behind", ["other.vpr", "asked.vpr"]) == first


def words(folder: Path, name: str, files: Sequence[str]) -> str:
    """What Z3 is told of the last of the files when Silicon is asked about all of them."""
    programs = nagini_folder() / "bin"
    options = ["--z3Exe", str(programs / "z3"), *viper.ALWAYS, "--enableTempDirectory", "--tempDirectory"]
    questions = [(file, [*options, f"{name}-{file}", file]) for file in files]
    (folder / "questions").write_text(json.dumps(questions))
    answer = run([str(programs / "python"), str(viper.DRIVER), str(silicon()), "questions"], folder)
    assert answer.status == 0
    assert len(answer.said.splitlines()) == len(files)
    logs = sorted((folder / f"{name}-{files[-1]}").glob("*.smt2"))
    return re.sub(r"^;.*\n", "", "".join(log.read_text() for log in logs), flags=re.MULTILINE)
