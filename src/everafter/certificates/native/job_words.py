"""The block of words that the code of certificates shares with its caller, each a signed 64-bit number.

The three streams of a block of rows: for each eight words of a row a byte that says which of them differ from the row
before, for each such word a byte that says which of its bytes differ, and these bytes. Ranks are a stream of their own.
"""

from __future__ import annotations

from typing import Final

STOP: Final = 0  # nonzero: end as soon as possible

# Rows of a store, to be written
ARENA: Final = 1  # address of word 0 of the arena: a state's number is the word its row starts at
NEXT: Final = 2  # the next row
END: Final = 3  # where the rows end
COLUMN_WORDS: Final = 4  # words before each row that are not part of it
COMPONENTS: Final = 5  # address of element 0 of the numbers that ranks are made of, by state; 0 for rows without ranks
MISSING: Final = 6  # … of the acceptance set that each state's component lacks; 0 if there is only one
SETS: Final = 7  # how many acceptance sets there are
HIGHEST: Final = 8  # what these numbers are subtracted from; 0 if they are taken as they are

# Streams: the address of each, how many bytes of it are in use, and how many there may be
WORDS_STREAM: Final = 9
WORDS_END: Final = 10
BYTES_STREAM: Final = 11
BYTES_END: Final = 12
VALUES_STREAM: Final = 13
VALUES_END: Final = 14
RANKS_STREAM: Final = 15
RANKS_END: Final = 16
STREAM_ROOM: Final = 17  # bytes that each may have
PREVIOUS: Final = 18  # address of the row before, as long as a row can be
LAST_RANK: Final = 19  # the rank of the row before
ROWS: Final = 20  # rows of this block

# Rows that are checked
ROOM: Final = 21  # how many words the arena has
BUCKETS: Final = 22  # address of the first entry of each bucket
BUCKET_BITS: Final = 23  # there are 2 to this power
ENTRIES: Final = 24  # address of the entries
EXPAND: Final = 25  # address of the model's expand(row, out, control)
INITIAL: Final = 26  # … and of its initial(out, control)
CONTROL: Final = 27  # handed on to the model
MODEL_SETS: Final = 28  # where the model writes the acceptance sets of each successor, 0 if it does not
BUFFER: Final = 29  # where the model writes successors
FOUND: Final = 30  # address of the number of each successor
FORBIDDEN: Final = 31  # address of whether the rank forbids the edge to each successor
MODE: Final = 32  # 0: a violation is forbidden; 1: acceptance is
LAST: Final = 33  # where the rows of this worker end
DONE: Final = 34  # rows that it has decided
BAD_ROW: Final = 35  # the row whose edges are not accepted
BAD_EDGE: Final = 36  # the first such edge

# Reduced rows; without a reduction, CHOOSE is 0
CHOOSE: Final = 37  # address of the reduced model's expand, which tells whose steps it takes
CHOOSE_CONTROL: Final = 38  # handed on to it
CHOSEN: Final = 39  # where it tells
TAKEN: Final = 40  # where the model is told, and behind it tells which steps it took
ABLE_CODE: Final = 41  # address of the model's able(row, out, control, process)
MEANT_CODE: Final = 42  # … and of its meant(row, control, process, expression)
TABLE: Final = 43  # address of the table of `certificates/sufficing.py`
NOTES_AT: Final = 44  # where it notes
ROW: Final = 45  # the row it is asked about
SPARE: Final = 46  # where successors are written that nobody wants
SPARE_ROW: Final = 47  # room for a row
EDGES: Final = 48  # how many edges leave rows in which something is left out
STACK: Final = 49  # address of as many words, and one for each row

# Rows that a pass comes to out of turn
AT: Final = 50  # the row that the pass has come to
TOP: Final = 51  # how many are on the stack
BEHIND: Final = 52  # address of the stack: a word for each row
WORDS: Final = 53

SAFETY: Final = 0
LIVENESS: Final = 1

LONGEST_ROW: Final = 1 << 16  # in words
"""A row says its length in 16 bits."""

# What a call comes to, if it is no count.
DAMAGED: Final = -1  # the streams do not describe rows
FULL: Final = -2  # there is no room
REFUSED: Final = -3  # an edge is not accepted
MODEL_FAILED: Final = -4
STOPPED: Final = -5
NEEDED: Final = -6  # a step is left out that may be needed
IGNORED: Final = -7  # on a whole cycle something is left out
CROWDED: Final = -8  # too many rows are in one bucket

# Marks of a row, in its first byte
UNMET: Final = 0
MET: Final = 1  # a step leads to it
ACCEPTING: Final = 2  # … and the model calls it accepting
DECIDED: Final = 64  # its edges are accepted: a mark that is not below, which only `decide_state` gives

# … and with DECIDED
SPARED: Final = 8  # something is left out here, or it is in the middle of an atomic sequence
OPEN: Final = 16  # in the search for cycles: on the path
CLOSED: Final = 32  # … and on no cycle
