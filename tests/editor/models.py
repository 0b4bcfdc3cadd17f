"""Texts with a mark where one is."""

from pathlib import Path

from oracles.corpus import EXAMPLES, installed_models

from everafter.editor.name_index import NameIndex, canonical, index_of
from everafter.editor.renaming import Renaming, renamed, rereading, word_to_rename
from everafter.source import Source

HERE = Path("/nowhere")
MODELS = (*EXAMPLES, *installed_models())


def marked(text: str) -> tuple[str, int, int]:
    """A text without its mark `‸`, and the line and column where that was."""
    position = text.index("‸")
    line = text.count("\n", 0, position) + 1
    return text.replace("‸", "", 1), line, position - text.rfind("\n", 0, position)


def index(source: Source, folder: Path = HERE, unsaved: dict[str, str] | None = None) -> NameIndex:
    return index_of(source, {}, [folder], unsaved or {})


def rename_at(text: str, new: str, folder: Path = HERE) -> Renaming:
    """What renaming the word at the mark changes."""
    plain, line, column = marked(text)
    source = Source(str(folder / "m.pml"), plain)
    found = index(source, folder)
    word = word_to_rename(found, source.name, line, column)
    return renamed(found, word, new, rereading(source, {}, [folder], {}))


def renamed_text(text: str, new: str, folder: Path = HERE) -> str:
    """The text after the word at the mark was renamed."""
    return rename_at(text, new, folder).applied()[str(folder / "m.pml")]


def as_saved(texts: dict[str, str]) -> dict[str, str]:
    return {canonical(name): text for name, text in texts.items()}
