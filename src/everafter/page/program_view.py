"""A program as the page draws it: its texts, its control-flow graphs, the names of its cells and values."""

from __future__ import annotations

from everafter.diagrams.control_diagram import of_process
from everafter.drawing.diagram import Diagram
from everafter.drawing.svg import to_svg
from everafter.page.content import (
    CHANNEL,
    NUMBER,
    CellView,
    ChannelTypeView,
    EdgeView,
    File,
    GraphView,
    NodeView,
    SpotView,
    System,
)
from everafter.program.control_flow import Transition
from everafter.program.naming import proctype_name
from everafter.program.program import ProcessType, Program
from everafter.program.storage import Region
from everafter.promela.model import Kind, Scalar, Type
from everafter.record import replace
from everafter.source import Place, Source

MOST_DRAWN = 300
"""A graph of more nodes and edges is a list: to draw it takes long, and as a picture no reader could follow it."""


def picture(diagram: Diagram) -> str:
    """A diagram as SVG, without its title, which the page has; nothing if it is too large."""
    return to_svg([replace(diagram, title="", note="")]) if _size(diagram) <= MOST_DRAWN else ""


def _size(diagram: Diagram) -> int:
    return len(diagram.nodes) + len(diagram.edges)


class Texts:
    """The files of a model, numbered as they are met; the first is the model itself."""

    def __init__(self, model: Source) -> None:
        self._numbers: dict[Source, int] = {model: 0}

    def spot(self, place: Place) -> SpotView:
        """Where the user sees a place: where the outermost macro or inline was called."""
        seen = place.seen_at()
        number = self._numbers.setdefault(seen.source, len(self._numbers))
        return SpotView(number, seen.line, seen.column)

    def number(self, name: str) -> int:
        """The number of the file of that name; the model itself if there is none."""
        return next((number for source, number in self._numbers.items() if source.name == name), 0)

    @property
    def files(self) -> tuple[File, ...]:
        """The files met so far."""
        return tuple(File(source.name, source.text) for source in self._numbers)


class Drawn:
    """A program, and what the page has of it."""

    def __init__(self, program: Program, texts: Texts) -> None:
        self.program = program
        self.texts = texts
        self._namings = _Namings(program)
        self._edges: dict[int, int] = {}
        graphs = tuple(self._graph(kind) for kind in program.processes)
        cells = self._cells(program.memory)
        channels = tuple(
            ChannelTypeView(kind.capacity, tuple(map(self._namings.of, kind.fields))) for kind in program.channels
        )
        self.system = System(self._namings.table, cells, graphs, channels)

    def edge(self, transition: Transition) -> int:
        """The number of a transition's edge within its graph."""
        return self._edges[id(transition)]

    def text_of(self, kind: Type, value: int) -> str:
        """Return `value`, of type `kind`, as the model would write it."""
        naming = self._namings.of(kind)
        return self._namings.table[naming].get(value, str(value)) if naming >= 0 else str(value)

    def _graph(self, kind: ProcessType) -> GraphView:
        nodes: list[NodeView] = []
        edges: list[EdgeView] = []
        for place in kind.graph.nodes.values():
            spot = self.texts.spot(place.place)
            labels = tuple(sorted(place.labels))
            nodes.append(NodeView(place.number, str(spot.line), labels, spot, place.is_accepting, place.is_end))
            for transition in place.transitions:
                self._edges[id(transition)] = len(edges)
                at = self.texts.spot(transition.place)
                edges.append(EdgeView(place.number, transition.target, transition.text, at, transition.keeps_atomic))
        name = proctype_name(self.program, kind.index)
        cells = self._cells(kind.memory)
        return GraphView(name, kind.graph.start, tuple(nodes), tuple(edges), cells, picture(of_process(kind)))

    def _cells(self, region: Region) -> tuple[CellView, ...]:
        return tuple(CellView(cell.name, self._namings.of(cell.variable.type)) for cell in region.cells)


class _Namings:
    """The names that values have, one table for each kind of mtype."""

    def __init__(self, program: Program) -> None:
        groups = program.model.mtypes
        tables = [{number: name for name, number in group.items()} for group in groups.values()]
        anything = {number: name for table in reversed(tables) for number, name in table.items()}
        self.table = (anything, *tables)
        self._subtypes = {name: position for position, name in enumerate(groups, 1)}

    def of(self, kind: Type) -> int:
        """The naming of the values of a type."""
        if not isinstance(kind, Scalar):
            return NUMBER
        if kind.kind is Kind.CHAN:
            return CHANNEL
        if kind.kind is Kind.MTYPE:
            return self._subtypes.get(kind.mtype or "", 0)
        return NUMBER
