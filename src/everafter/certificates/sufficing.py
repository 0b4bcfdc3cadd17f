"""What decides whether the steps of one process suffice in a row, so that those of all others may be left out.

The theorem is `every_run_has_a_reduced_run` of proofs/reduction/conditions.v. Of its five hypotheses this text decides
those that speak of one row; `independence/` makes the table it looks at from the program's text, and knows nothing of
the reduction that made the choice.

    subset        the steps taken are those of the process, all of them: the caller expands no other
    nonempty      the process can move, and what it does comes to an end
    invisible     none of its steps, nor an answer to it, is in the table of those that the property may see
    independent   nothing that others may still do before it moves conflicts with anything it could do where it is. It
                  suffices to ask those who can move, and whoever can let a process move that is in the way and cannot
                  (`inert` of proofs/reduction/ample.v)
    wellfounded   is asked of all rows together: no cycle of rows in all of which something is left out

This text is compiled as it stands, and interpreted as it stands. What it asks of a row, of the table and of the model
are the five functions at its end; machine code has others in their place. `asked` is whatever these need.
"""

from __future__ import annotations

from typing import Any

# Numbers at the head of the table: what they are, or where a part of it begins
FIRST_PROCESS = 0  # where in a row the first process begins
NODE_BYTES = 1  # how many bytes a place of control takes
LENGTH_BYTES = 2  # … and how many messages there are
WIDTH = 3  # how many places a proctype has in the next part
PLACES = 4  # the number of a place, by proctype and place of control
SIZES = 5  # the bytes of a process and its channels, by proctype
CREATED = 6  # how many channels it creates
OWN = 7  # where the capacities and offsets of these begin
GLOBALS = 8  # how many global channels there are
GLOBAL = 9  # their capacities and offsets
SCOPES = 10  # by place, what can be done there
FUTURES = 11  # by place, what may still be done, counted for each proctype
MATRIX = (
    12  # by what can be done and proctype, where a block begins; in it 0 no conflict, 1 always, or where conditions are
)
KINDS = 13  # how many proctypes there are
ALONE = 14  # by place, 0 if its steps are never taken alone
VISIBLE = 15  # by place, the positions of transitions that the property may see, as bits
MEETING = 16  # by place, not 0 if a rendezvous may be offered inside an atomic sequence from there
ENDING = 17  # by place, not 0 if the process can end there
MORTAL = 18  # by place, not 0 if it, or one that it starts, may still end
HEAD = 19

# Conditions: how many, and for each five numbers: its kind and what it compares
SAME, DIES, ENDS, WATCHED = 0, 1, 2, 3
CONDITION = 5
# How a name is told: any channel, these numbers, the bytes of the process here, the value of an expression
ANY, FIXED, LOCAL, SPOKEN = 0, 1, 2, 3
# When operations on one channel commute
NEVER, NOT_FULL, NOT_EMPTY, EXECUTABLE, BUFFERED = 0, 1, 2, 3, 4

# What is noted of every process
AT, PLACE, CHANNELS, ABLE, RESTS = 0, 1, 2, 3, 4
NOTES = 5
AWAKE, WAITING, SETTLED = 0, 1, 2

ROW_COUNT = 1  # where a row says how many processes there are


def look_at_processes(asked: Any) -> int:
    """Note where every process is, and how many channels no younger one created; how many processes there are."""
    count = row_byte(asked, ROW_COUNT)
    at = table_entry(asked, FIRST_PROCESS)
    channels = table_entry(asked, GLOBALS)
    process = 0
    while process < count:
        kind = row_byte(asked, at)
        node = row_byte(asked, at + 1)
        if table_entry(asked, NODE_BYTES) == 2:
            node = node + 256 * row_byte(asked, at + 2)
        channels = channels + table_entry(asked, table_entry(asked, CREATED) + kind)
        place = table_entry(asked, table_entry(asked, PLACES) + kind * table_entry(asked, WIDTH) + node)
        set_note(asked, process * NOTES + AT, at)
        set_note(asked, process * NOTES + PLACE, place)
        set_note(asked, process * NOTES + CHANNELS, channels)
        at = at + table_entry(asked, table_entry(asked, SIZES) + kind)
        process = process + 1
    return count


