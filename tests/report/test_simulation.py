"""`everafter simulate`: both simulators take the same steps and say the same of them, in columns that align."""

from __future__ import annotations

import io
import random
import re
from itertools import islice
from pathlib import Path

import pytest
from oracles.promela.random_programs import program

import everafter
from everafter.cli import main
from everafter.engine.emit import module
from everafter.engine.emit.module import code_of
from everafter.engine.emit.random_walk_code import Stop
from everafter.engine.emit.step_label import StepLabel
from everafter.engine.emit.step_log import noted
from everafter.engine.emit.walk_trace import TRACE
from everafter.engine.run.native_walk import NativeWalk
from everafter.execution.packing import Packer
from everafter.execution.random_words import RandomWords
from everafter.execution.row_view import ViewPacker
from everafter.execution.step import initial_state
from everafter.report import row_map
from everafter.report.row_map import RowMaps
from everafter.report.simulated_steps import RandomRun, Simulator
from everafter.report.simulation_text import interactive_run, printed_run, random_run
from everafter.report.step_table import print_steps
from everafter.report.text import Style
from everafter.user_model import Model
from everafter.verdict.random_run import random_steps

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
TALKATIVE = """
mtype = { red, green }
typedef T { short a[3]; bit b };
T t[2]; chan q = [0] of { mtype, byte }; chan r = [2] of { byte }; byte n; int big[300]; hidden byte h;
active proctype Sender() {
  byte i;
  do
  :: i < 3 -> q!red, i; i++; atomic { printf("sent %d\\n", i); big[10 * i] = 70000 + i }
  :: i < 3 -> t[1].a[i] = -2; i++
  :: printf("one\\n") :: printf("two\\n")
  :: atomic { nfull(r) -> r!i }
  :: i == 3 -> break
  od
}
active proctype Receiver() {
  byte j;
  do
  :: q?red, j -> d_step { n = n + j; printf("%e %d\\n", green, n); j = 0 }
  :: r?j -> big[299] = -j
  :: timeout -> printf("timeout %d\\n", timeout); break
  od;
  run Late(n)
}
proctype Late(byte k) { chan own = [1] of { byte }; own!k; own?k; assert(k < 3) }
"""


def said(model: Model, seed: int, simulator: Simulator | None, limit: int = 300) -> list[object]:
    """All that is said of a run, step by step, and at its end."""
    run = RandomRun(model.program, seed, limit, simulator=simulator)
    return [*run.steps(), run.taken, run.problem, run.ended]


def printed(model: Model, seed: int, simulator: Simulator, limit: int = 300) -> str:
    out = io.StringIO()
    printed_run(RandomRun(model.program, seed, limit, only_printed=True, simulator=simulator), out)
    return out.getvalue()


@pytest.mark.parametrize("seed", range(8))
def test_machine_code_takes_the_steps_of_the_reference(seed: int) -> None:
    try:
        model = everafter.parse(program(seed))
    except everafter.InputError:
        return
    assert said(model, seed, "native") == said(model, seed, "reference")
    assert printed(model, seed, "native") == printed(model, seed, "reference")


@pytest.mark.parametrize("name", ["leader_election", "mutex_broken", "process_creation", "unless_escape"])
def test_so_it_does_for_the_examples(name: str) -> None:
    model = everafter.load(EXAMPLES / f"{name}.pml")
    assert said(model, 1, "native") == said(model, 1, "reference")


def test_everything_is_said_alike() -> None:
    model = everafter.parse(TALKATIVE.replace("hidden ", ""))
    runs = [said(model, seed, "reference", 120) for seed in range(10)]
    assert [said(model, seed, "native", 120) for seed in range(10)] == runs
    assert [said(model, seed, None, 120) for seed in range(2)] == runs[:2]
    texts = [printed(model, seed, "reference", 120) for seed in range(10)]
    assert [printed(model, seed, "native", 120) for seed in range(10)] == texts
    assert {"one", "two", "timeout 0"} <= set("".join(texts).split("\n"))


