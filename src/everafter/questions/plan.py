"""Who searches, how, and why: the only place that decides it.

A plan is a list of stages, each a search that decides what those before it have not: one worker begins, and a team
takes over if that takes long; a search that is not one for this graph is followed by one that is for every graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from everafter.engine.checkpoint.points import WAYS
from everafter.engine.columns import FORGETFUL, StoreKind
from everafter.product.claim import AutomatonClaim, Fairness, NeverClaim
from everafter.questions.backend import Backend
from everafter.questions.outcome import Method
from everafter.questions.question import Goal, Question
from everafter.questions.reduction_choice import reduction_for
from everafter.questions.request import Request
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import Unreduced
from everafter.search.catalogue import ALONE, CATALOGUE, TEAM
from everafter.source import OptionError
from everafter.system import processors

PATIENCE = 300_000
"""States that one worker finds before a team starts anew: little is lost, and a small search is over before a team
would have met."""
HUNT = 100_000
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
TOGETHER = {"breadth-first": "unordered", "unordered": "unordered", "depth-first": "depth-first"}
"""What a team runs in place of a search for a violation by one worker."""
ON_CLUSTER, CLUSTER = "cluster", "auto"
"""The engine of a group of workers, and where it is by default."""
FORGETTING = "depth-first"
"""The search that the stores which forget states are for."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One search, by `workers` workers. From `patience` states on, its state budget, the next stage takes over."""

    algorithm: str
    workers: int = 1
    patience: int | None = None
    seed: int = 0
    """Another seed, other orders of successors; 0 lets the first worker follow the model's."""
    least_bytes: int = 0
    """Its state budget is not spent while states take fewer bytes."""
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
    wishes: Request = field(default_factory=Request)
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
        return "plain" if self.store in FORGETFUL and stage not in self.stages else self.store

    def method(self, stage: Stage, stores: bool = False) -> Method:
        """Return the plan as it is reported when `stage` has decided, with its store if it `stores` states."""
        reduced = isinstance(self.reduction, Reduction)
        unreduced = "" if isinstance(self.reduction, Reduction) else self.reduction.reason
        name = "static" if reduced else "none"
        store = self.store_of(stage) if stores else ""
        return Method(self.engine, self.label or stage.algorithm, stage.workers, name, unreduced, self.why, store)


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
    """What it needs for these wishes and this computer does not have, if anything."""


def plan(question: Question, wishes: Request, engines: Mapping[str, Engine]) -> Plan:
    """Return how `question` will be decided by one of `engines`, with the options `wishes`.

    Raises OptionError where they have no meaning together.
    """
    engine = engine_for(question.goal, question.fairness, wishes, engines)
    if wishes.store in FORGETFUL:
        return _forgetting(question, engine, wishes.store)
    if wishes.checkpoint is not None:
        return _stored(question, _one_thread(wishes, engine), engine)
    return _stored(question, wishes, engine)


def _one_thread(wishes: Request, engine: Engine) -> Request:
    """The wishes for one thread, where there can be several."""
    return replace(wishes, threads=1) if engine.teams else wishes


def _stored(question: Question, wishes: Request, engine: Engine) -> Plan:
    """The plan, with the store that is wished for."""
    return replace(_plan(question, wishes, engine), store=wishes.store or "plain", wishes=wishes)


def _forgetting(question: Question, engine: Engine, store: StoreKind) -> Plan:
    """A depth-first search needs the rows on its path alone, and has the way to what it finds."""
    why = f"{FORGETTING} is the search that needs no states but those on its path"
    return Plan(engine.name, (Stage(FORGETTING),), reduction_for(question), True, why, store=store)


def _plan(question: Question, wishes: Request, engine: Engine) -> Plan:
    reduction = reduction_for(question)
    if engine.by_levels:
        why = f"the {engine.name} engine expands a whole level at once"
        stages = (Stage(engine.by_levels[question.goal]),)
        return Plan(engine.name, stages, reduction, why=why)
    if question.goal == "cycle" and question.fairness is not None:
        return _fair(question.fairness, engine, reduction)
    name = wishes.algorithm or _default(question)
    if name not in ALONE:
        workers = wishes.threads or (processors() if engine.teams else 1)
        return Plan(engine.name, _team_stages(name, workers), reduction, why=f"{name} was asked for")
    return _alone_or_together(question, wishes, engine, name, reduction)


