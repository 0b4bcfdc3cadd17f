"""The label of a step: who moves by which transition, who answers in a rendezvous, and whether something is printed.

bits 0–15, 16–23   the element of the transition, and the process; in a rendezvous those of the receiver
bits 32–57         1 + the same of the sender, 0 without a rendezvous
bit 63             whether a printf is executed
"""

from __future__ import annotations

from typing import NamedTuple

from everafter.engine.emit.writer import Writer, signed
from everafter.program.control_flow import DeterministicStep, Perform, Transition
from everafter.promela.model import Print

_ELEMENT_BITS, _MOVER_BITS, _SENDER = 16, 24, 32
_PRINTS = 1 << 63


class StepLabel(NamedTuple):
    """Who moves, by which element; who receives, by which."""

    process: int
    element: int
    partner: int | None
    partner_element: int | None

    @staticmethod
    def of(word: int) -> StepLabel:
        """Return the label that the low 63 bits of `word` are."""
        sender = (word & (_PRINTS - 1)) >> _SENDER
        mover = _mover(word & ((1 << _MOVER_BITS) - 1))
        return StepLabel(*_mover(sender - 1), *mover) if sender else StepLabel(*mover, None, None)


def _mover(bits: int) -> tuple[int, int]:
    return bits >> _ELEMENT_BITS, bits & ((1 << _ELEMENT_BITS) - 1)


def label(w: Writer, pid: str, transition: Transition) -> str:
    """Return the label of a step of the process `pid` by `transition`, by code of `w`."""
    mover = w.get(f"shl i64 {pid}, {_ELEMENT_BITS}")
    return w.get(f"or i64 {mover}, {signed(transition.element | (_PRINTS if prints(transition) else 0))}")


def sender_label(w: Writer, pid: str, transition: Transition) -> str:
    """Return what stands in the label of a rendezvous for its sender `pid`, by code of `w`."""
    mover = w.add(w.get(f"shl i64 {pid}, {_ELEMENT_BITS}"), transition.element + 1)
    return w.get(f"or i64 {w.get(f'shl i64 {mover}, {_SENDER}')}, {signed(_PRINTS if prints(transition) else 0)}")


def prints(transition: Transition) -> bool:
    """Return whether `transition` may print."""
    effect = transition.effect
    if isinstance(effect, DeterministicStep):
        return any(
            isinstance(each, Perform) and isinstance(each.statement, Print) for each in effect.instructions.values()
        )
    return isinstance(effect, Print)
