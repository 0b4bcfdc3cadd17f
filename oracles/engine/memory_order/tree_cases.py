"""Small cases in which workers that keep rows as trees number the same nodes and states, and take numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from everafter.engine import block
from everafter.engine.block import Team
from everafter.engine.store.tree import tree_team_bindings as tree
from everafter.engine.store.tree.roots import BEGIN_SHIFT, COLOUR_COLUMN
from everafter.engine.store.tree.slots import MOST_BITS, TAGS
from oracles.engine.memory_order.cases import HASHES, LARGE, READS, WRONG
from oracles.engine.memory_order.explore import Case
from oracles.engine.memory_order.text import HALF_WORD, ROOT_BITS, WORD, Changes, Program, Steps

TEAM, SLOTS, ROOT_SLOTS, NODES, ROOTS, SEGMENTS, COLOURS, AREA = (number << 24 for number in (1, 2, 3, 4, 5, 6, 7, 1))
BITS: Final = 24
LINE: Final = 64
EACH: Final = 4
"""So many numbers of nodes each worker has, and so many segments."""
LEFT, HEADER, SECOND = 1, 1, 7


def numbering(*nodes: int) -> Program:
    """Number the nodes."""

    def program(store: Mapping[str, Any], place: int) -> Steps:
        return (yield from numbered(store, place, nodes, ()))

    return program


def numbered(store: Mapping[str, Any], place: int, nodes: Sequence[int], told: tuple[Any, ...]) -> Steps:
    for node in nodes:
        number = yield from store["number_of"](place, block.NODE_SET, node, SECOND)
        told = (*told, (node, number))
    return told


def storing(*states: int) -> Program:
    """Number the states with these right halves."""

    def program(store: Mapping[str, Any], place: int) -> Steps:
        told: tuple[Any, ...] = ()
        for state in states:
            found = yield from store["find_or_put_root"](place, LEFT, state, HEADER, HASHES[state], 1, 1)
            told = (*told, (state, found))
        return told

    return program


def taking(store: Mapping[str, Any], place: int) -> Steps:
    """Take some numbers; which."""
    yield from store["take_numbers"](place, block.NODE_SET, EACH, LARGE)
    words = (store["word"](place, block.NODE_SET + each) for each in (block.SET_SPARE, block.SET_SPARE_END))
    return tuple(words)


def team_words(workers: int, bits: int) -> dict[int, int]:
    """What the team's words are when workers begin."""
    settings = {
        Team.LINES: 1,
        Team.ROOT_BITS: bits,
        Team.NODE_LINES: 1,
        Team.NODE_BITS: bits,
        Team.HEADER_LINES: 1 << 10,
        Team.HEADER_BITS: BITS,
        Team.WORKERS: workers,
        Team.ACTIVE: workers,
        Team.NODES_TAKEN: EACH * workers,
        Team.HEADERS_TAKEN: 1,
        Team.SEGMENTS_TAKEN: EACH * workers,
        Team.RESERVED: 2 * workers,
    }
    return {TEAM + WORD * index: value for index, value in settings.items()}


def own_words(bits: int) -> Callable[[int], dict[int, int]]:
    """What the words of a worker's block are."""

    def words(worker: int) -> dict[int, int]:
        numbers = {block.SET_OWN: EACH * worker + 1, block.SET_OWN_END: EACH * worker + EACH + 1, block.SET_PART: 1}
        nodes = {
            block.SET_SLOTS: SLOTS,
            block.SET_BYTES: LARGE,
            block.SET_VALUES: NODES,
            block.SET_LINES: 1,
            block.SET_BITS: bits,
        }
        settings = {
            block.TEAM: TEAM,
            block.SLOTS: ROOT_SLOTS,
            block.SLOTS_BYTES: LARGE,
            block.LINES: 1,
            block.ROOT_BITS: bits,
            block.LIMIT_BYTES: LARGE,
            **{block.NODE_SET + index: value for index, value in {**nodes, **numbers}.items()},
            **{block.SEGMENT_SET + index: value for index, value in numbers.items()},
            block.HEADER_SET + block.SET_LINES: 1 << 10,
            block.HEADER_SET + block.SET_BITS: BITS,
            block.ROOTS: ROOTS,
            block.ROOTS_BYTES: LARGE,
            block.SEGMENTS: SEGMENTS,
            block.STATE_ROOM: LARGE,
            block.QUOTA: 2,
            block.REMEMBERED_LINES: LARGE,
            block.WORKER: worker,
            COLOUR_COLUMN: COLOURS,
        }
        return {WORD * index: value for index, value in settings.items()}

    return words


def entered(memory: Mapping[int, int], slots: int, bits: int) -> list[int]:
    """The numbers in a hash table."""
    words = [memory.get(place, 0) for place in range(slots, slots + (TAGS if bits == MOST_BITS else LINE), WORD)]
    return [half & ((1 << bits) - 1) for value in words for half in (value & HALF_WORD, value >> 32) if half]


