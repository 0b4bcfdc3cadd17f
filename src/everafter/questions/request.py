"""What is asked of a model, from the command line and from Python alike: declared and checked here, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

from everafter.choices import ALGORITHMS, MOST_WORKERS, ON_DEMAND, REDUCTIONS, Fairness, ReductionWish, StoreKind
from everafter.flags import CONDITION, PROPERTY, SEARCH, Flag, check_options, flags, one_of, option
from everafter.program.expected import Expected
from everafter.record import dataclass, replace
from everafter.source import Diagnostic, InputError, OptionError, Place, Source, read_source

Ignored = Literal["assertions", "end-states"]
"""What of safety can be left out."""
ENGINE_NAMES: Final = {
    "native": "machine code, which is the default",
    "reference": "plain interpretation",
    "gpu": "an NVIDIA GPU",
    "cluster": "many machines",
}
"""What the engines of everafter.backends.engines run on."""


# What values may be, and how they are read


def _check_threads(threads: int) -> None:
    if not 1 <= threads <= MOST_WORKERS:
        raise OptionError(f"threads is a whole number from 1 to {MOST_WORKERS}, not {threads}")


def _check_cluster(where: str) -> None:
    from everafter.engine.cluster.address import Address  # noqa: PLC0415 # few checks need a cluster

    Address.of(where)


def _check_folder(folder: str) -> None:
    if "\0" in folder:
        raise OptionError(f"no folder can be called {folder!r}")


def reductions(wish: ReductionWish) -> frozenset[str]:
    """Return the names of the reductions that `wish` asks for. Raises OptionError if it names another."""
    if wish in ("static", "none"):
        return frozenset(REDUCTIONS if wish == "static" else ())
    names = [name.strip() for name in wish.split(",")]
    for name in names:
        if len(names) > 1 and name in ("static", "none"):
            others = f"leave out the others, or write {','.join(REDUCTIONS)}" if name == "static" else "leave it out"
            raise OptionError(f"the reduction '{name}' stands alone", others)
        one_of("reduction", name, ("static", "none", *REDUCTIONS, *ON_DEMAND))
    return frozenset(names)


def _check_reduction(wish: ReductionWish) -> None:
    reductions(wish)


def _check_seconds(seconds: float) -> None:
    if not seconds >= 0:
        raise OptionError(f"checkpoint_every is a number of seconds, not {seconds!r}")


def _formula_in(path: str) -> str:
    """What must hold by a file of SPIN's: its first line says what must not be, and the lines behind it are notes."""
    source = read_source(path)
    if not source.line(1).strip():
        raise InputError([Diagnostic(Place(source, 1, 1), "the first line of this file must be a formula")])
    return f"!({source.line(1)})"


def _in_words(values: Sequence[str]) -> str:
    return f"{', '.join(values[:-1])}, or {values[-1]}"


