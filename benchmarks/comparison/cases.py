"""The questions that are asked: models, how large they are made, and formulas that hold.

The models of others are read where Debian's package `spin` puts them; ours are in examples/ and benchmarks/models/.
A model is scaled by giving its `#define`s other values in a copy, which all checkers then read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from oracles.corpus import PACKAGE

ROOT = Path(__file__).resolve().parent.parent.parent

Effort = Literal["tiny", "quick", "full"]
"""tiny: to try this program itself; quick: some seconds; full: the comparison."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question about one model. `states` and `depth` are SPIN's, and decide how much room pan is given."""

    name: str
    path: Path
    states: int
    depth: int
    settings: Mapping[str, int] = field(default_factory=dict)
    """Values for the model's `#define`s."""
    claim: str | None = None
    """The name of an `ltl` block; None asks for safety."""
    effort: Effort = "full"

    def text(self) -> str:
        """The model at this size."""
        text = self.path.read_text(encoding="utf-8")
        for name, value in self.settings.items():
            text, count = re.subn(rf"^(#define\s+{name})\b.*$", rf"\1 {value}", text, flags=re.MULTILINE)
            if count != 1:
                raise ValueError(f"{self.path} defines {name} {count} times")
        return text

    def place(self, folder: Path) -> None:
        """Put the model into the folder, under the name model.pml, and what it may include beside it."""
        text = self.text()
        (folder / "model.pml").write_text(text, encoding="utf-8")
        if "#include" in text:
            for sibling in self.path.parent.glob("*.h"):
                (folder / sibling.name).symlink_to(sibling)


def _package(name: str) -> Path:
    return PACKAGE / "Examples" / name


def _example(name: str) -> Path:
    return ROOT / "examples" / name


def _model(name: str) -> Path:
    return ROOT / "benchmarks" / "models" / name


SAFETY = (
    Case("pipeline-2", _model("pipeline.pml"), 2_108, 52, {"STAGES": 2}, effort="tiny"),
    Case("handshake_ring-3", _model("handshake_ring.pml"), 5_445, 1_193, effort="tiny"),
    # From SPIN's package.
    Case("leader", _package("LTL/leader.pml"), 5_422_354, 183),
    Case("cambridge", _package("cambridge.pml"), 1_252_655, 17_117, effort="quick"),
    Case("sort-8", _package("sort.pml"), 5_059_810, 256, {"N": 8}),
    Case("petersonN-4", _package("LTL/petersonN.pml"), 12_645_068, 1_653_395, {"N": 4}),
    Case("eratosthenes-45", _package("eratosthenes.pml"), 2_849_410, 713, {"MAX": 45}),
    Case("leader0-7", _package("leader0.pml"), 2_801_652, 171, {"N": 7, "L": 14}),
    Case("train-6", _package("LTL/train.pml"), 8_206_176, 86_047, {"N": 6}),
    # Ours.
    Case("peterson_n-4", _example("peterson_n.pml"), 2_254_592, 538_236, {"N": 4}, effort="quick"),
    Case("two_phase_commit-4", _example("two_phase_commit.pml"), 1_574_421, 70, {"N": 4}, effort="quick"),
    Case("raft_election-6", _example("raft_election.pml"), 5_237_412, 286, {"TERMS": 6}),
    Case("leader_election-8", _example("leader_election.pml"), 4_259_536, 246, {"N": 8}),
    Case("rendezvous_server-8", _example("rendezvous_server.pml"), 5_542_244, 72, {"CLIENTS": 8}),
    Case("scheduler-14", _example("scheduler.pml"), 1_032_192, 830_547, {"TASKS": 14}),
    Case("handshake_ring-5", _model("handshake_ring.pml"), 5_989_500, 1_543_384, {"STATIONS": 5, "TOKENS": 2}),
    Case("worker_pool-3", _model("worker_pool.pml"), 3_178_554, 93, {"JOBS": 3, "EFFORT": 2}),
    Case(
        "cache_coherence-3",
        _model("cache_coherence.pml"),
        1_203_513,
        600_018,
        {"CACHES": 3, "LINES": 2},
        effort="quick",
    ),
    Case("retransmission-2", _model("retransmission.pml"), 1_173_142, 362, {"PAIRS": 2, "MESSAGES": 10, "LOSSES": 10}),
    Case("solitaire-6", _model("solitaire.pml"), 24_998_775, 321, {"ROWS": 6}),
)


def _short(name: str) -> Path:
    return ROOT / "benchmarks" / "models" / "short" / name


