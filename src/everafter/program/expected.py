"""What is expected of every run, whatever the property is: that assertions hold, and how a run may stop."""

from __future__ import annotations

from everafter.record import dataclass
from everafter.source import Place


@dataclass(frozen=True, slots=True)
class Expected:
    """What counts as going wrong, besides run-time errors and traces. SPIN's verifiers have -A, -E and -q for it."""

    assertions: bool = True
    """Whether an assertion of a process must hold. Those of a never claim are part of what it says: they do."""
    end_states: bool = True
    """Whether a run may stop only where all processes may."""
    empty_channels: bool = False
    """Whether a run may stop only when all channels are empty."""
    passed_over: frozenset[Place] = frozenset()
    """Assertions that are known to fail, and need not hold any more."""

    @property
    def safety(self) -> str:
        """What safety is called: what it leaves out, or asks for besides, is part of its name."""
        notes = (
            ("assertions ignored", not self.assertions),
            ("end states ignored", not self.end_states),
            ("channels empty at the end", self.empty_channels and self.end_states),
        )
        said = ", ".join(note for note, is_so in notes if is_so)
        return f"safety ({said})" if said else "safety"

    def requires(self, assertion: Place) -> bool:
        """Whether the assertion at this place must hold."""
        return self.assertions and assertion not in self.passed_over


AS_USUAL = Expected()
