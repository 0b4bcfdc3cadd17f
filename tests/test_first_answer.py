"""benchmarks.first_answer measures what it says: medians of whole commands, with the cache that a row names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.comparison.measure import Meter, Usage
from benchmarks.first_answer import ROWS, Bench, Row, told


class Scripted(Meter):
    """Runs nothing: our commands take 3, 1 or 2 seconds of processor time, SPIN's 4; ours leave a file in the cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ours: list[tuple[int, str]] = []

    def run(
        self, command: Sequence[str], folder: Path, seconds: float, environment: Mapping[str, str] | None = None
    ) -> Usage:
        if environment is None:
            return Usage(0, 4.0, 0, 0, "")
        cache = Path(environment["EVERAFTER_CACHE"])
        self.ours.append((len(list(cache.iterdir())), (folder / "model.pml").read_text()))
        (cache / f"entry{len(self.ours)}").touch()
        return Usage(0, (3.0, 1.0, 2.0)[len(self.ours) % 3], 0, 0, "")


def measured(folder: Path, row: Row) -> tuple[float, list[tuple[int, str]]]:
    """The ratio of a row, and what each run of ours found: how full the cache is, and the model."""
    meter = Scripted(folder)
    return Bench(folder, meter).measure(row, 3).ratio, meter.ours


def test_a_warm_cache_knows_the_model_and_a_new_model_is_another_each_time(tmp_path: Path) -> None:
    rows = {name: next(each for each in ROWS if each.cache == name) for name in ("warm", "new", "empty")}
    ratio, warm = measured(tmp_path, rows["warm"])
    assert ratio == 0.5
    assert [full for full, _ in warm] == [0, 1, 1, 1]
    assert len({model for _, model in warm}) == 1
    (tmp_path / "engine").joinpath("entry1").unlink()
    new = measured(tmp_path, rows["new"])[1]
    assert [full for full, _ in new] == [0, 1, 1, 1]
    assert len({model for _, model in new}) == 4
    empty = measured(tmp_path, rows["empty"])[1]
    assert [full for full, _ in empty] == [0, 0, 0]


def test_the_table_has_a_ratio_beside_its_goal(tmp_path: Path) -> None:
    line = told([Bench(tmp_path, Scripted(tmp_path)).measure(ROWS[0], 3)]).splitlines()[-1]
    assert [part.strip() for part in line.split("|")[1:-1]] == ["--version", "2.00", "4.00", "0.50", "0.08"]
