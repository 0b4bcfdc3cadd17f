"""The block of words that a search, its store and the thread that watches them share.

Every word is a signed 64-bit number, at the index given here. The caller writes the first group before the search
starts (STOP also while it runs); the search writes the second; the third holds, for each field of a search's `Store`,
the address of its element 0. Another thread may read any word at any time.
"""

from __future__ import annotations

from itertools import accumulate
from types import MappingProxyType
from typing import Final

from everafter.choices import MOST_WORKERS as MOST_THREADS
from everafter.search.framework import TOGETHER
from everafter.search.parallel.space import SHARED_FIELDS
from everafter.search.space import STORE_FIELDS

# Written by the caller.
STOP: Final = 0  # nonzero: end as soon as possible
EXPAND: Final = 1  # address of the model's expand(row, out, control)
INITIAL: Final = 2  # address of the model's initial(out, control)
CONTROL: Final = 3  # handed on to the model
ARENA: Final = 4  # address of word 0 of the arena: a state's number is the word its row starts at
ARENA_WORDS: Final = 5  # how many words it has room for
SLOTS: Final = 6  # address of the hash table, on a cache line
SLOTS_BYTES: Final = 7  # how far it may grow
LINES: Final = 8  # how many cache lines of it are in use
BUFFER: Final = 9  # where the model writes successors
SCRATCH: Final = 10  # where the store keeps their hashes
FRAMES: Final = 11  # how many frames the stacks by depth have room for
PENDING_ROOM: Final = 12  # how many successors `pending` has room for
LIMIT_BYTES: Final = 13  # how much may be in use in all
COLUMN_WORDS: Final = 14  # how many words before each row hold its columns
FRAME_BYTES: Final = 15  # what one more frame costs in all stacks by depth together
PENDING_BYTES: Final = 16  # what one more successor waiting costs
STATE_BYTES: Final = 17  # what one more row costs outside the arena and the hash table
FIRST: Final = 18  # the word at which the first row, after its columns, starts
SUCCESSORS: Final = 19  # address of the store's successors(block, node, begin, depth)
SUCCESSORS_OF_ALL: Final = 21  # address of its successors_of_all(block, count, begin, frame)
TEAM: Final = 22  # address of the words that all workers of a team share, 0 for a search by one
PAUSE: Final = 23  # address of the store's pause(block, turn), of a team
MODEL_SETS: Final = 20  # where the model writes a word of acceptance sets for each successor, 0 if it does not

# Written by the search.
REASON: Final = 24  # why it stopped, one of the reasons below
MODEL_CODE: Final = 25  # what the model returned when it failed
END: Final = 26  # the first word of the arena not in use
ROWS: Final = 27  # rows stored
STATES: Final = 28  # those of them that count as states
TRANSITIONS: Final = 29  # successors generated
EXPANSIONS: Final = 30  # calls of the model's expand
QUOTA: Final = 31  # rows that may still be added before the hash table must grow, or the worker asks
ROOM_END: Final = 32  # up to here the arena may fill before the memory in use is added up again
HIGHEST_FRAME: Final = 33  # the most frames in use so far, in steps
HIGHEST_PENDING: Final = 34  # the most successors waiting so far, in steps
GROWTHS: Final = 36  # how often the hash table has grown
INITIAL_ROWS: Final = 37  # how many initial states there are

ENTERED: Final = 38  # those calls that were for a row that counts as a state

# The fields of `Store` that hold a number or two of a worker's own are words here.
FIRST_SINGLE: Final = 40

# Only in a team, written by the worker.
CHUNK: Final = 50  # the chunk of the arena that its rows go to
LEAVE: Final = 52  # by the caller: address of the store's leave(block)
GIVE: Final = 53  # … and of give(block, height)
TAKE: Final = 54  # … and of take(block)
HIGHEST_COMPONENT: Final = 55  # the most states it has gathered, where it looked
SEED: Final = 56  # by the caller: another number, another order of successors
OFFERED: Final = 57  # the node that it searches from and others may, too, or 0

