"""What words name: references, and renaming, which never changes what a text means."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES, installed_models
from oracles.promela.random_programs import program
from tests.editor.models import as_saved, index, marked, rename_at, renamed_text

from everafter.editor.name_index import NameIndex, Sense, WrittenName, index_of, spot_of
from everafter.editor.renaming import RenameRefused, renamed, rereading
from everafter.source import Source

TEXT = """#define full (count == N)
#define N 2
#define dead(x) x + unused
mtype:kind = { red };
typedef Pair { byte x; byte y }
byte count; Pair pair; mtype:kind m = red;
inline add(n) { count = count + n; pair.x = n; i = 0 }
inline never_called() { count = 0 }
proctype Worker(byte start) {
    byte i;
again: add(start); full -> goto again
}
active proctype Other() {
    byte i;
    { byte x; x = 1 }
    { byte x; x = 2 }
    add(i); run Worker(1); pair.x = 1
#if 0
    count = 3
#endif
}
ltl small { [] (count < 9 && pair.x < 3 && !Worker@again && m == red) }
"""


def found(text: str, words: str) -> list[int]:
    """The lines in which what begins at `words` is named."""
    position = text.index(words)
    source = Source("/nowhere/m.pml", text)
    known = index(source)
    line = text.count("\n", 0, position) + 1
    word = known.at(source.name, line, position - text.rfind("\n", 0, position))
    assert word is not None
    return sorted(spot.line for spot in known.same(word)[1])


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("count;", [1, 6, 7, 7, 22]),
        ("x; byte y", [5, 7, 17, 22]),
        ("x = 1", [15, 15]),
        ("x = 2", [16, 16]),
        ("n;", [7, 7, 7]),
        ("i;\nagain", [7, 10, 14, 17]),  # the inline's `i` is now this, now that one
        ("again:", [11, 11, 22]),
        ("Worker(byte", [9, 17, 22]),
        ("red }", [4, 6, 22]),
        ("kind = {", [4, 6]),
        ("Pair {", [5, 6]),
        ("N)", [1, 2]),
        ("full ->", [1, 11]),
        ("add(start)", [7, 11, 17]),
        ("small", [22]),
        ("x) x", [3, 3]),
        ("start)", [9, 11]),
    ],
)
def test_references_go_through_macros_inlines_and_formulas(words: str, lines: list[int]) -> None:
    assert found(TEXT, words) == lines


def test_a_text_with_mistakes_knows_what_was_read() -> None:
    assert found("byte x;\nactive proctype P() { x = 1; y = }\n", "x;") == [1, 2]


def test_included_files_are_renamed_in(tmp_path: Path) -> None:
    header = tmp_path / "part.h"
    header.write_text("byte shared;\n#define twice(a) (2 * a + shared)\n")
    text = '#include "part.h"\nactive proctype P() { sha‸red = twice(1) }\n'
    renaming = rename_at(text, "common", tmp_path)
    assert {place.source.name for place in renaming.places} == {str(header), str(tmp_path / "m.pml")}
    assert renaming.applied()[str(header)] == "byte common;\n#define twice(a) (2 * a + common)\n"
    plain, _, _ = marked(text)
    source = Source(str(tmp_path / "m.pml"), plain)
    read = index(source, tmp_path, as_saved({str(header): "byte other;"}))
    assert read.problem is not None  # what is open in the editor goes before what is on the disk
    assert "shared" in read.problem.message


def test_words_that_are_not_read_are_renamed_where_they_can_mean_nothing_else() -> None:
    text = "byte x‸;\n#if 0\nx = 1\n#endif\ninline f() { x = 2 }\nactive proctype P() { x = 1 }\n"
    assert renamed_text(text, "y").count("y = ") == 3


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        ("byte x‸; active proctype P() { byte y; x = 1 }", "y", "declared again"),
        ("byte y; active proctype P() { byte x‸; x = 1 }", "y", "declared again"),
        ("byte x‸; active proctype P() { x = 1 } inline y() { skip }", "y", "something else already"),
        ("#define y 3\nbyte x‸; active proctype P() { x = y }", "y", "does not fit"),
        ("byte x‸; inline f(y) { x = y } active proctype P() { f(1) }", "y", "does not fit"),
        ("byte x‸; byte v; active proctype P() { x = 1 }\nltl p { [] (x || v) }", "do", "means something else"),
        ("byte x‸; active proctype P() { x = 1 }", "3x", "no name"),
        ("byte x‸; active proctype P() { x = 1 }", "_pid", "means something else"),
        ("active proctype P() { lab‸: skip; goto lab }", "endless", "begin with 'end'"),
        ("active proctype P() { end‸_: skip; goto end_ }", "lab", "begin with 'end'"),
        ("active proctype P() { a‸: skip; b: goto a; goto b }", "b", "a label 'b' already"),
        ("#define make(n) byte n##1\nmake(x); active proctype P() { x‸1 = 1 }", "y", "made by a macro"),
        ("#define make(n) byte n##1\nmake(x‸); active proctype P() { x1 = 1 }", "y", "made by a macro"),
        ("#define say(n) printf(#n)\nbyte x‸; active proctype P() { say(x); x = 1 }", "y", "something else would be"),
        ("byte x‸;\n#if 0\ny = 1\n#endif\nactive proctype P() { x = 1 }", "y", "line 3"),
        (
            "active proctype P() { byte x‸; x = 1 }\nactive proctype Q() { byte x; x = 1 }\ninline f() { x = 2 }",
            "y",
            "line 3 is not read",
        ),
        ("byte x; active proctype P() { y‸ = 1 }", "z", "mistakes"),
        ("byte x; active proctype P() { x = 1 } /* ‸ */", "z", "no name stands here"),
        ("#define bit 3\nbyte x; active proctype P() { x = b‸it }", "z", "means something else"),
        ("chan STD‸IN; byte x; active proctype P() { STDIN?x }", "z", "STDIN"),
        ("byte p, x‸; active proctype P() { x = 1 }\nltl f { [] (p -> x) }", "X", ""),
    ],
)
def test_a_name_that_would_change_the_meaning_is_refused(text: str, new: str, why: str) -> None:
    if not why:
        assert "[] (p -> X)" in renamed_text(text, new)
        return
    with pytest.raises(RenameRefused, match=re.escape(why)):
        rename_at(text, new)


def things(known: NameIndex) -> Iterator[WrittenName]:
    """A word for each thing that the text names."""
    seen: set[frozenset[Sense]] = set()
    for word in known.words.values():
        if word.senses and word.senses not in seen:
            seen.add(word.senses)
            yield word


def there_and_back(source: Source, chance: random.Random, count: int) -> int:
    """Rename some things of a text and back again. Returns how many could be."""
    folder = Path(source.name).parent
    known = index_of(source, {}, [folder], {})
    if known.tree is None:
        return 0
    words = list(things(known))
    done = 0
    for word in chance.sample(words, min(count, len(words))):
        prefix = next((each for each in ("end", "accept", "progress") if word.text.startswith(each)), "")
        try:
            renaming = renamed(known, word, f"{prefix}new_name", rereading(source, {}, [folder], {}))
        except RenameRefused:
            continue
        texts = renaming.applied()
        after = Source(source.name, texts.get(source.name, source.text))
        saved = as_saved(texts)
        read = index_of(after, {}, [folder], saved)
        moved = read.words[renaming.moved()(spot_of(word.place))]
        again = renamed(read, moved, word.text, rereading(after, {}, [folder], saved)).applied()
        before = {each.name: each.text for each in known.sources.values()}
        assert all(again[name] == before[name] for name in texts), (source.name, word)
        done += 1
    return done


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_there_and_back_changes_no_example(path: Path) -> None:
    text = path.read_text()
    assert there_and_back(Source(str(path), text), random.Random(path.stem), 2) == 2


def test_there_and_back_changes_no_installed_model() -> None:
    chance = random.Random(2)
    models = [path for path in installed_models() if path.stat().st_size < 3_000]
    for path in chance.sample(models, min(6, len(models))):
        there_and_back(Source(str(path), path.read_text(errors="replace")), chance, 2)


def test_there_and_back_changes_no_random_program() -> None:
    chance = random.Random(3)
    assert sum(there_and_back(Source("/nowhere/m.pml", program(seed)), chance, 2) for seed in range(6)) > 8


def test_a_renaming_that_forgets_a_word_is_seen() -> None:
    """The check of the meaning can fail: were one word left out, the text would no longer be read."""
    text = "byte x; byte y; active proctype P() { x = 1; x = y }"
    source = Source("/nowhere/m.pml", text)
    known = index(source)
    spot, word = next((spot, word) for spot, word in known.words.items() if spot.column == text.index("x = y") + 1)
    known.words[spot] = word._replace(senses=frozenset())
    known.record.mentions[:] = [each for each in known.record.mentions if spot_of(each.place) != spot]
    known.words.pop(spot)
    with pytest.raises(RenameRefused):
        renamed(known, next(iter(known.words.values())), "z", rereading(source, {}, [], {}))
