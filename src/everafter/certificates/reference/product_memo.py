"""Where the rows of a certificate lead, by steps that are mostly remembered (`certificates/reference/step_memo.py`)."""

from __future__ import annotations

from typing import Final

from everafter.certificates.reference.reads import read_set_of
from everafter.certificates.reference.step_memo import EVERYTHING, HEADER, Remembered, RowShape, bits_of
from everafter.execution.state import RuntimeProblem
from everafter.product.claim import AutomatonClaim, Claim, Holds, NeverClaim
from everafter.product.product import Product
from everafter.product.safety import SafetyGraph
from everafter.program.layout import CLAIM, HOLDER
from everafter.promela.model import NonProgress, RemoteLabel, RemoteVariable

_CLAIM_SHIFT: Final = 8 * CLAIM
_NO_CLAIM: Final = 0xFFFF
_SYSTEM: Final = ~bits_of(CLAIM, 2)
_MOST_REMEMBERED: Final = 1 << 18


class RememberedGraph:
    """The edges of a graph that takes all steps, between rows as numbers."""

    def __init__(self, graph: Product | SafetyGraph) -> None:
        if graph.reduction is not None or (isinstance(graph, Product) and graph.accept_labels):
            raise ValueError("which steps suffice, and who is at a label, is not remembered")
        self._graph = graph
        self._steps = Remembered(graph.program)
        self._claim = _RememberedClaim(graph.claim, self._steps) if isinstance(graph, Product) else None

    def successors(self, row: bytes) -> list[int] | None:
        """The rows that a row leads to; None where only the graph can say: something goes wrong there, say."""
        number = int.from_bytes(row, "little")
        shape = self._steps.shape(row)
        if self._claim is None:
            return self._steps.successors(row, number, shape)
        system = number & _SYSTEM
        found = self._steps.successors(row, system, shape)
        if found is None:
            return None
        at = number >> _CLAIM_SHIFT & _NO_CLAIM
        moves = self._claim.moves(row, system, shape, at) if row[HOLDER] == 0 else (at,)
        if moves is None:
            return None
        return [after | move << _CLAIM_SHIFT for move in moves for after in found]

    def is_accepting(self, row: bytes) -> bool:
        """Whether meeting this row for ever makes a run accepted; for safety, no row does."""
        graph, at = self._graph, int.from_bytes(row[CLAIM : CLAIM + 2], "little")
        if isinstance(graph, SafetyGraph):
            return False
        return row[HOLDER] == 0 and at != _NO_CLAIM and graph.claim.is_accepting(at)


class _RememberedClaim:
    """The moves of a claim, which depend on what it names."""

    def __init__(self, claim: Claim, steps: Remembered) -> None:
        self._claim = claim
        self._steps = steps
        self._masks: dict[RowShape, int] = {}
        self._moves: dict[tuple[int, int], tuple[int, ...]] = {}

    def moves(self, row: bytes, system: int, shape: RowShape, at: int) -> tuple[int, ...] | None:
        """Where the claim goes on reading a state that has not stopped; None where it is over."""
        mask = self._masks.get(shape)
        if mask is None:
            mask = self._masks[shape] = self._mask(shape)
        key = (at, system & mask)
        moves = self._moves.get(key)
        if moves is None:
            moves = self._asked(row, at)
            if moves is not None and mask != EVERYTHING:
                if len(self._moves) > _MOST_REMEMBERED:
                    self._moves.clear()
                self._moves[key] = moves
        return moves

    def _asked(self, row: bytes, at: int) -> tuple[int, ...] | None:
        claim = self._claim
        if at == _NO_CLAIM:
            return None
        try:
            moves = tuple(claim.moves(self._steps.state(row), at, False))
        except RuntimeProblem:
            return None
        return None if any(claim.is_end(place) for place in (at, *moves)) else moves

    def _mask(self, shape: RowShape) -> int:
        """The bits that matter to the claim."""
        match self._claim:
            case AutomatonClaim(automaton=automaton, propositions=propositions):
                read = [propositions[name] for name in automaton.propositions]
                parts: list[object] = [each.expression for each in read if isinstance(each, Holds)]
                looks = len(parts) < len(read)
            case NeverClaim(process=process):
                parts = [step.effect for step in process.graph.transitions()]
                looks = False
            case _:
                return EVERYTHING
        read_set = read_set_of(parts)
        if read_set.others - {RemoteLabel, NonProgress, RemoteVariable}:
            return EVERYTHING
        places = shape.nodes if looks or read_set.others else 0
        processes = shape.processes if RemoteVariable in read_set.others else 0
        channels = shape.every_channel if read_set.channels else 0
        return HEADER | self._steps.variables(read_set.variables) | places | processes | channels
