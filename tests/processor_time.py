"""What each test costs: seconds of processor time, its child processes included, as `durations.json` records them.

The record has what each file takes, and by name the tests that take a second or more.
`scripts/test --record` writes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

RECORD = Path(__file__).parent / "durations.json"
NAMED = 1.0
"""Seconds from which on the record has a test by its name."""
PROPERTY = "processor_time"


def spent() -> float:
    """Return the seconds of processor time of this process and of the children it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@dataclass(frozen=True, slots=True)
class Durations:
    """Seconds of processor time: `files` by test file, `tests` by name where they are at least `NAMED`."""

    files: Mapping[str, float] = field(default_factory=dict)
    tests: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, seconds: Mapping[str, float]) -> Durations:
        """Return the record of a run in which the test `name` took `seconds[name]`."""
        files: dict[str, float] = {}
        for name, taken in seconds.items():
            file = name.partition("::")[0]
            files[file] = files.get(file, 0.0) + taken
        named = {name: taken for name, taken in seconds.items() if taken >= NAMED}
        return cls(_rounded(files), _rounded(named))

    def text(self) -> str:
        """Return the record as it is written."""
        return (
            json.dumps({"files": self.files, "tests": self.tests}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        )


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(taken, 1) for name, taken in seconds.items()}


@cache
def recorded() -> Durations:
    """Return the committed record, or an empty one where there is none."""
    return Durations(**json.loads(RECORD.read_text())) if RECORD.exists() else Durations()


class Clock:
    """Notes beside each report what its test has taken so far, in the process that runs it."""

    def __init__(self) -> None:
        self._began: dict[str, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._began[nodeid] = spent()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> object:
        outcome = yield
        report: pytest.TestReport = outcome.get_result()  # type: ignore[attr-defined] # pluggy's Result
        report.user_properties.append((PROPERTY, spent() - self._began[item.nodeid]))


class Recorder:
    """Writes `path` when all tests have passed: what each has taken, by the last of its reports."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == PROPERTY:
                self._seconds[report.nodeid] = float(str(value))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.OK:
            self._path.write_text(Durations.of(self._seconds).text())
