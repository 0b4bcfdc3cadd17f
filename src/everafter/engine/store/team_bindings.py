"""The store of a team: that of one worker, with what the table names replaced, and what only a team has."""

from __future__ import annotations

from typing import Final

from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import lossy_store, path_handover, pool, single_store, team_growth, team_store

REPLACING: Final[Functions] = {
    "arrange": team_store.arrange,
    "must_stop": team_store.must_stop,
    "put_mark": team_store.put_mark,
    "reason_of_lack": team_store.reason_of_lack,
    "room_for_states": team_store.room_for_states,
}
FUNCTIONS: Final = extended(single_store.FUNCTIONS, REPLACING, functions_of(team_growth, team_store, pool))
"""The store of a team."""
LOSSY_REPLACING: Final[Functions] = {
    **lossy_store.REPLACING,
    "room_for_states": path_handover.room_for_states,
    "take": path_handover.take,
}
LOSSY_FUNCTIONS: Final = extended(FUNCTIONS, LOSSY_REPLACING, functions_of(lossy_store, path_handover))
"""The lossy store of bits for a team."""
