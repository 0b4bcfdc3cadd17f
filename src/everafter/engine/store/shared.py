"""The store of a team: that of one worker, with what the table names replaced, and what only a team has."""

from __future__ import annotations

from typing import Final

from everafter.engine.store import alone, growth, pool, team, waiting
from everafter.engine.store.parts import Functions, extended, functions_of

REPLACING: Final[Functions] = {
    "arrange": team.arrange,
    "candidate": team.candidate,
    "find_or_put": team.find_or_put,
    "insert_again": team.insert_again,
    "make_room": team.make_room,
    "must_stop": team.must_stop,
    "settle": team.settle,
}
FUNCTIONS: Final = extended(alone.FUNCTIONS, REPLACING, functions_of(waiting, growth, team, pool))
"""The store of a team."""
