"""Linear temporal logic as a library of its own: formulas, their meaning on lassos, small automata.

from everafter import ltl
formula = ltl.parse("[] (request -> <> answer)")
automaton = ltl.to_buchi(ltl.Not(formula))
print(ltl.to_never(automaton))
"""

from everafter.later import names_from

TYPE_CHECKING = False  # as in everafter itself
if TYPE_CHECKING:
    from everafter.ltl.logic import *  # noqa: F403 # what is public is listed there

__getattr__, __dir__ = names_from("everafter.ltl.logic")
