"""What is said beside a verdict must not depend on how busy the machine is: here a hint has all the time it takes."""

import pytest

from everafter.hints import effort


@pytest.fixture(autouse=True)
def _all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "_LEAST_SECONDS", 3600.0)