def _is_given(path: str | None) -> bool:
    return path is not None


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model. With nothing asked, everything it states: safety, formulas, never claims.

    Raises OptionError where a field has no meaning.
    """

    safety: bool = option(
        False,
        PROPERTY,
        "assertions, end states and run-time errors",
        says="assertions, invalid end states, run-time errors, traces",
    )
    formulas: Sequence[str] = option(
        (),
        PROPERTY,
        "a formula; may be given several times",
        flag="--ltl",
        metavar="NAME-OR-FORMULA",
        says="an `ltl` block of the model, or a formula, or a macro of the model that is one; repeatable; the model's "
        "macros may be used",
        also=(
            Flag(
                "as for SPIN, a file whose first line is a formula of what must not be",
                name="formula_file",
                flag="-F",
                metavar="FILE",
                kind="file",
                read=_formula_in,
                says="as for SPIN: the first line of the file is a formula of what must **not** be, and the lines "
                "behind it are notes (`.prp`)",
            ),
        ),
    )
    never: bool = option(
        False,
        PROPERTY,
        "a never claim to be checked with the model",
        metavar="FILE",
        kind="file",
        read=_is_given,
        says="a never claim, read as if it stood at the end of the model",
    )
    automaton: Source | None = option(
        None,
        PROPERTY,
        "an automaton of what must not be, in HOA format",
        flag="--hoa",
        metavar="FILE",
        kind="file",
        read=read_source,
        says="an automaton of what must not be, in HOA format; its propositions are Promela expressions",
    )
    acceptance: bool = option(
        False,
        PROPERTY,
        "no run is at accept labels again and again",
        says="no run is at `accept` labels again and again",
    )
    progress: bool = option(
        False,
        PROPERTY,
        "every endless run makes progress again and again",
        says="every endless run is at `progress` labels again and again",
    )
    fairness: Fairness | None = option(
        None,
        CONDITION,
        "look only at runs fair to every process",
        flag="--fair",
        metavar="weak|strong",
        choices=get_args(Fairness),
        says={
            "weak": "only runs in which a process that can move all the time moves again and again",
            "strong": "only runs in which a process that can move again and again does",
        },
    )
    algorithm: str | None = option(
        None,
        SEARCH,
        f"the search for safety, or that for infinite runs: {', '.join(ALGORITHMS)}",
        metavar="NAME",
        choices=ALGORITHMS,
        says="for safety `breadth-first` (a short counterexample), `depth-first` (SPIN's order; with several threads "
        "each has an order of its own) or `unordered` (the fastest, with the least memory); for infinite runs "
        "`schwoon-esparza` (the default), `holzmann`, `courcoubetis`, `tarjan`, `couvreur`, `streett`, `owcty` "
        "(without depth-first search), and for several threads `acyclic` (their default for claims that stay in "
        "accepting states), `cndfs` (for others), `pndfs`, `pndfs-early`, `pndfs-all-red`, `pndfs-early-all-red`, "
        "`swarm` ([parallel.md](parallel.md))",
    )
    engine: str | None = option(
        None,
        SEARCH,
        _in_words(list(ENGINE_NAMES.values())),
        metavar="|".join(ENGINE_NAMES),
        choices=ENGINE_NAMES,
        says="`native`: machine code; `reference`: plain interpretation, slow, to compare with; `gpu`: safety and "
        "formulas on an NVIDIA GPU ([gpu.md](gpu.md)); `cluster`: safety and formulas on many machines, as "
        "`--cluster auto`. Without it `native`",
    )
    reduction: ReductionWish = option(
        "static",
        SEARCH,
        "leave out needless steps, and variables, where that is sound",
        metavar="static|none|ample,merge,dead,symmetry",
        check=_check_reduction,
        says="`static` (the default): all reductions, each where it is sound, else the report says why not; or some, "
        "with commas: `ample`: leave out steps that need not be taken; `merge`: take steps at once that depend on no "
        "other process; `dead`: write zero into variables that are not read again; `symmetry` (not in `static`): let "
        "processes that their numbers alone tell apart change places; `none`: count exactly the states "
        "that SPIN counts with all its optimisations off",
    )
    ignore: Sequence[Ignored] = option(
        (),
        CONDITION,
        "as SPIN's -A and -E: these may fail, and are passed over",
        metavar="assertions|end-states",
        choices=get_args(Ignored),
        called="check to ignore",
        says={
            "assertions": "SPIN's `-A`: assertions of processes may fail, and runs go on behind them; those of a never "
            "claim are part of the claim, and count. What is ignored is part of the name of the verdict: `safety "
            "(assertions ignored)`",
            "end-states": "SPIN's `-E`: a run may stop anywhere",
        },
    )
    empty_channels: bool = option(
        False,
        CONDITION,
        "as SPIN's -q: at the end channels must be empty",
        says="SPIN's `-q`: a run may stop only when all channels are empty, besides what is asked of processes and "
        "traces",
    )
    all_violations: bool = option(
        False,
        SEARCH,
        "go on behind a violation of safety, and show each",
        says="go on behind a violation of safety: an assertion that fails is shown, passed over, and the search begins "
        "anew (`safety beyond 1`, …) until nothing else goes wrong, with `--trace m.trail` to `m.trail`, `m2.trail`, "
        "…; an invalid end state is followed by a search that passes over all of them. A run-time error ends it",
    )
    coverage: bool = option(
        False,
        SEARCH,
        "make sure which statements are never executed, and which parts of a formula do not matter",
        says="make sure which statements are never executed, though reduction leaves out steps, and which propositions "
        "of a formula do not matter ([understanding.md](understanding.md))",
    )
    threads: int | None = option(
        None,
        SEARCH,
        "search with so many threads; without it one, or for large searches one for each processor",
        metavar="N",
        kind="whole number",
        check=_check_threads,
        says="how many threads search together. Without it one begins; a search of more than 300,000 states starts "
        "anew with a thread for each processor",
    )
    store: StoreKind | None = option(
        None,
        SEARCH,
        "keep states whole, equal parts of them once (also on a cluster), in few bits, or only 3 or 32 bits of each: "
        "then no verdict but violated",
        metavar="plain|tree|packed|bitstate|compact",
        choices=get_args(StoreKind),
        says="`plain`: keep every state whole; `tree`: keep equal parts of states once, which takes a fraction of the "
        "memory and, where states are short, more time ([engine.md](engine.md#a-row-as-a-tree)); `packed`: by one "
        "thread, keep short states in few bits ([engine.md](engine.md#a-row-in-its-slot)) (without this option "
        "`plain`, and one thread goes over to `packed` or `tree` where states are many); `bitstate`: keep "
        "three bits of each state, so that some may be taken for others and missed: a violation is found and shown as "
        "always, else the verdict is `incomplete`, with an estimate of the states visited; until a `--time` ends, "
        "searches with other hash functions and orders follow; `compact`: the same search, once, with 32 bits of the "
        "hash of each state, which misses next to none until its table is full "
        "([engine.md](engine.md#lossy-stores)). The workers of a cluster have `plain` and `tree`",
    )
    cluster: str | None = option(
        None,
        SEARCH,
        "search on a Ray cluster, or on N nodes here",
        metavar="auto|ray://HOST:PORT|local:N",
        check=_check_cluster,
        says="decide safety and formulas by workers on a Ray cluster: `auto`, `ray://HOST:PORT`, or `local:N` for N "
        "nodes started here ([cluster.md](cluster.md)). `threads` is then the number of workers",
    )
    checkpoint: str | None = option(
        None,
        SEARCH,
        "note there how far the search has come, and go on from there",
        metavar="FOLDER",
        check=_check_folder,
        may_change=True,
        says="(with `--cluster` also a URL) note there how far the search has come, every two minutes and when it is "
        "stopped, and go on from there: [below](#checkpoints-and-resume)",
    )
    checkpoint_every: float = option(
        120.0,
        SEARCH,
        "write a checkpoint so often, and when the search is stopped",
        metavar="2m",
        kind="duration",
        check=_check_seconds,
        may_change=True,
        resumed="write checkpoints so often",
        says="how often that is noted",
    )

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def asks_nothing(self) -> bool:
        """Whether no property is named."""
        return not any(getattr(self, each.name) for each in flags(type(self)) if each.bears_on == PROPERTY)

    @property
    def expected(self) -> Expected:
        """What is expected of every run."""
        return Expected("assertions" not in self.ignore, "end-states" not in self.ignore, self.empty_channels)

    @property
    def wishes(self) -> Request:
        """How to search, as far as that is said: the request without what changes its answer."""
        return replace(self, **{each.name: each.default for each in flags(type(self)) if each.bears_on != SEARCH})


def conditions_of(request: Request, defines: Mapping[str, str], loses_messages: bool) -> dict[str, Any]:
    """All that a verdict depends on beside the words of the model and the property, as JSON has it.

    Of the `request`, its conditions count; `defines` and `loses_messages` are how the model was read. Of equal
    meaning, equal values.
    """
    asked = {each.name: getattr(request, each.name) for each in flags(Request) if each.bears_on == CONDITION}
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
