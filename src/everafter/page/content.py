"""What the page shows, as frozen values. `html.py` writes them as JSON; `assets/` reads them by these names.

A run may be long, so it is given by its start and by what each step changes; the page makes any state of it again.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from everafter.record import dataclass
from everafter.verdict.result import Verdict

NUMBER, CHANNEL = -1, -2
"""In place of a naming: the value is a number, or the number of a channel."""
NOT_YET = -1
"""In place of a step: it is not part of the run."""


class SpotView(NamedTuple):
    """A place in the text: which file, counted from 0, and line and column, counted from 1."""

    file: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class File:
    """A file of the model."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class CellView:
    """A scalar of the memory: how it is called, and which naming its values have."""

    name: str
    naming: int


@dataclass(frozen=True, slots=True)
class NodeView:
    """A place of control, or a state of an automaton."""

    number: int
    text: str
    labels: tuple[str, ...] = ()
    spot: SpotView | None = None
    accepting: bool = False
    ending: bool = False
    """Whether a process may stop here, or the claim is over."""


@dataclass(frozen=True, slots=True)
class EdgeView:
    """A way from one node to another, by their numbers."""

    source: int
    target: int
    text: str
    spot: SpotView | None = None
    keeps: bool = False
    """Whether an atomic sequence goes on afterwards."""


@dataclass(frozen=True, slots=True)
class GraphView:
    """The control-flow graph of a proctype, with its local cells; or the automaton of a claim."""

    name: str
    start: int
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    cells: tuple[CellView, ...] = ()
    picture: str = ""
    """The graph drawn as SVG, in which nodes have their numbers; empty if it is too large."""


@dataclass(frozen=True, slots=True)
class ChannelTypeView:
    """A kind of channel: how many messages it has room for, and the naming of each field."""

    capacity: int
    namings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class System:
    """A program: what all its runs have in common."""

    namings: tuple[dict[int, str], ...]
    cells: tuple[CellView, ...]
    graphs: tuple[GraphView, ...]
    channels: tuple[ChannelTypeView, ...]


# Runs


class ProcessFrame(NamedTuple):
    """A process in a state: its graph, its node, its local cells."""

    graph: int
    node: int
    cells: tuple[int, ...]


class ChannelFrame(NamedTuple):
    """A channel in a state: its name, its type, its messages."""

    name: str
    type: int
    messages: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class FrameView:
    """A state."""

    cells: tuple[int, ...]
    processes: tuple[ProcessFrame, ...]
    channels: tuple[ChannelFrame, ...]


Edit = (
    tuple[Literal["global"], int, int]
    | tuple[Literal["local"], int, int, int]
    | tuple[Literal["node"], int, int]
    | tuple[Literal["start"], ProcessFrame]
    | tuple[Literal["end"]]
    | tuple[Literal["open"], ChannelFrame]
    | tuple[Literal["close"]]
    | tuple[Literal["messages"], int, tuple[tuple[int, ...], ...]]
)
"""One difference between two states: a cell (and whose), where a process is, a process or a channel that comes or goes
(always the last one), what is in a channel."""


class MoveView(NamedTuple):
    """A step: who moved along which edge, what that changed; for a rendezvous who answered, and by which edge."""

    process: int
    edge: int
    edits: tuple[Edit, ...]
    partner: int = NOT_YET
    answer: int = NOT_YET
    output: str = ""
    problem: str = ""


class Message(NamedTuple):
    """A message: in which step it was sent by whom, in which step received by whom. A lost one never arrives.

    Steps are counted from 1. What was not received is still there at the end of the run.
    """

    sent: int
    sender: int
    received: int
    receiver: int
    channel: str
    text: str
    lost: bool = False


class Fold(NamedTuple):
    """An atomic sequence: its first step and its last one."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Truth:
    """A subformula, and its truth at each state that the formula sees: a 0 or a 1 for each."""

    text: str
    depth: int
    """How deep within the formula it stands."""
    values: str


@dataclass(frozen=True, slots=True)
class ObstacleView:
    """A statement that a process waits at, and why it cannot be executed."""

    text: str
    reason: str
    spot: SpotView


@dataclass(frozen=True, slots=True)
class Wait:
    """A process that cannot go on where the system has stopped."""

    process: str
    ending: bool
    """Whether it may stop there."""
    obstacles: tuple[ObstacleView, ...]
    advice: str


@dataclass(frozen=True, slots=True)
class RunView:
    """A run: the steps of the prefix, then the last `cycle` of them for ever."""

    system: int
    start: FrameView
    moves: tuple[MoveView, ...]
    cycle: int
    stops: bool
    """Whether the system has stopped for ever behind the last step."""
    problem: str
    messages: tuple[Message, ...]
    folds: tuple[Fold, ...]
    positions: tuple[int, ...]
    """How many steps come before each state that formula and claim see."""
    truth: tuple[Truth, ...]
    claim: tuple[int, ...]
    """Where the claim is as it reads each of these states."""
    waits: tuple[Wait, ...]


@dataclass(frozen=True, slots=True)
class AnswerView:
    """The verdict on one property."""

    property: str
    kind: str
    formula: str
    verdict: Verdict | Literal["run"]
    """What was found; or that this is no property, but a run that the user takes."""
    reason: str
    figures: tuple[tuple[str, str], ...]
    claim: GraphView | None
    run: RunView | None
    notes: tuple[str, ...] = ()
    """What one should know beside the verdict."""
    unreached: tuple[SpotView, ...] = ()
    """The statements that no run comes to, where that is known."""
    places: tuple[int, ...] = ()
    """When a model is explored, what its states are called: one name for each position of the run."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request from the page, and the programs that it may refer to."""

    answer: AnswerView
    systems: tuple[System, ...]


@dataclass(frozen=True, slots=True)
class OptionView:
    """A step that can be taken now."""

    process: str
    number: int
    """Of the process."""
    text: str
    spot: SpotView
    changes: tuple[str, ...]
    problem: str
    partner: str
    """Who receives, in a rendezvous."""


@dataclass(frozen=True, slots=True)
class Live:
    """How the page talks to the model behind it, and what it can be requested to check."""

    token: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the page shows."""

    model: str
    version: str
    files: tuple[File, ...]
    systems: tuple[System, ...]
    answers: tuple[AnswerView, ...]
    live: Live | None = None
