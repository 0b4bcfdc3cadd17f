"""What is asked of a model, from the command line and from Python alike: checked once, here, when it is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, get_args

from everafter.checking.engines import ENGINES
from everafter.checking.plan import CHECKPOINT_EVERY, Wishes
from everafter.checking.question import ReductionWish
from everafter.engine.block import MOST_WORKERS
from everafter.engine.cluster.address import Address
from everafter.engine.columns import StoreKind
from everafter.product.claim import Fairness
from everafter.program.expected import Expected
from everafter.search.catalogue import CATALOGUE
from everafter.source import OptionError, Source, closest

Ignored = Literal["assertions", "end-states"]
"""What of safety can be left out."""

BEARS_ON: Final = "bears on"
"""What a field of Request bears on: each is marked with one of the following."""
PROPERTY: Final = {BEARS_ON: "property"}
"""It names a property."""
CONDITION: Final = {BEARS_ON: "condition"}
"""A verdict is true under it: whoever is shown the verdict must be shown the field, too."""
SEARCH: Final = {BEARS_ON: "search"}
"""It changes how an answer is found, or what is told beside it, and never the verdict."""
ALGORITHMS = tuple(dict.fromkeys(algorithm.name for algorithm in CATALOGUE))


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model. With nothing asked, everything it states: safety, formulas, never claims.

    Raises OptionError where a field has no meaning.
    """

    safety: bool = field(default=False, metadata=PROPERTY)
    formulas: Sequence[str] = field(default=(), metadata=PROPERTY)
    """Names of `ltl` blocks, or formulas."""
    never: bool = field(default=False, metadata=PROPERTY)
    automaton: Source | None = field(default=None, metadata=PROPERTY)
    """An automaton in HOA format that accepts what must not be."""
    acceptance: bool = field(default=False, metadata=PROPERTY)
    progress: bool = field(default=False, metadata=PROPERTY)
    fairness: Fairness | None = field(default=None, metadata=CONDITION)
    algorithm: str | None = field(default=None, metadata=SEARCH)
    engine: str | None = field(default=None, metadata=SEARCH)
    """Machine code, or the reference that says what it must do; None for what suits the question."""
    reduction: ReductionWish = field(default="static", metadata=SEARCH)
    """Whether steps that need not be taken are left out where that is sound."""
    ignore: Sequence[Ignored] = field(default=(), metadata=CONDITION)
    """What need not hold: SPIN's -A and -E."""
    empty_channels: bool = field(default=False, metadata=CONDITION)
    """Whether a run may stop only when all channels are empty: SPIN's -q."""
    all_violations: bool = field(default=False, metadata=SEARCH)
    """Whether the search for violations of safety goes on behind the first: each assertion that fails is then shown."""
    coverage: bool = field(default=False, metadata=SEARCH)
    """Whether all effort is made to know which statements are never executed, and which propositions do not matter."""
    threads: int | None = field(default=None, metadata=SEARCH)
    """How many threads search together, where they can. Without a number: one, or as many as there are processors if
    the search is large."""

    store: StoreKind | None = field(default=None, metadata=SEARCH)
    """How states are kept: each whole, equal parts of all of them once, or three bits of each, so that some may be
    missed. None for what suits the question."""
    cluster: str | None = field(default=None, metadata=SEARCH)
    """Where the workers are that search: auto, ray://HOST:PORT, local:N or inside:N. None for this process alone."""
    checkpoint: str | None = field(default=None, metadata=SEARCH)
    """A folder in which a search notes how far it has come, and from which it goes on …"""
    checkpoint_every: float = field(default=CHECKPOINT_EVERY, metadata=SEARCH)
    """… every so many seconds."""

    def __post_init__(self) -> None:
        if isinstance(self.formulas, str):
            object.__setattr__(self, "formulas", (self.formulas,))
        object.__setattr__(self, "formulas", tuple(self.formulas))
        object.__setattr__(self, "ignore", (self.ignore,) if isinstance(self.ignore, str) else tuple(self.ignore))
        for check in self.ignore:
            one_of("check to ignore", check, get_args(Ignored))
        one_of("fairness", self.fairness, get_args(Fairness), optional=True)
        one_of("algorithm", self.algorithm, ALGORITHMS, optional=True)
        one_of("engine", self.engine, ENGINES, optional=True)
        one_of("reduction", self.reduction, get_args(ReductionWish))
        one_of("store", self.store, get_args(StoreKind), optional=True)
        if not self.checkpoint_every >= 0:
            raise OptionError(f"checkpoint_every is a number of seconds, not {self.checkpoint_every!r}")
        if self.checkpoint is not None and "\0" in self.checkpoint:
            raise OptionError(f"no folder can be called {self.checkpoint!r}")
        if self.cluster is not None:
            Address.of(self.cluster)
        if self.threads is not None and not 1 <= self.threads <= MOST_WORKERS:
            raise OptionError(f"threads is a whole number from 1 to {MOST_WORKERS}, not {self.threads}")

    @property
    def asks_nothing(self) -> bool:
        """Whether no property is named."""
        return not (self.safety or self.formulas or self.never or self.automaton or self.acceptance or self.progress)

    @property
    def expected(self) -> Expected:
        """What is expected of every run."""
        return Expected("assertions" not in self.ignore, "end-states" not in self.ignore, self.empty_channels)

    @property
    def wishes(self) -> Wishes:
        """How to search, as far as that is said."""
        return Wishes(
            self.engine,
            self.algorithm,
            self.threads,
            self.store,
            self.cluster,
            self.checkpoint,
            self.checkpoint_every,
        )


def one_of(what: str, value: object, allowed: Collection[str], optional: bool = False) -> None:
    """Raise OptionError, with advice, unless the value is one of these."""
    if (value is None and optional) or (isinstance(value, str) and value in allowed):
        return
    advice = closest(value, allowed) if isinstance(value, str) else None
    raise OptionError(f"there is no {what} {value!r}", advice or f"choose one of {', '.join(allowed)}")


def conditions_of(request: Request, defines: Mapping[str, str], loses_messages: bool) -> dict[str, Any]:
    """All that a verdict depends on beside the words of the model and the property, as JSON has it.

    Of the `request`, its conditions count; `defines` and `loses_messages` are how the model was read. Of equal
    meaning, equal values.
    """
    asked = {each.name: getattr(request, each.name) for each in fields(request) if each.metadata == CONDITION}
    asked = {name: sorted(set(value)) if isinstance(value, tuple) else value for name, value in asked.items()}
    return {"defines": dict(defines), "loses_messages": loses_messages, **asked}


def definitions(given: Mapping[str, object] | None) -> dict[str, str]:
    """Macros as the preprocessor takes them; numbers and truth values are written as Promela does."""
    found: dict[str, str] = {}
    for name, value in (given or {}).items():
        if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
            raise OptionError(f"{name!r} is no name of a macro", "write NAME or NAME=VALUE")
        if not isinstance(value, str | int):
            raise OptionError(f"the macro {name} is defined as {value!r}, which is no text or whole number")
        found[name] = str(int(value)) if isinstance(value, bool | int) else value
    return found
