"""Accepting cycles by the kernels of a GPU, run by threads of the processor: the verdicts of the other engines."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles.claims import formula, global_names
from oracles.corpus import EXAMPLES, EXAMPLES_FOLDER
from oracles.looks import without_look
from oracles.promela.random_programs import program as random_program

from everafter.check import answer
from everafter.engine.gpu import device_words as Job  # noqa: N812 # its words are constants
from everafter.engine.gpu import devices
from everafter.engine.gpu.cycle_host import DeviceCycleSearch
from everafter.engine.gpu.device import DeviceProgram as Launched
from everafter.engine.gpu.device_code import gpu_code
from everafter.engine.gpu.device_texts import CYCLE_ENTRIES
from everafter.engine.gpu.fitted_model import Fitted, fittings
from everafter.engine.gpu.level_host import LevelOutcome
from everafter.engine.gpu.processor import Processor
from everafter.engine.run.search_outcome import SearchEnding
from everafter.questions.limits import Limits
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.question_code import claim_code
from everafter.questions.request import Request
from everafter.stated_questions import questions
from everafter.user_model import Model, load, parse
from everafter.verdict.result import Result

MEMORY = 1 << 28
WITH_FORMULAS = [path for path in EXAMPLES if re.search(r"^ltl ", path.read_text(encoding="utf-8"), re.MULTILINE)]
COMMIT = EXAMPLES_FOLDER / "two_phase_commit.pml"


@pytest.fixture(autouse=True)
def _without_look() -> Iterator[None]:
    """What is found is found by the engine itself."""
    with without_look():
        yield


@pytest.fixture
def on_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.VARIABLE, "cpu")


def fitted_for(model: Model, name: str) -> Fitted:
    """The code of the product with the claim of a formula, for threads with little room."""
    (asked,) = questions(model, Request(formulas=(name,)))
    question = asked.question(Question(model.program, SAFETY))
    return next(fittings(question.program, claim_code(question)))


def decided(model: Model, text: str, engine: str, algorithm: str | None = None, states: int | None = None) -> Result:
    """The answer of an engine about a formula, with all steps."""
    (asked,) = questions(model, Request(formulas=(text,)))
    question = asked.question(Question(model.program, SAFETY, reduction="none", limits=Limits(states=states)))
    return answer(question, Request(engine=engine, algorithm=algorithm))


@pytest.mark.usefixtures("on_processor")
@pytest.mark.parametrize("path", WITH_FORMULAS, ids=lambda path: path.stem)
def test_the_formulas_of_an_example_have_the_verdicts_of_the_native_engine(path: Path) -> None:
    model = load(path)
    for name in model.formulas:
        ours, native = decided(model, name, "gpu"), decided(model, name, "native", "owcty")
        assert (ours.engine, ours.algorithm, ours.verdict) == ("gpu", "owcty", native.verdict)
        assert (ours.counterexample is None) == (ours.verdict == "holds")
        if ours.verdict == "holds":
            assert ours.states == native.states


@pytest.mark.usefixtures("on_processor")
@pytest.mark.parametrize("seed", range(9000, 9030))
def test_a_random_formula_on_a_random_program_has_the_verdict_of_the_native_engine(seed: int) -> None:
    text = random_program(seed)
    names = global_names(text)
    if not names:
        pytest.skip("the program has nothing to speak of")
    claim = formula(random.Random(seed), names, random.Random(seed).randrange(2, 6))
    model = parse(re.sub(r"\bassert\b", "(true) || ", text))
    native = decided(model, claim, "native", states=20_000)
    if native.verdict == "incomplete":
        pytest.skip("the program is too large")
    assert decided(model, claim, "gpu").verdict == native.verdict


# Many threads, little room, and what is wrong with a rank


class Disturbed:
    """A program in which something happens before edges are judged."""

    rooms = 0

    def __init__(self, code: Launched, machine: Processor, rank: int) -> None:
        self.code, self.machine, self.rank = code, machine, rank

    def launch(self, entry: str, job: int, alone: bool = False) -> None:
        words = [int.from_bytes(self.machine.read(job + 8 * word, 8), "little") for word in range(Job.HEAD)]
        if entry == "visit" and words[Job.MODE] == Job.JUDGE and self.rank:
            self.machine.write(words[Job.RANKS] + 4 * Job.FIRST_ROW, self.rank.to_bytes(4, "little"))
        self.code.launch(entry, job, alone)


def searched(rank: int, workers: int = 3, slots: int = 8, slice: int = 1000) -> LevelOutcome:
    """A formula that holds, decided while the rank of the initial row is another one at the end, if any."""
    machine, fitted = Processor(workers, slots, slice=slice), fitted_for(load(COMMIT), "decided")
    code = machine.program(fitted, lambda _: None)
    return DeviceCycleSearch(machine, Disturbed(code, machine, rank), fitted.stride, MEMORY).run()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_table_grows_and_all_edges_are_judged(workers: int) -> None:
    native = decided(load(COMMIT), "decided", "native", "owcty")
    outcome = searched(0, workers)
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, native.states)


def test_a_row_that_leaves_too_late_is_no_proof() -> None:
    assert searched(1 << 31).ending is SearchEnding.UNDECIDED


def test_a_row_that_has_not_left_is_no_proof() -> None:
    machine, fitted = Processor(2), fitted_for(load(COMMIT), "decided")
    code = machine.program(fitted, lambda _: None)

    class Forgetful(Disturbed):
        def launch(self, entry: str, job: int, alone: bool = False) -> None:
            mode = int.from_bytes(self.machine.read(job + 8 * Job.MODE, 8), "little")
            if entry == "visit" and mode == Job.JUDGE:
                ranks = int.from_bytes(self.machine.read(job + 8 * Job.RANKS, 8), "little")
                self.machine.write(ranks + 4 * Job.FIRST_ROW, bytes(4))
            self.code.launch(entry, job, alone)

    assert (
        DeviceCycleSearch(machine, Forgetful(code, machine, 0), fitted.stride, MEMORY).run().ending
        is SearchEnding.UNDECIDED
    )


STAYING = "byte n; active proctype P() { do :: n < 3 -> n++ :: n == 3 -> n = 1 od } ltl p { <> (n == 5) }"


@pytest.mark.usefixtures("on_processor")
def test_a_cycle_is_shown_behind_its_stem() -> None:
    found, native = (decided(parse(STAYING), "p", engine) for engine in ("gpu", "native"))
    assert (found.verdict, native.verdict) == ("violated", "violated")
    assert found.counterexample is not None
    assert found.counterexample.cycle
    assert found.counterexample.prefix


def test_code_with_a_claim_has_the_kernels_for_cycles() -> None:
    text = gpu_code(fitted_for(load(COMMIT), "decided"), "sm_90", lambda _: None).decode()
    assert all(f".visible .entry {name}_kernel(" in text for name in CYCLE_ENTRIES)
    assert ".extern" not in text


@pytest.mark.usefixtures("on_processor")
@pytest.mark.parametrize("path", WITH_FORMULAS, ids=lambda path: path.stem)
def test_a_look_before_all_rows_are_there_changes_no_verdict(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DeviceCycleSearch, "early", 1)
    monkeypatch.setattr(DeviceCycleSearch, "later", 3)
    model = load(path)
    for name in model.formulas:
        ours, native = decided(model, name, "gpu"), decided(model, name, "native", "owcty")
        assert ours.verdict == native.verdict
        if ours.verdict == "holds":
            assert ours.states == native.states


ENDLESS = """
int n, m; bool left;
active proctype Idle() { do :: left = !left od }
active proctype Count() { do :: n++ :: m++ od }
ltl stays { <> [] left }
"""


def test_a_near_cycle_is_found_where_not_all_rows_fit() -> None:
    model = parse(ENDLESS)
    fitted = fitted_for(model, "stays")
    machine = Processor(2, first_slots=8, slice=64)
    code = machine.program(fitted, lambda _: None)
    outcome = DeviceCycleSearch(machine, code, fitted.stride, 1 << 20).run()
    assert outcome.ending is SearchEnding.ANSWERED
    assert len(outcome.cycle) > 1


def test_a_near_cycle_is_found_early() -> None:
    model = parse(ENDLESS)
    fitted = fitted_for(model, "stays")
    machine = Processor(2, first_slots=8, slice=64)
    search = DeviceCycleSearch(machine, machine.program(fitted, lambda _: None), fitted.stride, MEMORY)
    search.early = 256
    outcome = search.run()
    assert outcome.ending is SearchEnding.ANSWERED
    assert outcome.figures.states < 2000
