"""However states are kept, every example has the same states, the same verdicts and the same counterexamples."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.engine.rows import RowsModel, random_rows

from everafter.certificates.native import listing
from everafter.certificates.native.listing import listed_blocks
from everafter.certificates.rows import RowBlock
from everafter.check import check
from everafter.cli import main
from everafter.engine.run.search_outcome import SearchEnding
from everafter.questions import plan as planning
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.search.catalogue import names
from everafter.source import OptionError
from everafter.user_model import load, parse

LONG = {
    *("channel_operators", "leader_election", "naimi_trehel", "parallel_nested_dfs", "raft_election"),
    "two_phase_commit",
}
"""Examples whose rows have too many bits to be packed."""
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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_packed_rows_say_the_same(path: Path) -> None:
    """Where rows have few bits; else that is said."""
    model = load(path)
    requests = [Request(safety=True, algorithm=name, reduction="none") for name in ("unordered", "depth-first")]
    if model.formulas:
        requests += [Request(formulas=tuple(model.formulas), algorithm=name) for name in names("cycle", "one")[:3]]
    for request in requests:
        plain = check(model, replace(request, store="plain", threads=1), Limits())
        if path.stem in LONG:
            with pytest.raises(OptionError, match="states need more than 61 bits"):
                check(model, replace(request, store="packed", reduction="none"), Limits())
            continue
        packed = check(model, replace(request, store="packed"), Limits())
        for one, other in zip(plain, packed, strict=True):
            assert (one.store, other.store) == ("plain", "packed")
            assert (one.verdict, one.states, one.transitions) == (other.verdict, other.states, other.transitions)
            assert (one.depth, str(one.counterexample)) == (other.depth, str(other.counterexample))


@pytest.mark.parametrize("asked", [["--safety"], []], ids=["safety", "everything"])
def test_certificates_are_written_from_packed_rows(tmp_path: Path, asked: list[str]) -> None:
    path, model = tmp_path / "certificate", str(EXAMPLES[0].parent / "peterson.pml")
    assert main(["check", model, *asked, "--store", "packed", "--certificate", str(path)]) == 0
    assert main(["certify", str(path), model, *asked]) == 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_teams_say_the_same_over_both_stores(path: Path) -> None:
    model = load(path)
    safety = Request(safety=True, algorithm="unordered", threads=3, reduction="none")
    plain, tree = (check(model, replace(safety, store=store), Limits()) for store in ("plain", "tree"))
    for one, other in zip(plain, tree, strict=True):
        assert (one.verdict, one.store) == (other.verdict, "plain")
        assert other.store == "tree"
        assert one.verdict != "holds" or (one.states, one.transitions) == (other.states, other.transitions)
    for number, algorithm in enumerate((None, *names("cycle", "team")) if model.formulas else ()):
        asked = Request(formulas=tuple(model.formulas), threads=2 + number % 3, algorithm=algorithm, store="tree")
        for one, other in zip(check(model, replace(asked, store="plain")), check(model, asked), strict=True):
            assert one.verdict == other.verdict
            assert one.verdict != "holds" or algorithm is not None or one.states == other.states


@pytest.mark.parametrize("store", ["plain", "tree"])
def test_a_team_writes_certificates(tmp_path: Path, store: str) -> None:
    for name in ("peterson", "dekker"):
        model = str(EXAMPLES[0].parent / f"{name}.pml")
        path = tmp_path / name
        assert main(["check", model, "--store", store, "--threads", "3", "--certificate", str(path)]) == 0
        assert main(["certify", str(path), model]) == 0


@pytest.mark.parametrize("options", [(), ("--fair", "weak")], ids=["all runs", "fair runs"])
def test_certificates_are_written_from_trees(tmp_path: Path, options: tuple[str, ...]) -> None:
    written = []
    for store in ("plain", "tree"):
        path = tmp_path / store
        model = str(EXAMPLES[0].parent / "peterson.pml")
        assert main(["check", model, "--store", store, "--threads", "1", "--certificate", str(path), *options]) == 0
        assert main(["certify", str(path), model, *options]) == 0
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_rows_are_listed_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    graph, starts = random_rows(rng, 600)
    model = RowsModel(graph, starts)
    listed: list[RowBlock] = []
    monkeypatch.setattr(listing, "STREAM_BYTES", 4096)
    for kind in ("plain", "tree"):
        team = model.team("unordered", kind, 2).run(conclude=lambda memory: listed.extend(listed_blocks(memory)))
        assert team.ending is SearchEnding.COMPLETED
        assert sum(each.rows for each in listed) == len(graph)
        listed.clear()
        outcome = model.search("unordered", kind).run(conclude=lambda memory: listed.extend(listed_blocks(memory)))
        assert outcome.ending is SearchEnding.COMPLETED
        assert sum(each.rows for each in listed) == len(graph)
        listed.clear()


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(store="tree", threads=2, algorithm="cndfs", checkpoint="folder"), "checkpoints of several threads"),
        (Request(store="tree", engine="reference"), "the reference engine has no tree store"),
    ],
    ids=["checkpoints", "engine"],
)
def test_what_a_tree_store_cannot_is_refused(request_: Request, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check(load(EXAMPLES[0]), request_)


def test_a_store_that_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no store 'tee'"):
        Request(store="tee")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("padding", "store"), [("byte padding[160];", "tree"), ("", "plain")], ids=["long rows", "short rows"]
)
def test_one_worker_goes_over_to_trees_where_states_are_many_and_long(
    padding: str, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "STATE_BUDGET", 1000)
    model = parse(
        f"""
        {padding}
        short x, y;
        active proctype X() {{ do :: x = (x + 1) % 500 od }}
        active proctype Y() {{ do :: y = (y + 1) % 500 od }}
        ltl bounded {{ [] (x < 500) }}
        """
    )
    [chosen] = check(model, Request(formulas=("bounded",), threads=1))
    [plain] = check(model, Request(formulas=("bounded",), threads=1, store="plain"))
    assert (chosen.store, plain.store) == (store, "plain")
    assert (chosen.verdict, chosen.states, chosen.transitions) == (plain.verdict, plain.states, plain.transitions)
