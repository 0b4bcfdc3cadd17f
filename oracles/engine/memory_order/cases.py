"""Small cases in which workers store the same rows, grow the hash table and hand each other nodes; and mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from everafter.engine import block
from everafter.engine.block import CHUNK_SHIFT, Team
from everafter.engine.store.single_store import PENDING
from everafter.engine.store.table import STATE_NUMBER
from oracles.engine.memory_order.explore import FOR_EVER, Case
from oracles.engine.memory_order.text import WORD, Changes, Program, Steps

TEAM, SLOTS, ARENA, ENDS, POOL, AREA = (number << 24 for number in (1, 2, 3, 4, 5, 1))
BUFFER, NODES = 1 << 16, 1 << 17
"""Where in its own memory a worker has the row it looks for, and its nodes."""
SLOTS_USED: Final = range(SLOTS, SLOTS + 3 * WORD)
HEADER: Final = 2 << 16
"""The first word of a row of two words."""
HASHES: Final = {1: 5 | 1 << 62, 2: 5 | 1 << 63, 3: 6}
"""Rows 1 and 2 have the same tag, and in a table of two lines row 2 is in the second."""
LARGE: Final = 1 << 40


def put_row(store: Mapping[str, Any], place: int, row: int, lines: int) -> Steps:
    """Find or put a row of the second word."""
    yield ("store", place + BUFFER, HEADER)
    yield ("store", place + BUFFER + WORD, row)
    number = yield from store["find_or_put"](place, ARENA, SLOTS, lines, place + BUFFER, 2, HASHES[row])
    return number


def storing(*rows: int) -> Program:
    """Store the rows; their numbers."""

    def program(store: Mapping[str, Any], place: int) -> Steps:
        numbers: tuple[tuple[int, int], ...] = ()
        for row in rows:
            number = yield from put_row(store, place, row, 1)
            numbers = (*numbers, (row, number))
        return numbers

    return program


def growing(before: Sequence[int], after: Sequence[int], leads: bool) -> Program:
    """Store rows, meet the others while the table grows, and store more; the numbers of all."""

    def program(store: Mapping[str, Any], place: int) -> Steps:
        numbers: tuple[tuple[int, int], ...] = ()
        for row in before:
            number = yield from put_row(store, place, row, 1)
            numbers = (*numbers, (row, number))
        if leads:
            yield from store["grow_together"](place)
        for row in after:
            yield from store["must_stop"](place)
            number = yield from put_row(store, place, row, store["word"](place, block.LINES))
            numbers = (*numbers, (row, number))
        yield from store["leave"](place)
        return numbers

    return program


def handing(*rows: int) -> Program:
    """Store rows, give half of their nodes away, and take nodes as long as there are some: what is in their rows."""

    def program(store: Mapping[str, Any], place: int) -> Steps:
        for index, row in enumerate(rows):
            number = yield from put_row(store, place, row, 1)
            yield ("store", place + NODES + WORD * index, number)
        left = yield from store["give"](place, len(rows))
        contents: tuple[int, ...] = ()
        while True:
            for index in range(left):
                number = yield ("load", place + NODES + WORD * index)
                content = yield ("load", ARENA + WORD * number + WORD)
                contents = (*contents, content)
            left = yield from store["take"](place)
            if left <= 0:
                return contents if left == 0 else None

    return program


def team_words(workers: int) -> dict[int, int]:
    """What the team's words are when workers begin."""
    settings = {
        Team.LINES: 1,
        Team.ENDS: ENDS,
        Team.WORKERS: workers,
        Team.POOL: POOL,
        Team.POOL_ROOM: 8,
        Team.ACTIVE: workers,
        Team.NEXT_CHUNK: workers,
        Team.RESERVED: 8 * workers,
    }
    blocks = {TEAM + WORD * (Team.BLOCKS + worker): (worker + 1) * LARGE for worker in range(workers)}
    return {TEAM + WORD * index: value for index, value in settings.items()} | blocks