# Only in a team that forgets states.
LED_FRAMES: Final = 58  # how many frames of its path another worker has filled, and how many …
LED: Final = 59  # … of these the search has come through
NEXT_GIFT: Final = 61  # before it has expanded so many nodes, it gives nothing to idle workers

MAIL_BYTES: Final = 1 << 27  # the room for what it gives at once

# Addresses of element 0, in the order of the fields: those that only a team has are the last.
FIELD: Final = 64
FIELDS: Final = tuple(STORE_FIELDS)
TEAM_FIELDS: Final = tuple(SHARED_FIELDS)


def word_of(field: str) -> int:
    """The index of the word that holds the address of the field's element 0."""
    return FIELD + TEAM_FIELDS.index(field)


def _words_of_single() -> dict[str, int]:
    single = {name: field for name, field in SHARED_FIELDS.items() if field.index == "once" and field.team == "own"}
    ends = accumulate((field.length for field in single.values()), initial=FIRST_SINGLE)
    return dict(zip(single, ends, strict=False))


SINGLE: Final = MappingProxyType(_words_of_single())
"""The index of the first word of each field that is words of the block."""
END_SINGLE: Final = CHUNK  # behind the last of these words
DEEPEST: Final = SINGLE["deepest"]
COMPONENT_HEIGHT: Final = SINGLE["component_height"]
WANTED: Final = SINGLE["wanted"]
WORKER: Final = SINGLE["worker"]

CHUNK_SHIFT: Final = 16  # words in a chunk of a team's arena, as a power of two

BATCH: Final = 128  # here the store keeps the rows it is about to insert again when the hash table grows
BATCH_ROWS: Final = 64
NODES: Final = BATCH + 2 * BATCH_ROWS  # the nodes that are to be expanded together
TREE: Final = NODES + TOGETHER

# Only where rows are kept as trees (everafter.engine.store.tree). A set of nodes has these words, at these distances.
SET_SLOTS: Final = 0  # by the caller: address of its hash table, on a cache line
SET_BYTES: Final = 1  # by the caller: how far that may grow
SET_VALUES: Final = 2  # by the caller: address of its nodes, in the order of their numbers
SET_LINES: Final = 3  # how many cache lines of the hash table are in use
SET_BITS: Final = 4  # how many bits of a slot are a number; the others are the tag
SET_COUNT: Final = 5  # nodes in it: their numbers begin at 1
SET_ROOM: Final = 6  # up to this many may be added before the memory in use is added up again
SET_LEAVES: Final = 7  # by the caller, only of the next two: how many leaves a half has that is kept whole, 0 for none

NODE_SET: Final = TREE  # leaves and inner nodes
HEADER_SET: Final = TREE + 7  # the first words of rows
ROOTS: Final = TREE + 14  # by the caller: address of the roots
ROOTS_BYTES: Final = TREE + 15  # by the caller: how many bytes there is room for
SEGMENTS: Final = TREE + 16  # by the caller: address of two words for each segment of the roots
PARENT: Final = TREE + 17  # by the caller: address of the row that was rebuilt last
LEFT: Final = TREE + 18  # by the caller: address of the numbers of the nodes in its left half …
RIGHT: Final = TREE + 19  # … and in its right one
CHANGES: Final = TREE + 20  # by the caller: where changes to these are noted while a successor is looked up
ROOT_BITS: Final = TREE + 21  # how many bits of a slot in the hash table of the roots are a state's number
ROOTS_END: Final = TREE + 22  # the bytes that the roots take
NEXT: Final = TREE + 23  # the number of the next new state
SEGMENT: Final = TREE + 24  # the first word of the segment that it is in
PARENT_WORDS: Final = TREE + 25  # how many words the row has that was rebuilt last, 0 without one
PARENT_HEADER: Final = TREE + 26  # the number of its first word
SPARE: Final = TREE + 27  # by the caller: address of the numbers of nodes of a row that has another length

REBUILD: Final = TREE + 28  # by the caller: address of the store's rebuild(block, node), which returns that of the row

REMEMBERED: Final = TREE + 29  # by the caller: address of the lines that say what changes make of halves

