"""Who searches, how, and why: the only place that decides it.

A plan is a list of stages, each a search that decides what those before it have not: one worker begins, and a team
takes over if that takes long; a search that is not one for this graph is followed by one that is for every graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from everafter.choices import LOSSY, Fairness, StoreKind
from everafter.engine.checkpoint.points import WAYS
from everafter.engine.checkpoint.team_keeper import BY_TEAM
from everafter.engine.columns import can_be_packed
from everafter.product.claim import AutomatonClaim, NeverClaim
from everafter.questions.backend import Backend
from everafter.questions.outcome import Method
from everafter.questions.question import Goal, Question
from everafter.questions.reduction_choice import reduction_for
from everafter.questions.request import Request
from everafter.record import dataclass, field, replace
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import Unreduced
from everafter.search.catalogue import ALONE, CATALOGUE, TEAM
from everafter.source import OptionError
from everafter.system import processors

STATE_BUDGET = 300_000
"""States that one worker finds before a team starts anew: little is lost, and a small search is over before a team
would have met."""
QUICK_LOOK = 100_000
"""States that are searched depth-first before the complete search begins, first in SPIN's order, then in random ones:
where something goes wrong deep down, one of them often meets it at once."""
SHORTENING = 2_000_000
"""States among which a shortest run to a violation found deep is looked for."""
LONG_STATE = 160
"""Bytes of a state in the plain store from which on a tree takes a tenth of that, and no more time."""
USUAL_BYTES = 1024
"""Larger states count for several in the state budget of a stage: they cost as much again in every stage."""
RANKING = "tarjan"
"""The search by one worker that leaves behind what a certificate needs."""
DEFAULTS: Mapping[Goal, str] = {"reachability": "breadth-first", "cycle": "schwoon-esparza"}
FAIR: Mapping[Fairness, str] = {"weak": "couvreur", "strong": "streett"}
"""The searches for fair cycles."""
PACKED: Mapping[Goal, str] = {"reachability": "unordered", "cycle": "schwoon-esparza"}
"""What one worker runs over packed rows: nothing but a colour is kept beside them, so not breadth-first."""
TOGETHER = {"breadth-first": "unordered", "unordered": "unordered", "depth-first": "depth-first"}
"""What a team runs in place of a search for a violation by one worker."""
NATIVE = "native"
"""The engine that looks for what lies deep before engines that expand whole levels."""
ON_CLUSTER, CLUSTER = "cluster", "auto"
"""The engine of a group of workers, and where it is by default."""
FORGETTING = "depth-first"
"""The search that the stores which forget states are for."""
NESTED = "nested depth-first"
"""What that is called where it looks for cycles."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One search, by `workers` workers. From `state_budget` states on, the next stage takes over."""

    algorithm: str
    workers: int = 1
    state_budget: int | None = None
    seed: int = 0
    """Another seed, other orders of successors; 0 lets the first worker follow the model's."""
    least_bytes: int = 0
    """Its state budget is not spent while states take fewer bytes, unless the next stage can pack their rows."""
    store: StoreKind | None = None
    """How it keeps states, if not as the plan says."""

    @property
    def is_by_team(self) -> bool:
        """Whether it is a search of workers that share what they find, if only one of them."""
        return self.workers > 1 or self.seed > 0 or self.algorithm not in ALONE


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question is decided."""

    engine: str
    stages: tuple[Stage, ...]
    reduction: Reduction | Unreduced
    shortens: bool = False
    """Whether a shortest run is looked for where that of the stage that decided is not known to be one."""
    why: str = ""
    label: str = ""
    """What the search is called in a report, if not by the name of its algorithm."""
    store: StoreKind = "plain"
    """How searches keep states; the search for a shorter path behind one that forgets them keeps them whole."""
    look: Plan | None = None
    """What the native engine begins with, before an engine that expands whole levels: the search of these stages."""
    options: Request = field(default_factory=Request)
    """What the user has said of how to search, for the backend: what is decided here stands above."""

    def ranking(self, decided: Stage) -> Stage | None:
        """The search that a certificate needs once this stage has decided that there is no cycle; None for no more."""
        if (TEAM if decided.is_by_team else ALONE)[decided.algorithm].ranks:
            return None
        return Stage(RANKING)

    @property
    def usable_reduction(self) -> Reduction | None:
        """The reduction, if there is one."""
        return self.reduction if isinstance(self.reduction, Reduction) else None

    def store_of(self, stage: Stage) -> StoreKind:
        """How the stage keeps states."""
        if stage.store is not None:
            return stage.store
        if self.store == "packed":
            return "packed" if not stage.is_by_team and can_be_packed(ALONE[stage.algorithm]) else "plain"
        return "plain" if self.store in LOSSY and stage not in self.stages else self.store

    def method(self, stage: Stage, stores: bool = False) -> Method:
        """Return the plan as it is reported when `stage` has decided, with its store if it `stores` states."""
        reduced = isinstance(self.reduction, Reduction)
        unreduced = "" if isinstance(self.reduction, Reduction) else self.reduction.reason
        name = "static" if reduced else "none"
        store = self.store_of(stage) if stores else ""
        algorithm = self.label or stage.algorithm
        return Method(self.engine, algorithm, stage.workers, name, unreduced, why=self.why, store=store)


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that plans may use: how its backend is made of a plan, and what it can do."""

    name: str
    make: Callable[[Plan], Backend]
    teams: bool = False
    """Whether several threads can search together."""
    fairness: frozenset[Fairness] = frozenset()
    """Which fair runs it can look for."""
    certifies: bool = False
    """Whether it gives the rows of a completed search to the writer of a certificate."""
    stores: tuple[StoreKind, ...] = ()
    """How it can keep states, the usual way first; empty where there is no choice."""
    checkpoints: bool = False
    """Whether its searches can be resumed."""
    by_levels: Mapping[Goal, str] = field(default_factory=dict)
    """What it runs for each goal, if all it can do is to expand whole levels at once."""
    missing: Callable[[Request], str | None] = lambda _: None
    """What it needs for these options and this computer does not have, if anything."""