def _default(question: Question) -> str:
    """What one worker runs; where a certificate is wanted, a search that leaves the ranks it needs."""
    is_ranked = question.certificate is not None and question.goal == "cycle"
    return RANKING if is_ranked else DEFAULTS[question.goal]


def advice_for(goal: Goal) -> str:
    """The searches there are for a goal."""
    names = dict.fromkeys(each.name for each in CATALOGUE if each.question == goal)
    return f"choose one of {', '.join(names)}"


def engine_for(goal: Goal, fairness: Fairness | None, wishes: Request, engines: Mapping[str, Engine]) -> Engine:
    """Return the one of `engines` that searches for `goal` under `fairness`, with the options `wishes`.

    Raises OptionError where the options have no meaning together.
    """
    fair = fairness if goal == "cycle" else None
    engine = _engine(fair, wishes, engines)
    if engine.by_levels:
        _check_by_levels(goal, wishes, engine)
    name = wishes.algorithm
    if name is not None and goal not in goals_of(name):
        raise OptionError(f"{name} is no search for this question", advice_for(goal))
    if name is not None and fair is not None:
        raise OptionError(f"{name} does not look for fair runs", "leave out algorithm, or fairness")
    if wishes.threads is not None and wishes.threads > 1:
        _check_team(fair, wishes, engine)
    if wishes.store is not None:
        _check_store(goal, wishes, engine)
    if wishes.checkpoint is not None:
        _check_checkpoint(wishes, engine)
    return engine


def goals_of(algorithm: str) -> set[Goal]:
    """The goals that an algorithm is one for."""
    return {each.question for each in CATALOGUE if each.name == algorithm}


def _engine(fairness: Fairness | None, wishes: Request, engines: Mapping[str, Engine]) -> Engine:
    able = [engine for engine in engines.values() if fairness is None or fairness in engine.fairness]
    name = wishes.engine or (ON_CLUSTER if wishes.cluster is not None else None)
    if name is None:
        return able[0]
    if name not in engines:
        raise OptionError(f"there is no engine {name!r}", f"choose one of {', '.join(engines)}")
    if wishes.cluster is not None and name != ON_CLUSTER:
        raise OptionError(f"the {name} engine runs on no cluster", "leave out engine, or cluster")
    chosen = engines[name]
    if chosen not in able:
        names = " or ".join(engine.name for engine in able)
        raise OptionError(f"the {chosen.name} engine has no search for {fairness}ly fair runs", f"choose {names}")
    return chosen


def _check_by_levels(goal: Goal, wishes: Request, engine: Engine) -> None:
    """That an engine that searches by levels can do what is wished, and is there."""
    if wishes.algorithm not in (None, engine.by_levels[goal]):
        raise OptionError(f"the {engine.name} engine has no {wishes.algorithm}", "leave out algorithm, or engine")
    if wishes.threads is not None:
        raise OptionError(f"the {engine.name} engine has its own threads", "leave out threads, or engine")
    missing = engine.missing(wishes)
    if missing is not None:
        raise OptionError(f"the {engine.name} engine cannot run here: {missing}", "the native engine needs nothing")


def _check_team(fairness: Fairness | None, wishes: Request, engine: Engine) -> None:
    """That several threads can search as it is wished."""
    if not engine.teams:
        raise OptionError(f"the {engine.name} engine runs in one thread", f"leave out threads, or engine {engine.name}")
    if fairness is not None:
        raise OptionError("fair runs are searched for by one thread", "leave out threads, or fairness")
    if wishes.algorithm is not None and wishes.algorithm not in {*TEAM, *TOGETHER, DEFAULTS["cycle"]}:
        together = ", ".join(dict.fromkeys((*TOGETHER, *TEAM)))
        raise OptionError(f"{wishes.algorithm} is a search by one thread", f"several can run {together}")


def _check_store(goal: Goal, wishes: Request, engine: Engine) -> None:
    """That states can be kept as it is wished."""
    if wishes.store not in engine.stores and engine.name == ON_CLUSTER:
        raise OptionError(
            f"the workers of a cluster have no {wishes.store} store: each keeps all of its states",
            "choose plain or tree, or leave out cluster",
        )
    if wishes.store not in engine.stores:
        raise OptionError(f"the {engine.name} engine has no {wishes.store} store", "leave out store, or engine")
    by_team = (wishes.threads or 1) > 1 or (wishes.algorithm is not None and wishes.algorithm not in ALONE)
    if wishes.store in FORGETFUL and goal != "reachability":
        raise OptionError(f"the {wishes.store} store is for safety alone", "write --safety, or choose another store")
    if wishes.store in FORGETFUL and (by_team or wishes.algorithm not in (None, FORGETTING)):
        raise OptionError(
            f"the {wishes.store} store is for {FORGETTING} by one thread", "leave out algorithm and threads"
        )


