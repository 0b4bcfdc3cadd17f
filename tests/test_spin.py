"""SPIN's command line, translated: what is run, what is said of other flags, and that no flag is forgotten."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from everafter.cli import main
from everafter.commands.spin import translated
from everafter.commands.spin_flags import (
    COMPILING,
    PAN,
    SPIN,
    Ignored,
    Meaning,
    Passed,
    RefusedFlag,
    Special,
    StoreFlag,
    find,
)
from everafter.source import OptionError

PAGE = Path(__file__).parent.parent / "docs" / "spin-flags.md"
TABLES: dict[str, Mapping[str, Meaning]] = {"SPIN": SPIN, "PAN": PAN, "COMPILING": COMPILING}
PLAIN = "byte x; active proctype P() { do :: x = 1 - x od }"
CLAIMED = PLAIN + " ltl p { [] (x < 2) } ltl q { <> (x == 1) }"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "m.pml").write_text(PLAIN)
    (tmp_path / "c.pml").write_text(CLAIMED)
    (tmp_path / "a.pml").write_text(PLAIN.replace("do ::", "accept: do ::"))
    (tmp_path / "f.prp").write_text("<> (x == 3)\nnotes\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TRACE = " --trace {}.trail"
BESIDE = " --safety --ignore end-states"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "run"),
    [
        ("m.pml", "simulate m.pml"),
        ("-p -g -n7 -u20 m.pml", "simulate m.pml --seed 7 --steps 20"),
        ("-i m.pml", "simulate m.pml --interactive"),
        ("-t m.pml", "replay m.pml m.pml.trail"),
        ("-t3 m.pml", "replay m.pml m.pml3.trail"),
        ("-k other.trail -DN=2 m.pml", "replay m.pml other.trail -D N=2"),
        ("-a m.pml", "check m.pml --safety" + TRACE.format("m.pml")),
        ("-run a.pml", "check a.pml --safety --acceptance" + TRACE.format("a.pml")),
        ("-a a.pml", "check a.pml --safety" + TRACE.format("a.pml")),
        ("-run -safety a.pml", "check a.pml --safety" + TRACE.format("a.pml")),
        ("-run m.pml", "check m.pml --safety" + TRACE.format("m.pml")),
        (
            "-DN=3 -UM -E-DK -m -run m.pml",
            "check m.pml -D N=3 -U M -E-DK --lose-messages --safety" + TRACE.format("m.pml"),
        ),
        ("-run -a m.pml", "check m.pml --safety" + TRACE.format("m.pml")),
        ("-a a.pml -a -f", "check a.pml --safety --acceptance --fair weak" + TRACE.format("a.pml")),
        ("-run -DNP -l -f m.pml", "check m.pml --progress" + BESIDE + " --fair weak" + TRACE.format("m.pml")),
        ("-run -a c.pml", "check c.pml --ignore end-states" + TRACE.format("c.pml")),
        ("-run -a -N q c.pml", "check c.pml --ltl q" + TRACE.format("c.pml")),
        ("-run -ltl q c.pml", "check c.pml --ltl q" + TRACE.format("c.pml")),
        ("-search -A -E -q -ltl p c.pml", "check c.pml --ltl p" + TRACE.format("c.pml")),
        ("-run -a -noclaim c.pml", "check c.pml --safety" + TRACE.format("c.pml")),
        ("-run -safety c.pml", "check c.pml --ignore end-states" + TRACE.format("c.pml")),
        (
            "-run -DSAFETY -DNOCLAIM -c0 -A -E c.pml",
            "check c.pml --safety --all-violations --ignore assertions --ignore end-states" + TRACE.format("c.pml"),
        ),
        (
            "-run -q -DNOREDUCE -bfs m.pml",
            "check m.pml --safety --empty-channels --reduction none --algorithm breadth-first" + TRACE.format("m.pml"),
        ),
        (
            "-run -DMEMLIM=500 -DMEMCNT=20 -DNCORE=2 -Q3 m.pml",
            "check m.pml --safety --memory 500M --memory 1048576 --threads 2 --time 3m" + TRACE.format("m.pml"),
        ),
        ("-a -F f.prp m.pml", "check m.pml -F f.prp" + TRACE.format("m.pml")),
        ("-run -i -bfs m.pml", "check m.pml --safety --algorithm breadth-first" + TRACE.format("m.pml")),
    ],
)
def test_flags_are_translated(given: str, run: str) -> None:
    assert " ".join(translated(given.split())[0]) == run


def test_a_formula_is_of_what_must_not_be(folder: Path) -> None:
    command, _ = translated(["-a", "-f", "<> (x == 3)", str(folder / "m.pml")])
    assert command[2:4] == ["--ltl", "!(<> (x == 3))"]
    assert translated(["-f", "[] p"])[0] == ["ltl", "[] p", "--format", "never"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("-run -w24 m.pml", "-w is ignored: the table of states grows"),
        ("-run -m10000 m.pml", "-m is ignored: no search is cut off"),
        ("-run -DNOCOMP m.pml", "-DNOCOMP is ignored"),
        ("-run -f m.pml", "-f is ignored: fairness"),
        ("-run -ltl p c.pml", "assertions are not checked beside a formula"),
        ("-o3 -a m.pml", "-o3 is ignored: steps are not merged"),
    ],
)
def test_flags_without_meaning_are_named(given: str, words: str) -> None:
    assert any(words in note for note in translated(given.split())[1])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("-run -Z9 m.pml", "no flag of SPIN's verifiers"),
        ("--deep m.pml", "no flag of SPIN"),
        ("-run -DN=3 m.pml", "macros of the model go before -run"),
        ("-bfs m.pml", "behind -run"),
        ("-J -a m.pml", "no counterpart of -J"),
        ("-M m.pml", "--html"),
        ("-pp m.pml", "everafter graph"),
        ("-run", "no model"),
        ("-run m.pml c.pml", "two models"),
        ("-a m.pml -N", "needs a value"),
    ],
)
def test_other_flags_are_refused_with_advice(given: str, words: str) -> None:
    with pytest.raises(OptionError) as refused:
        translated(given.split())
    assert words in f"{refused.value.message} {refused.value.advice}"


def test_a_trail_that_exists_is_left_if_asked(folder: Path) -> None:
    (folder / "m.pml.trail").write_text("1:0:1\n")
    command, notes = translated(["-run", "-x", "m.pml"])
    assert "--trace" not in command
    assert "left as it is" in notes[-1]


def test_it_says_what_it_runs_and_runs_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.pml").write_text("byte x; active [2] proctype P() { x++; assert(x == 1) }")
    assert main(["spin", "-run", "-w24", "bad.pml"]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith("everafter check bad.pml --safety --trace bad.pml.trail\n  -w is ignored")
    assert "assert(x == 1) failed" in shown.out
    assert main(["spin", "-t", "-p", "bad.pml"]) == 0
    assert "assert(x == 1)" in capsys.readouterr().out
    assert main(["spin", "-run", "-a", "c.pml"]) == 0
    assert main(["spin", "-V"]) == 0
    assert main(["spin", "--help"]) == 0
    assert "-run" in capsys.readouterr().out
    assert main(["spin", "-nonsense", "bad.pml"]) == 2
    assert main(["spin", "-run", "missing.pml"]) == 2


@pytest.mark.spin
def test_spin_follows_the_trail_that_is_left(folder: Path) -> None:
    (folder / "bad.pml").write_text("byte x; active [2] proctype P() { x++; assert(x == 1) }")
    assert main(["spin", "-a", "bad.pml"]) == 1
    shown = subprocess.run(["spin", "-t", "bad.pml"], check=True, capture_output=True, text=True, timeout=60).stdout
    assert "assertion violated" in shown


@pytest.mark.parametrize(
    ("flags", "store"),
    [
        ("-DCOLLAPSE", "tree"),
        ("-collapse", "tree"),
        ("-DBITSTATE -safety", "bitstate"),
        ("-bitstate -noclaim -safety", "bitstate"),
        ("-DHC4 -safety -noclaim", "compact"),
        ("-hc -a", "compact"),
        ("-hc -a -f", "tree"),
    ],
)
def test_flags_of_the_store_choose_ours(flags: str, store: str, folder: Path) -> None:
    model = PLAIN if "-safety" in flags else CLAIMED
    (folder / "m.pml").write_text(model)
    command, notes = translated(["-run", *flags.split(), "m.pml"])
    assert command[command.index("--store") + 1] == store
    assert any("finds no fair runs" in note for note in notes) == (flags == "-hc -a -f")


def test_a_simulation_may_show_only_what_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "m.pml").write_text('active proctype P() { printf("hello\\n") }')
    assert main(["spin", "-B", "-T", "m.pml"]) == 0
    told = capsys.readouterr()
    assert told.out == "hello\n"
    assert "everafter simulate m.pml --printed" in told.err


def test_a_swarm_asks_for_a_time(folder: Path) -> None:
    (folder / "m.pml").write_text(PLAIN)
    _, notes = translated(["-run", "-swarm", "m.pml"])
    assert any("until a time ends: give -QN" in note for note in notes)
    command, notes = translated(["-run", "-swarm", "-Q2", "m.pml"])
    assert command[command.index("--time") + 1] == "2m"
    assert not any("until a time ends" in note for note in notes)


def test_a_store_that_forgets_states_shows_no_absence(folder: Path) -> None:
    (folder / "m.pml").write_text(PLAIN)
    assert main(["spin", "-run", "-DBITSTATE", "-safety", "m.pml"]) == 3
    assert main(["spin", "-run", "-DBITSTATE", "-DCOLLAPSE", "m.pml"]) == 0


# SPIN says the same

VERDICTS = {
    "acceptance": "byte x; active proctype P() { accept: do :: x = 1 - x od }",
    "progress": "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { progress: x = 3; end: false}",
    "unfair": "bool s; active proctype P() { accept: do :: !s -> skip :: s -> break od } active proctype Q() { s = 1 }",
    "blocked": "byte x; active [2] proctype P() { x++; x == 7 }",
    "assertion": "byte x; active [2] proctype P() { x++; assert(x != 2) }",
    "claims": "byte x; active [2] proctype P() { x++; x == 7 } ltl p { [] (x < 3) } ltl q { <> (x == 2) }",
    "broken claim": "byte x; active [2] proctype P() { x++; x == 7 } ltl p { [] (x < 2) }",
    "never": "byte x; active proctype P() { do :: x = 1 - x od } never { do :: x == 1 -> break :: else od }",
    "left over": "chan c = [1] of { byte }; active proctype P() { c!1 }",
}
VERIFIER_FLAGS = ("", "-a -f", "-l", "-noclaim")
MORE_FLAGS = (
    ("never", "-safety"),
    ("acceptance", "-safety"),
    ("acceptance", "-bfs"),
    ("blocked", "-E"),
    ("left over", "-q"),
)


@pytest.mark.parametrize(
    ("name", "flags"), [*((name, flags) for name in VERDICTS for flags in VERIFIER_FLAGS), *MORE_FLAGS]
)
@pytest.mark.spin
def test_spin_comes_to_the_same_verdict(name: str, flags: str, folder: Path) -> None:
    """An error of SPIN's with the same flags is a violation here."""
    (folder / "v.pml").write_text(VERDICTS[name])
    given = ["-run", *flags.split(), "v.pml"]
    shown = subprocess.run(["spin", *given], check=False, capture_output=True, text=True, timeout=120).stdout
    errors = int(shown.split("errors: ")[1].split()[0])
    assert main(["spin", *given]) == (1 if errors else 0)