REMEMBERED_LINES: Final = TREE + 32  # how many lines there are
LEFT_MASK: Final = TREE + 33  # by the caller: a bit for each of the first 64 words of a row that is in its left half
LEFT_PLACES: Final = TREE + 34  # by the caller: address of a word for each of these: bytes from the row on …
RIGHT_PLACES: Final = TREE + 35  # … and for each in the right half

LEFT_SET: Final = TREE + 36  # left halves that are kept whole, in eight words as said above …
RIGHT_SET: Final = TREE + 44  # … and right ones
HIGHEST_LEFT: Final = TREE + 52  # the highest number of a left half in a root …
HIGHEST_RIGHT: Final = TREE + 53  # … and of a right one

MOST_REMEMBERED_LINES: Final = 1 << 15  # more would not stay in a cache
REMEMBERED_SHIFT: Final = 3  # how many times fewer lines than the hash table of the states has, as a power of two
SEGMENT_SHIFT: Final = 12  # states in a segment, as a power of two

# Only where states are forgotten (everafter.engine.store.lossy_store).
FRAME_ENDS: Final = (
    TREE + 30
)  # by the caller: address of a word for each frame: where the rows before its successors end
HIGHEST_END: Final = TREE + 31  # the most words of the arena in use so far

FIRST_QUEUED: Final = TOGETHER + 1
"""Where the queue of everafter.engine.kernels.path_kernels begins, above the frames into which states are expanded."""

SEEN: Final = 8  # the number of every state that was met before: its row says that it is known

# Only in a team that keeps rows as trees, at these distances from the first word of a set of nodes, or from
# SEGMENT_SET: the numbers that the worker may give to nodes, or to segments, of its own.
SET_OWN: Final = 54  # the next of them …
SET_OWN_END: Final = 55  # … and where they end
SET_SPARE: Final = 56  # the numbers behind which it turns to then
SET_SPARE_END: Final = 57
SET_PART: Final = 58  # how many it takes at once
SET_LACK: Final = 59  # how many it wants to take and cannot before a hash table grows
SEGMENT_SET: Final = TREE + 14

SEGMENT_END: Final = TREE + 60  # behind the last number of the segment that its next new state is in
STATE_ROOM: Final = TREE + 67  # by the caller: how many numbers of states there is room for
COLUMN_BYTES: Final = TREE + 74  # by the caller: what one more number of a state costs in all columns together
ROWS_LACK: Final = TREE + 75  # how many rows it wants to reserve and cannot before the hash table grows

# Only by one worker: where the words are of rows whose two halves are kept whole, for rows of one length.
SHAPE_WORDS: Final = TREE + 76  # how many words these rows have
WHOLE_WORDS: Final = TREE + 77  # as many if both of their halves are kept whole, else 0: no row has so few
LEFT_SHAPE: Final = TREE + 78  # for each of four words of a left half, bytes from the row on; then the bits to keep …
RIGHT_SHAPE: Final = TREE + 86  # … and the same of a right half

# The row that is rebuilt ahead, while the successors of another are stored, has the words from PARENT to RIGHT,
# PARENT_WORDS and PARENT_HEADER at this distance from theirs.
AHEAD: Final = 77

# Only where rows are packed (everafter.engine.store.packed).
PACKED: Final = TREE + 104
PACK: Final = PACKED  # by the caller: address of the model's pack(row): the packed row, or a negative number …
UNPACK: Final = PACKED + 1  # … and of its unpack(packed, row)
ROW_PLACE: Final = PACKED + 2  # by the caller: address of the row that was unpacked last
PACKED_BITS: Final = PACKED + 3  # by the caller: how many bits a packed row has
SPAN: Final = PACKED + 4  # how many packed rows belong to a line of the table …
SPAN_RECIPROCAL: Final = PACKED + 5  # … and what division by that is done with
LINE_SLOTS: Final = PACKED + 6  # how many slots a line has …
REST_BYTES: Final = PACKED + 7  # … and how many bytes of each are not in its half of a word
LOW_LINES_COPY: Final = PACKED + 8  # by the caller: address of a place for the first lines while the table grows
COLOUR_OF: Final = PACKED + 9  # by the caller: address of the store's colour_of(block, node) …
PUT_COLOUR: Final = PACKED + 10  # … and of put_colour(block, node, colour)
LOOKED_FOR: Final = PACKED + 11  # the state whose slot was looked for last, 0 for none …
LOOKED_AT: Final = PACKED + 12  # … and where it is
CARRIED: Final = PACKED + 13  # the colour of a row that finds no place before the table grows

