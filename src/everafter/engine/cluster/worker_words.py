"""The words that the kernels of a worker of a cluster share with it, each a signed 64-bit number at the index here."""

from __future__ import annotations

from typing import Final

# Written by the worker
PLACE: Final = 0  # its number in the cluster, from 0
WORKERS: Final = 1  # how many there are
OWN: Final = 2  # address of the list of rows that are its own
FOREIGN: Final = 3  # address of the rows that others own, as they come: each behind its owner and its parent
BATCHES: Final = 4  # address of the rows for others, by owner
STARTS: Final = 5  # address of three words for each owner: where its batch starts and ends, from BATCHES, and a row
SENT: Final = 6  # address of two words for each owner: how many rows were sent to it, and the sum of their marks
TAKEN: Final = 7  # … and were taken in from it
BATCH_ROOM: Final = 8  # a part ends when this many bytes of successors wait to be sent
NEXT: Final = 9  # the row of this level that is expanded next, or its place in the queue
LEVEL_END: Final = 10  # where the rows of this level end, or their places
MODE: Final = 11  # what successors are for, one of the modes below
CHOSEN: Final = 12  # address of two words for each word of a row that tells its owner: its index, and which bits count
CHOSEN_WORDS: Final = 13  # how many they are, 0 if the hash of the whole row tells it
CHOSEN_LINES: Final = 14  # address of these bits once more, as they lie in a row, by lines of 64 bytes
CHOSEN_BYTES: Final = 15  # how many bytes these lines have

# Written by the kernels
FOUND: Final = 16  # the first row met that leads to a violation, or that the stem leads to, NO_NODE without one
TAIL: Final = 17  # where the queue ends
VISITS: Final = 18  # how many rows of the queue were expanded

WORDS: Final = 32

LISTED_BYTES: Final = 24  # for each row of a list: its hash, its address, and its parent
PADDING: Final = 64  # bytes behind each message batch, since rows are read by whole lines …
SIGNAL_BYTES: Final = 8  # … the first of which are the sender's signal
OWNER_SHIFT: Final = 40  # a parent is its owner, shifted this far, and its number there

# What a kernel returns when it could not go on, beside NO_ROOM
TORN: Final = -2  # a message batch ends in the middle of a row
STRAY: Final = -3  # a batch has a row that belongs to another worker, or whose parent does not belong to the sender
UNKNOWN: Final = -4  # a successor is not stored, though all states are

# What successors are for
EXPLORE: Final = 0  # they are stored; rows are expanded in the order of the arena, in all others in that of the queue
REACH: Final = 1  # they are reached from an accepting state, and count the edges that arrive
REMOVE: Final = 2  # they lose a predecessor
STEM: Final = 3  # they are met on the way to the cycle
