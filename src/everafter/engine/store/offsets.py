"""Where the words that a team shares are: bytes from the address of the team's words."""

from __future__ import annotations

from everafter.engine.block import Team

ABORT = Team.ABORT << 3
STOP = Team.STOP << 3
TEAM_LINES = Team.LINES << 3
ENDS = Team.ENDS << 3
YIELD = Team.YIELD << 3
SLEEP = Team.SLEEP << 3
NAP = Team.NAP << 3
WORKERS = Team.WORKERS << 3
POOL = Team.POOL << 3
POOL_ROOM = Team.POOL_ROOM << 3
GROWTH = Team.GROWTH << 3
FILLING = Team.FILLING << 3
FAILED = Team.FAILED << 3
NEXT_CHUNK = Team.NEXT_CHUNK << 3
RESERVED = Team.RESERVED << 3
STACK_BYTES = Team.STACK_BYTES << 3
ACTIVE = Team.ACTIVE << 3
ARRIVED = Team.ARRIVED << 3
FILLED = Team.FILLED << 3
NEXT_FILL = Team.NEXT_FILL << 3
LOCK = Team.LOCK << 3
POOLED = Team.POOLED << 3
IDLE = Team.IDLE << 3
BLOCKS = Team.BLOCKS << 3
NODE_LINES = Team.NODE_LINES << 3
HEADER_LINES = Team.HEADER_LINES << 3
TEAM_ROOT_BITS = Team.ROOT_BITS << 3
GROWN = Team.GROWN << 3
NODES_TAKEN = Team.NODES_TAKEN << 3
HEADERS_TAKEN = Team.HEADERS_TAKEN << 3
SEGMENTS_TAKEN = Team.SEGMENTS_TAKEN << 3
TEAM_ROOTS_END = Team.ROOTS_END << 3
SEGMENTS_BEGUN = Team.SEGMENTS_BEGUN << 3
