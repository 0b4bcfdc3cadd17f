"""Names in files that several models include: what they name in each model, and where it is written in all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from everafter.editor.name_index import NameIndex, Sense, WrittenName, canonical
from everafter.record import dataclass
from everafter.source import OptionError, Source, Spot, read_source

Reread = Callable[[Mapping[str, str]], NameIndex]
"""Reads a model again, with other texts for some of its files."""
MOST_FILES = 50_000
"""Of the files of a workspace, more than these are not looked through."""
_OTHERS = frozenset(("node_modules", "__pycache__"))
"""Folders in which no models are looked for."""
MODELS = frozenset((".pml", ".prm", ".promela", ".spin", ".model"))
"""How the names of files end that are models; what they include may have any name."""


@dataclass(frozen=True)
class Reading:
    """A model as it was read, and how it is read again. The file at `path` is its own, others are included."""

    path: str
    index: NameIndex
    reread: Reread

    @cached_property
    def files(self) -> dict[str, str]:
        """How the model calls each file, by its path without detours."""
        return {canonical(name): name for name in self.index.sources}

    def local(self, spot: Spot) -> Spot | None:
        """The `spot` of a file by its path, as the model says it; None in a file that it does not read."""
        name = self.files.get(spot.file)
        return Spot(name, spot.line, spot.column) if name is not None else None

    def word_at(self, spot: Spot) -> WrittenName | None:
        """The name that is written at a `spot` of a file by its path."""
        known = self.local(spot)
        return self.index.words.get(known) if known is not None else None


def by_path(spot: Spot) -> Spot:
    """The spot, with the path of its file without detours: as different models have it."""
    return Spot(canonical(spot.file), spot.line, spot.column) if spot.file else spot


def same_everywhere(readings: Sequence[Reading], word: WrittenName) -> list[tuple[frozenset[Sense], frozenset[Spot]]]:
    """Return for each of `readings` the senses that hang together with those of `word`, of the first, and their spots.

    Spots are those of files by their paths: each names the same thing in one of the models, so that all of them do.
    """
    senses, spots = readings[0].index.same(word)
    found: list[set[Sense]] = [set(senses), *(set[Sense]() for _ in readings[1:])]
    every = {by_path(spot) for spot in spots}
    pending = set(every)
    while pending:
        spot = pending.pop()
        for reading, known in zip(readings, found, strict=True):
            here = reading.word_at(spot)
            if here is None or not here.senses - known:
                continue
            more, where = reading.index.same(here)
            known.update(more)
            new = {by_path(each) for each in where} - every
            every |= new
            pending |= new
    return [(frozenset(known), _within(reading, every)) for reading, known in zip(readings, found, strict=True)]


def _within(reading: Reading, spots: set[Spot]) -> frozenset[Spot]:
    return frozenset(spot for spot in spots if not spot.file or spot.file in reading.files)


def model_files(folders: Sequence[str]) -> Iterator[Path]:
    """The models in `folders` and below, but for hidden ones. Raises OptionError where there are too many files."""
    seen = 0
    for folder in folders:
        for root, below, names in os.walk(folder):
            below[:] = sorted(each for each in below if not each.startswith(".") and each not in _OTHERS)
            seen += len(names)
            if seen > MOST_FILES:
                raise OptionError(
                    f"there are more than {MOST_FILES:,} files in this workspace",
                    "open the folder of the models that share this text",
                )
            yield from (Path(root, name) for name in sorted(names) if os.path.splitext(name)[1] in MODELS)


def including(paths: Sequence[Path], unsaved: Mapping[str, str]) -> Iterator[Source]:
    """The texts at `paths` that include others; `unsaved` has newer ones of some."""
    for path in paths:
        text = unsaved.get(canonical(str(path)))
        source = Source(str(path), text) if text is not None else read_source(path)
        if "include" in source.text:
            yield source
