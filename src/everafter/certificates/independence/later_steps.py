"""What a process may still do from a place on, and the processes that it starts.

A started process speaks of channels by parameters, which are the arguments of the one that starts it; of channels that
it creates itself, which no other process can know before; or of global ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from everafter.certificates.independence.touches import UNTOUCHED, Name, Text, Touch, Use, all_of
from everafter.ltl.strong_components import components_of
from everafter.program.control_flow import Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression, RunExpression
from everafter.promela.walk import subexpressions
from everafter.record import replace

Place = tuple[int, int]
"""A proctype and a place of control."""


def runs_in(step: Transition) -> Iterator[RunExpression]:
    """Every `run` in a transition."""
    for item in expressions_in(step.effect):
        yield from (part for part in subexpressions(item) if isinstance(part, RunExpression))


class Later:
    """For every place, all that may follow."""

    def __init__(self, program: Program, text: Text) -> None:
        self._program = program
        self._text = text
        kinds = program.processes
        own = {(kind.index, number): all_of(text.steps(kind, number)) for kind in kinds for number in kind.graph.nodes}
        lives = [UNTOUCHED] * len(kinds)
        while True:
            self._found = {place: touch for kind in kinds for place, touch in self._follow(kind, own, lives)}
            again = [self._found.get((kind.index, kind.graph.start), UNTOUCHED) for kind in kinds]
            if again == lives:
                break
            lives = again

    def of(self, place: Place) -> Touch:
        """What a process at this place, and those that it starts, may still touch."""
        return self._found[place]

    def _follow(self, kind: ProcessType, own: dict[Place, Touch], lives: list[Touch]) -> Iterator[tuple[Place, Touch]]:
        """What is touched from each place on: places that lead to each other have the same before them."""
        nodes = kind.graph.nodes
        numbers = sorted(nodes)
        index = {number: place for place, number in enumerate(numbers)}
        after = [[index[step.target] for step in nodes[n].transitions if step.target in nodes] for n in numbers]
        component = components_of(after, range(len(numbers)))
        found = [UNTOUCHED] * len(numbers)
        for place in sorted(range(len(numbers)), key=component.__getitem__):  # what comes later has a smaller number
            part, node = component[place], nodes[numbers[place]]
            found[part] |= own[kind.index, node.number]
            found[part] |= all_of(self._child(run, lives) for step in node.transitions for run in runs_in(step))
            found[part] |= all_of(found[other] for other in {component[target] for target in after[place]} - {part})
        return (((kind.index, number), found[component[place]]) for number, place in index.items())

    def _child(self, run: RunExpression, lives: list[Touch]) -> Touch:
        """What a started process may touch, in the words of the one that starts it."""
        child = self._program.processes[self._program.by_name[run.proctype]]
        life = lives[child.index]
        return replace(life, uses=frozenset(told for use in life.uses for told in self._told(run, child, use)))

    def _told(self, run: RunExpression, child: ProcessType, use: Use) -> Iterator[Use]:
        if use.channel is None or not use.channel.is_local:
            yield use
            return
        parameters = [cell for cell, _ in child.parameters]
        for cell in use.channel.cells:
            if cell in parameters:
                position = parameters.index(cell)
                given = run.arguments[position] if position < len(run.arguments) else None
                yield Use(use.operation, self._meant(given), False)

    def _meant(self, argument: Expression | None) -> Name | None:
        return None if argument is None else self._text.name(argument)