# No flag is forgotten


def listed(text: str) -> list[str]:
    """The flags at the beginnings of lines of a list of options."""
    return re.findall(r"^\s+(-[A-Za-z_]+\d?)", text, re.MULTILINE)


@pytest.mark.spin
def test_every_flag_that_spin_lists_is_known(folder: Path) -> None:
    shown = subprocess.run(["spin", "--"], check=False, capture_output=True, text=True, timeout=60)
    before, behind = (shown.stdout + shown.stderr).split("valid options that can follow")
    searching, after = behind.split("similarly, a -D")
    for flag in [*listed(before), *listed(after)]:
        assert find(flag, (SPIN,)) or find(f"{flag}1", (SPIN,)) or find(_short(flag), (SPIN,)), flag
    for flag in listed(searching):
        assert find(flag, (PAN,)) or find(_short(flag), (PAN,)), flag


@pytest.mark.spin
def test_every_flag_that_pan_lists_is_known(folder: Path) -> None:
    for command in (["spin", "-a", "m.pml"], ["gcc", "-w", "-o", "pan", "pan.c"]):
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    shown = subprocess.run(["./pan", "--help"], check=False, capture_output=True, text=True, timeout=60)
    flags = listed(shown.stdout + shown.stderr)
    assert len(flags) > 30
    for flag in flags:
        assert find(flag, (PAN,)) or find(_short(flag), (PAN,)), flag