def own_words(worker: int) -> dict[int, int]:
    """What the words of a worker's block are."""
    begin = worker << CHUNK_SHIFT
    settings = {
        block.TEAM: TEAM,
        block.ARENA: ARENA,
        block.ARENA_WORDS: LARGE,
        block.SLOTS: SLOTS,
        block.SLOTS_BYTES: LARGE,
        block.LINES: 1,
        block.LIMIT_BYTES: LARGE,
        block.COLUMN_WORDS: 1,
        block.CHUNK: worker,
        block.END: begin,
        block.ROOM_END: begin + LARGE,
        block.QUOTA: 8,
        block.WORKER: worker,
        PENDING: (worker + 1) * LARGE + NODES,
    }
    return {WORD * index: value for index, value in settings.items()}


def stored(memory: Mapping[int, int]) -> dict[int, int]:
    """The rows that are in the table at the end, by their numbers; -1 for one that is there twice."""
    found: dict[int, int] = {}
    for place, slot in memory.items():
        if SLOTS <= place < SLOTS + AREA and slot:
            number = slot & STATE_NUMBER
            found[number] = -1 if number in found else memory.get(ARENA + WORD * number + WORD, 0)
    return found


def storing_flaw(results: Sequence[Any], memory: Mapping[int, int]) -> str | None:
    """Each row is to be in the table once, and everybody told its number."""
    rows = stored(memory)
    told = {each for result in results for each in result}
    if len(set(rows.values())) != len(rows):
        return "a row is stored twice"
    return None if told == {(row, number) for number, row in rows.items()} else "a worker is told a wrong number"


def handing_flaw(results: Sequence[Any], memory: Mapping[int, int]) -> str | None:
    """Each node is to be had by one worker, and its row to be seen by it."""
    had = [content for result in results for content in result or ()]
    return None if sorted(had) == sorted(stored(memory).values()) else "a node is lost, or had twice"


def case(*programs: Program, flaw: Callable[[Sequence[Any], Mapping[int, int]], str | None]) -> Case:
    """Workers that begin with an empty table of one line."""
    return Case(
        programs,
        HASHES,
        team_words(len(programs)),
        own_words,
        range(TEAM, TEAM + AREA),
        lambda place: place in SLOTS_USED or POOL <= place < POOL + AREA,
        flaw,
    )


