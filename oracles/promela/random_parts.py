"""What random programs are made of: the weights of the features, and what their author must remember."""

from dataclasses import dataclass

INDENT = "    "
MESSAGES = ("red", "green", "blue")


@dataclass(frozen=True, slots=True)
class Features:
    """How often each feature appears, as weights against each other; 0 switches a feature off.

    The fields of the first group weigh statements. The second group holds probabilities between 0 and 1.
    """

    assignment: float = 9
    guard: float = 1.5
    send: float = 3
    receive: float = 2.5
    choice: float = 3
    loop: float = 3
    atomic: float = 3
    d_step: float = 2.5
    unless: float = 2
    jump: float = 1.5
    for_loop: float = 0.7
    select: float = 0.7
    inline: float = 1
    macro: float = 0.7
    declaration: float = 1.5
    assertion: float = 1.4
    printing: float = 0.3
    skip: float = 0.5
    run: float = 1.5
    block: float = 0.5
    set_priority: float = 0

    arrays: float = 0.5
    structs: float = 0.4
    messages: float = 0.5
    init: float = 0.5
    parameters: float = 0.5
    channel_values: float = 0.3
    several_copies: float = 0.2
    timeout: float = 0.15
    otherwise: float = 0.35
    end_labels: float = 0.6
    labels: float = 0.25
    provided: float = 0.07
    hidden: float = 0.05
    priority: float = 0.0
    exclusive: float = 0.03
    d_step_may_block: float = 0.25
    d_step_receives: float = 0.0
    """How often a d_step begins by a receive, which may answer a rendezvous."""
    d_step_decides: float = 0.0
    """How often an option begins by a d_step, also beside an else."""
    enabled: float = 0.0
    """How often a condition asks whether a process can move."""
    rendezvous: bool = True
    """Whether there are rendezvous channels, which SPIN refuses beside `enabled` and priorities."""
    zero_division: float = 0.004
    wild_index: float = 0.15
    wild_assertion: float = 0.5
    wrapping: float = 0.12


#: Corners of the language that random programs reach seldom, each visited on purpose.
CORNERS = {
    "priorities": Features(priority=0.5, set_priority=3, otherwise=0.5, rendezvous=False),
    "enabled": Features(enabled=0.15, otherwise=0.6, rendezvous=False),
    "d_steps": Features(d_step=6, d_step_receives=0.5, d_step_decides=0.25, otherwise=0.6, send=5),
}


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar, or an array if it has a size."""

    name: str
    type: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, or an array of channels; the fields are the types of a message."""

    name: str
    capacity: int
    fields: tuple[str, ...]
    size: int = 0


@dataclass(slots=True)
class Proctype:
    """What a `run` must know of a process type: its parameters."""

    name: str
    parameters: tuple[str, ...]


@dataclass(slots=True)
class Place:
    """Where a statement stands, which decides what may be written there."""

    depth: int = 0
    in_loop: bool = False
    in_d_step: bool = False
    in_inline: bool = False
