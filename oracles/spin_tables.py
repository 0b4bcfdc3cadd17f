"""SPIN's own control-flow graphs, as `pan -d` lists them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from oracles.spin import _pan

_HEAD = re.compile(r"^(?:proctype|claim) (\S+)|^(init)\b|^(trace assertion)")
_LINE = re.compile(
    r"^\tstate +(?P<source>\d+) -\(tr +\d+\)-> state +(?P<target>\d+) +\[id +(?P<id>-?\d+) tp +[\d,]+"
    r"(?: org +\d+)?\] \[(?P<mode>[AD-])(?P<accepting>[a-])(?P<end>[e-])(?P<progress>[p-])[LG]\] "
    r"\S*:\d+ => (?P<text>.*)"
)


@dataclass(frozen=True, slots=True)
class Row:
    """A transition. The mode is `D` for a d_step, else `A` if it keeps an atomic sequence going, else `-`.

    Of a d_step the listing does not tell whether it keeps the sequence going, or ends it.
    """

    source: int
    target: int
    mode: str
    accepting: bool
    end: bool
    progress: bool


Tables = dict[str, list[Row]]


def spin_tables(model: Path | str) -> Tables:
    """For every proctype, the transitions in the order SPIN tries them. Raises ModelRejectedError."""
    with _pan(model, (), (), "fast") as pan:
        listing = subprocess.run(["./pan", "-d"], cwd=pan.folder, capture_output=True, check=False).stdout
    return read_tables(listing.decode(errors="replace"))


def read_tables(listing: str) -> Tables:
    """The tables in the text of `pan -d`."""
    tables: Tables = {}
    rows: list[Row] = []
    for line in listing.splitlines():
        head, row = _HEAD.match(line), _LINE.match(line)
        if head is not None:
            rows = tables[head[1] or head[2] or head[3]] = []
        elif row is not None:
            labels = row["accepting"] == "a", row["end"] == "e", row["progress"] == "p"
            mode = "D" if row["text"].startswith("D_STEP") else row["mode"]
            rows.append(Row(int(row["source"]), int(row["target"]), mode, *labels))
        else:
            assert not line.startswith("\tstate"), f"not understood: {line}"
    return tables
