"""Where a search is when it asks for successors, and how another one gets there.

A search is a function that runs: which line it is at, and what its variables are, cannot be written to a file. But all
that it knows beyond that is in its store. So the same function is started again, over the store as it was, and the
first successors that it asks for are not the model's: they lead it to where it was. Then all that it has changed on the
way is set back, and it goes on.

    stack   depth-first searches: each frame first leads to the next state of the path, which is not coloured yet
    queue   breadth-first: one state leads to the rest of the level, the rest to what was found of the next level
    heap    unordered: one state leads to all that wait
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from everafter.engine import block
from everafter.engine.checkpoint.checkpoint_file import FilePart
from everafter.engine.columns import WIDE, kept
from everafter.engine.memory.search_memory import Memory
from everafter.record import dataclass
from everafter.search.fields import Index
from everafter.search.space import ON_PATH, RED, TARGET

Way = Literal["stack", "queue", "heap"]
WAYS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "breadth-first": "queue",
        "unordered": "heap",
        **dict.fromkeys(("depth-first", "schwoon-esparza", "holzmann", "courcoubetis", "tarjan", "couvreur"), "stack"),
    }
)
"""How the searches go on of which there are checkpoints."""
NESTED: Final[Mapping[str, int]] = MappingProxyType(
    {"schwoon-esparza": RED, "holzmann": RED, "courcoubetis": TARGET},
)
"""Nested searches, and the colour of the first state of the path at which the inner search begins."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """Where a search is. What the numbers mean depends on the way in which it goes on."""

    top: int = 0
    """stack: the frame whose successors are computed next. heap: how many states wait."""
    edges: int = 0
    """stack: how many successors the frames below have."""
    head: int = 0
    """queue: how many states are through …"""
    middle: int = 0
    """… where their level ends …"""
    tail: int = 0
    """… and where the queue ends."""
    level: int = 0
    """queue: how many levels have begun."""


def point_of(memory: Memory, asked: int | None = None, through: int = 0) -> ResumePoint | None:
    """Return where the search of `memory` is: it wants successors in the frame `asked`; or, with None, it got none.

    None if it has not come so far that there is anything to resume. `through`: the states that were through, and are
    not in the queue.
    """
    match WAYS[memory.algorithm.name]:
        case "stack":
            top = asked if asked is not None else _unanswered(memory)
            if asked is None and top is not None:
                _enter_again(memory, top)
            return None if top is None else ResumePoint(top, int(memory.field("limit")[top - 1]) if top else 0)
        case "queue":
            return _point_in_queue(memory, through)
        case "heap":
            height = int(memory.field("limit")[0])
            is_begun = height not in (0, _no_end(memory)) and asked != 0
            is_only_start = memory.words[block.INITIAL_ROWS] == 1  # nobody knows which others are through
            return ResumePoint(height) if is_begun and is_only_start else None


def _unanswered(memory: Memory) -> int | None:
    """The frame whose successors could not be written."""
    limit, none = memory.field("limit"), _no_end(memory)
    return next((depth for depth in range(int(memory.words[block.DEEPEST])) if limit[depth] == none), None)


def _enter_again(memory: Memory, top: int) -> None:
    """Colour the state at which an inner search has begun as it was: the outer one was leaving it when both ended."""
    name = memory.algorithm.name
    if name in NESTED:
        colour, path = memory.field("colour"), [int(node) for node in memory.field("stack")[: top + 1]]
        seed = next((node for node in path if not colour[node] & ON_PATH), None)
        if seed is not None:
            colour[seed] |= ON_PATH | NESTED[name]


def _no_end(memory: Memory) -> int:
    """Where a frame ends whose successors could not be written: at -1, as a column keeps it."""
    return -1 if memory.width == WIDE else (1 << 8 * memory.width) - 1


def _point_in_queue(memory: Memory, through: int) -> ResumePoint | None:
    queue, parent = memory.field("queue"), memory.field("parent")
    head, tail = int(memory.words[block.EXPANSIONS]) - through, _first_zero(queue)
    if head >= tail:
        return None
    level = _level(parent, queue[head])
    low, high = head + 1, tail
    while low < high:  # the states of a level stand together
        middle = (low + high) // 2
        if _level(parent, queue[middle]) > level:
            high = middle
        else:
            low = middle + 1
    return ResumePoint(head=head, middle=low, tail=tail, level=level)


def _first_zero(numbers: Any) -> int:
    """How many numbers there are, before zeros begin."""
    high = 1
    while high < len(numbers) and numbers[high - 1]:
        high *= 2
    low, high = 0, min(high, len(numbers))
    while low < high:
        middle = (low + high) // 2
        if numbers[middle]:
            low = middle + 1
        else:
            high = middle
    return low


def _level(parent: Any, node: int) -> int:
    """How many states there are on the way to this one."""
    level = 0
    while node >= 0:
        node = parent[node]
        level += 1
    return level


def parts_of(memory: Memory, point: ResumePoint) -> list[FilePart]:
    """Return all that must be saved of `memory`: what is known of states, and what resuming at `point` needs."""
    parts = [FilePart(name, area, 0, size) for name, (area, size) in memory.extents.items()]
    match WAYS[memory.algorithm.name]:
        case "stack":
            active = int(memory.words[block.COMPONENT_HEIGHT])
            parts += _columns(memory, "depth", 0, point.top + 1)
            parts += _columns(memory, "edge", 0, point.edges)
            parts += _columns(memory, "row", 0, active)
        case "queue":
            parts += _columns(memory, "row", point.head, point.tail)
        case "heap":
            parts += _columns(memory, "edge", 0, point.top)
    return parts


def _columns(memory: Memory, index: Index, begin: int, end: int) -> list[FilePart]:
    return [
        FilePart(name, memory.columns[name], begin * kind.size, (end - begin) * kind.size)
        for name, kind in kept(index, memory.algorithm, memory.width).items()
    ]