def numbers_flaw(told: set[tuple[int, int]], numbers: Sequence[int], content: Callable[[int], int]) -> str | None:
    if len(set(map(content, numbers))) != len(numbers):
        return TWICE
    return None if told == {(content(number), number) for number in numbers} else WRONG


def node_flaw(results: Sequence[Any], memory: Mapping[int, int], bits: int = BITS) -> str | None:
    """Each node is to be in the table once, and everybody told its number."""
    told = {each for result in results for each in result}
    return numbers_flaw(told, entered(memory, SLOTS, bits), lambda number: memory.get(NODES + 2 * WORD * number, 0))


def left_width(segment: int) -> int:
    """How many bits a left half has, and a right one."""
    return segment & 63


def state_flaw(results: Sequence[Any], memory: Mapping[int, int]) -> str | None:
    """The same of states."""
    told = {each for result in results for each in result}

    def right(state: int) -> int:
        segment = memory[SEGMENTS + 2 * WORD * (state >> block.SEGMENT_SHIFT)]
        offset = (state & ((1 << block.SEGMENT_SHIFT) - 1)) * ROOT_BITS // 8
        root = memory[ROOTS + (segment >> BEGIN_SHIFT) + offset]
        return root >> left_width(segment) & ((1 << left_width(segment)) - 1)

    return numbers_flaw(told, entered(memory, ROOT_SLOTS, BITS), right)


def apart_flaw(results: Sequence[Any], memory: Mapping[int, int]) -> str | None:
    """The same, where tags are behind the numbers."""
    return node_flaw(results, memory, MOST_BITS)


def taking_flaw(results: Sequence[Any], _memory: Mapping[int, int]) -> str | None:
    """No number is to be taken twice."""
    taken = [number for result in results for number in range(*result)]
    return None if len(set(taken)) == len(taken) and taken else "a number is taken twice"


def case(*programs: Program, flaw: Callable[[Sequence[Any], Mapping[int, int]], str | None], bits: int = BITS) -> Case:
    """Workers that begin with empty tables of one line."""
    again = (SLOTS, ROOT_SLOTS, NODES, SEGMENTS)
    return Case(
        programs,
        HASHES,
        team_words(len(programs), bits),
        own_words(bits),
        range(TEAM, TEAM + AREA),
        lambda place: any(area <= place < area + AREA for area in again),
        flaw,
        tree.FUNCTIONS,
    )


TWICE: Final = "one is stored twice"
TREE_CASES: Final[Mapping[str, Case]] = {
    "the same node": case(numbering(1), numbering(1), flaw=node_flaw),
    "two nodes, crosswise": case(numbering(1, 2), numbering(2, 1), flaw=node_flaw),
    "the same node, tags apart": case(numbering(1), numbering(1), flaw=apart_flaw, bits=MOST_BITS),
    "two states, crosswise": case(storing(1, 2), storing(2, 1), flaw=state_flaw),
    "the same state": case(storing(1), storing(1), flaw=state_flaw),
    "numbers": case(taking, taking, flaw=taking_flaw),
}
SWAP: Final = "    if swap_if(place, pair, pair | (slot << ((index & 1) << 5))) != pair:\n"
WRITTEN: Final = (
    "    number = next_number(block, which)\n    place = node_at(word(block, which + SET_VALUES), number)\n"
)
TREE_MISTAKES: Final[Mapping[str, tuple[str, str, Changes]]] = {
    "a slot of nodes is published without release": (
        "the same node",
        READS,
        [(SWAP, SWAP.replace("swap_if", "weak_swap_if"))],
    ),
    "a slot of nodes is read without acquire": (
        "the same node",
        READS,
        [("slot_in(shared(slot_word", "slot_in(weak_shared(slot_word")],
    ),
    "a slot of nodes is written whatever is there": (
        "the same node",
        WRONG,
        [(SWAP, "    if 0 * share(place, pair | (slot << ((index & 1) << 5))) != 0:\n")],
    ),
    "a node is written behind its slot": (
        "the same node",
        READS,
        [
            ("number = write_node(block, which, low, high)", "number = next_number(block, which)"),
            (
                "                count_node(block, which, number)\n",
                "                write_node(block, which, low, high)\n"
                "                count_node(block, which, number)\n",
            ),
        ],
    ),
    "a tag that is not there is believed": (
        "the same node, tags apart",
        TWICE,
        [("surveyed_apart(line, tag)", "believed_apart(line, tag)")],
    ),
    "numbers are taken without compare-and-swap": (
        "numbers",
        "a number is taken twice",
        [
            (
                "        seen = swap_if(place, before, before + part)\n        if seen == before:\n            keep",
                "        seen = before + 0 * share(place, before + part)\n        if seen == before:\n            keep",
            )
        ],
    ),
}
"""Mistakes in the store's text: the case that shows each, and as what."""