NOWHERE: Final = PACKED + 14  # the slot of no state

WORDS: Final = PACKED + 16

NO_NODE: Final = 0  # no state has this number

# Why a search stopped.
NO_REASON: Final = 0
BY_CALLER: Final = 1
MEMORY: Final = 2
MODEL_FAILED: Final = 3
UNFIT: Final = 4  # a row does not fit into the bits of a packed one
MOST_WORKERS: Final = MOST_THREADS


class Team:
    """The indices of the words that all workers share. What is changed often has a cache line of its own."""

    ABORT: Final = 0  # a worker has an answer, or cannot go on
    STOP: Final = 1  # nonzero: end as soon as possible
    LINES: Final = 2  # how many cache lines of the hash table are in use
    ENDS: Final = 3  # address of a word for each chunk of the arena: where its rows end
    YIELD: Final = 4  # address of a function that lets other threads run
    WORKERS: Final = 5
    POOL: Final = 6  # address of the nodes that wait for a worker
    POOL_ROOM: Final = 7
    GROWTH: Final = 8  # odd while the hash table grows; then one more
    FILLING: Final = 9  # whether rows are entered again
    FAILED: Final = 10  # whether the hash table cannot grow any more
    SLEEP: Final = 11  # address of a function that lets this thread sleep
    NAP: Final = 12  # how long, in its unit
    NEXT_CHUNK: Final = 16
    RESERVED: Final = 24  # rows stored, or reserved by a worker that may add them
    STACK_BYTES: Final = 25  # memory for the workers' stacks
    ACTIVE: Final = 32  # workers that have not left
    ARRIVED: Final = 40  # of these, those that wait for the hash table to grow
    FILLED: Final = 41  # those that have no more rows to enter again
    NEXT_FILL: Final = 48  # the next chunk whose rows are to be entered again
    LOCK: Final = 56  # who holds it may change the next two
    POOLED: Final = 57  # nodes in the pool
    IDLE: Final = 58  # workers that wait for nodes
    DRAWS: Final = 64  # ranks that were drawn
    BLOCKS: Final = 72  # from here on, the address of each worker's block

    # Only where rows are kept as trees.
    NODE_LINES: Final = BLOCKS + MOST_WORKERS  # how many cache lines of the hash table of the nodes are in use
    NODE_BITS: Final = NODE_LINES + 1  # how many bits of its slots are a number
    HEADER_LINES: Final = NODE_LINES + 2  # the same of the headers
    HEADER_BITS: Final = NODE_LINES + 3
    ROOT_BITS: Final = NODE_LINES + 4  # the same of the roots
    GROWN: Final = NODE_LINES + 5  # a bit for each of the three that is filled again
    NODES_TAKEN: Final = NODE_LINES + 8  # the highest number of a node that a worker may give
    HEADERS_TAKEN: Final = NODE_LINES + 16  # … and of a header
    SEGMENTS_TAKEN: Final = NODE_LINES + 24  # … and of a segment of the roots
    ROOTS_END: Final = NODE_LINES + 32  # the bytes that the roots take
    SEGMENTS_BEGUN: Final = NODE_LINES + 33  # how many segments have states in them
    WORDS: Final = NODE_LINES + 40


TEAM_SINGLE: Final = MappingProxyType(
    {
        name: int(getattr(Team, name.upper()))
        for name, field in SHARED_FIELDS.items()
        if field.index == "once" and field.team != "own"
    }
)
"""The index, among the words that all workers share, of each field that is such a word."""
