"""The pictures of the documentation are what the tool draws now. EVERAFTER_UPDATE=1 draws them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everafter.cli import main

ROOT = Path(__file__).parents[2]
BY = ["--by", "len(to_receiver)", "--by", "len(to_sender)", "--states", "5000"]


@pytest.mark.parametrize(
    ("name", "model", "options"),
    [
        ("control", "alternating_bit", []),
        ("channels", "alternating_bit", ["--of", "channels"]),
        ("states", "peterson", ["--of", "states"]),
        ("by", "alternating_bit", ["--of", "states", *BY]),
    ],
)
def test_pictures(name: str, model: str, options: list[str], tmp_path: Path) -> None:
    drawn = tmp_path / "picture.svg"
    assert main(["graph", str(ROOT / "examples" / f"{model}.pml"), *options, "-o", str(drawn)]) == 0
    shown = ROOT / "docs" / "pictures" / "graphs" / f"{name}.svg"
    if os.environ.get("EVERAFTER_UPDATE") == "1":
        shown.parent.mkdir(parents=True, exist_ok=True)
        shown.write_bytes(drawn.read_bytes())
    assert drawn.read_bytes() == shown.read_bytes()