def _check_checkpoint(wishes: Request, engine: Engine) -> None:
    """Raise OptionError unless the search can be resumed."""
    if not engine.checkpoints:
        raise OptionError(f"the {engine.name} engine writes no checkpoints", "leave out checkpoint, or engine")
    if wishes.threads is not None and wishes.threads > 1:
        raise OptionError("checkpoints are those of one thread", "leave out threads, or checkpoint")
    if wishes.store in FORGETFUL:
        raise OptionError(f"there are no checkpoints of a {wishes.store} store", "leave out store, or choose tree")
    if wishes.algorithm is not None and wishes.algorithm not in WAYS:
        raise OptionError(f"there are no checkpoints of {wishes.algorithm}", f"choose one of {', '.join(WAYS)}")


def _fair(fairness: Fairness, engine: Engine, reduction: Reduction | Unreduced) -> Plan:
    """Fair cycles are found by their strongly connected components."""
    why = f"only components of the graph tell whether a cycle is {fairness}ly fair"
    label = f"components, {fairness} fairness"
    return Plan(engine.name, (Stage("couvreur"),), reduction, why=why, label=label)


def _team_stages(name: str, workers: int, patience: Stage | None = None) -> tuple[Stage, ...]:
    """A team's search, behind that of one worker if there is one, and before the one that is for every graph."""
    fallback = TEAM[name].fallback
    after = (Stage(fallback, workers),) if fallback is not None else ()
    return (*((patience,) if patience is not None else ()), Stage(name, workers), *after)


def _alone_or_together(
    question: Question, wishes: Request, engine: Engine, name: str, reduction: Reduction | Unreduced
) -> Plan:
    """One worker, as many as the options say, or one that is followed by as many as there are processors."""
    together = _together(question, name, asked_for=wishes.algorithm is not None)
    workers = (wishes.threads or processors()) if engine.teams and together is not None else 1
    if name == "depth-first":
        workers = wishes.threads or 1  # the model's order is what is asked for
    shortens = name == "breadth-first" and engine.teams
    if together is None or workers == 1:
        stages, why = _by_one(question, wishes, engine, name)
    elif wishes.threads is not None:
        stages, why = _team_stages(together, workers), f"{together} is what {workers} threads run for this question"
    else:
        stages = _team_stages(together, workers, Stage(name, patience=PATIENCE))
        why = f"{name} by one thread up to {PATIENCE:,} states, above them {together} by {workers}"
    if question.goal == "reachability" and wishes.algorithm is None and engine.teams:
        stages, shortens = (*_hunts(wishes, workers), *stages), True
        why = f"depth-first in different orders up to {HUNT:,} states, then {why}"
    return Plan(engine.name, stages, reduction, shortens, why)


def _by_one(question: Question, wishes: Request, engine: Engine, name: str) -> tuple[tuple[Stage, ...], str]:
    """A search by one worker, and why. Without an option for the store, it begins anew with trees once there are many
    states and they are long: where they are short trees take more time, and few states need no trees."""
    is_asked = wishes.store is not None or wishes.algorithm is not None
    if is_asked or "tree" not in engine.stores or wishes.checkpoint is not None or question.certificate is not None:
        return (Stage(name),), f"{name} by one thread"
    stages = Stage(name, patience=PATIENCE, least_bytes=LONG_STATE), Stage(name, store="tree")
    return stages, f"{name} by one thread, above {PATIENCE:,} states with trees if each takes {LONG_STATE} bytes"


def _hunts(wishes: Request, workers: int) -> tuple[Stage, ...]:
    """Depth-first searches that begin: one in which a worker follows SPIN's order, then one in random orders alone.

    The second is there for teams, too: the worker in SPIN's order may reach the bound before others have begun.
    """
    first = workers if wishes.threads is not None else 1
    return Stage("depth-first", first, HUNT), Stage("depth-first", workers, HUNT, seed=1)


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
