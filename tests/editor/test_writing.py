"""What may be written, and how a text is laid out: completion, signatures, quick fixes, folds and formatting."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES, installed_models
from oracles.promela.odd_texts import odd_text
from oracles.promela.random_programs import program
from tests.editor.models import marked

from everafter.editor import formatting
from everafter.editor.completion import suggestions
from everafter.editor.folding import folds
from everafter.editor.formatting import Margins, formatted
from everafter.editor.open_text import read
from everafter.editor.quick_fixes import quick_fixes
from everafter.editor.signatures import signature_at
from everafter.promela.parser import parse
from everafter.source import InputError, Source

HEAD = """#define LIMIT 3
mtype = { red };
typedef In { byte f; chan d };
typedef Out { In in[2]; int k };
Out o; byte g;
inline put(aa, bb) { g = aa }
"""
PROCTYPE, GLOBAL = "proctype P(byte a; chan c, d)", "byte count; active proctype P() { "


def offered(text: str, others: Sequence[Source] = ()) -> set[str]:
    """What is offered at the mark."""
    plain, line, column = marked(text)
    source = Source("/nowhere/m.pml", plain)
    return {each.word for each in suggestions(source, line, column, others, None)}


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("active proctype P() { byte mine; mine = ‸ }", "mine g o put LIMIT red skip _pid", "Q define always"),
        ("active proctype P() { byte mine; { byte inner; skip } ‸ }", "mine", "inner"),
        ("active proctype P() { ‸ byte later }", "g", "later"),
        ("active proctype P() { o.‸ }", "in k", "f g o"),
        ("active proctype P() { o.in[g + 1].‸", "f d", "in k g"),  # not closed yet
        ("active proctype P() { lab: skip; goto ‸ }\nactive proctype Q() { other: skip }", "lab", "other g"),
        ("proctype P() { skip } init { run ‸ }", "P", "g put"),
        ("proctype P() { byte x; lab: skip } ltl p { [] (P@‸) }", "lab", "x g"),
        ("proctype P() { byte x; lab: skip } ltl p { [] (P[1]:‸) }", "x", "lab g"),
        ("proctype P() { byte x; skip } ltl p { [] (‸) }", "g red LIMIT always until", "x goto skip"),
        ("inline f(aa, bb) { ‸ }", "aa bb g", "define"),
        ("#‸", "define include ifdef", "g"),
        ("act‸", "active proctype ltl Out", "skip"),
        ("active proctype P() { printf(\"g‸\") }", "", "g skip"),
        ("active proctype P() { /* g‸ */ skip }", "", "g skip"),
        ("active proctype P() { skip // g‸\n}", "", "g skip"),
    ],
)  # fmt: skip
def test_what_can_be_seen_is_offered(text: str, wanted: str, unwanted: str) -> None:
    found = offered(HEAD + text)
    assert set(wanted.split()) <= found
    assert not set(unwanted.split()) & found


def test_included_names_are_offered() -> None:
    other = Source("/nowhere/part.h", "byte shared;\ninline helper(x) { skip }\n")
    assert {"shared", "helper"} <= offered("active proctype P() { ‸ }", [other])


def test_what_a_macro_declares_is_offered() -> None:
    """By what was understood last, though the text has a mistake now."""
    text = "#define two(n) byte n##1, n##2\ntwo(v);\nactive proctype P() { v1 = 1; ‸ }"
    plain, line, column = marked(text)
    source = Source("/nowhere/m.pml", plain)
    tree, _ = parse(source)
    broken = Source(source.name, plain.replace("v1 = 1", "v1 = "))
    assert {"v1", "v2"} <= {each.word for each in suggestions(broken, line, column - 1, [], tree)}


@pytest.mark.parametrize(
    ("text", "label", "active"),
    [
        ("proctype P(byte a; chan c, d) { skip } init { run P(1, ‸", "proctype P(byte a; chan c, d)", "chan c"),
        (
            "proctype P(byte a; chan c, d) { skip } init { run P((1 + 2), q[3], ‸) }",
            "proctype P(byte a; chan c, d)",
            "d",
        ),
        ("inline f(a, b) { skip } init { f(‸) }", "inline f(a, b)", "a"),
        ("#define twice(x) (2 * x)\ninit { g = twice(‸) }", "define twice(x)", "x"),
    ],
)
def test_a_call_shows_what_it_takes(text: str, label: str, active: str) -> None:
    plain, line, column = marked(text)
    found = signature_at(Source("m", plain), line, column, [])
    assert found is not None
    assert found.label == label
    begin, end = found.parameters[found.active]
    assert label[begin:end] == active


@pytest.mark.parametrize("text", ["init { skip; ‸ }", "init { (‸) }", "proctype P(byte ‸) { skip }", "init { f(‸) }"])
def test_what_is_no_call_shows_nothing(text: str) -> None:
    plain, line, column = marked(text)
    assert signature_at(Source("m", plain), line, column, []) is None


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        (GLOBAL + "cuont = 1 }", GLOBAL + "count = 1 }"),
        (f"#define c cuont\n{GLOBAL}c = 1 }}", f"#define c count\n{GLOBAL}c = 1 }}"),
        (GLOBAL + "skip }\nltl p { [] (cuont < 1) }", GLOBAL + "skip }\nltl p { [] (count < 1) }"),
        ("proctype Work() { skip } init { run Wokr() }", "proctype Work() { skip } init { run Work() }"),
        ("typedef A { byte left } A a; init { a.lfet = 1 }", "typedef A { byte left } A a; init { a.left = 1 }"),
        ("prctype P() { skip }", "proctype P() { skip }"),
        ("active proctype P() { y = 1 }", None),
    ],
)  # fmt: skip
def test_what_may_be_meant_can_be_written(text: str, fixed: str | None) -> None:
    found = [*quick_fixes(read(Source("/nowhere/m.pml", text)).problems)]
    if fixed is None:
        assert found == []
        return
    place, lines = found[0].place, text.split("\n")
    line = lines[place.line - 1]
    lines[place.line - 1] = line[: place.column - 1] + found[0].new + line[place.column - 1 + place.length :]
    assert "\n".join(lines) == fixed


def test_blocks_comments_and_conditions_fold() -> None:
    text = "/* one\n two */\n#if 1\ninit {\n  do\n  :: skip\n  od\n}\n#else\nbyte x;\n#endif\n"
    found = [(fold.first, fold.last, fold.is_comment) for fold in folds(Source("m", text))]
    assert found == [(1, 2, True), (3, 8, False), (4, 7, False), (5, 6, False), (9, 10, False)]


# Margins


def laid_out(text: str, style: Margins | None = None, name: str = "/nowhere/m.pml") -> str:
    return formatted(Source(name, text), style or Margins(), {}, [Path(name).parent])


def test_a_text_is_laid_out() -> None:
    text = (
        "active proctype P()\n{ byte x;\n\tdo\n\t  :: x==1 ->   x=2 ;\n  x=3 /* aligned */\n"
        "  ::else->break\n   od;\nagain:\n (x&&\n    x); goto again\n}\n"
    )
    assert laid_out(text) == (
        "active proctype P()\n{ byte x;\n    do\n    :: x == 1 ->   x = 2;\n       x = 3 /* aligned */\n"
        "    :: else -> break\n    od;\nagain:\n    (x &&\n       x); goto again\n}\n"
    )
    assert laid_out("init {\n        skip\n}", Margins(2, by_spaces=False)) == "init {\n\tskip\n}\n"


def test_where_spaces_have_a_meaning_only_margins_change() -> None:
    text = "#define say(x) printf(#x)\nactive proctype P() {\nsay(a,b);\n  say((1,2))\n}\n".replace("say(a,b);\n", "")
    assert laid_out(text) == "#define say(x) printf(#x)\nactive proctype P() {\n    say((1,2))\n}\n"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_our_examples_are_laid_out_so(path: Path) -> None:
    """But for one, in which a condition of the preprocessor stands in the middle of an option."""
    text = path.read_text()
    assert (laid_out(text, name=str(path)) == text) == (path.stem != "parallel_nested_dfs")


def keeps_its_meaning(text: str, name: str = "/nowhere/m.pml") -> None:
    """The tree is the same, and to lay it out again changes nothing."""
    once = laid_out(text, name=name)
    assert laid_out(once, name=name) == once, name
    assert once.count("\n") - text.count("\n") in (0, 1)
    assert shape(once, name) == shape(text, name), name


def shape(text: str, name: str) -> str:
    """The tree of a text without columns, or that it has mistakes."""
    try:
        tree, _ = parse(Source(name, text), folders=[Path(name).parent])
    except InputError as error:
        return str([(each.place.line, each.message) for each in error.diagnostics])
    return str([(each.name, each.role, numbered(each.body)) for each in tree.proctypes]) + tree.digest


def numbered(part: object) -> object:
    """A part of a tree as plain values, without texts and columns."""
    if isinstance(part, tuple):
        return tuple(map(numbered, part))
    fields = getattr(part, "__dataclass_fields__", None)
    if fields is None or type(part).__name__ in ("Source", "MacroExpansion"):
        return part if isinstance(part, str | int | None) else type(part).__name__
    if type(part).__name__ == "Variable":
        return part.name, part.length  # type: ignore[attr-defined] # as its name says
    skipped = ("text", "column", "length") if type(part).__name__ == "Place" else ("text",)
    return type(part).__name__, *(numbered(getattr(part, name)) for name in fields if name not in skipped)


def test_layout_changes_no_installed_model() -> None:
    models = [path for path in installed_models() if path.stat().st_size < 3_000]
    for path in random.Random(1).sample(models, min(6, len(models))):
        keeps_its_meaning(path.read_text(errors="replace"), str(path))


def test_layout_changes_no_random_text() -> None:
    for seed in range(6):
        keeps_its_meaning(program(seed))
        keeps_its_meaning(odd_text(seed))


def test_a_layout_that_moves_a_line_end_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check can fail: a line end may be a semicolon."""
    text = "byte x;\ninit {\n x = 1\n x = 2\n}\n"
    monkeypatch.setattr(formatting, "_laid_out", lambda source, _style, _spaced: source.text.replace("1\n", "1 "))
    assert laid_out(text) == text
