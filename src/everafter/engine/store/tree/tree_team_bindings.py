"""The store of a team that keeps rows as trees.

It is that of a team, with what one worker replaces where rows are trees, and what only a team of such workers does.
"""

from __future__ import annotations

from typing import Final

from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import team_bindings
from everafter.engine.store.tree import (
    half_memo,
    halves,
    roots,
    sets,
    slots,
    team_roots,
    team_sets,
    team_tree_growth,
    tree_room,
    tree_store,
    whole,
)

REPLACING: Final[Functions] = {
    "begin_segment": team_roots.begin_segment,
    "bring_candidate": team_roots.bring_candidate,
    "bytes_in_tree": team_tree_growth.bytes_in_tree,
    "bytes_used": team_tree_growth.bytes_used,
    "colour_now": team_roots.colour_now,
    "count_node": team_sets.count_node,
    "emptied": team_tree_growth.emptied,
    "fill_together": team_tree_growth.fill_together,
    "hand_in": team_tree_growth.hand_in,
    "is_enough": team_tree_growth.is_enough,
    "is_left_out": team_sets.is_left_out,
    "make_set_room": team_sets.make_set_room,
    "new_root": team_roots.new_root,
    "next_number": team_sets.next_number,
    "numbers_left_out": team_tree_growth.numbers_left_out,
    "put_root": team_roots.put_root,
    "remember_more": team_roots.remember_more,
    "room_for_halves": team_sets.room_for_halves,
    "room_in_set": team_sets.room_in_set,
    "room_for_states": team_tree_growth.room_for_states,
    "root_bits": team_roots.root_bits,
}
_TREES: Final = extended(
    team_bindings.FUNCTIONS,
    tree_store.REPLACING,
    functions_of(slots, sets, halves, half_memo, whole, roots, tree_room, tree_store),
)
FUNCTIONS: Final = extended(_TREES, REPLACING, functions_of(team_sets, team_roots, team_tree_growth))
"""The store of a team that keeps rows as trees."""
