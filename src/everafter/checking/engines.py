"""Every engine there is, the default first. A new backend is one more entry."""

from __future__ import annotations

from everafter.checking.native import Native
from everafter.checking.plan import Engine
from everafter.checking.reference import Reference
from everafter.engine.columns import STORES

ENGINES: dict[str, Engine] = {
    "native": Engine("native", Native, teams=True, fairness=frozenset({"weak"}), certifies=True, stores=STORES),
    "reference": Engine("reference", Reference, fairness=frozenset({"weak", "strong"})),
}
