"""A name in a file that several models include: it is found, and renamed, in all of them, or in none."""

from pathlib import Path

import pytest
from lsprotocol import types
from tests.editor.models import marked
from tests.editor.test_server import Editor, told

from everafter.editor import shared_names
from everafter.editor.name_index import canonical, index_of
from everafter.editor.renaming import RenameRefused, Renaming, renamed, rereading, word_to_rename
from everafter.editor.shared_names import Reading, including, model_files
from everafter.source import OptionError, Source

HEADER = "byte shared;\ninline set(n) { shared = n; own = n }\n"
FIRST = '#include "head.h"\nbyte own;\nactive proctype P() { set(1); shared = 2 }\n'
SECOND = '#include "head.h"\nbyte own;\nactive proctype Q() { set(2); assert(shared < 3); own++ }\n'
OTHER = "byte shared; active proctype R() { shared = 1 }\n"


def reading(path: Path, text: str | None = None) -> Reading:
    source = Source(str(path), path.read_text() if text is None else text)
    folders = [path.parent]
    return Reading(str(path), index_of(source, {}, folders, {}), rereading(source, {}, folders, {}))


def renamed_at(folder: Path, name: str, text: str, new: str, *others: str) -> Renaming:
    plain, line, column = marked(text)
    (folder / name).write_text(plain)
    first, *rest = [reading(folder / each) for each in (name, *others)]
    file = first.files[canonical(str(folder / name))]
    return renamed(first.index, word_to_rename(first.index, file, line, column), new, first.reread, rest)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name, text in {"head.h": HEADER, "one.pml": FIRST, "two.pml": SECOND, "other.pml": OTHER}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_name_of_a_shared_file_is_renamed_in_all_models(models: Path) -> None:
    texts = renamed_at(models, "one.pml", FIRST.replace("shared", "sha‸red"), "common", "two.pml").applied()
    assert {Path(name).name: text for name, text in texts.items()} == {
        "head.h": HEADER.replace("shared", "common"),
        "one.pml": FIRST.replace("shared", "common"),
        "two.pml": SECOND.replace("shared", "common"),
    }


def test_names_that_an_inline_joins_are_renamed_together(models: Path) -> None:
    texts = renamed_at(models, "one.pml", FIRST.replace("byte own", "byte own‸"), "mine", "two.pml").applied()
    assert {Path(name).name for name in texts} == {"head.h", "one.pml", "two.pml"}
    assert "own" not in "".join(texts.values())


def test_what_no_other_model_reads_is_renamed_alone(models: Path) -> None:
    text = FIRST.replace("P()", "P‸()")
    assert {Path(name).name for name in renamed_at(models, "one.pml", text, "S", "two.pml").applied()} == {"one.pml"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("byte common;\n", r"in two\.pml: .*"),
        ("#if 0\nbyte z; init { common = 1 }\n#endif\n", r"in two\.pml: 'common' stands in line 5"),
        ("byte a = ;\n", r"in two\.pml: there are mistakes in it"),
        ("#define text(n) printf(#n)\nactive proctype T() { text(shared) }\n", r"in two\.pml: .*"),
    ],
)
def test_a_model_that_would_change_keeps_the_others_as_they_are(models: Path, change: str, why: str) -> None:
    (models / "two.pml").write_text(SECOND + change)
    with pytest.raises(RenameRefused, match=why):
        renamed_at(models, "one.pml", FIRST.replace("shared", "sha‸red"), "common", "two.pml")


def test_models_of_a_workspace_are_found_but_not_in_every_folder(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (".hidden", "node_modules", "deep/er"):
        (models / folder).mkdir(parents=True)
        (models / folder / "x.pml").write_text(OTHER)
    found = list(model_files([str(models)]))
    assert [path.relative_to(models).as_posix() for path in found] == [
        "one.pml", "other.pml", "two.pml", "deep/er/x.pml"
    ]  # fmt: skip
    unsaved = {canonical(str(models / "other.pml")): '#include "head.h"\n'}
    assert [Path(each.name).name for each in including(found, {})] == ["one.pml", "two.pml"]
    assert [Path(each.name).name for each in including(found, unsaved)] == ["one.pml", "other.pml", "two.pml"]
    monkeypatch.setattr(shared_names, "MOST_FILES", 3)
    with pytest.raises(OptionError, match="more than 3 files"):
        list(model_files([str(models)]))


def test_an_editor_renames_from_any_of_the_files(models: Path) -> None:
    async def story(editor: Editor, _address: str) -> None:
        for name in ("one.pml", "head.h"):
            address = (models / name).as_uri()
            editor.open(address, (models / name).read_text())
            which = types.TextDocumentIdentifier(address)
            text = (models / name).read_text()
            line = next(number for number, each in enumerate(text.split("\n")) if "shared" in each)
            at = types.Position(line, text.split("\n")[line].index("shared"))
            context = types.ReferenceContext(include_declaration=True)
            places = await editor.text_document_references_async(types.ReferenceParams(context, which, at))
            assert sorted(Path(each.uri).name for each in places or []) == ["head.h", "head.h", "one.pml", "two.pml"]
            edit = await editor.text_document_rename_async(types.RenameParams(which, at, "common"))
            assert edit is not None
            assert edit.changes is not None
            assert {Path(each).name: len(changes) for each, changes in edit.changes.items()} == {
                "head.h": 2, "one.pml": 1, "two.pml": 1
            }  # fmt: skip

    told(story, models)
