"""The command line as a user meets it: output, exit status, no traceback."""

import errno
import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import everafter
from everafter import cli
from everafter.cli import main
from everafter.commands.check_options import CHECK
from everafter.commands.status import INCOMPLETE
from everafter.engine.code.machine import finished
from everafter.questions.outcome import Outcome
from everafter.questions.question import Question
from everafter.verdict.judge import judge

EXAMPLES = Path(__file__).parent.parent / "examples"
ENDLESS = "int x; active proctype P() { do :: x++ :: x == -1 -> x++ od }"
PATIENCE = 120
"""Seconds after which a command that gives no sign of life is given up, also on a busy machine."""


def run(*arguments: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "everafter.cli", *arguments],
        input=stdin,
        text=True,
        capture_output=True,
        check=False,
        cwd=cwd,
    )


@contextmanager
def on_terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The command with a terminal for its messages and progress, and the near end of that terminal."""
    terminal, far_end = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "everafter.cli", *arguments],
        text=True,
        stdout=subprocess.PIPE,
        stderr=far_end,
        # A shell's background job ignores the signal, and its children with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        os.close(far_end)
        try:
            yield process, terminal
        finally:
            process.kill()
            os.close(terminal)


def shown_on(terminal: int) -> Iterator[bytes]:
    """What a terminal shows, piece by piece, until the command has ended."""
    while select.select([terminal], [], [], PATIENCE)[0]:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux says so when nobody has the far end open any more
            return
        if not piece:
            return
        yield piece
    pytest.fail(f"the terminal has shown nothing for {PATIENCE} seconds")


def written(folder: Path, text: str) -> str:
    path = folder / "model.pml"
    path.write_text(text)
    return str(path)


def test_holds_is_status_0() -> None:
    done = run("check", str(EXAMPLES / "peterson.pml"))
    assert done.returncode == 0
    assert "holds" in done.stdout
    assert done.stderr == ""


def test_violated_is_status_1_with_a_readable_run() -> None:
    done = run("check", str(EXAMPLES / "mutex_broken.pml"))
    assert done.returncode == 1
    assert "violated" in done.stdout
    assert "Process(0)" in done.stdout
    assert "inside = 2" in done.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("active proctype P() { x = 1 }", ["model.pml:1:23: error: unknown variable 'x'", "^", "help:"]),
        ("active proctype P() { c_code { x = 1; } }", ["c_code", "embeds C code"]),
        ("", ["no process is ever started"]),
        ("active proctype P() { goto nowhere }", ["unknown label 'nowhere'"]),
    ],
)
def test_bad_input_is_status_2(text: str, words: list[str], tmp_path: Path) -> None:
    done = run("check", written(tmp_path, text))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


UNREAD = "byte x; active proctype P() { x = 1 } ltl p { [] (x < 2) } ltl q { <> (x = 3) } ltl r { [] (x < 1) }"


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [([], 2, "p        holds"), (["--safety"], 0, "safety"), (["--ltl", "p"], 0, "p  holds"), (["--ltl", "q"], 2, "")],
)
def test_a_formula_that_cannot_be_read_stops_only_itself(
    options: list[str], status: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.pml").write_text(UNREAD)
    assert main(["check", str(tmp_path / "m.pml"), *options]) == status
    shown = capsys.readouterr()
    assert ("expected an operator before '='" in shown.err) == (status == 2)
    assert told.split() == [word for word in told.split() if word in shown.out.split()]
    assert ("violated" in shown.out) == (options == [])


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("schema chek", "of: 'chek' is none of check, certify\n  help: did you mean 'check'?"),
        ("chek m.pml", "there is no command 'chek'\n  help: did you mean 'check'?"),
        ("frobnicate", "there is no command 'frobnicate'\n  help: everafter --help"),
        ("check --algoritm dfs m.pml", "unrecognized arguments: --algoritm\n  help: did you mean '--algorithm'?"),
        ("check --teim=3 m.pml", "unrecognized arguments: --teim=3\n  help: did you mean '--time'?"),
        ("check --time banana m.pml", "--time: 'banana' is not a time; write 60s, 5m or 2h"),
        (
            "check --format jsn m.pml",
            "--format: 'jsn' is none of text, json, junit, sarif, github\n  help: did you mean 'json'?",
        ),
        ("check", "the following arguments are required: MODEL\n  help: everafter check --help"),
    ],
)
def test_bad_usage_is_said_in_a_line(command: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    assert capsys.readouterr().err == f"everafter: {told}\n"


def test_bad_usage_is_status_2() -> None:
    assert run().returncode == 2
    assert run("check").returncode == 2
    assert run("check", "m.pml", "--time", "soon").returncode == 2
    assert run("check", "m.pml", "-D", "1=2").returncode == 2
    assert run("check", "m.pml", "--threads", "0").returncode == 2
    alone = run("check", str(EXAMPLES / "peterson.pml"), "--threads", "2", "--algorithm", "tarjan")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "cndfs" in alone.stderr
    missing = run("check", "no-such-file.pml")
    assert missing.returncode == 2
    assert "no-such-file.pml" in missing.stderr
    assert "Traceback" not in missing.stderr


def test_a_limit_is_status_3(tmp_path: Path) -> None:
    done = run("check", written(tmp_path, ENDLESS), "--reduction", "none", "--time", "200ms")
    assert done.returncode == 3
    assert "incomplete" in done.stdout
    assert "time limit" in done.stdout


def test_interrupting_ends_in_a_partial_report(tmp_path: Path) -> None:
    """The first line about states tells that the search is under way; only then comes the interrupt."""
    shown, interrupted = b"", False
    with on_terminal("check", written(tmp_path, ENDLESS), "--reduction", "none", "--memory", "4G") as (
        process,
        terminal,
    ):
        for piece in shown_on(terminal):
            shown += piece
            if not interrupted and b" states, " in shown:
                process.send_signal(signal.SIGINT)
                interrupted = True
        out, _ = process.communicate(timeout=PATIENCE)
    assert interrupted
    assert process.returncode == 3
    assert "incomplete" in out
    assert "interrupted" in out
    assert b"Traceback" not in shown


def test_an_error_that_an_interrupt_has_led_to_is_none_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library that is interrupted may raise an exception of its own."""

    def fail(_options: object) -> int:
        raise ImportError("partially initialised")

    monkeypatch.setattr(cli, "loaded", lambda _name: replace(CHECK, run=fail))
    interrupted = threading.Event()
    monkeypatch.setattr(cli, "INTERRUPTED", interrupted)
    assert cli.main(["check", "model.pml"]) == 4
    assert "Traceback" in capsys.readouterr().err
    interrupted.set()
    assert cli.main(["check", "model.pml"]) == 3
    assert capsys.readouterr().err == "everafter: interrupted\n"