def of_place(asked: Any, part: int, process: int) -> int:
    """What a part of the table says of the place where a process is."""
    return table_entry(asked, table_entry(asked, part) + noted(asked, process * NOTES + PLACE))


# Channels


def count_named(asked: Any, name: int) -> int:
    """How many channels a name may mean, if it is not any."""
    if table_entry(asked, name) == SPOKEN:
        return 1
    return table_entry(asked, name + 1)


def channel_named(asked: Any, name: int, process: int, index: int) -> int:
    """The number of one of the channels that a process may mean."""
    kind = table_entry(asked, name)
    if kind == FIXED:
        return table_entry(asked, name + 2 + index)
    if kind == LOCAL:
        return row_byte(asked, noted(asked, process * NOTES + AT) + table_entry(asked, name + 2 + index))
    return meant(asked, process, table_entry(asked, name + 1))


def may_mean(asked: Any, name: int, process: int, channel: int) -> bool:
    """Whether a process may mean a channel."""
    if table_entry(asked, name) == ANY:
        return True
    index = 0
    while index < count_named(asked, name):
        if channel_named(asked, name, process, index) == channel:
            return True
        index = index + 1
    return False


def may_both_mean(asked: Any, one: int, other: int, process: int) -> bool:
    """Whether two names may mean the same channel to a process."""
    if table_entry(asked, one) == ANY:
        return True
    index = 0
    while index < count_named(asked, one):
        if may_mean(asked, other, process, channel_named(asked, one, process, index)):
            return True
        index = index + 1
    return False


def may_be_beyond(asked: Any, name: int, process: int, limit: int) -> bool:
    """Whether a process may mean a channel with a higher number."""
    if table_entry(asked, name) == ANY:
        return True
    index = 0
    while index < count_named(asked, name):
        if channel_named(asked, name, process, index) > limit:
            return True
        index = index + 1
    return False


def is_excepted(asked: Any, unless: int, channel: int) -> bool:
    """Whether a channel is as an exception wants it: with room, with a message, or with a buffer at all."""
    if unless == NEVER or channel < 1:
        return False
    at = 0
    place = table_entry(asked, GLOBAL) + 2 * (channel - 1)
    if channel > table_entry(asked, GLOBALS):
        process = 0
        count = row_byte(asked, ROW_COUNT)
        while process < count and noted(asked, process * NOTES + CHANNELS) < channel:
            process = process + 1
        if process == count:
            return False
        at = noted(asked, process * NOTES + AT)
        kind = row_byte(asked, at)
        before = noted(asked, process * NOTES + CHANNELS) - table_entry(asked, table_entry(asked, CREATED) + kind)
        place = table_entry(asked, table_entry(asked, OWN) + kind) + 2 * (channel - before - 1)
    capacity = table_entry(asked, place)
    if unless == BUFFERED or capacity == 0:
        return capacity > 0
    at = at + table_entry(asked, place + 1)
    length = row_byte(asked, at)
    if table_entry(asked, LENGTH_BYTES) == 2:
        length = length + 256 * row_byte(asked, at + 1)
    if unless == NOT_EMPTY:
        return length > 0
    return length < capacity


# Conflicts


def share_channel(asked: Any, condition: int, process: int, other: int, positions: int) -> bool:
    """Whether two processes mean the same channel, and their operations on it do not commute."""
    mine = table_entry(asked, condition + 1)
    theirs = table_entry(asked, condition + 2)
    unless = table_entry(asked, condition + 3)
    if table_entry(asked, mine) == ANY:
        return True
    if unless == EXECUTABLE:
        if (positions >> table_entry(asked, condition + 4)) & 1 != 0:
            return False
        unless = NEVER
    index = 0
    while index < count_named(asked, mine):
        channel = channel_named(asked, mine, process, index)
        if may_mean(asked, theirs, other, channel) and not is_excepted(asked, unless, channel):
            return True
        index = index + 1
    return False