def _short(flag: str) -> str:
    """A flag with a number in place of the N, or the letters, that stand for its value in a list."""
    return re.sub(r"(N|n|yyy|xxx|suf)$", "1", flag)


def rows(table: Mapping[str, Meaning]) -> str:
    """The table of the page for some flags."""
    lines = ["| flag | here |", "|---|---|"]
    for name, meaning in table.items():
        match meaning:
            case Passed(options=options):
                said = f"`{' '.join(options)}`".replace("{}", "…")
            case Special(means=said):
                pass
            case StoreFlag(name=name_of_store):
                said = f"`--store {name_of_store}`"
            case Ignored(reason=reason):
                said = f"ignored: {reason}"
            case RefusedFlag(advice=advice):
                said = f"refused: {advice}"
        value = {"none": "", "number": "N", "number?": "[N]", "text": "…", "word": " …", "text or word": " …"}
        lines.append(f"| `{name}{value[meaning.value]}` | {said} |")
    return "\n".join(lines)


def test_the_page_lists_what_each_flag_means() -> None:
    """EVERAFTER_UPDATE=1 writes the tables of the page anew."""
    text = PAGE.read_text()
    wanted = text
    for name, table in TABLES.items():
        mark = f"<!-- flags: {name} -->"
        pattern = re.escape(mark) + r"\n(?:\n?\|[^\n]*\n?)*"
        wanted = re.sub(pattern, lambda _, m=mark, t=table: f"{m}\n{rows(t)}\n", wanted)  # type: ignore[misc]
    if os.environ.get("EVERAFTER_UPDATE"):
        PAGE.write_text(wanted)
    assert text == wanted or os.environ.get("EVERAFTER_UPDATE")
