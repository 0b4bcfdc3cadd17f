"""Texts of models for tests."""

from __future__ import annotations

from oracles.pymodel.random_models import model_of_text

from everafter.model.vocabulary import PythonModel
from everafter.source import InputError
from everafter.user_model import model_of

HEAD = """from enum import Enum
from typing import Annotated, NamedTuple
from everafter import model as m

class Hue(Enum):
    RED, GREEN = range(2)

class Pair(NamedTuple):
    hue: Hue
    n: Annotated[int, m.Int[0, 2]]

"""


CONTAINERS = (
    "q = m.List[m.Int[0, 2], 2]()",
    "q2 = m.List[m.Int[0, 2], 2]()",
    "p = Pair(Hue.RED, 0)",
    "o = m.Optional[m.Int[0, 2]](None)",
    "s = m.Set[m.Int[0, 2]]()",
    "ch = m.Channel[m.Int[0, 2], 2]()",
    "meet = m.Channel[m.Int[0, 2], 0]()",
    "lock = m.Lock()",
)


_NAMES = ("self.q", "self.p", "self.o", "self.s", "self.ch", "self.meet", "self.lock")


def kind_of(body: str, name: str = "written") -> type[PythonModel]:
    """The class Random with this body."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    return model_of_text(f"{HEAD}class Random(m.Model):\n{lines}\n", name)


def process_of(*lines: str, before: str = "") -> type[PythonModel]:
    """A class with some variables and processes of these lines."""
    body = [
        "x = m.Int[0, 3](0)",
        "b = False",
        "h = Hue.RED",
        "xs = m.Array[m.Int[0, 3], 2](0)",
        "N = 2",
        *(CONTAINERS if any(name in text for name in _NAMES for text in lines) else ()),
        *before.strip("\n").split("\n"),
        "@m.process(instances=2)",
        "def work(self, me: int) -> None:",
        *(f"    {line}" for line in lines),
    ]
    return kind_of("\n".join(body))


def complaint(kind: type[PythonModel]) -> tuple[str, str, str]:
    """What is said of a model that is refused: the text that the caret is under, the message and the advice."""
    try:
        model_of(kind)
    except InputError as error:
        first = error.diagnostics[0]
        line = first.place.source.line(first.place.line)
        written = line[first.place.column - 1 : first.place.column - 1 + first.place.length]
        return written, first.message, first.advice or ""
    raise AssertionError("the model is not refused")
