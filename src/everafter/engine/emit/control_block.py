"""The control block: the scratch memory that every compiled function is given, as `%c`.

It begins with words of a fixed meaning. Behind them come rooms whose size depends on the model.
"""

from __future__ import annotations

from enum import IntEnum, auto

from everafter.engine.emit.writer import Writer
from everafter.record import dataclass

BROKEN, REPORTED, OVERFLOW = 1, 2, 4
"""A step that cannot be completed; one with a problem that does not stop it; more successors than there is room for."""

MOST_TARGETS = 1024
"""More targets than this are too many for a claim."""
MOST_MASKS = 1 << 16
"""More successors than this are too many for a fair search."""
MOST_POSITIONS = 62
"""A place with more transitions than this is never reduced: those that can be taken are the bits of a word."""
MOST_FAIR_PROCESSES = 61
"""More processes than this are too many for a fair search: its sets are the bits of a word."""
MOST_PROCESSES = 255
LEAST_KEPT = 32
"""The least number of bytes that a row of an atomic sequence takes."""
_FIRST_SLOTS = 512


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much the code may write at once. What needs more is given up, so that less room never changes an answer.

    By default the sizes of a processor. A GPU has a control block for each of its many threads.
    """

    processes: int = MOST_PROCESSES
    """Where a row has more, it is as if it were too long."""
    chain: int = 1 << 19
    """Bytes for the rows of an atomic sequence."""
    out: int = 1 << 27
    """Bytes for the successors of a row."""
    walked: int = 1 << 22
    """Steps inside atomic sequences in one expansion: more take hundredths of a second, in which no search can be
    stopped."""

    @property
    def slots(self) -> int:
        """Slots by which the rows of an atomic sequence are looked up."""
        return 2 * self.chain // LEAST_KEPT

    @property
    def first_slots(self) -> int:
        """How many of them are used at first, so that those of a short sequence lie close together."""
        return min(_FIRST_SLOTS, self.slots)


PROCESSOR = Sizes()


class Offset(IntEnum):
    """Words one behind the other, each known by its offset in bytes."""

    @staticmethod
    def _generate_next_value_(_name: str, _start: int, count: int, _last: list[int]) -> int:
        return 8 * count


class Word(Offset):
    """The words of a fixed meaning."""

    STEPS = auto()
    """Outcomes found for the row being expanded, also those that lead nowhere."""
    FLAGS = auto()
    """What went wrong on the way: BROKEN, REPORTED, OVERFLOW."""
    OUT = auto()
    """Where the next successor is written."""
    COUNT_OUT = auto()
    """How many successors there are."""
    HANDSHAKE = auto()
    """The rendezvous channel on which a message waits, 0 if there is none."""
    PROBLEM = auto()
    """REPORTED if the step being built has a problem that does not stop it."""
    HALF_PROBLEM = auto()
    """The same of the first half of a rendezvous, while the other half is looked for."""
    CHAIN_END = auto()
    """Where the next row in the middle of an atomic sequence is written."""
    CHAIN_LIMIT = auto()
    """From here on there is no room for them."""
    CHAIN_NEXT = auto()
    """Those from here on wait to be expanded."""
    WALKED = auto()
    """How many steps inside atomic sequences were taken in place, see `walk.py`."""
    REST_AT = auto()
    """The number of steps after which there is a rest."""
    RESTS = auto()
    """How many rests there were on the walk so far."""
    CHAIN_MASK = auto()
    """One less than the number of slots in use to look them up."""
    GENERATION = auto()
    """Slots filled in another generation are empty."""
    LEFT = auto()
    """Not 0 if the row being expanded is itself in the middle of an atomic sequence."""
    PAST_ERRORS = auto()
    """By the caller: not 0 if a state in which something goes wrong has its successors all the same."""
    VIOLATIONS = auto()
    """How many times such a state was expanded, since the block was made."""
    OUT_LIMIT = auto()
    """From here on there is no room for successors."""
    PROBING = auto()
    """Not 0 while the code only decides whether a process can move."""
    D_STEP_COUNT = auto()
    """Instructions done in the d_step that is being run."""
    MOVERS = auto()
    """In a fair search, the processes that move in the step being built, as bits; in a random walk its label."""
    EARLIER_MOVERS = auto()
    """Those that moved before it in the same atomic sequence."""
    SENDER = auto()
    """The one that waits for the other half of a rendezvous."""
    ABLE = auto()
    """Those that can move in the row being expanded."""
    CHAIN_BEGIN = auto()
    """The first row in the middle of an atomic sequence that is still to be expanded."""
    POSITIONS = auto()
    """In a reduced search, the transitions of a process that can be taken, as bits."""
    ANSWERS = auto()
    """Not 0 if a partner in a rendezvous does something that is not to be done alone."""
    SENDER_NUMBER = auto()
    """The process that waits for a partner."""
    UNASKED = auto()
    """Not 0 if successors are in the middle of an atomic sequence, and it is not known yet whether it can go on."""
    TAKEN = auto()
    """The process whose steps are taken alone, or -1: written by a reduced search, read by a checker (`judged.py`)."""
    TAKEN_POSITIONS = auto()
    """For that judge, which transitions it has, as bits."""
    TAKEN_ANSWERS = auto()
    """… and not 0 if a partner in a rendezvous does something that is not to be done alone."""
    TAKEN_ENDS = auto()
    """… and not 0 if some step comes to an end, or to an error."""
    BY_STEPS = auto()
    """By the caller: not 0 if every step leads to a row of its own, also in atomic sequences, and one that goes wrong
    to a row from which there is nothing but VIOLATION: then a path is as long as the run it stands for."""
    STILL = auto()
    """How often the way to VIOLATION has led through a state in which the system stays for ever, since the block was
    made: the claim moves, and no step is taken."""
    SALT = auto()
    """By the caller, where the code has variants: which of the searches this is. It is in all rows in place of the
    state of a claim, so that they have other hashes, and turns the order of processes."""
    ASIDE = auto()
    """How many successors were no steps: in a nested search (`nested_claims.py`)."""


def _line(offset: int) -> int:
    """The next offset at which a cache line begins."""
    return (offset + 63) // 64 * 64


MESSAGE = _line(8 * len(Word))
"""The fields of the message that waits in a rendezvous."""


class Record(Offset):
    """What is noted, in a reduced search, of each process of the row that is expanded."""

    AT = auto()
    """Where the process is in the row."""
    PLACE = auto()
    """The number of its place of control."""
    STEPS = auto()
    """What its steps came to, as the words of the same name tell."""
    FLAGS = auto()
    POSITIONS = auto()
    ANSWERS = auto()
    BEGIN = auto()
    """Its successors: where they were written, and how many."""
    END = auto()
    COUNT = auto()
    CHAIN_BEGIN = auto()
    """Its rows in the middle of atomic sequences."""
    CHAIN_END = auto()
    CHANNELS = auto()
    """How many channels there are that no process younger than this one created."""


RECORD_BYTES = _line(8 * len(Record))


@dataclass(frozen=True, slots=True)
class Rooms:
    """What is in the control block of a model behind the message of a rendezvous, one behind the other."""

    fields: int
    """The most fields a message has."""
    longest_row: int
    """More bytes than any row can have."""
    notes_steps: bool
    """Whether something is noted of the step that leads to each successor."""
    reduced: bool
    sites: int
    """How many statements there are, by the numbers of `program/sites.py`."""
    claims: bool = True
    """Whether a claim moves, too."""
    sizes: Sizes = PROCESSOR
    nested: bool = False
    """Whether one search is nested in another."""

    @property
    def seen(self) -> int:
        """The fields of a message for those who watch."""
        return MESSAGE + 8 * self.fields

    @property
    def offsets(self) -> int:
        """The table of the processes' offsets."""
        return self.seen + 8 * self.fields

    @property
    def half(self) -> int:
        """The row of the first half of a rendezvous."""
        return self.offsets + 8 * (self.sizes.processes + 1)

    @property
    def walker(self) -> int:
        """The row that is walked on in place, see `walk.py`."""
        return _line(self.half + self.longest_row)

    @property
    def mark(self) -> int:
        """The row at which it will be seen that a walk runs in a circle."""
        return _line(self.walker + self.longest_row)

    @property
    def chain(self) -> int:
        """The rows of atomic sequences, and room for three more."""
        return _line(self.mark + self.longest_row)

    @property
    def slots(self) -> int:
        """The slots by which they are looked up."""
        return _line(self.chain + self.sizes.chain + 3 * self.longest_row)

    @property
    def masks(self) -> int:
        """The sets of each successor, in a fair search; or the label of its step."""
        return self.slots + 8 * self.sizes.slots

    @property
    def records(self) -> int:
        """What each process's steps lead to, in a reduced search."""
        return self.masks + (8 * MOST_MASKS if self.notes_steps else 0)

    @property
    def targets(self) -> int:
        """How many targets a claim has in a state; behind it the targets."""
        return self.records + (RECORD_BYTES * (self.sizes.processes + 1) if self.reduced else 0)

    @property
    def reached(self) -> int:
        """A byte for each statement, 1 once it was executed."""
        return self.targets + (8 + 8 * MOST_TARGETS if self.claims else 0)

    @property
    def seed(self) -> int:
        """The row that a nested search began from."""
        return _line(self.reached + self.sites)

    @property
    def end(self) -> int:
        """The bytes of the whole control block."""
        return _line(self.seed + (self.longest_row if self.nested else 0))


def read(w: Writer, word: Word) -> str:
    """Return the value of `word`, by code of `w`."""
    return w.load(w.at("%c", word), 8)


def write(w: Writer, word: Word, value: str | int) -> None:
    """Give `word` the `value`, by code of `w`."""
    w.store(w.at("%c", word), value, 8)


def increase(w: Writer, word: Word) -> None:
    """Increase `word` by one, by code of `w`."""
    place = w.at("%c", word)
    w.store(place, w.add(w.load(place, 8), 1), 8)


def mark(w: Writer, word: Word, bits: str | int) -> None:
    """Set `bits` of `word`, by code of `w`."""
    place = w.at("%c", word)
    w.store(place, w.get(f"or i64 {w.load(place, 8)}, {bits}"), 8)
