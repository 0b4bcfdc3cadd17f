"""No character of a model, a name or an option that a terminal obeys reaches a terminal or a service as it is."""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

import everafter
from everafter.characters import visible, visible_line
from everafter.cli import main
from everafter.source import Diagnostic, InputError, Place, Source

OBEYED = "\x00\x07\x08\x0b\x0c\r\x1b\x7f\x85\x9b\xad\u061c\u200b\u200d\u200f\u2028\u202e\u2066\ufeff\udc80\U000e0041"
HOSTILE = OBEYED.replace("\r", "").replace("\x0b", "").replace("\x0c", "").replace("\0", "").replace("\udc80", "")
MODEL = f"""byte x;
chan c = [1] of {{ byte }};
active proctype P() {{
    printf("{HOSTILE}\\n");
    x = 1;
    assert(x == 0)
}}
"""
FORMATS = ("text", "json", "github", "junit", "sarif")


def is_obeyed(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def test_everything_that_is_obeyed_is_made_visible_and_nothing_else_is_touched() -> None:
    changed = [code for code in range(sys.maxunicode + 1) if visible(chr(code)) != chr(code)]
    assert {code for code in range(sys.maxunicode + 1) if is_obeyed(chr(code))} <= set(changed)
    letters = [code for code in changed if unicodedata.category(chr(code)) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn")]
    assert [hex(code) for code in letters if unicodedata.name(chr(code), "").find("FILLER") < 0] == [
        hex(code) for code in letters if 0xE0100 <= code <= 0xE01EF
    ]  # letters without any width, and the selectors of their variants
    assert visible("tab\tand\nline") == "tab\tand\nline"
    assert visible_line("tab\tand\nline") == "tab␉and␊line"
    assert visible("\x1b[31m\x7f\u202e") == "␛[31m␡�"


def assert_nothing_is_obeyed(text: str) -> None:
    assert [hex(ord(character)) for character in text if is_obeyed(character)] == []


@pytest.mark.parametrize("form", FORMATS)
def test_a_model_says_nothing_to_a_terminal(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "a\x1b]0;pwn\x07\u202e.pml"
    model.write_text(MODEL)
    assert main(["check", str(model), "--safety", "--format", form, "--engine", "reference"]) == 1
    told = capsys.readouterr()
    assert "printf" in told.out if form != "sarif" else told.out
    assert_nothing_is_obeyed(told.out + told.err)


def test_the_name_of_a_file_forges_no_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml\n  safety  holds\n::error::x"
    model.write_text(MODEL)
    main(["check", str(model), "--safety", "--format", "github", "--engine", "reference"])
    assert not [line for line in capsys.readouterr().out.splitlines() if line.startswith("::error::x")]
    main(["check", str(model), "--safety", "--engine", "reference"])
    assert "  safety  holds" not in capsys.readouterr().out.splitlines()


FORGED = "x\n::error::forged"


@pytest.mark.parametrize(
    "command",
    [
        ["check", "MODEL", "--certificate", FORGED],
        ["check", "MODEL", "--trace", FORGED],
        ["certify", FORGED, "MODEL"],
        ["replay", "MODEL", FORGED],
        ["graph", "MODEL", "-o", f"{FORGED}.svg"],
        ["spin", "-a", FORGED],
        ["check", "MODEL", "--hoa", "AUTOMATON"],
        ["check", "MODEL", "--trace", f"missing/{FORGED}"],
    ],
    ids=" ".join,
)
def test_no_name_in_a_message_forges_a_line(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("MODEL").write_text("byte x; active proctype P() { x = 1; assert(x == 0) }")
    Path("AUTOMATON").write_text(
        f'HOA: v1 Start: 0 AP: 1 "x == y{FORGED}" Acceptance: 1 Inf(0) --BODY-- State: 0 {{0}} [0] 0 --END--'
    )
    with suppress(SystemExit):
        assert main(command) != 4
    told = capsys.readouterr()
    assert told.err
    assert [line for line in (told.out + told.err).splitlines() if line.strip().startswith("::error::")] == []


COMMANDS = [
    ["simulate", "MODEL"],
    ["graph", "MODEL"],
    ["graph", "MODEL", "--format", "dot"],
    ["graph", "MODEL", "--format", "html"],
    ["graph", "MODEL", "--of", "states", "--format", "dot"],
    ["check", "MODEL", "--ltl", OBEYED.strip("\0")],
    ["check", "MODEL", f"--engine={OBEYED}"],
    ["check", "MODEL", f"--{OBEYED}"],
    ["check", OBEYED.replace("\0", "")],
    ["check", "MODEL", "-D", f"{OBEYED}=1"],
    ["check", "MODEL", "-D", f"x={OBEYED}"],
    ["check", "MODEL", "--never", OBEYED.replace("\0", "")],
    ["check", "MODEL", "--time", OBEYED],
    ["replay", "MODEL", OBEYED.replace("\0", "")],
    ["ltl", OBEYED],
    ["ltl", f'[] "{OBEYED}"'],
    ["spin", OBEYED],
    [OBEYED],
]


@pytest.mark.parametrize("command", COMMANDS, ids=[str(number) for number in range(len(COMMANDS))])
def test_no_command_lets_them_through(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text(MODEL)
    status: object = None
    with suppress(SystemExit):
        status = main([str(model) if word == "MODEL" else word for word in command])
    assert status != 4
    told = capsys.readouterr()
    assert told.out or told.err
    assert_nothing_is_obeyed(told.out + told.err)


def test_the_page_of_a_check_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, page = tmp_path / "m.pml", tmp_path / "page.html"
    model.write_text(MODEL)
    main(["check", str(model), "--safety", "--html", str(page), "--engine", "reference"])
    capsys.readouterr()
    assert_nothing_is_obeyed(page.read_text(encoding="utf-8"))


def test_xml_stays_well_formed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text(MODEL.replace("x = 1", "x = 1 + 0 \x1b"))
    for command in (["check", str(model), "--format", "junit"], ["graph", str(model.rename(tmp_path / "n\x01.pml"))]):
        main(command)
        out = capsys.readouterr().out
        if out:
            ElementTree.fromstring(out)


@pytest.mark.parametrize("before", ["\x1b[31m", "\u200b\u202e", "é", "e\u0301", "漢字", "\x7f\x9b"])
def test_the_caret_stands_under_its_column(before: str) -> None:
    source = Source("m.pml", f'printf("{before}"); wrong')
    column = source.text.index("wrong") + 1
    line, carets = Diagnostic(Place(source, 1, column, 5), "no").render().splitlines()[1:]
    ahead = line[: line.index("wrong")]
    width = sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in ahead
    )
    assert (carets.index("^"), carets.count("^")) == (width, 5)
    assert_nothing_is_obeyed(line)


def test_what_python_shows_is_visible(tmp_path: Path) -> None:
    result = everafter.parse(MODEL).check(engine="reference")
    assert "printf" in str(result)
    assert_nothing_is_obeyed(str(result) + result._repr_html_())
    with pytest.raises(InputError) as wrong:
        everafter.parse("byte x\x1b\u202e;")
    assert_nothing_is_obeyed(str(wrong.value) + wrong.value.render())


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


def test_colours_of_our_own_remain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, out = tmp_path / "m.pml", Terminal()
    model.write_text(MODEL.replace(HOSTILE, HOSTILE + "\x1b[31m"))
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    main(["check", str(model), "--safety", "--engine", "reference"])
    assert "\x1b[31mviolated  \x1b[0m" in out.getvalue()
    assert_nothing_is_obeyed(re.sub(r"\x1b\[(31|0)m", "", out.getvalue().replace("printf", "")))
    assert "␛[31m" in out.getvalue()
