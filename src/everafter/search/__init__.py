"""Searches of graphs that are generated on the fly: what is reachable, and is there an accepting run?

A graph is anything with initial(), successors(state) and is_accepting(state), over any hashable states. The answers are
values: a path is a tuple of states, an infinite run a `Lasso`. A search that its `Meter` stops raises `Stopped`.
"""

from everafter.later import names_from

TYPE_CHECKING = False  # as in everafter itself
if TYPE_CHECKING:
    from everafter.search.searches import *  # noqa: F403 # what is public is listed there

__getattr__, __dir__ = names_from("everafter.search.searches")
