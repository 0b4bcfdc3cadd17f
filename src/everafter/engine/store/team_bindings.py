"""The store of a team: that of one worker, with what the table names replaced, and what only a team has."""

from __future__ import annotations

from typing import Final

from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import backoff, pool, single_store, team_growth, team_store

REPLACING: Final[Functions] = {
    "arrange": team_store.arrange,
    "candidate": team_store.candidate,
    "find_or_put": team_store.find_or_put,
    "insert_again": team_store.insert_again,
    "make_room": team_store.make_room,
    "must_stop": team_store.must_stop,
    "settle": team_store.settle,
}
FUNCTIONS: Final = extended(single_store.FUNCTIONS, REPLACING, functions_of(backoff, team_growth, team_store, pool))
"""The store of a team."""