RENAMING = """
chan c; byte pad; int x; chan d; short far[9]; chan one = [3] of { byte, short }; chan two = [3] of { byte, short };
chan spare;
proctype Child(chan out; byte k) { chan own = [2] of { short }; own!k; out!k, -k; own?far[k % 9]; out?_, far[0] }
active proctype Parent() {
  byte i;
  c = one; d = two;
  do
  :: d_step { spare = c; c = d; d = spare }; x = 70000 * i; i++
  :: _nr_pr < 4 -> run Child(c, i)
  :: d_step { spare = d; d = c; x++; printf("another %d\\n", i) }; d = spare
  :: len(c) < 3 -> c!!i, 300
  :: d??eval(i), far[i % 9]
  :: nempty(c) -> c?_, far[2]; far[3] = far[3] - 1
  :: d_step { far[7] = 7; far[1] = -far[1] - 1; pad++; x = -x }
  od
}
"""


def test_processes_and_channels_come_and_go_and_change_their_names() -> None:
    model = everafter.parse(RENAMING)
    for seed in range(6):
        assert said(model, seed, "native", 400) == said(model, seed, "reference", 400)


def test_the_same_entry_means_something_else_among_other_processes() -> None:
    """Behind the end of a row is what was there before: the same channels or others are started with."""
    model = everafter.parse("""
        chan one = [1] of { byte }; chan two = [1] of { byte }; chan c;
        proctype A(chan d) { d!1; d?_ } proctype B(byte w) { w = 1; w = 0 }
        active proctype Boss() {
          do
          :: _nr_pr == 1 -> if :: c = one :: c = two fi; run A(c); _nr_pr == 1
          :: _nr_pr == 1 -> run B(2); _nr_pr == 1
          od
        }
    """)
    texts = said(model, 0, "native", 300)
    assert texts == said(model, 0, "reference", 300)
    assert all(text in str(texts) for text in ("A(1) starts", "B(1) starts", "one = [1]", "two = [1]"))


