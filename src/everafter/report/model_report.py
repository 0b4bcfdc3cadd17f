"""What came of a model: its results, or why there are none. Reports for other programs are made of these."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from everafter.record import dataclass, field
from everafter.source import Diagnostic, EverafterError, InputError, Place, Spot
from everafter.verdict.result import Result


@dataclass(frozen=True, slots=True)
class Checked:
    """One model of a check. `places` says where its named formulas stand; `error` is why it was not checked."""

    model: str
    results: tuple[Result, ...] = ()
    seconds: float = 0.0
    warnings: tuple[Diagnostic, ...] = ()
    places: Mapping[str, Place] = field(default_factory=lambda: MappingProxyType({}))
    error: EverafterError | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is said of the text: warnings, and mistakes that kept it from being checked."""
        mistakes = self.error.diagnostics if isinstance(self.error, InputError) else ()
        return (*self.warnings, *mistakes)

    def spot_of(self, result: Result) -> Spot:
        """Where a reader should look: at what goes wrong, at the formula, or at the beginning of the model."""
        run = result.counterexample
        if run is not None and run.problem is not None and run.problem.kind != "claim":
            return Spot.of(run.problem.place)
        if result.property in self.places:
            return Spot.of(self.places[result.property])
        return Spot(self.model, 1, 1)
