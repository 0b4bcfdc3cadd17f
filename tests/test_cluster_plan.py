"""What a search on a cluster would take: what is measured, and what follows from it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from oracles.corpus import EXAMPLES_FOLDER

from everafter.backends.cluster_costs import Costs, Machines, NothingToMeasureError, measured
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, HOLDS
from everafter.engine.cluster.partition import PartitionChoice
from everafter.user_model import load

PETERSON = EXAMPLES_FOLDER / "peterson_n.pml"
COSTS = Costs(
    states=1000, is_complete=True, levels=50, bytes=64, transitions=3, batch_bytes=40, alone=1e-6, sending=1e-6
)
EACH = Machines(memory=100 << 30, processors=10, network=1e9)


def test_machines_are_as_many_as_memory_needs() -> None:
    room = int(0.8 * EACH.memory / COSTS.bytes)
    assert [COSTS.machines(states, EACH) for states in (1, room, room + 1, 10 * room)] == [1, 1, 2, 10]


def test_time_falls_with_machines_and_levels_remain() -> None:
    few, many = (COSTS.needs(10**11, machines, EACH) for machines in (100, 1000))
    assert few.computing == pytest.approx(10 * many.computing, rel=0.01)
    assert few.waiting == many.waiting == pytest.approx(0.5)
    assert few.seconds == max(few.computing, few.sending) + few.waiting
    assert COSTS.needs(10**6, 1, EACH).sent_bytes == 0


def test_a_slow_network_is_what_one_waits_for() -> None:
    slow = COSTS.needs(10**11, 100, replace(EACH, network=1e6))
    assert slow.seconds == slow.sending + slow.waiting > slow.computing


def test_fewer_are_sent_where_few_steps_change_the_owner() -> None:
    seldom = replace(COSTS, choices=(PartitionChoice((8,), 0.2, 0.0001), PartitionChoice((8, 9), 0.5, 0.0)))
    assert [seldom.change(workers) for workers in (2, 10_000)] == [0.2, 0.5]
    assert seldom.sent_bytes(10) == pytest.approx(0.2 * COSTS.sent_bytes(10))
    assert seldom.sent_bytes(10, machines=2) == pytest.approx(COSTS.transitions * COSTS.batch_bytes * 0.2 / 2)
    assert seldom.processor_time(2) == pytest.approx(1e-6 + 1e-6 * 0.2 / 2)
    assert seldom.needs(10**9, 10, EACH).sending < COSTS.needs(10**9, 10, EACH).sending


def test_what_is_measured_is_what_the_model_has() -> None:
    costs = measured(load(PETERSON).program, None, 10**6, 600.0)
    assert (costs.states, costs.is_complete, costs.levels) == (20_344, True, 110)
    assert costs.transitions == pytest.approx(56_094 / 20_344)
    assert costs.batch_bytes > 16
    assert costs.alone > 0


def test_trees_take_less_memory(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["cluster", "plan", str(EXAMPLES_FOLDER / "leader_election.pml"), "--states", "1e12", "--format", "json"]
    sizes = []
    for store in ("plain", "tree"):
        assert main([*options, "-D", "N=6", "--reduction", "none", "--time", "10m", "--store", store]) == HOLDS
        sizes.append(json.loads(capsys.readouterr().out)["measured"]["bytes"])
    assert sizes[1] < sizes[0] / 2


def test_too_few_states_tell_nothing() -> None:
    with pytest.raises(NothingToMeasureError, match="too few"):
        measured(load(EXAMPLES_FOLDER / "mutex_broken.pml").program, None, 10**6, 600.0)


def test_the_command_tells_people_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["cluster", "plan", str(PETERSON), "--states", "1e12", "--reduction", "none", "--time", "10m"]
    assert main([*options, "--format", "json"]) == HOLDS
    told = json.loads(capsys.readouterr().out)
    assert told["states"] == 10**12
    first = told["plans"][0]
    assert first["machines"] * told["machine"]["memory"] * 0.8 >= first["bytes"]
    assert main(options) == HOLDS
    text = capsys.readouterr().out
    assert re.search(r"20,344 states \(all there are\)", text)
    assert len(re.findall(r"^ +[\d,]+ +\d+%", text, re.MULTILINE)) == len(told["plans"]) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--states", "many"], "is not a whole number above 0"),
        (["--states", "0"], "is not a whole number above 0"),
        (["--states", "1.5"], "is not a whole number above 0"),
        (["--states", "1e9", "--network", "0"], "a network that carries nothing is none"),
        ([], "--states"),
    ],
)
def test_what_has_no_meaning_is_refused(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["cluster", "plan", str(PETERSON), *options])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else -1
    assert status == BAD_INPUT
    assert message in capsys.readouterr().err
