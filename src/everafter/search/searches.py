"""The names of the library of searches, all together, for those who use it from outside."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from everafter.arguments import guard
from everafter.search.algorithm import accepting_lasso
from everafter.search.breadth import shortest_path
from everafter.search.catalogue import ALONE, names
from everafter.search.components import strongly_connected_components, tarjan
from everafter.search.exploration import Exploration, Hooks, View, explore
from everafter.search.generalised import couvreur
from everafter.search.graph import Degeneralised, ExplicitGraph, Generalised, GeneralisedGraph, Graph, Transitions
from everafter.search.lasso import Lasso, flaw, generalised_flaw, path_flaw
from everafter.search.meter import Meter, Statistics, Stopped
from everafter.search.nested import nested_dfs, nested_dfs_courcoubetis, nested_dfs_holzmann
from everafter.search.parallel.run import parallel_nested_dfs
from everafter.search.reachability import (
    CyclicGraphError,
    find_cycle,
    find_path,
    find_way_into,
    reachable_states,
    topological_order,
)
from everafter.search.shortest import shortest_generalised_lasso, shortest_lasso
from everafter.search.trimming import owcty

ALGORITHMS: Mapping[str, Callable[[Graph[Any], Meter | None], Lasso[Any] | None]] = MappingProxyType(
    {name: partial(accepting_lasso, ALONE[name]) for name in names("cycle", "one")}
)
"""Every search for an accepting cycle of a Büchi graph, by name. They agree on whether there is one."""

__all__ = [
    "ALGORITHMS",
    "CyclicGraphError",
    "Degeneralised",
    "ExplicitGraph",
    "Exploration",
    "Generalised",
    "GeneralisedGraph",
    "Graph",
    "Hooks",
    "Lasso",
    "Meter",
    "Statistics",
    "Stopped",
    "Transitions",
    "View",
    "couvreur",
    "explore",
    "find_cycle",
    "find_path",
    "find_way_into",
    "flaw",
    "generalised_flaw",
    "nested_dfs",
    "nested_dfs_courcoubetis",
    "nested_dfs_holzmann",
    "owcty",
    "parallel_nested_dfs",
    "path_flaw",
    "reachable_states",
    "shortest_generalised_lasso",
    "shortest_lasso",
    "shortest_path",
    "strongly_connected_components",
    "tarjan",
    "topological_order",
]

guard(globals(), __all__)