CASES: Final[Mapping[str, Case]] = {
    "the same row": case(storing(1), storing(1), flaw=storing_flaw),
    "two rows, crosswise": case(storing(1, 2), storing(2, 1), flaw=storing_flaw),
    "growth": case(growing([1], [2], leads=True), growing([], [2], leads=False), flaw=storing_flaw),
    "growth behind a row": case(growing([], [], leads=True), growing([1], [1], leads=False), flaw=storing_flaw),
    "hand-over": case(handing(1, 2), handing(), flaw=handing_flaw),
}
LARGER: Final[Mapping[str, Case]] = {
    "three workers, the same row": case(storing(1), storing(1), storing(1), flaw=storing_flaw),
    "three workers, two rows": case(storing(1, 2), storing(2), storing(1), flaw=storing_flaw),
    "growth that two want": case(growing([1], [2], leads=True), growing([2], [1], leads=True), flaw=storing_flaw),
    "hand-over to both": case(handing(1, 2), handing(3, 1), flaw=handing_flaw),
}
READS: Final = "a plain read races with a write"
BOTH: Final = "a plain write races with a write"
TWICE: Final = "a row is stored twice"
WRONG: Final = "a worker is told a wrong number"
LOST: Final = "a node is lost, or had twice"
CLEARED: Final = """    clear(word(block, SLOTS), old << 6)
    share(team + TEAM_LINES, lines)
"""
BEGUN: Final = """        share(team + NEXT_FILL, 0)
        share(team + FILLED, 0)
        workers = shared(team + ARRIVED)
        share(team + FILLING, 1)
"""
GIVEN: Final = "share(team + POOLED, pooled + count)\n    share(team + LOCK, 0)\n"
TAKEN: Final = "share(team + POOLED, pooled - count)\n            add(team + IDLE, -1)\n"
SWAP: Final = "            if swap_if(line + (lowest(free) << 3), 0, slot_of(mixed, number)) == 0:\n"
MISTAKES: Final[Mapping[str, tuple[str, str, Changes]]] = {
    "a slot is published without release": ("the same row", READS, [(SWAP, SWAP.replace("swap_if", "weak_swap_if"))]),
    "a slot is read without acquire": ("two rows, crosswise", READS, [("= node_in(shared(", "= node_in(weak_shared(")]),
    "a slot that a hint leads to is read without acquire": (
        "the same row",
        READS,
        [("return node_in(shared(", "return node_in(weak_shared(")],
    ),
    "a row is written behind its slot": (
        "the same row",
        READS,
        [
            (
                "number = write_row(block, row, words)\n            h",
                f"number = load(block + {WORD * block.END}) + 1\n            h",
            ),
            (SWAP, SWAP + "                write_row(block, row, words)\n"),
        ],
    ),
    "a slot is written whatever is there": (
        "two rows, crosswise",
        WRONG,
        [(SWAP, "            if 0 * share(line + (lowest(free) << 3), slot_of(mixed, number)) == 0:\n")],
    ),
    "who finds a slot taken does not look at it": (
        "the same row",
        TWICE,
        [("        else:\n            line = next", "            line += 8\n        else:\n            line = next")],
    ),
    "a hint at an empty slot is believed": (
        "the same row",
        READS,
        [("if known != NO_NODE and same_row", "if same_row")],
    ),
    "the leader does not wait": (
        "growth behind a row",
        BOTH,
        [("while shared(team + ARRIVED) != shared(team + ACTIVE):", "while False:")],
    ),
    "the leader does not acquire": (
        "growth behind a row",
        BOTH,
        [
            (
                "shared(team + ARRIVED) != shared(team + ACTIVE)",
                "weak_shared(team + ARRIVED) != weak_shared(team + ACTIVE)",
            )
        ],
    ),
    "who arrives does not release": (
        "growth behind a row",
        BOTH,
        [("hesitate(block)\n    hand_in(block)\n    add(", "hesitate(block)\n    hand_in(block)\n    weak_add(")],
    ),
    "who leaves does not release": (
        "growth behind a row",
        BOTH,
        [("return add(word(block, TEAM) + ACTIVE", "return weak_add(word(block, TEAM) + ACTIVE")],
    ),
    "filling begins without release": (
        "growth behind a row",
        "an atomic read races with a plain write",
        [(text, text.replace("share(team", "weak_share(team")) for text in (CLEARED, BEGUN)],
    ),
    "filling begins before the table is cleared": (
        "growth behind a row",
        "an atomic read races with a plain write",
        [
            (CLEARED, CLEARED.replace("clear(word(block, SLOTS), old << 6)", "pass")),
            (BEGUN, BEGUN + "        clear(word(block, SLOTS), shared(team + TEAM_LINES) << 5)\n"),
        ],
    ),
    "the table is not cleared": ("growth behind a row", WRONG, [(CLEARED, "\n".join(CLEARED.split("\n")[1:]))]),
    "who fills does not ask how large the table is": (
        "growth",
        TWICE,
        [("put(block, LINES, shared(team + TEAM_LINES))\n    chunk", "chunk")],
    ),
    "nodes are given without release": ("hand-over", READS, [(GIVEN, GIVEN.replace("share", "weak_share"))]),
    "nodes are taken without acquire": (
        "hand-over",
        READS,
        [
            ("while swap_if(team + LOCK", "while weak_swap_if(team + LOCK"),
            (
                "        pooled = shared(team + POOLED)\n        if",
                "        pooled = weak_shared(team + POOLED)\n        if",
            ),
        ],
    ),
    "nodes are given without the lock": ("hand-over to both", LOST, [("    lock(team)\n    pooled", "    pooled")]),
    "who has taken nodes still counts as idle": ("hand-over", FOR_EVER, [(TAKEN, TAKEN.split("\n")[0] + "\n")]),
}
"""Mistakes in the store's text: the case that shows each, and as what."""