def plan(question: Question, options: Request, engines: Mapping[str, Engine]) -> Plan:
    """Return how `question` will be decided by one of `engines`, with the options `options`.

    Raises OptionError where they have no meaning together.
    """
    engine = engine_for(question.goal, question.fairness, options, engines)
    if options.store in LOSSY:
        return _forgetting(question, engine, options.store, options.threads or 1)
    if options.checkpoint is not None:
        return _stored(question, _stated_threads(options, engine), engine)
    return _stored(question, options, engine)


def _stated_threads(options: Request, engine: Engine) -> Request:
    """The options with the threads that they name, else one, where there can be several."""
    return replace(options, threads=options.threads or 1) if engine.teams else options


def _stored(question: Question, options: Request, engine: Engine) -> Plan:
    """The plan, with the store that is chosen for."""
    return replace(_plan(question, options, engine), store=options.store or "plain", options=options)


def _forgetting(question: Question, engine: Engine, store: StoreKind, workers: int) -> Plan:
    """A depth-first search needs the rows on its path alone, and has the way to what it finds."""
    why = f"{FORGETTING} is the search that needs no states but those on its path"
    label = NESTED if question.goal == "cycle" else ""
    return Plan(engine.name, (Stage(FORGETTING, workers),), reduction_for(question), True, why, label, store=store)


def _plan(question: Question, options: Request, engine: Engine) -> Plan:
    reduction = reduction_for(question)
    if engine.by_levels:
        return _by_levels(question, options, engine, reduction)
    if question.goal == "cycle" and question.fairness is not None:
        return _fair(question.fairness, engine, reduction)
    name = options.algorithm or _default(question)
    if name not in ALONE:
        workers = options.threads or (processors() if engine.teams else 1)
        return Plan(engine.name, _team_stages(name, workers), reduction, why=f"{name} was asked for")
    return _alone_or_together(question, options, engine, name, reduction)


