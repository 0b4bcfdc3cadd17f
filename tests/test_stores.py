"""However states are kept, every example has the same states, the same verdicts and the same counterexamples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from everafter.check import check, load
from everafter.checking.limits import Limits
from everafter.checking.request import Request
from everafter.source import OptionError

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.pml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_both_stores_say_the_same(path: Path) -> None:
    model = load(path)
    requests = [Request(safety=True, algorithm="unordered", threads=1, reduction="none")]
    if model.formulas:
        requests += [Request(formulas=tuple(model.formulas), threads=1)]
        requests += [Request(formulas=tuple(model.formulas), fairness="weak")]
    for request in requests:
        plain = check(model, replace(request, store="plain"), Limits())
        tree = check(model, replace(request, store="tree"), Limits())
        for one, other in zip(plain, tree, strict=True):
            assert (one.store, other.store) == ("plain", "tree")
            assert (one.verdict, one.states, one.transitions) == (other.verdict, other.states, other.transitions)
            assert (one.depth, str(one.counterexample)) == (other.depth, str(other.counterexample))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(store="tree", threads=2), "several threads share a plain store"),
        (Request(store="tree", algorithm="cndfs"), "several threads share a plain store"),
        (Request(store="tree", engine="reference"), "the reference engine has no tree store"),
    ],
    ids=["threads", "algorithm", "engine"],
)
def test_what_a_tree_store_cannot_is_refused(request_: Request, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check(load(EXAMPLES[0]), request_)


def test_a_store_that_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no store 'tee'"):
        Request(store="tee")  # type: ignore[arg-type]
