"""Every engine there is, the default first. A new backend is one more entry, and one in request.ENGINE_NAMES.

A backend is imported when it is to decide, and what it needs when that is looked for.
"""

from __future__ import annotations

from everafter.checking.backend import Backend
from everafter.checking.plan import CLUSTER, Engine, Plan
from everafter.checking.request import Request
from everafter.engine.columns import STORES


def _native(plan: Plan) -> Backend:
    from everafter.checking.native import Native

    return Native(plan)


def _reference(plan: Plan) -> Backend:
    from everafter.checking.reference import Reference

    return Reference(plan)


def _gpu(plan: Plan) -> Backend:
    from everafter.checking.gpu import OnGpu

    return OnGpu(plan)


def _missing_gpu(_wishes: Request) -> str | None:
    from everafter.engine.gpu.machines import missing

    return missing()


def _cluster(plan: Plan) -> Backend:
    from everafter.checking.cluster import OnCluster

    return OnCluster(plan)


def _missing_cluster(wishes: Request) -> str | None:
    from everafter.engine.cluster.address import Address
    from everafter.engine.cluster.places import unreachable

    return Address.of(wishes.cluster or CLUSTER).missing() or unreachable(wishes.checkpoint or "")


ENGINES: dict[str, Engine] = {
    "native": Engine(
        "native", _native, teams=True, fairness=frozenset({"weak"}), certifies=True, stores=STORES, checkpoints=True
    ),
    "reference": Engine("reference", _reference, fairness=frozenset({"weak", "strong"})),
    "gpu": Engine("gpu", _gpu, by_levels={"reachability": "breadth-first", "cycle": "owcty"}, missing=_missing_gpu),
    "cluster": Engine(
        "cluster",
        _cluster,
        stores=("plain", "tree"),
        checkpoints=True,
        by_levels={"reachability": "breadth-first", "cycle": "owcty"},
        missing=_missing_cluster,
    ),
}
