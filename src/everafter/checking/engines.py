"""Every engine there is, the default first. A new backend is one more entry, and one in request.ENGINE_NAMES."""

from __future__ import annotations

from everafter.checking.cluster import OnCluster
from everafter.checking.gpu import OnGpu
from everafter.checking.native import Native
from everafter.checking.plan import CLUSTER, Engine
from everafter.checking.reference import Reference
from everafter.engine.cluster.address import Address
from everafter.engine.cluster.places import unreachable
from everafter.engine.columns import STORES
from everafter.engine.gpu.machines import missing

ENGINES: dict[str, Engine] = {
    "native": Engine(
        "native", Native, teams=True, fairness=frozenset({"weak"}), certifies=True, stores=STORES, checkpoints=True
    ),
    "reference": Engine("reference", Reference, fairness=frozenset({"weak", "strong"})),
    "gpu": Engine(
        "gpu", OnGpu, by_levels={"reachability": "breadth-first", "cycle": "owcty"}, missing=lambda _: missing()
    ),
    "cluster": Engine(
        "cluster",
        OnCluster,
        stores=("plain", "tree"),
        checkpoints=True,
        by_levels={"reachability": "breadth-first", "cycle": "owcty"},
        missing=lambda wishes: Address.of(wishes.cluster or CLUSTER).missing() or unreachable(wishes.checkpoint or ""),
    ),
}