def test_what_a_trace_does_not_tell_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other names of channels; and in a word what has changed behind the first part."""
    model = everafter.parse(RENAMING)
    usual = said(model, 1, "reference", 200)
    with monkeypatch.context() as planted:
        planted.setattr(row_map, "_holds_channel", lambda _what: False)
        assert said(model, 1, "native", 200) != usual
    assert said(model, 1, "native", 200) == usual
    monkeypatch.setattr(module, "TRACE", TRACE.replace("shl i64 %shifted, %bits", "and i64 %shifted, 0"))
    assert said(model, 1, "native", 200) != usual


def test_what_a_row_does_not_hold_is_shown_all_the_same() -> None:
    model = everafter.parse("hidden byte h; active proctype P() { h = 3; h = 4 }")
    assert said(model, 0, "native") == said(model, 0, "reference")
    assert "h = 4" in str(said(model, 0, "native"))


def test_words_give_the_numbers_of_the_library() -> None:
    words, chance = RandomWords(5), random.Random(5)
    for _ in range(9000):  # more than are drawn at once
        assert words.below(3) == chance.choice((0, 1, 2))
        assert words.below(1) == chance.choice((0,))


def test_a_label_tells_both_halves_of_a_rendezvous() -> None:
    sender, receiver = (200 << 16 | 65000) + 1, 254 << 16 | 7
    assert StepLabel.of(1 << 63 | sender << 32 | receiver) == (200, 65000, 254, 7)
    assert StepLabel.of(receiver) == (254, 7, None, None)


def test_a_view_is_the_state() -> None:
    model = everafter.parse(TALKATIVE)
    packer, views = Packer(model.program), ViewPacker(model.program)
    for step in islice(random_steps(model.program, 3), 60):
        if step.state is None:
            break
        view = views.unpack(packer.pack(step.state))
        assert list(view.memory[:-1]) == list(step.state.memory[:-1])  # the last one is hidden
        assert view[1:] == step.state[1:]


def test_columns_align_in_all_blocks() -> None:
    model = everafter.parse(TALKATIVE.replace("i == 3", "false"))
    out = io.StringIO()
    random_run(RandomRun(model.program, 4, 250), model.program, out)
    lines = out.getvalue().splitlines()
    column = lines[0].index("statement")
    steps = [line for line in lines[1:-1] if line.strip()[:1].isdigit()]
    assert len(steps) > 100
    assert all(line[column - 2 : column] == "  " and line[column] != " " for line in steps)
    assert sum("what changed" in line for line in lines) == 1


def test_a_step_touches_what_it_changes_however_large_the_state_is() -> None:
    """Guards, a step that goes wrong, a rendezvous and an atomic sequence among 24,000 cells: no row is copied."""
    model = everafter.parse("""
        int a[12000], b[12000]; chan q = [0] of { byte };
        active proctype P() { int i; do :: i < 11999 -> a[i] = 7; i++ :: q!1 :: atomic { b[i] = 3; i++; q!2 } od }
        active proctype Q() { byte x; do :: q?x -> b[9] = x od }
    """)
    walk = NativeWalk(model.program, RandomWords(2))
    walk.place(Packer(model.program).pack(initial_state(model.program)))
    walk.trace(RowMaps(Packer(model.program), walk.longest_row).of(initial_state(model.program)).table)
    for _ in range(200):
        assert walk.go(1) == (Stop.DONE, 1)
        assert len(walk.traced()) < 500
    text = code_of(model.program, walks=True).text
    functions = re.findall(r"^define [^@]*@(\w+)(.*?)^}", text, re.DOTALL | re.MULTILINE)
    called = {name for name, body in functions if "@copy(" in body}
    assert called <= {"choose", "rest", "successors"}  # which copy rows that are kept, and here none is


def forgetful(text: str) -> str:
    """As `noted`, but for what is moved."""
    lines = noted(text).split("\n")
    moved = {number - 1 for number, line in enumerate(lines) if "@llvm.memmove" in line}
    return "\n".join(line for number, line in enumerate(lines) if number not in moved)


def test_what_a_walk_does_not_note_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = everafter.parse("""
        chan q = [4] of { byte };
        active proctype P() { q!1; q!2; q!3; do :: q?_ -> q!5 :: q!6 -> q?_ :: q?6 -> q!7 od }
    """)
    usual = said(model, 3, "reference", 60)
    assert said(model, 3, "native", 60) == usual
    monkeypatch.setattr(module, "noted", forgetful)
    assert said(model, 3, "native", 60) != usual


def test_what_writes_in_an_unknown_way_is_refused() -> None:
    for line in ("  store float %x, ptr %row", "  call void @llvm.memcpy.inline(ptr %row)"):
        with pytest.raises(ValueError, match="not noted"):
            noted(f"define void @f(ptr %row) {{\n{line}\n}}")


def test_columns_align_for_many_processes_and_steps() -> None:
    model = everafter.parse("int x; proctype P() { x++ } init { do :: x < 110000 -> x = x + 5000; run P(); skip od }")
    out = io.StringIO()
    steps = RandomRun(model.program, 4, 150).steps()
    print_steps(model.program, (step._replace(number=step.number + 99_900) for step in steps), out, last=100_050)
    many = everafter.parse("byte x; active [12] proctype P() { do :: x = 1 - x od }")
    random_run(RandomRun(many.program, 1, 250), many.program, out)
    heading = 0
    for line in out.getvalue().splitlines():
        heading = line.index("process") if "what changed" in line else heading
        if line.strip()[:1].isdigit():
            assert line[heading - 2 : heading] == "  "
            assert line[heading - 3].isdigit()
            assert line[heading].isalpha() or line[heading] == ":"


def test_output_stands_below_its_step() -> None:
    model = everafter.parse('active proctype P() { printf("a\\nb\\n"); printf("c") }')
    out = io.StringIO()
    print_steps(model.program, RandomRun(model.program, 0, 9).steps(), out)
    assert [line.strip() for line in out.getvalue().splitlines()][2:4] == ["a", "b"]
    assert printed(model, 0, "reference") == "a\nb\nc"


# The command


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["simulate", *arguments])
    return status, capsys.readouterr().out


def test_only_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text(
        'byte x; active proctype P() { do :: x < 3 -> x++; printf("%d;", x) :: else -> break od; assert(x == 0) }'
    )
    for engine in ("native", "reference"):
        status, out = command(capsys, str(model), "--printed", "--engine", engine)
        assert (status, out) == (1, f"1;2;3;\n{model}:1:89: assert(x == 0) failed\n")


def test_nothing_printed_is_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text('active proctype P() { printf("\x1b[31m%c\\r", 7) }')
    for options in ([], ["--printed"], ["--printed", "--engine", "native"], ["--engine", "native"]):
        _, out = command(capsys, str(model), *options)
        assert "␛[31m␇" in out
        assert not {"\x1b", "\x07", "\r"} & set(out)


def test_along_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text('byte x; active proctype P() { if :: x = 1 :: x = 2; printf("two\\n") fi; assert(x == 1) }')
    for trace in ("run.json", "m.pml.trail"):
        assert main(["check", str(model), "--engine", "reference", "--trace", str(tmp_path / trace)]) == 1
        capsys.readouterr()
        status, out = command(capsys, str(model), "--trace", str(tmp_path / trace))
        assert status == 1
        assert ["x = 2" in out, "       two" in out, "assert(x == 1) failed" in out] == [True] * 3
        status, out = command(capsys, str(model), "--trace", str(tmp_path / trace), "--printed")
        assert out.splitlines()[0] == "two"


def test_along_a_trace_to_a_deadlock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text("byte x; active [2] proctype P() { x == _pid; x = 2 }")
    for trace in ("run.json", "m.pml.trail"):
        assert main(["check", str(model), "--engine", "reference", "--trace", str(tmp_path / trace)]) == 1
        capsys.readouterr()
        status, out = command(capsys, str(model), "--trace", str(tmp_path / trace))
        assert (status, out.count("invalid end state")) == (1, 1)
        assert main(["replay", str(model), str(tmp_path / trace)]) == 0
        assert "invalid end state: no step is possible, and P(1) cannot stop there" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--trace", "t"], ["--printed"]])
def test_by_hand_every_step_is_shown(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(EXAMPLES / "peterson.pml"), "--interactive", *options]) == 2
    assert "--interactive" in capsys.readouterr().err


def test_a_long_run_goes_on_without_keeping_its_steps() -> None:
    model = everafter.parse("int x; active proctype P() { do :: x++ :: x-- od }")
    run = RandomRun(model.program, 0, 3_000_000, only_printed=True, simulator="native")
    assert list(run.steps()) == []
    assert (run.taken, run.ended, run.problem) == (3_000_000, False, None)


WIDE = """
mtype = { request, grant }; chan link = [3] of { mtype, byte }; mtype last_message_seen_by_anyone = grant;
byte number_of_things_that_were_sent;
active proctype Sender() {
  do
  :: len(link) < 3 -> link!request(number_of_things_that_were_sent);
     number_of_things_that_were_sent = number_of_things_that_were_sent + 1
  :: link?last_message_seen_by_anyone, number_of_things_that_were_sent
  od
}
"""


def test_eighty_columns_break_no_word_and_all_blocks_are_alike() -> None:
    model = everafter.parse(WIDE)
    out = io.StringIO()
    random_run(RandomRun(model.program, 0, 330, simulator="native"), model.program, out, Style(width=80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.endswith("  number_of_things_that_were_sent = 1") for line in lines) > 3
    starts = {line.index("  number_of_things_that_were_sent = ") for line in lines if "were_sent = " in line}
    assert len(starts) == 1


def test_by_hand_the_state_is_told_by_names() -> None:
    model = everafter.parse(WIDE)
    out = io.StringIO()
    interactive_run(model.program, io.StringIO("1\n1\ns\nq\n"), out, Style(width=80))
    assert "    last_message_seen_by_anyone = grant\n" in out.getvalue()
    assert "    link = [(request, 0)]\n" in out.getvalue()
