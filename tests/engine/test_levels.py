"""The kernels of a GPU, run by threads of the processor: states, verdicts and ends are those of the other engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.asking import check_safety
from oracles.corpus import EXAMPLES, EXAMPLES_FOLDER
from oracles.counting import count_states
from oracles.engine.races import Change, Race, row
from oracles.engines import Asked, compare, of_seed, same
from oracles.looks import without_look
from oracles.promela.random_programs import program as random_program

from everafter.check import answer
from everafter.choices import ReductionWish
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, VIOLATED
from everafter.engine.gpu import device_words as Job  # noqa: N812 # its words are constants
from everafter.engine.gpu import devices, driver
from everafter.engine.gpu.device import DeviceProgram as Launched
from everafter.engine.gpu.device_code import gpu_code
from everafter.engine.gpu.device_texts import ENTRIES
from everafter.engine.gpu.driver import GpuError
from everafter.engine.gpu.fitted_model import fittings
from everafter.engine.gpu.level_host import LevelOutcome, LevelSearch, most_rows, shares
from everafter.engine.gpu.processor import Processor
from everafter.engine.run.search_outcome import SearchEnding
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.user_model import load, parse
from everafter.verdict.result import Result

MEMORY = 1 << 28
PLENTY = 1 << 40
"""More than a process has in use, of which limits of memory speak, whatever ran in it before."""
PETERSON, BROKEN = EXAMPLES_FOLDER / "peterson_n.pml", EXAMPLES_FOLDER / "mutex_broken.pml"


@pytest.fixture(autouse=True)
def _without_look() -> Iterator[None]:
    """What is found is found by the engine itself."""
    with without_look():
        yield


@pytest.fixture
def on_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.VARIABLE, "cpu")


def searched(program: Program, machine: Processor, memory: int = MEMORY) -> LevelOutcome:
    """The outcome of a search that has room enough for what each thread writes."""
    for fitted in fittings(program):
        code = machine.program(fitted, lambda _: None)
        outcome = LevelSearch(machine, code, fitted.stride, memory).run()
        if outcome.ending is not SearchEnding.MODEL_FAILED:
            return outcome
    raise AssertionError("no room is enough")


def decided(program: Program, reduction: ReductionWish = "none", limits: Limits | None = None) -> Result:
    return answer(Question(program, SAFETY, reduction=reduction, limits=limits or Limits()), Request(engine="gpu"))


@pytest.mark.usefixtures("on_processor")
@pytest.mark.parametrize("reduction", ["none", "static"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_the_states_and_the_verdict_of_the_native_engine(path: Path, reduction: ReductionWish) -> None:
    program = load(path).program
    ours = decided(program, reduction)
    native = check_safety(program, algorithm="breadth-first", engine="native", reduction=reduction)
    assert (ours.engine, ours.verdict) == ("gpu", native.verdict)
    if native.verdict == "holds":
        assert (ours.states, ours.transitions) == (native.states, native.transitions)
    else:
        assert ours.counterexample is not None
        assert native.counterexample is not None
        assert len(ours.counterexample) == len(native.counterexample)


@pytest.mark.parametrize("seed", range(8000, 8040))
def test_a_random_program_has_the_states_of_the_native_engine(seed: int) -> None:
    program = parse(random_program(seed)).program
    expected = check_safety(program, Limits(states=20_000), engine="native", algorithm="breadth-first")
    outcome = searched(program, Processor(workers=3, first_slots=8, slice=7))
    if expected.verdict == "violated":
        assert outcome.ending is SearchEnding.ANSWERED
    elif expected.verdict == "holds":
        assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, expected.states)
        assert outcome.figures.transitions == expected.transitions


@pytest.mark.parametrize(("workers", "turns"), [(1, 1), (2, 3), (5, 1)])
def test_a_table_grows_while_many_store_rows(workers: int, turns: int) -> None:
    program = load(PETERSON).program
    expected = count_states(program, engine="native")[0]
    figures = searched(program, Processor(workers, first_slots=8, turns=turns, slice=50)).figures
    assert figures.states == figures.rows == expected


GROWING = "byte n; proctype P() { end: false } active proctype M() { do :: n < 20 -> n++; run P() :: else -> break od }"
LONG = (
    "int x; active proctype P() { atomic { x = 1;"
    "do :: x < 30000 -> x++ :: x < 30000 -> x = x + 2 :: else -> break od } }"
)


@pytest.mark.parametrize("text", [GROWING, LONG], ids=["processes", "an atomic sequence"])
def test_what_needs_more_room_gets_it(text: str) -> None:
    program = parse(text).program
    expected = count_states(program, engine="native")[0]
    outcome = searched(program, Processor(3))
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, expected)


class Lazy:
    """A program whose first search says that it is complete, and has searched nothing."""

    rooms = 0

    def __init__(self, code: Launched, machine: Processor) -> None:
        self.code, self.machine, self.is_lazy = code, machine, True

    def launch(self, entry: str, job: int, alone: bool = False) -> None:
        if entry == "search" and self.is_lazy:
            self.is_lazy = False
            self.machine.write(job + 8 * Job.REASON, Job.COMPLETED.to_bytes(8, "little"))
        else:
            self.code.launch(entry, job, alone)


def test_what_the_search_has_missed_is_found_before_it_is_called_complete() -> None:
    program = load(PETERSON).program
    machine, fitted = Processor(2), next(fittings(program))
    code = Lazy(machine.program(fitted, lambda _: None), machine)
    figures = LevelSearch(machine, code, fitted.stride, MEMORY).run().figures
    native = check_safety(program, engine="native", algorithm="breadth-first")
    assert (figures.states, figures.transitions) == (native.states, native.transitions)


def test_too_little_memory_ends_honestly() -> None:
    program = load(PETERSON).program
    outcome = searched(program, Processor(2, first_slots=8), memory=1 << 16)
    assert outcome.ending is SearchEnding.OUT_OF_MEMORY
    assert 500 < outcome.figures.states < count_states(program, engine="native")[0]


def test_memory_is_divided_so_that_every_row_is_found() -> None:
    for memory in (1 << 12, 1 << 20, 10**9, 10**11):
        found = shares(memory, 44)
        assert found.rows * 44 + found.slots * 8 <= memory
        assert found.rows <= most_rows(found.slots)
        assert found.rows * 44 > memory / 3


@pytest.mark.usefixtures("on_processor")
def test_a_limit_of_states_ends_a_search() -> None:
    result = decided(load(PETERSON).program, limits=Limits(states=100))
    assert (result.verdict, result.reason) == ("incomplete", "the limit of 100 states was reached")


@pytest.mark.usefixtures("on_processor")
def test_a_violation_is_shown_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(BROKEN), "--safety", "--engine", "gpu"]) == VIOLATED
    assert "inside = 2" in capsys.readouterr().out


# Where there is no GPU, and what one cannot do


def test_without_a_gpu_it_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def nothing() -> None:
        raise GpuError("there is no NVIDIA driver here")

    monkeypatch.delenv(devices.VARIABLE, raising=False)
    monkeypatch.setattr(devices, "_gpu", nothing)
    assert main(["check", str(BROKEN), "--safety", "--engine", "gpu"]) == BAD_INPUT
    told = capsys.readouterr().err
    assert "the gpu engine cannot run here: there is no NVIDIA driver here" in told
    assert "native" in told
    assert "Traceback" not in told


def test_a_driver_that_is_not_there_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_LIBRARIES", ("libnobodyhasthis.so.1",))
    driver._library.cache_clear()
    with pytest.raises(GpuError, match="no NVIDIA driver"):
        driver.Gpu()


REFUSED = {
    "no search for weakly fair runs": ["--ltl", "exclusive", "--fair", "weak"],
    "has no tarjan": ["--ltl", "exclusive", "--algorithm", "tarjan"],
    "has no depth-first": ["--safety", "--algorithm", "depth-first"],
    "its own threads": ["--safety", "--threads", "2"],
}


@pytest.mark.usefixtures("on_processor")
@pytest.mark.parametrize(("said", "options"), REFUSED.items(), ids=REFUSED.keys())
def test_what_it_cannot_do_is_said(said: str, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(BROKEN), "--engine", "gpu", *options]) == BAD_INPUT
    assert said in capsys.readouterr().err


# The text for a GPU


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_code_for_a_gpu_calls_nothing_that_is_not_there(path: Path) -> None:
    fitted = next(fittings(load(path).program))
    text = gpu_code(fitted, "sm_90", lambda _: None).decode()
    assert all(f".visible .entry {name}_kernel(" in text for name in ENTRIES)
    assert ".extern" not in text
    assert fitted.scratch < 1 << 15


# Threads that store rows at once

ALIKE, OTHER, THIRD = row(5), row(6), row(7)


def everywhere_same(_content: int) -> int:
    return 3 << 24 | 1


def same_slot(content: int) -> int:
    return 3 << 24 | content


RACES = {
    "two equal rows": ([[ALIKE], [ALIKE]], same_slot),
    "two rows with the same hash": ([[ALIKE], [OTHER]], everywhere_same),
    "two rows for one slot": ([[ALIKE], [OTHER]], same_slot),
    "who loses stores another": ([[ALIKE, OTHER], [ALIKE, THIRD]], same_slot),
    "crosswise": ([[ALIKE, OTHER], [OTHER, ALIKE]], everywhere_same),
    "three": ([[ALIKE], [ALIKE], [OTHER]], everywhere_same),
}


@pytest.mark.parametrize("name", RACES)
def test_no_order_of_steps_loses_a_row_or_stores_it_twice(name: str) -> None:
    race = Race(*RACES[name])
    assert race.flaws() == set()
    assert race.situations > 20


def test_without_room_nothing_is_stored_twice() -> None:
    assert Race([[ALIKE, OTHER], [ALIKE, OTHER]], same_slot, room=1).flaws() == set()


PLANTED: dict[str, tuple[str, Change, str]] = {
    "an empty slot is taken by whoever looks at it": (
        "two equal rows",
        ("found = swap_if(slot, 0, slot_of(mixed, spare))", "store(slot, slot_of(mixed, spare))"),
        "numbers do not add up",
    ),
    "the row is written behind its slot": (
        "two equal rows",
        (
            "            if is_written == 0:\n                write_row(job, spare, row, words, parent)\n"
            "                is_written = 1\n            found = swap_if(slot, 0, slot_of(mixed, spare))\n",
            "            found = swap_if(slot, 0, slot_of(mixed, spare))\n"
            "            if found == 0:\n                write_row(job, spare, row, words, parent)\n",
        ),
        "a row is stored twice",
    ),
    "who loses does not look at who won": (
        "two equal rows",
        (
            "found = swap_if(slot, 0, slot_of(mixed, spare))\n",
            "found = swap_if(slot, 0, slot_of(mixed, spare)) * 0 + 1\n",
        ),
        "a row is stored twice",
    ),
    "the hash alone decides": (
        "two rows with the same hash",
        ("if same_row(stored, row, words):", "if True:"),
        "a row is lost",
    ),
    "a number is used twice": (
        "who loses stores another",
        ("                return 0\n", "                return spare\n"),
        "numbers do not add up",
    ),
}


@pytest.mark.parametrize(("name", "change", "flaw"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_race_is_found(name: str, change: Change, flaw: str) -> None:
    assert Race(*RACES[name], change=change).has_flaw(flaw)


@pytest.mark.usefixtures("on_processor")
def test_what_a_gpu_says_is_compared_with_the_native_engine() -> None:
    for asked in of_seed(7):
        assert compare(asked, PLENTY)[0] == "agrees"
    assert compare(Asked("too large", PETERSON, Request(safety=True, reduction="none")), 1 << 16)[0] == "too large"
    holds = check_safety(load(PETERSON).program, engine="native", algorithm="breadth-first")
    assert same(holds, holds)
    assert not same(holds, replace(holds, figures=replace(holds.figures, states=holds.states + 1)))
    assert not same(holds, replace(holds, verdict="violated"))