@pytest.mark.parametrize("sign", ["everafter.source", "everafter.ltl", "everafter.cli"])
def test_interrupting_while_everafter_is_loaded_is_quiet(sign: str, tmp_path: Path) -> None:
    """Python tells when it has loaded a module; the interrupt comes then, and the check itself would never end."""
    model = written(tmp_path, ENDLESS)
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "everafter", "check", model, "--memory", "4G"],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.rstrip().endswith(f" {sign}"):
                process.send_signal(signal.SIGINT)
                break
        out, shown = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert "interrupted" in out + shown
    assert "Traceback" not in shown


TWO = "byte x; active proctype P() { x = 1; x = 2 } ltl small { <> [] (x < 2) } ltl tiny { <> [] (x < 1) }"


@pytest.mark.parametrize(
    "moment",
    [
        "everafter.commands.command.load",
        "everafter.ltl.translation.to_buchi",
        "everafter.backends.native.native_model",
        "everafter.backends.native.run_of_lasso",
        "everafter.check.judge",
        "everafter.verdict.trace.trace_of",
        "everafter.commands.check.summary",
        "everafter.commands.check.counterexample",
        "everafter.commands.check.as_json",
    ],
)
def test_an_interrupt_at_any_moment_ends_the_whole_check(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    presses = 0

    def press(*_: object, **__: object) -> None:
        nonlocal presses
        presses += 1
        raise KeyboardInterrupt

    monkeypatch.setattr(moment, press)
    options = ["--format", "json"] if moment.endswith("as_json") else []
    formulas = ["--ltl", "small", "--ltl", "tiny"]
    status = main(["check", written(tmp_path, TWO), *formulas, "--trace", str(tmp_path / "trace"), *options])
    told = capsys.readouterr()
    assert (status, presses) == (INCOMPLETE, 1)
    assert "interrupted" in told.out + told.err
    assert "Traceback" not in told.err


def test_what_was_found_before_an_interrupt_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judges = 0

    def second_press(question: Question, outcome: Outcome) -> everafter.Result:
        nonlocal judges
        judges += 1
        if judges > 1:
            raise KeyboardInterrupt
        return judge(question, outcome)

    monkeypatch.setattr("everafter.check.judge", second_press)
    assert main(["check", written(tmp_path, TWO)]) == INCOMPLETE
    safety, *others = [line for line in capsys.readouterr().out.splitlines() if "states" in line]
    assert "holds" in safety
    assert [line.split()[1] for line in others] == ["incomplete", "incomplete"]


LOSES_AN_INTERRUPT = """
import signal, sys, time
from everafter import __main__, cli

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run in the background, where it is ignored

class Dying:
    def __del__(self):
        raise KeyboardInterrupt

def command():
    Dying()
    while True:
        time.sleep(0.01)

cli.main = command
sys.exit(__main__.main())
"""


def test_an_interrupt_that_python_drops_is_repeated() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOSES_AN_INTERRUPT], text=True, capture_output=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stderr) == (3, "everafter: interrupted\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("options", [[], ["--format", "json"]])
def test_a_full_disk_is_said(options: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "everafter", "check", str(EXAMPLES / "mutex_broken.pml"), *options],
            text=True,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (3, "everafter: cannot write the output: No space left on device\n")


def test_a_reader_that_has_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "everafter", "check", str(EXAMPLES / "mutex_broken.pml")],
        text=True,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (3, "")


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_output_changes_no_status(closed: int) -> None:
    command = f"'{sys.executable}' -m everafter check '{EXAMPLES / 'mutex_broken.pml'}' {closed}>&-"
    done = subprocess.run(["sh", "-c", command], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_trace_that_cannot_be_written_is_refused_before_the_search(tmp_path: Path) -> None:
    model = written(tmp_path, ENDLESS)  # whose search would never end
    for trace in (tmp_path, tmp_path / "no such folder" / "trace", tmp_path / "model.pml" / "trace"):
        done = run("check", model, "--trace", str(trace))
        assert (done.returncode, done.stdout) == (2, "")
        assert f"cannot write {trace}: " in done.stderr
        assert "Traceback" not in done.stderr


def test_a_trace_is_made_only_if_there_is_one(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    assert run("check", str(EXAMPLES / "peterson.pml"), "--trace", str(trace)).returncode == 0
    assert not trace.exists()
    trace.write_text("another")
    assert run("check", str(EXAMPLES / "peterson.pml"), "--trace", str(trace)).returncode == 0
    assert trace.read_text() == "another"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_results_are_told_though_the_trace_was_not_written() -> None:
    done = run("check", str(EXAMPLES / "mutex_broken.pml"), "--trace", "/dev/full")
    assert done.returncode == 3
    assert "inside = 2" in done.stdout
    assert done.stderr == "everafter: cannot write /dev/full: No space left on device\n"


def test_json_has_the_agreed_shape() -> None:
    done = run("check", str(EXAMPLES / "mutex_broken.pml"), "--format", "json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert set(report) == {"schema", "model", "results", "diagnostics", "seconds", "version"}
    result = next(item for item in report["results"] if item["kind"] == "safety")
    assert set(result) == {
        "property", "kind", "verdict", "reason", "states", "transitions", "depth", "seconds", "bytes_per_state",
        "disk_bytes", "compile_seconds", "under_fairness", "coverage", "vacuity", "certified",
        "engine",
        "search_seconds",
        "unreduced",
        "erased",
        "merged",
        "symmetry",
        "asymmetric",
        "whole",
        "why",
        "store",
        "workers",
        "visited",
        "checkpoint",
        "disagreement",
        "shortest",
        "reduction", "algorithm", "threads", "counterexample",
    }  # fmt: skip
    assert result["verdict"] == "violated"
    assert result["counterexample"]["cycle"] == []
    assert result["counterexample"]["prefix"][-1]["problem"] == "assert(inside == 1) failed"


def test_definitions_change_the_model() -> None:
    small = json.loads(run("check", str(EXAMPLES / "philosophers.pml"), "-D", "N=2", "--format", "json").stdout)
    large = json.loads(run("check", str(EXAMPLES / "philosophers.pml"), "-D", "N=4", "--format", "json").stdout)
    assert len(small["results"][0]["counterexample"]["prefix"]) < len(large["results"][0]["counterexample"]["prefix"])


def test_a_trace_is_written_and_replayed(tmp_path: Path) -> None:
    model, trace = str(EXAMPLES / "philosophers.pml"), str(tmp_path / "run.json")
    checked = run("check", model, "-D", "N=3", "--trace", trace)
    assert checked.returncode == 1
    replayed = run("replay", model, trace)
    assert replayed.returncode == 0
    # The definitions come from the trace.
    last, ending = replayed.stdout.strip().splitlines()[-2:]
    assert last.split()[0] == "6"
    assert "invalid end state" in ending
    assert run("replay", model, str(tmp_path / "missing")).returncode == 2


def test_simulation_is_repeatable() -> None:
    model = str(EXAMPLES / "alternating_bit.pml")
    first = run("simulate", model, "--seed", "7", "--steps", "50")
    assert first.returncode == 0
    assert first.stdout == run("simulate", model, "--seed", "7", "--steps", "50").stdout
    assert first.stdout != run("simulate", model, "--seed", "8", "--steps", "50").stdout


def test_simulation_by_hand(tmp_path: Path) -> None:
    model = written(tmp_path, 'byte x; active proctype P() { if :: x = 1 :: x = 2 fi; printf("x is %d\\n", x) }')
    done = run("simulate", model, "--interactive", stdin="2\nu\n7\n1\ns\n1\nq\n")
    assert done.returncode == 0
    assert "x = 2" in done.stdout
    assert "'7' is none of these" in done.stdout
    assert "x is 1" in done.stdout
    assert run("simulate", model, "--interactive", stdin="").returncode == 0


def test_progress_is_shown_in_a_terminal_only(tmp_path: Path) -> None:
    """On a terminal the line with states and rate appears; in a pipe nothing does."""
    arguments = ("check", written(tmp_path, ENDLESS), "--time", "2s")
    with on_terminal(*arguments) as (_, terminal):
        shown = b"".join(shown_on(terminal))
    assert b"states" in shown
    assert b"MiB" in shown
    assert run(*arguments).stderr == ""


def test_a_formula_that_grows_too_large_is_status_3(tmp_path: Path) -> None:
    names = [f"{letter}{number}" for letter in "ab" for number in range(9)]
    formula = " && ".join(f"(<>[](a{i}) || []<>(b{i}))" for i in range(9))
    assert run("ltl", formula).returncode == 3
    model = written(tmp_path, f"bool {', '.join(names)}; active proctype P() {{ a1 = 1 }}")
    done = run("check", model, "--ltl", f"!({formula})")
    assert done.returncode == 3
    assert "too large" in done.stdout


def test_a_time_limit_bounds_the_making_of_machine_code_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVERAFTER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("everafter.engine.run.kernel_code._codes", {})
    monkeypatch.setattr("everafter.engine.run.kernel_code.finished", lambda _: time.sleep(600))
    assert main(["check", written(tmp_path, TWO), "--safety", "--time", "2"]) == INCOMPLETE
    assert "the time limit of 2 s was reached while machine code was made" in capsys.readouterr().out


def test_a_cache_that_cannot_be_written_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", written(tmp_path, TWO), "--safety"])
    capsys.readouterr()
    monkeypatch.setenv("EVERAFTER_CACHE", "/dev/null/cache")
    monkeypatch.setattr("everafter.engine.code.cache._unwritten", {})
    main(["check", written(tmp_path, TWO), "--safety"])
    assert capsys.readouterr().err.count("the cache /dev/null/cache cannot be written: Not a directory") == 1


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_so_it_is_where_the_folder_is_of_another_user_or_a_disk_is_read_only(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    def noted(text: str) -> bytes:
        made.append(text)
        return finished(text)

    made: list[str] = []
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("EVERAFTER_CACHE", raising=False)
    monkeypatch.setattr("everafter.engine.code.cache._unwritten", {})
    monkeypatch.setattr("everafter.engine.code.cache.tempfile.mkstemp", refused)
    monkeypatch.setattr("everafter.engine.run.kernel_code._codes", {})
    monkeypatch.setattr("everafter.engine.run.kernel_code.finished", noted)
    for _ in range(2):
        assert main(["check", written(tmp_path, TWO), "--safety"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert f"the cache {tmp_path}/.cache/everafter cannot be written: {os.strerror(number)}" in line
    assert len(made) == len(set(made)) > 0
