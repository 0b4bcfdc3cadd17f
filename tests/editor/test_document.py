"""What an editor is told of a text: problems, outline, declarations, what can be checked."""

from pathlib import Path

import pytest

from everafter.editor.open_text import Document, read
from everafter.editor.outline import outline
from everafter.source import Source

TEXT = """#define LIMIT 3
#define both(a, b) (a && b)
mtype = { red, green };
typedef Point { byte x; int y }
byte count;                 /* assert nothing here */
chan c = [2] of { mtype, byte };
inline add(n) { count = count + n }
active [2] proctype Worker(byte start) {
    byte mine; unsigned small : 3; Point p;
again:
    mine = start; add(1); c!red,mine;
    if :: count < LIMIT -> goto again :: else fi;
end_here: assert(count <= LIMIT)
}
init { int mine; c?_,count; mine = 1; run Worker(1) }
ltl small { [] (count < 9) }
"""


def document(text: str = TEXT, before: Document | None = None) -> Document:
    return read(Source("/models/m.pml", text), before)


def place_of(text: str, words: str, nth: int = 1) -> tuple[int, int]:
    """Line and column of the n-th time that these words are written."""
    position = -1
    for _ in range(nth):
        position = text.index(words, position + 1)
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def test_the_outline_names_everything() -> None:
    found = {(name.name, name.kind, name.place.line) for name in outline(Source("m", TEXT))}
    assert found == {
        ("LIMIT", "macro", 1),
        ("both", "macro", 2),
        ("red", "mtype", 3),
        ("green", "mtype", 3),
        ("Point", "typedef", 4),
        ("add", "inline", 7),
        ("Worker", "proctype", 8),
        ("again", "label", 10),
        ("end_here", "label", 13),
        ("init", "init", 15),
        ("small", "ltl", 16),
    }


@pytest.mark.parametrize(
    ("words", "nth", "line", "hover"),
    [
        ("mine = start", 1, 9, "local to Worker, values 0 … 255"),
        ("mine = 1", 1, 15, "local to init, values -2147483648 … 2147483647"),
        ("count; mine", 1, 5, "global, values 0 … 255"),
        ("start;", 1, 8, "parameter of Worker"),
        ("small :", 1, 9, "values 0 … 7"),
        ("LIMIT ->", 1, 1, "stands for `3`"),
        ("red,", 2, 3, "a name of"),
        ("again ::", 1, 10, "a label of `Worker`"),
        ("end_here", 1, 13, "a run may stop here"),
        ("Worker(1)", 1, 8, "active [2] proctype Worker"),
        ("add(1)", 1, 7, "inline add(n)"),
        ("c!red", 1, 6, "chan c = [2] of { mtype, byte }"),
        ("Point p", 1, 4, "typedef Point"),
        ("p;", 1, 9, "Point p"),
        ("small {", 1, 16, "[] (count < 9)"),
    ],
)
def test_names_have_a_place_and_a_meaning(words: str, nth: int, line: int, hover: str) -> None:
    read_text = document()
    assert read_text.is_current
    at = place_of(TEXT, words, nth)
    place = read_text.definition(*at)
    assert place is not None
    assert place.line == line
    assert hover in (read_text.hover(*at) or "")


def test_what_is_no_name_means_nothing() -> None:
    assert document().hover(*place_of(TEXT, "= start")) is None
    assert document().hover(*place_of(TEXT, "proctype")) is None
    assert document().definition(99, 1) is None


def test_a_text_with_a_mistake_keeps_what_was_known() -> None:
    good = document()
    broken = document(TEXT.replace("c?_,count;", "c?_,count; nonsense = 1;"), good)
    assert [problem.place.line for problem in broken.problems] == [15]
    assert "chan c" in (broken.hover(*place_of(TEXT, "c!red")) or "")
    assert list(broken.checks()) == []
    assert document("proctype {").problems


def test_what_can_be_checked() -> None:
    assert [(check.line, check.property) for check in document().checks()] == [(16, "small"), (13, None)]
    plain = document("byte x;\nactive proctype P() { x = 1 }")
    assert [(check.line, check.property) for check in plain.checks()] == [(2, None)]


def test_a_mistake_in_an_included_file_is_shown_where_it_is_included(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("byte y;\nbyte y;\nbyte z;\n")
    text = '\n#include "part.h"\nactive proctype P() { z = 1 }'
    found = read(Source(str(tmp_path / "m.pml"), text))
    assert [found.seen(problem.place).line for problem in found.problems] == [2]
    (tmp_path / "part.h").write_text("byte z;\n")
    good = read(Source(str(tmp_path / "m.pml"), text))
    place = good.definition(3, 23)
    assert place is not None
    assert place.source.name.endswith("part.h")
