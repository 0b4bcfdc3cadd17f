"""Every field that a store declares has its place in the native store, and nobody lists the fields again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import pytest

from everafter.engine import block, columns
from everafter.engine.columns import NARROW, WIDE, WORD_BYTES, ElementKind, kinds, places
from everafter.engine.kernels.binding import NativeStore
from everafter.engine.memory.search_memory import Memory
from everafter.search.algorithm import Algorithm
from everafter.search.catalogue import ALONE, CATALOGUE, TEAM
from everafter.search.fields import Field, Numbers, fields_of
from everafter.search.parallel.space import SHARED_FIELDS, SharedStore
from everafter.search.space import STORE_FIELDS, GeneralisedSpace, Store

ENGINE = Path(block.__file__).parent
EVERY = [(each, width) for each in CATALOGUE for width in (NARROW, WIDE)]
told_apart = [f"{each.name} by {each.workers}, {width} bytes" for each, width in EVERY]


class WithAge(Store):
    age: Annotated[Numbers, Field("state")]


class WithoutWord(Store):
    age: Numbers


def test_a_field_says_how_it_is_kept() -> None:
    assert list(fields_of(WithAge)) == [*STORE_FIELDS, "age"]
    with pytest.raises(TypeError, match="age of WithoutWord"):
        fields_of(WithoutWord)


def test_a_field_that_is_added_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the plain store, and by the layout of the native one."""
    added = fields_of(WithAge)
    monkeypatch.setattr(GeneralisedSpace, "fields", added)
    space = GeneralisedSpace([0], lambda _: (), 1, columns=["age"])
    assert list(space.age) == [0]  # type: ignore[attr-defined] # the field was added
    monkeypatch.setattr(columns, "STORE_FIELDS", added)
    ageing = Algorithm("ageing", "cycle", "one", ALONE["tarjan"].kernel, ALONE["tarjan"].explain, columns=("age",))
    assert kinds(ageing, NARROW)["age"] == ElementKind(32, 8)
    assert (places(ageing, NARROW).at["age"], places(ageing, NARROW).words) == (-4, 1)


def test_words_of_the_block_do_not_overlap() -> None:
    assert block.TEAM_FIELDS[: len(block.FIELDS)] == block.FIELDS
    assert NativeStore._fields == ("block", *block.TEAM_FIELDS)
    assert block.word_of(block.TEAM_FIELDS[-1]) < block.BATCH
    taken = [word + each for name, word in block.SINGLE.items() for each in range(SHARED_FIELDS[name].length)]
    assert len(set(taken)) == len(taken)
    assert block.INITIAL_ROWS < min(taken) <= max(taken) < block.CHUNK
    assert set(block.SINGLE) | set(block.TEAM_SINGLE) == {n for n, f in SHARED_FIELDS.items() if f.index == "once"}


@pytest.mark.parametrize(("algorithm", "width"), EVERY, ids=told_apart)
def test_the_columns_of_a_row_do_not_overlap(algorithm: Algorithm, width: int) -> None:
    for workers in (1, 2, 7, 64) if algorithm.workers == "team" else (1,):
        at, words = places(algorithm, width, workers)
        taken: list[int] = []
        for name, place in at.items():
            size = kinds(algorithm, width)[name].size
            assert place % size == 0
            copies = workers if algorithm.workers == "team" and SHARED_FIELDS[name].team == "own" else 1
            taken += [place - copy + byte for copy in range(copies) for byte in range(size)]
        assert len(set(taken)) == len(taken)
        assert -WORD_BYTES * words <= min(taken)
        assert max(taken) == 0
        assert -min(taken) > WORD_BYTES * (words - 1)


@pytest.mark.parametrize("algorithm", CATALOGUE, ids=lambda each: f"{each.name} by {each.workers}")
def test_every_field_that_is_kept_has_an_address_of_its_own(algorithm: Algorithm) -> None:
    memory = Memory(algorithm, 1 << 24, 1 if algorithm.workers == "one" else 2)
    kept = [name for name, kind in kinds(algorithm, NARROW).items() if kind.bits]
    with memory:
        for words in memory.blocks:
            addresses = {name: words[block.word_of(name)] for name in kept}
            assert 0 not in addresses.values()
            assert len(set(addresses.values())) == len(kept)


def test_nobody_lists_the_fields_again() -> None:
    """A file of the engine may name the fields it works with, never most of them."""
    for path in ENGINE.rglob("*.py"):
        named = {name for name in STORE_FIELDS if re.search(rf'["\']{name}["\']|^    {name}\b', path.read_text(), re.M)}
        assert len(named) < len(STORE_FIELDS) // 2, path


def test_only_the_store_and_its_memory_know_where_a_row_is() -> None:
    """And GPUs, which have their own store, and the workers of a cluster, which take in rows that others send."""
    knowing = [path.relative_to(ENGINE) for path in ENGINE.rglob("*.py") if re.search(r"\bARENA\b", path.read_text())]
    assert {str(path.parts[0]) for path in knowing} == {"block.py", "store", "memory", "gpu", "cluster"}


def test_a_number_for_each_state_and_worker_is_refused() -> None:
    greedy = Algorithm("greedy", "cycle", "team", TEAM["cndfs"].kernel, TEAM["cndfs"].explain, columns=("discovery",))
    with pytest.raises(ValueError, match="discovery"):
        places(greedy, NARROW, 2)
    assert SharedStore.__mro__[1] is Store