def _by_levels(question: Question, options: Request, engine: Engine, reduction: Reduction | Unreduced) -> Plan:
    """A search by levels, behind a look of the native engine: what lies deep is on one of the last levels."""
    why = f"the {engine.name} engine expands a whole level at once"
    stages = (Stage(engine.by_levels[question.goal]),)
    looking = _hunts(options, 1)
    if not looking or question.goal != "reachability" or options.algorithm is not None:
        return Plan(engine.name, stages, reduction, why=why)
    look = Plan(NATIVE, looking, reduction, True, f"the native engine looks {_depth_first()}, before {why}")
    return Plan(engine.name, stages, reduction, why=f"after a look {_depth_first()}, {why}", look=look)


def _default(question: Question) -> str:
    """What one worker runs; where a certificate is wanted, a search that leaves the ranks it needs."""
    is_ranked = question.certificate is not None and question.goal == "cycle"
    return RANKING if is_ranked else DEFAULTS[question.goal]


def advice_for(goal: Goal) -> str:
    """The searches there are for a goal."""
    names = dict.fromkeys(each.name for each in CATALOGUE if each.question == goal)
    return f"choose one of {', '.join(names)}"


def engine_for(goal: Goal, fairness: Fairness | None, options: Request, engines: Mapping[str, Engine]) -> Engine:
    """Return the one of `engines` that searches for `goal` under `fairness`, with the options `options`.

    Raises OptionError where the options have no meaning together.
    """
    fair = fairness if goal == "cycle" else None
    engine = _engine(fair, options, engines)
    if engine.by_levels:
        _check_by_levels(goal, options, engine)
    name = options.algorithm
    if name is not None and goal not in goals_of(name):
        raise OptionError(f"{name} is no search for this question", advice_for(goal))
    if name is not None and fair is not None:
        raise OptionError(f"{name} does not look for fair runs", "leave out algorithm, or fairness")
    if options.threads is not None and options.threads > 1:
        _check_team(fair, options, engine)
    if options.store is not None:
        _check_store(goal, fair, options, engine)
    if options.store == "packed":
        _check_packed(fair, options)
    if options.checkpoint is not None:
        _check_checkpoint(goal, options, engine)
    if fair == "strong" and options.checkpoint is not None:
        raise OptionError("there are no checkpoints of a search for strongly fair runs", "leave out checkpoint")
    return engine


def goals_of(algorithm: str) -> set[Goal]:
    """The goals that an algorithm is one for."""
    return {each.question for each in CATALOGUE if each.name == algorithm}


def _engine(fairness: Fairness | None, options: Request, engines: Mapping[str, Engine]) -> Engine:
    able = [engine for engine in engines.values() if fairness is None or fairness in engine.fairness]
    name = options.engine or (ON_CLUSTER if options.cluster is not None else None)
    if name is None:
        return able[0]
    if name not in engines:
        raise OptionError(f"there is no engine {name!r}", f"choose one of {', '.join(engines)}")
    if options.cluster is not None and name != ON_CLUSTER:
        raise OptionError(f"the {name} engine runs on no cluster", "leave out engine, or cluster")
    chosen = engines[name]
    if chosen not in able:
        names = " or ".join(engine.name for engine in able)
        why = ": expanding whole levels, it keeps no note of who moves" if chosen.by_levels else ""
        raise OptionError(f"the {chosen.name} engine has no search for {fairness}ly fair runs{why}", f"choose {names}")
    return chosen


def _check_by_levels(goal: Goal, options: Request, engine: Engine) -> None:
    """That an engine that searches by levels can do what is chosen, and is there."""
    if options.algorithm not in (None, engine.by_levels[goal]):
        raise OptionError(f"the {engine.name} engine has no {options.algorithm}", "leave out algorithm, or engine")
    if options.threads is not None:
        raise OptionError(f"the {engine.name} engine has its own threads", "leave out threads, or engine")
    missing = engine.missing(options)
    if missing is not None:
        raise OptionError(f"the {engine.name} engine cannot run here: {missing}", "the native engine needs nothing")


