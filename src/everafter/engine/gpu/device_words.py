"""The words that the kernels of a GPU and their host share, each a signed 64-bit number at the index given here.

The host reads and writes them only while no kernel runs. What many threads change has a line of its own.
"""

from __future__ import annotations

from typing import Final

# Written by the host
ARENA: Final = 0  # address of the row with number 0, which no state has
STRIDE: Final = 1  # bytes from one row to the next
SLOTS: Final = 2  # address of the hash table
MASK: Final = 3  # how many slots are in use, less one: they are a power of two
ROOM: Final = 4  # the highest number a row may get
PARENTS: Final = 5  # address of the number of each row's parent, four bytes each
SLICE: Final = 6  # at most this many rows are expanded between two barriers
TURNS: Final = 7  # after this many barriers the kernel ends
BUDGET: Final = 8  # … or when rows up to this number have been expanded
ROOMS: Final = 9  # address of the threads' rooms for successors, if these are apart
MARKS: Final = 10  # address of the rows' marks while cycles are looked for, eight bytes each
RANKS: Final = 11  # … of their ranks, four bytes each
ARRIVALS: Final = 12  # … and of the row from which the first edge of a round has arrived, four bytes each
MODE: Final = 13  # what is done with rows, one of the modes below
RANK: Final = 14  # the rank of rows that leave because no row leads there any more, an even number
UNREACHED: Final = 15  # … and of rows that leave because they are not reached, an odd one

# Where the search is, changed by the last thread at a barrier
BEGIN: Final = 16  # the first row of this slice
SLICE_END: Final = 17  # behind its last row
LEVEL_END: Final = 18  # behind the last row of this level
LEVEL: Final = 19  # how many levels are complete
REASON: Final = 20  # why it goes no further, one of the reasons below
TURN: Final = 21  # how many barriers there were in this launch
DUE: Final = 22  # the bit of a mark that says that a row is due
NEXT_DUE: Final = 23  # … that it will be due in the next wave
CHANGED: Final = 24  # not 0 if some row has become due
LOST: Final = 25  # not 0 if something is wrong with an edge
HEAD: Final = 26  # this many words are all that is exchanged while cycles are looked for, but for sums

# Changed by all threads
COUNT: Final = 32  # the highest number given to a row
ARRIVED: Final = 48  # how many have come to the barrier
MEETING: Final = 64  # counts the barriers
FOUND: Final = 80  # the lowest number of a row that leads to a violation, NO_PROCESS if none does
HELD: Final = 96  # rows in the middle of an atomic sequence, which are no states
HOLES: Final = 97  # numbers that no row has
FAILURE: Final = 98  # why a row could not be expanded or stored, one of the reasons below
ACTIVE_ROW: Final = 99  # the lowest number of a row that is still active, NO_PROCESS if none is

# Sums, spread over lines so that threads do not wait for each other
SUMS: Final = 112
SUM_LINES: Final = 64
LINE_WORDS: Final = 16  # the first of them is a sum of transitions
WORDS: Final = SUMS + SUM_LINES * LINE_WORDS

NO_PROCESS: Final = (1 << 63) - 1
NO_NUMBER: Final = -1

# Why a search goes no further
GOES_ON: Final = 0
COMPLETED: Final = 1
ANSWERED: Final = 2
FULL: Final = 3  # the slice is to be done again when there is more room
PAUSED: Final = 4
MODEL_FAILED: Final = 5  # the model has no room for what it must write
ROW_TOO_LONG: Final = 6  # a row has more bytes than lie between two rows

FIRST_ROW: Final = 1

# A mark: how many edges have arrived, and these bits; two more say that a row is due
REACHED: Final = 1 << 40
DUE_BITS: Final = (1 << 41, 1 << 42)

# What is done with rows
BEGIN_ROUND: Final = 0
SETTLE: Final = 1
COUNT_LEFT: Final = 2
REACH: Final = 3
REMOVE: Final = 4
JUDGE: Final = 5
