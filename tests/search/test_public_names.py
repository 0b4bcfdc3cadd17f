"""The public names of the station: adding one is a decision, removing one breaks a user."""

import inspect

import everafter.search

NAMES = """
ALGORITHMS CyclicGraphError Degeneralised ExplicitGraph Exploration Generalised GeneralisedGraph Graph Hooks Lasso Meter
Statistics Stopped Transitions View couvreur explore find_cycle find_path find_way_into flaw generalised_flaw nested_dfs
nested_dfs_courcoubetis nested_dfs_holzmann owcty parallel_nested_dfs path_flaw reachable_states
shortest_generalised_lasso shortest_lasso shortest_path strongly_connected_components tarjan topological_order
"""


def test_the_public_names() -> None:
    assert sorted(everafter.search.__all__) == sorted(NAMES.split())


def test_every_public_name_is_there_and_documented() -> None:
    for name in everafter.search.__all__:
        value = getattr(everafter.search, name)
        assert not callable(value) or inspect.getdoc(value), name


def test_the_algorithms_have_the_names_of_the_command_line() -> None:
    names = ["schwoon-esparza", "holzmann", "courcoubetis", "tarjan", "couvreur", "streett", "owcty"]
    assert list(everafter.search.ALGORITHMS) == names
