"""How the machine code of a team touches what its workers share, as LLVM is told it: which access, of which order.

The code is looked at when it is optimised, just before machine code is made of it. Every address that is computed from
that of the team's words, of the hash table or of a shared column is followed through the functions and their calls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from everafter.engine.block import HEADER_SET, NODE_SET, OFFERED, SET_SLOTS, SLOTS, TEAM, Team, word_of
from everafter.engine.code.compiler import joined_text
from everafter.engine.code.machine import optimised, target_machine

BLOCK, TEAM_WORDS, TABLE, ENDS, OFFER = "block", "words of the team", "hash table", "ends of chunks", "what is offered"
NODE_TABLE: Final = "hash table of nodes"
COLUMNS: Final = ("colour", "count", "abort", "parent", "below")
SOURCES: Final[Mapping[tuple[str, int], str]] = {
    (BLOCK, 8 * TEAM): TEAM_WORDS,
    (BLOCK, 8 * SLOTS): TABLE,
    **{(BLOCK, 8 * (each + SET_SLOTS)): NODE_TABLE for each in (NODE_SET, HEADER_SET)},
    (TEAM_WORDS, 8 * Team.ENDS): ENDS,
    **{(BLOCK, 8 * word_of(name)): name for name in COLUMNS},
}
"""The word at this distance from the beginning of a block, or of the team's words, is the address of what is shared."""
SAME: Final = ("inttoptr", "ptrtoint", "phi", "select", "freeze")
"""What these make of an address is the same address …"""
INSIDE: Final = ("add", "sub", "or", "getelementptr")
"""… and what these make of it is another in the same area. A block is an area of words of which few are shared."""
STRONG: Final = frozenset({"seq_cst"})
ORDERS: Final[Mapping[str, frozenset[str]]] = {
    TABLE: frozenset({"seq_cst", "monotonic", "cleared", "hint"}),
    NODE_TABLE: frozenset({"seq_cst", "monotonic", "cleared", "hint"}),
    "colour": frozenset({"seq_cst", "monotonic"}),
    "parent": frozenset({"monotonic"}),
}
"""The orders in which each may be accessed; where nothing is said, sequentially consistent.

A look at a line is of monotonic loads; a slot whose row is to be read is read again. The table is cleared while all
workers wait. A hint is a plain load of which only an arbitrary, fixed value is used.
"""
NO_ORDER: Final = "plain"


@dataclass(frozen=True)
class Access:
    """An instruction that reads or writes something shared."""

    what: str
    opcode: str
    order: str

    @property
    def wrong(self) -> bool:
        """Whether it may not be of this order."""
        return self.order not in ORDERS.get(self.what, STRONG)


def accesses(entries: Mapping[str, tuple[Any, int]], level: int = 3) -> list[Access]:
    """The accesses of all functions of an object to what is shared."""
    return list(_Followed(optimised(joined_text(entries), target_machine(level), level), entries).accesses())


class _Followed:
    """A module in which it is known of each value whether it is an address of something shared."""

    def __init__(self, module: Any, entries: Collection[str]) -> None:
        self.functions = {each.name: each for each in module.functions if not each.is_declaration}
        self.arguments = {name: list(each.arguments) for name, each in self.functions.items()}
        self.code = [
            each for function in self.functions.values() for block in function.blocks for each in block.instructions
        ]
        self.opcode = {each: each.opcode for each in self.code}
        self.operands = {each: list(each.operands) for each in self.code}
        self.users: dict[Any, list[Any]] = defaultdict(list)
        for each in self.code:
            for operand in self.operands[each]:
                self.users[operand].append(each)
        self.what: dict[Any, str] = {self.arguments[name][0]: BLOCK for name in entries}
        pending = [each for value in self.what for each in self.users[value]]
        while pending:
            pending += self._follow(pending.pop())

    def _follow(self, value: Any) -> Iterator[Any]:
        """Note what the value of an instruction is an address of; the instructions that this may tell more."""
        opcode = self.opcode[value]
        found = ""
        if opcode == "load":
            found = SOURCES.get(self._place(self.operands[value][0]), "")
        elif opcode in SAME or opcode in INSIDE:
            found = next(filter(None, (self.what.get(each, "") for each in self.operands[value])), "")
            if opcode in INSIDE and found == BLOCK:
                found = ""
                yield from self.users[value]
        elif opcode == "call" and self.operands[value][-1].name in self.functions:
            for argument, given in zip(
                self.arguments[self.operands[value][-1].name], self.operands[value], strict=False
            ):
                if given in self.what and argument not in self.what:
                    self.what[argument] = self.what[given]
                    yield from self.users[argument]
        if found and value not in self.what:
            self.what[value] = found
            yield from self.users[value]

    def _place(self, pointer: Any) -> tuple[str, int]:
        """What the pointer is an address of, and how far from its beginning; or from where an unknown address is."""
        distance = 0
        while self.opcode.get(pointer) in ("getelementptr", "inttoptr", "add"):
            parts = self.operands[pointer]
            if len(parts) > 1:
                if not parts[1].is_constant:
                    break
                distance += int(parts[1].get_constant_value(signed_int=True))
            pointer = parts[0]
        return self.what.get(pointer, ""), distance

    def accesses(self) -> Iterator[Access]:
        """Every access to what is shared."""
        for each in self.code:
            if each.opcode in ("load", "store", "atomicrmw", "cmpxchg", "call"):
                place = self.operands[each][1 if each.opcode == "store" else 0]
                what = self.what.get(place, "")
                if self._place(place) == (BLOCK, 8 * OFFERED):
                    what = OFFER
                if what not in ("", BLOCK) and (each.opcode != "call" or "llvm.memset" in str(each)):
                    yield Access(what, each.opcode, self._order(each))

    def _order(self, access: Any) -> str:
        words = str(access).replace(",", " ").split()
        orders = [word for word in words if word in ("monotonic", "acquire", "release", "acq_rel", "seq_cst")]
        if orders:
            return min(orders, key=("monotonic", "acquire", "release", "acq_rel", "seq_cst").index)
        if access.opcode == "call":
            return "cleared"
        used = self.users[access]
        return (
            "hint" if access.opcode == "load" and used and all(each.opcode == "freeze" for each in used) else NO_ORDER
        )
