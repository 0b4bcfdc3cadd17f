"""The store of a team that keeps rows as trees.

It is that of a team, with what one worker replaces where rows are trees, and what only a team of such workers does.
"""

from __future__ import annotations

from typing import Final

from everafter.engine.code.parts import Functions, extended, functions_of
from everafter.engine.store import team_bindings
from everafter.engine.store.tree import (
    alone,
    entering,
    gathering,
    halves,
    numbers,
    room,
    roots,
    segments,
    sets,
    slots,
    steps,
    whole,
)

REPLACING: Final[Functions] = {
    "begin_segment": segments.begin_segment,
    "bring_candidate": segments.bring_candidate,
    "bytes_in_tree": gathering.bytes_in_tree,
    "bytes_used": gathering.bytes_used,
    "colour_now": segments.colour_now,
    "count_root": segments.count_root,
    "emptied": gathering.emptied,
    "enter": entering.enter,
    "fill_together": gathering.fill_together,
    "find_or_put_root": segments.find_or_put_root,
    "hand_in": gathering.hand_in,
    "is_enough": gathering.is_enough,
    "make_room": gathering.make_room,
    "make_set_room": numbers.make_set_room,
    "new_root": segments.new_root,
    "number_at": entering.number_at,
    "number_of": numbers.number_of,
    "numbers_left_out": gathering.numbers_left_out,
    "put_root": segments.put_root,
    "remember_more": segments.remember_more,
    "room_for_halves": numbers.room_for_halves,
    "room_for_row": numbers.room_for_row,
    "room_in_set": numbers.room_in_set,
    "root_bits": segments.root_bits,
    "surveyed_line": entering.surveyed_line,
}
_TREES: Final = extended(
    team_bindings.FUNCTIONS, alone.REPLACING, functions_of(slots, sets, halves, steps, whole, roots, room, alone)
)
FUNCTIONS: Final = extended(_TREES, REPLACING, functions_of(entering, numbers, segments, gathering))
"""The store of a team that keeps rows as trees."""
