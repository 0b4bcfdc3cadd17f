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
    zero_division: float = 0.004
    wild_index: float = 0.15
    wild_assertion: float = 0.5
    wrapping: float = 0.12


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
