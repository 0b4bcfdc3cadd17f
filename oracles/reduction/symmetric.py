"""The definition of symmetry: where two processes are exchanged, each state takes the same steps, exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.execution.packing import Packer
from everafter.execution.state import RuntimeProblem
from everafter.execution.step import holds, initial_state, is_valid_end, steps
from everafter.program.program import Program
from everafter.promela.model import Expression
from everafter.record import replace


class _Literal:
    """The states of a program without symmetry, and what its exchanges make of them."""

    def __init__(self, program: Program, said: Iterable[Expression]) -> None:
        assert program.symmetry is not None
        self.symmetry = program.symmetry
        self.program = replace(program, symmetry=None)
        self.packer = Packer(self.program)
        self.said = list(said)

    def initial(self) -> bytes:
        return self.packer.pack(initial_state(self.program))

    def steps(self, row: bytes) -> tuple[set[tuple[str, bytes]], bool]:
        """What each step leads to, and whether something goes wrong; of a system that has stopped, whether it may."""
        state = self.packer.unpack(row)
        found = steps(self.program, state)
        outcomes: set[tuple[str, bytes]] = {
            (step.problem.kind if step.problem is not None else "", self.packer.pack(step.state) if step.state else b"")
            for step in found
        }
        return outcomes, bool(found) or is_valid_end(self.program, state)

    def letter(self, row: bytes) -> list[bool | None]:
        """What the property says of a state."""
        return [self._value(row, each) for each in self.said]

    def _value(self, row: bytes, expression: Expression) -> bool | None:
        try:
            return holds(self.program, self.packer.unpack(row), expression)
        except RuntimeProblem:
            return None

    def orbit(self, row: bytes) -> bytes:
        """The least row that exchanges lead to, found by trying all."""
        met, pending = {row}, [row]
        while pending and self.symmetry.applies(row):
            here = pending.pop()
            for number in range(len(self.symmetry.exchanges)):
                there = self.symmetry.exchanged(here, number)
                if there not in met:
                    met.add(there)
                    pending.append(there)
        return min(met)


def symmetry_flaws(program: Program, said: Iterable[Expression], limit: int) -> Iterator[str]:
    """What is wrong with the symmetry of `program` in its first `limit` states, of which a property has `said` things.

    Where all states are met, the orbits are counted, too.
    """
    literal = _Literal(program, said)
    met, pending = {literal.initial()}, [literal.initial()]
    while pending and len(met) < limit:
        row = pending.pop()
        outcomes, may_stop = literal.steps(row)
        for _, there in outcomes:
            if there and there not in met:
                met.add(there)
                pending.append(there)
        if not literal.symmetry.applies(row):
            continue
        for number in range(len(literal.symmetry.exchanges)):
            other = literal.symmetry.exchanged(row, number)
            if literal.symmetry.exchanged(other, number) != row:
                yield f"an exchange taken twice changes {row.hex()}"
            expected = {
                (problem, literal.symmetry.exchanged(there, number) if there else b"") for problem, there in outcomes
            }
            found, other_may_stop = literal.steps(other)
            if found != expected or may_stop != other_may_stop:
                yield f"other steps than in {literal.packer.unpack(row)} in {literal.packer.unpack(other)}"
            if literal.letter(row) != literal.letter(other):
                yield f"the property tells {row.hex()} from {other.hex()}"
        least = literal.symmetry.representative(row)
        if literal.symmetry.is_exact and least != literal.orbit(row):
            yield f"{row.hex()} is represented by {least.hex()}, and {literal.orbit(row).hex()} is less"