def is_true(asked: Any, condition: int, process: int, other: int, positions: int) -> bool:
    """Whether a condition holds between what a process can do and what another may still do."""
    kind = table_entry(asked, condition)
    mine = table_entry(asked, condition + 1)
    theirs = table_entry(asked, condition + 2)
    channels = noted(asked, process * NOTES + CHANNELS)
    if kind == SAME:
        return share_channel(asked, condition, process, other, positions)
    if kind == DIES:
        return may_be_beyond(asked, mine, process, channels)
    if kind == ENDS:
        own = row_byte(asked, noted(asked, process * NOTES + AT))
        before = channels - table_entry(asked, table_entry(asked, CREATED) + own)
        return may_be_beyond(asked, theirs, other, before)
    first = table_entry(asked, condition + 3)
    second = table_entry(asked, condition + 4)
    return may_both_mean(asked, mine, first, process) and may_both_mean(asked, theirs, second, other)


def conflicts(asked: Any, process: int, other: int, positions: int) -> bool:
    """Whether something that a process can do where it is conflicts with something that another may still do."""
    kind = row_byte(asked, noted(asked, other * NOTES + AT))
    row = of_place(asked, SCOPES, process) * table_entry(asked, KINDS)
    block = table_entry(asked, table_entry(asked, MATRIX) + row + kind)
    found = table_entry(asked, block + of_place(asked, FUTURES, other))
    if found < 2:
        return found == 1
    condition = 0
    while condition < table_entry(asked, found):
        if is_true(asked, found + 1 + condition * CONDITION, process, other, positions):
            return True
        condition = condition + 1
    return False


def may_wake(asked: Any, process: int, other: int) -> bool:
    """Whether another process may let this one move, which cannot: a process can end when all younger ones have."""
    if conflicts(asked, process, other, 0):
        return True
    return of_place(asked, ENDING, process) != 0 and of_place(asked, MORTAL, other) != 0


# The decision


def add_those_in_the_way(asked: Any, process: int, first: int, positions: int, count: int, knows: bool) -> bool:
    """Let everybody rest whom a process at rest asks for; false if one of them can move, or may be able to.

    `first` is the process whose steps are to suffice: all others at rest cannot move.
    """
    other = 0
    while other < count:
        if noted(asked, other * NOTES + RESTS) == AWAKE:
            if process == first:
                stands = conflicts(asked, process, other, positions)
            else:
                stands = may_wake(asked, process, other)
            if stands:
                if not knows or noted(asked, other * NOTES + ABLE) != 0:
                    return False
                set_note(asked, other * NOTES + RESTS, WAITING)
        other = other + 1
    set_note(asked, process * NOTES + RESTS, SETTLED)
    return True


def suffices(asked: Any, process: int, positions: int, answers: int, completed: int, count: int, knows: bool) -> bool:
    """Whether the steps of a process suffice in a row whose processes have been looked at.

    `positions` are the transitions that it can take now, as bits; `answers` is not 0 if one of them is a rendezvous
    whose partner does what the property may see, or goes on in an atomic sequence; `completed` is 0 if none comes to an
    end, for an atomic sequence without one is no step. `knows` says whether it is noted who can move; without that,
    everybody may.
    """
    if process < 0 or process >= count or positions == 0 or completed == 0:  # nonempty
        return False
    if positions & of_place(asked, VISIBLE, process) != 0 or answers != 0:  # invisible
        return False
    if of_place(asked, ALONE, process) == 0:
        return False
    if of_place(asked, MEETING, process) != 0:
        knows = False
    other = 0
    while other < count:
        set_note(asked, other * NOTES + RESTS, AWAKE)
        other = other + 1
    set_note(asked, process * NOTES + RESTS, WAITING)
    other = 0
    while other < count:  # independent
        if noted(asked, other * NOTES + RESTS) == WAITING:
            if not add_those_in_the_way(asked, other, process, positions, count, knows):
                return False
            other = 0
        else:
            other = other + 1
    return True


# What is asked of a row, of the table and of the model


def row_byte(asked: Any, at: int) -> int:
    """A byte of the row."""
    return int(asked.row[at])


def table_entry(asked: Any, at: int) -> int:
    """A number of the table."""
    return int(asked.table[at])


def noted(asked: Any, at: int) -> int:
    """What has been noted."""
    return int(asked.notes[at])


def set_note(asked: Any, at: int, value: int) -> None:
    """Note a number."""
    asked.notes[at] = value


def meant(asked: Any, process: int, expression: int) -> int:
    """The number of the channel that an expression of the table means to a process; 0 if it has no value."""
    return int(asked.meant(process, expression))
