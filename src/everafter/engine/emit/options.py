"""The transitions of a process where it is: which of them to try, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer
from everafter.program.control_flow import Node, Transition
from everafter.program.program import ProcessType
from everafter.record import dataclass


@dataclass(frozen=True, slots=True)
class TransitionOption:
    """A transition, and its position among those of its node."""

    node: Node
    position: int
    transition: Transition
    has_escapes: bool
    """Whether an escape is among those of its node."""


def each_option(
    w: Writer, facts: Facts, kind: ProcessType, is_asked: Callable[[Transition], bool] = lambda _: True
) -> Iterator[TransitionOption]:
    """Branch, by code of `w`, on the control location at `%own` to the options of the nodes of `kind` that have any.

    The transitions are those for which `is_asked` is true. Behind the last of them, and where there is none, control
    goes on at the label `leave`. `facts` say what is known of the model.
    """
    layout = facts.layout
    node = w.load(w.at("%own", layout.node), layout.node_bytes)
    nodes = [item for item in kind.graph.nodes.values() if any(map(is_asked, item.transitions))]
    w.switch(node, "leave", [(item.number, f"node{item.number}") for item in nodes])
    for item in nodes:
        w.label(f"node{item.number}")
        has_escapes = any(transition.escape for transition in item.transitions)
        for position, transition in enumerate(item.transitions):
            yield TransitionOption(item, position, transition, has_escapes)
        w.jump("leave")
    w.label("leave")


def stay_in_escape(w: Writer, option: TransitionOption, leave: str = "leave") -> None:
    """Go to the label `leave`, by code of `w`, if an escape other than `option` has been possible."""
    if option.has_escapes:
        escape = w.load("%escape", 8)
        stays = w.either(w.compare("eq", escape, 0), w.compare("eq", escape, option.transition.escape))
        w.unless(stays, leave)