SHORT = (
    Case("counters-319", _model("counters.pml"), 32_461_759, 0, {"CYCLE": 319}),
    Case("counters-160", _model("counters.pml"), 4_096_000, 0, {"CYCLE": 160}, effort="quick"),
    Case("channel_ring-8", _short("channel_ring.pml"), 48_888, 0, {"TOKENS": 3, "NUMBERS": 8}, effort="quick"),
    Case("accounts-63", _short("accounts.pml"), 766_480, 0, {"COINS": 63}, effort="quick"),
    Case("lift-7", _short("lift.pml"), 1_391_104, 0, {"FLOORS": 7, "PEOPLE": 8}, effort="quick"),
    Case("lights-19", _short("lights.pml"), 2_228_224, 0, {"LIGHTS": 19}, effort="quick"),
    Case("philosophers_in_bits-10", _short("philosophers_in_bits.pml"), 306_030, 0, {"N": 10}, effort="quick"),
    Case("sandpile-10", _short("sandpile.pml"), 1_048_576, 0, {"PLACES": 10}, effort="quick"),
    Case(
        "self_stabilising_ring-24", _short("self_stabilising_ring.pml"), 2_323_631, 0, {"NUMBERS": 24}, effort="quick"
    ),
    Case("shuffle-9", _short("shuffle.pml"), 362_881, 0, {"CARDS": 9}, effort="quick"),
    Case("tickets-4", _short("tickets.pml"), 790_528, 0, {"CUSTOMERS": 4, "TICKETS": 8}, effort="quick"),
    Case("timers-3", _short("timers.pml"), 2_146_689, 0, {"CROSSINGS": 3, "LONGEST": 20}, effort="quick"),
    Case("towers-12", _short("towers.pml"), 531_441, 0, {"DISKS": 12}, effort="quick"),
    Case("walkers-16", _short("walkers.pml"), 1_478_656, 0, {"SIDE": 16}, effort="quick"),
    Case("workshop-4", _short("workshop.pml"), 455_625, 0, {"ROOM": 4}, effort="quick"),
)
"""Models whose rows have few words. How deep SPIN comes is not noted: its stack is not counted."""
LTL = (
    Case("retransmission", _model("retransmission.pml"), 117, 56, claim="first_arrives", effort="tiny"),
    # From SPIN's package.
    Case("leader: p0", _package("LTL/leader.pml"), 5_418_081, 284, claim="p0"),
    Case("ex_6: p1", _package("Exercises/ex_6.pml"), 11_277_454, 264_945, claim="p1"),
    Case("train-5: c1", _package("LTL/train.pml"), 1_191_470, 25_632, {"N": 5}, claim="c1"),
    # Ours.
    Case(
        "two_phase_commit-4: decided",
        _example("two_phase_commit.pml"),
        1_569_166,
        134,
        {"N": 4},
        claim="decided",
        effort="quick",
    ),
    Case(
        "naimi_trehel-4: second_gets_in",
        _example("naimi_trehel.pml"),
        1_217_119,
        417,
        {"N": 3, "ROUNDS": 4},
        claim="second_gets_in",
        effort="quick",
    ),
    Case(
        "philosophers_fixed-10: somebody_eats",
        _example("philosophers_fixed.pml"),
        1_257_022,
        1_449_243,
        {"N": 10},
        claim="somebody_eats",
    ),
    Case(
        "rendezvous_server-7: answered",
        _example("rendezvous_server.pml"),
        1_776_540,
        113,
        {"CLIENTS": 7},
        claim="answered",
    ),
    Case(
        "pipeline-5: drained",
        _model("pipeline.pml"),
        1_189_292,
        320,
        {"STAGES": 5, "MESSAGES": 5},
        claim="drained",
        effort="quick",
    ),
    Case(
        "worker_pool-3: all_done", _model("worker_pool.pml"), 3_098_375, 124, {"JOBS": 3, "EFFORT": 2}, claim="all_done"
    ),
    Case("leader_election-8: elected", _example("leader_election.pml"), 4_258_770, 600, {"N": 8}, claim="elected"),
)

STARTUP = (
    Case("peterson", _example("peterson.pml"), 38, 50),
    Case("peterson", _example("peterson.pml"), 100, 100, claim="first_gets_in"),
)

#: What a checker needs for next to nothing, for each kind of question.
TINY = {"safety": STARTUP[0], "ltl": STARTUP[1]}


def _size(messages: int, states: int, effort: Effort) -> Case:
    """Every further message makes a run longer by 22 steps."""
    settings = {"STAGES": 3, "MESSAGES": messages}
    return Case(f"pipeline-{messages}", _model("pipeline.pml"), states, 22 * messages + 1, settings, effort=effort)


SIZES = (
    _size(2, 1_500, "tiny"),
    _size(6, 118_229, "quick"),
    _size(12, 781_505, "quick"),
    _size(33, 3_333_005, "quick"),
    _size(90, 10_258_505, "full"),
    _size(250, 29_698_505, "full"),
)