def _check_team(fairness: Fairness | None, options: Request, engine: Engine) -> None:
    """That several threads can search as it is chosen."""
    if not engine.teams:
        raise OptionError(f"the {engine.name} engine runs in one thread", f"leave out threads, or engine {engine.name}")
    if fairness is not None:
        raise OptionError("fair runs are searched for by one thread", "leave out threads, or fairness")
    if options.algorithm is not None and options.algorithm not in {*TEAM, *TOGETHER, DEFAULTS["cycle"]}:
        together = ", ".join(dict.fromkeys((*TOGETHER, *TEAM)))
        raise OptionError(f"{options.algorithm} is a search by one thread", f"several can run {together}")


def _check_store(goal: Goal, fairness: Fairness | None, options: Request, engine: Engine) -> None:
    """That states can be kept as it is chosen."""
    if options.store not in engine.stores and engine.name == ON_CLUSTER:
        raise OptionError(
            f"the workers of a cluster have no {options.store} store: each keeps all of its states",
            "choose plain or tree, or leave out cluster",
        )
    if options.store not in engine.stores:
        raise OptionError(f"the {engine.name} engine has no {options.store} store", "leave out store, or engine")
    if options.store in LOSSY and goal == "cycle" and (options.threads or 1) > 1:
        raise OptionError(f"the {options.store} store has no search for cycles by several threads", "leave out threads")
    if options.store in LOSSY and fairness is not None:
        raise OptionError(f"the {options.store} store has no search for fair runs", "leave out fairness, or store")
    if options.store in LOSSY and options.algorithm not in (None, FORGETTING):
        raise OptionError(f"the {options.store} store is for {FORGETTING}", "leave out algorithm")


def _check_packed(fairness: Fairness | None, options: Request) -> None:
    """That rows can be packed as it is chosen."""
    if options.threads is not None and options.threads > 1:
        raise OptionError("the packed store is for one thread", "leave out threads, or choose tree")
    able = [name for name, algorithm in ALONE.items() if can_be_packed(algorithm)]
    asked = "the search for fair runs" if fairness is not None else options.algorithm
    if asked is not None and asked not in able:
        raise OptionError(
            f"the packed store is not for {asked}: it keeps a colour of each state and no more",
            f"choose one of {', '.join(able)}, or another store",
        )


def _check_checkpoint(goal: Goal, options: Request, engine: Engine) -> None:
    """Raise OptionError unless the search can be resumed."""
    if not engine.checkpoints:
        raise OptionError(f"the {engine.name} engine writes no checkpoints", "leave out checkpoint, or engine")
    by_team = TOGETHER.get(options.algorithm or DEFAULTS[goal], "") if goal == "reachability" else ""
    if options.threads is not None and options.threads > 1 and by_team not in BY_TEAM:
        raise OptionError(
            f"there are checkpoints of several threads for {' and '.join(BY_TEAM)} searches alone",
            "write --safety, or leave out threads, or checkpoint",
        )
    if options.store in LOSSY:
        raise OptionError(f"there are no checkpoints of a {options.store} store", "leave out store, or choose tree")
    if options.algorithm is not None and options.algorithm not in WAYS:
        raise OptionError(f"there are no checkpoints of {options.algorithm}", f"choose one of {', '.join(WAYS)}")


def _fair(fairness: Fairness, engine: Engine, reduction: Reduction | Unreduced) -> Plan:
    """Fair cycles are found by their strongly connected components."""
    why = f"only components of the graph tell whether a cycle is {fairness}ly fair"
    label = f"components, {fairness} fairness"
    return Plan(engine.name, (Stage(FAIR[fairness]),), reduction, why=why, label=label)


