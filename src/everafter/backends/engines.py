"""Every engine there is, the default first. A new backend is one more entry, and one in request.ENGINE_NAMES.

A backend is imported when it is to decide, and what it needs when that is looked for.
"""

from __future__ import annotations

from everafter.choices import STORES
from everafter.questions.backend import Backend
from everafter.questions.plan import CLUSTER, Engine, Plan
from everafter.questions.request import Request


def _native(plan: Plan) -> Backend:
    from everafter.backends.native import Native

    return Native(plan)


def _reference(plan: Plan) -> Backend:
    from everafter.backends.reference import ReferenceBackend

    return ReferenceBackend(plan)


def _gpu(plan: Plan) -> Backend:
    from everafter.backends.gpu import OnGpu

    return _behind_look(plan, OnGpu(plan))


def _missing_gpu(_options: Request) -> str | None:
    from everafter.engine.gpu.devices import missing

    return missing()


def _cluster(plan: Plan) -> Backend:
    from everafter.backends.cluster import OnCluster

    return _behind_look(plan, OnCluster(plan))


def _behind_look(plan: Plan, search: Backend) -> Backend:
    """The search of a plan, behind the look that the plan begins with, if it does."""
    from everafter.backends.first_look import FirstLook

    return search if plan.look is None else FirstLook(_native(plan.look), search)


def _missing_cluster(options: Request) -> str | None:
    from everafter.engine.cluster.address import Address
    from everafter.engine.cluster.checkpoint_storage import unreachable

    return Address.of(options.cluster or CLUSTER).missing() or unreachable(options.checkpoint or "")


ENGINES: dict[str, Engine] = {
    "native": Engine(
        "native",
        _native,
        teams=True,
        fairness=frozenset({"weak", "strong"}),
        certifies=True,
        stores=STORES,
        checkpoints=True,
    ),
    "reference": Engine("reference", _reference, fairness=frozenset({"weak", "strong"})),
    "gpu": Engine(
        "gpu",
        _gpu,
        certifies=True,
        by_levels={"reachability": "breadth-first", "cycle": "owcty"},
        missing=_missing_gpu,
    ),
    "cluster": Engine(
        "cluster",
        _cluster,
        certifies=True,
        stores=("plain", "tree"),
        checkpoints=True,
        by_levels={"reachability": "breadth-first", "cycle": "owcty"},
        missing=_missing_cluster,
    ),
}
