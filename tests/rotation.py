"""Which of the long exhaustive, random and planted tests run this time: a sixth, another with each commit and day.

tests/rotation.toml names them. Where tests are named on the command line, and with `--whole`, all of these run.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

PARTS = 6
"""One in so many runs."""
SEED = "EVERAFTER_ROTATION"
"""The variable by which processes of one run agree on which part it is; without it, all parts run."""


@cache
def rotating() -> Mapping[str, str]:
    """The files and tests that take turns, each with what they look at."""
    return tomllib.loads((Path(__file__).parent / "rotation.toml").read_text())


def takes_turns(name: str) -> bool:
    """Whether the test of this name is one of those."""
    whole = name.partition("[")[0]
    return whole in rotating() or name.partition("::")[0] in rotating()


def is_due(name: str, seed: str) -> bool:
    """Whether the test `name` runs this time, which `seed` stands for."""
    if not takes_turns(name):
        return True
    return hashlib.sha256(f"{seed} {name}".encode()).digest()[0] % PARTS == 0