def _team_stages(name: str, workers: int, state_budget: Stage | None = None) -> tuple[Stage, ...]:
    """A team's search, behind that of one worker if there is one, and before the one that is for every graph."""
    fallback = TEAM[name].fallback
    after = (Stage(fallback, workers),) if fallback is not None else ()
    return (*((state_budget,) if state_budget is not None else ()), Stage(name, workers), *after)


def _alone_or_together(
    question: Question, options: Request, engine: Engine, name: str, reduction: Reduction | Unreduced
) -> Plan:
    """One worker, as many as the options say, or one that is followed by as many as there are processors."""
    together = _together(question, name, asked_for=options.algorithm is not None)
    workers = (options.threads or processors()) if engine.teams and together is not None else 1
    if options.store == "packed":
        workers = 1
    if name == "depth-first":
        workers = options.threads or 1  # the model's order is what is asked for
    shortens = name == "breadth-first" and engine.teams
    if together is None or workers == 1:
        stages, why = _by_one(question, options, engine, name)
    elif options.threads is not None:
        stages, why = _team_stages(together, workers), f"{together} is what {workers} threads run for this question"
    else:
        stages = _team_stages(together, workers, Stage(name, state_budget=STATE_BUDGET))
        why = f"{name} by one thread up to {STATE_BUDGET:,} stored states, above them {together} by {workers}"
    if question.goal == "reachability" and options.algorithm is None and engine.teams:
        stages, shortens = (*_hunts(options, workers), *stages), True
        why = f"{_depth_first()}, then {why}"
    return Plan(engine.name, stages, reduction, shortens, why)


def _by_one(question: Question, options: Request, engine: Engine, name: str) -> tuple[tuple[Stage, ...], str]:
    """A search by one worker, and why. Without an option for the store, it begins anew with trees once there are many
    states and their rows fit into few bits, or are long: else trees take more time, and few states need neither."""
    is_asked = options.store is not None or options.algorithm is not None
    if options.store == "packed" and options.algorithm is None:
        return (Stage(PACKED[question.goal]),), f"{PACKED[question.goal]} by one thread over packed rows"
    if is_asked or "tree" not in engine.stores or options.checkpoint is not None or question.certificate is not None:
        return (Stage(name),), f"{name} by one thread"
    packed = PACKED[question.goal]
    stages = (
        Stage(name, state_budget=STATE_BUDGET, least_bytes=LONG_STATE),
        Stage(packed, store="packed"),
        Stage(name, store="tree"),
    )
    return (
        stages,
        f"{name} by one thread, above {STATE_BUDGET:,} stored states {packed} with packed rows if they fit, else with "
        f"trees if each takes {LONG_STATE} bytes",
    )


def _depth_first() -> str:
    """What the searches that begin are called in a reason."""
    return f"depth-first in different orders up to {QUICK_LOOK:,} stored states"


def _hunts(options: Request, workers: int) -> tuple[Stage, ...]:
    """Depth-first searches that begin: one in which a worker follows SPIN's order, then one in random orders alone.

    The second is there for teams, too: the worker in SPIN's order may reach the bound before others have begun.
    Without states to look at, there are none.
    """
    if QUICK_LOOK == 0:
        return ()
    first = workers if options.threads is not None else 1
    return Stage("depth-first", first, QUICK_LOOK), Stage("depth-first", workers, QUICK_LOOK, seed=1)


def _together(question: Question, name: str, asked_for: bool) -> str | None:
    """What a team runs in place of a search by one worker; None if nothing. Other searches for cycles are what they
    are: only the default has a counterpart, which depends on whether the claim stays in accepting states."""
    if question.goal == "reachability":
        return TOGETHER.get(name)
    if asked_for and name != DEFAULTS["cycle"]:
        return None
    claim = question.property.claim
    closed = isinstance(claim, AutomatonClaim | NeverClaim) and claim.is_closed and not question.property.accept_labels
    return "acyclic" if closed else "cndfs"
