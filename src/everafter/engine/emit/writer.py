"""The text of LLVM functions, instruction by instruction.

Values are strings: a name such as `%v7`, or a number. What is written behind a jump and before the next label is
unreachable; it goes into a block of its own, so that every value has a definition, and LLVM takes it out again.
"""

from __future__ import annotations

from collections.abc import Callable

TRUE, FALSE = "true", "false"
EIGHT = "!0"
"""The metadata that says so of an address; defined once in a text."""


def signed(word: int) -> int:
    """A word of 64 bits as LLVM writes it."""
    return word - 2**64 if word >> 63 else word


class Writer:
    """One function while it is written."""

    def __init__(self, head: str) -> None:
        aligned = head.replace("ptr %", "ptr align 8 %")  # of a row, of a control block, or of words in them
        self._lines = [f"define {aligned} {{", "entry:"]
        self._count = 0
        self._block = "entry"
        self.is_open = True

    @property
    def block(self) -> str:
        """The block that what is written next is in."""
        self._reopen()
        return self._block

    def _reopen(self) -> None:
        if not self.is_open:
            self.label(self.fresh("dead"))

    def fresh(self, hint: str = "v") -> str:
        """A name that has not been used."""
        self._count += 1
        return f"{hint}{self._count}"

    def do(self, instruction: str) -> None:
        """Write an instruction that has no value."""
        self._reopen()
        self._lines.append(f"  {instruction}")

    def get(self, instruction: str) -> str:
        """Write an instruction; the name of its value is returned."""
        name = f"%{self.fresh()}"
        self.do(f"{name} = {instruction}")
        return name

    def label(self, name: str) -> None:
        """Begin a block; what comes before flows into it."""
        self.jump(name)
        self._lines.append(f"{name}:")
        self._block = name
        self.is_open = True

    def end(self, instruction: str) -> None:
        """Write an instruction that ends its block, unless it has ended."""
        if self.is_open:
            self.do(instruction)
            self.is_open = False

    def jump(self, label: str) -> None:
        """Go on at a label."""
        self.end(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Go on at the label `yes` if `condition` is true, else at `no`."""
        if condition in (TRUE, FALSE):
            self.jump(yes if condition == TRUE else no)
        else:
            self.end(f"br i1 {condition}, label %{yes}, label %{no}")

    def unless(self, condition: str, label: str) -> None:
        """Go to `label` if `condition` is false, else go on."""
        following = self.fresh("go")
        self.branch(condition, following, label)
        self.label(following)

    def when(self, condition: str, label: str) -> None:
        """Go to `label` if `condition` is true, else go on."""
        following = self.fresh("go")
        self.branch(condition, label, following)
        self.label(following)

    def switch(self, value: str, default: str, cases: list[tuple[int, str]]) -> None:
        """Go on at the label that `cases` give for `value`, else at `default`."""
        listed = " ".join(f"i64 {number}, label %{label}" for number, label in cases)
        self.end(f"switch i64 {value}, label %{default} [ {listed} ]")

    def each(self, count: str, body: Callable[[str], None]) -> None:
        """A loop over the numbers from 0 on that are less than `count`."""
        loop, inside, last, done = self.fresh("loop"), self.fresh("inside"), self.fresh("last"), self.fresh("done")
        before, following = self.block, f"%{self.fresh()}"
        self.label(loop)
        number = self.phi("i64", ("0", before), (following, last))
        self.branch(self.compare("ult", number, count), inside, done)
        self.label(inside)
        body(number)
        self.label(last)
        self.do(f"{following} = add i64 {number}, 1")
        self.jump(loop)
        self.label(done)

    # Memory

    def at(self, pointer: str, offset: int | str) -> str:
        """Return the address `offset` bytes behind `pointer`."""
        if offset in (0, "0"):
            return pointer
        return self.get(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def load(self, pointer: str, size: int, signed: bool = False) -> str:
        """Return the number of `size` bytes at `pointer`, `signed` or not; eight bytes lie at a multiple of eight."""
        if size == 8:
            return self.get(f"load i64, ptr {pointer}, align 8")
        raw = self.get(f"load i{8 * size}, ptr {pointer}, align 1")
        return self.get(f"{'sext' if signed else 'zext'} i{8 * size} {raw} to i64")

    def store(self, pointer: str, value: str | int, size: int) -> None:
        """Store the low `size` bytes of `value` at `pointer`; eight bytes at a multiple of eight."""
        if size != 8 and not _is_number(value):
            value = self.get(f"trunc i64 {value} to i{8 * size}")
        elif size != 8:
            value = int(value) & ((1 << (8 * size)) - 1)
        self.do(f"store i{8 * size} {value}, ptr {pointer}, align {8 if size == 8 else 1}")

    def pointer(self, place: str) -> str:
        """The address kept at an address, a multiple of eight."""
        return self.get(f"load ptr, ptr {place}, !align {EIGHT}")

    # Arithmetic

    def compare(self, relation: str, left: str, right: str | int) -> str:
        """Return whether `left` and `right` stand in `relation`."""
        return self.get(f"icmp {relation} i64 {left}, {right}")

    def add(self, left: str | int, right: str | int) -> str:
        """Return the sum of `left` and `right`."""
        if _is_number(left) and _is_number(right):
            return str(int(left) + int(right))
        if left in (0, "0"):
            return str(right)
        return str(left) if right in (0, "0") else self.get(f"add i64 {left}, {right}")

    def times(self, left: str | int, right: int) -> str:
        """Return `left` times the constant `right`."""
        if _is_number(left):
            return str(int(left) * right)
        return str(left) if right == 1 else self.get(f"mul i64 {left}, {right}")

    def both(self, left: str, right: str) -> str:
        """Return whether `left` and `right` are true."""
        if FALSE in (left, right):
            return FALSE
        if TRUE in (left, right):
            return right if left == TRUE else left
        return self.get(f"and i1 {left}, {right}")

    def either(self, left: str, right: str) -> str:
        """Return whether `left` or `right` is true."""
        if TRUE in (left, right):
            return TRUE
        if FALSE in (left, right):
            return right if left == FALSE else left
        return self.get(f"or i1 {left}, {right}")

    def negated(self, condition: str) -> str:
        """Whether a condition is false."""
        if condition in (TRUE, FALSE):
            return FALSE if condition == TRUE else TRUE
        return self.get(f"xor i1 {condition}, true")

    def number(self, condition: str) -> str:
        """A condition as 1 or 0."""
        if condition in (TRUE, FALSE):
            return "1" if condition == TRUE else "0"
        return self.get(f"zext i1 {condition} to i64")

    def phi(self, kind: str, *choices: tuple[str, str]) -> str:
        """The value that belongs to the block we come from."""
        return self.get(f"phi {kind} " + ", ".join(f"[ {value}, %{block} ]" for value, block in choices))

    def text(self) -> str:
        """The finished function."""
        if self.is_open:
            self.end("unreachable")
        return "\n".join([*self._lines, "}"])


def _is_number(value: str | int) -> bool:
    return isinstance(value, int) or value.lstrip("-").isdigit()
