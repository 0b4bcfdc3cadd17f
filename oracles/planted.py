"""The proved text with a mistake planted in it, as Python: what runs beside it must then be seen to differ.

The mistakes are those that the provers must refuse (`proofs/controls.toml`), and others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from proofs.catalogue import listed
from proofs.runnable import ALL, Runnable, Texts, bare, read, texts_of

Change = tuple[str, str, str]
"""A file, a text that it has once, and another one."""
Compare = Callable[[dict[str, Any]], Any]
"""Raises AssertionError if what runs differs from what a module like those in `oracles.proved` does."""


def control(file: str, name: str) -> Change:
    """The mistake that is planted into a proof under this name."""
    [found] = [each for each in listed("controls.toml", "control") if (each["file"], each["name"]) == (file, name)]
    return file, found["replace"], found["by"]


def changed(each: Runnable, change: Change) -> Texts:
    """The files with the mistake."""
    where, old, new = change

    def text(file: str, before: str) -> str:
        assert file != where or before.count(old) == 1, (file, old)
        return before.replace(old, new) if file == where else before

    return texts_of(each, text)


def with_mistakes(mistakes: Mapping[str, Mapping[str, Change]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """By the names of modules in `oracles.proved`, and of mistakes: what each would be if its proof had the mistake."""
    planted = [(each, name, change) for each in ALL for name, change in mistakes.get(each.name, {}).items()]
    assert {each.name for each, _, _ in planted} == mistakes.keys()
    made = read([(each, bare(changed(each, change))) for each, _, change in planted])
    for (each, name, _), text in zip(planted, made, strict=True):
        yield each.name, name, loaded(text)


def unnoticed(mistakes: Mapping[str, Mapping[str, Change]], compare: Mapping[str, Compare]) -> list[str]:
    """The mistakes with which nothing is seen to differ; by the names of modules: how what runs is compared."""
    found = []
    for module, mistake, names in with_mistakes(mistakes):
        try:
            compare[module](names)
        except AssertionError:
            continue
        found.append(f"{module}: {mistake}")
    return found


def loaded(text: str) -> dict[str, Any]:
    """What a module with this text has."""
    found: dict[str, Any] = {}
    exec(compile(text, "made of a changed proof", "exec"), found)
    return found
