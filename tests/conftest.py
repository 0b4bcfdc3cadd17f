"""Which tests run, what each may start, and what each costs. tests/README.md says how to use it."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest
from proofs.share import seed
from tests.kinds import KINDS, Guard
from tests.processor_time import Clock, Recorder, recorded
from tests.rotation import SEED, is_due

FAST = 1.0
"""Seconds of processor time that a test may take by the record to be one of the fast ones."""
FIXTURES = {"browser": "browser", "head": "ray"}
"""Fixtures that start something, and the kind of the tests that use them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--fast`, `--whole` and `--record`, all offered by scripts/test."""
    parser.addoption("--whole", action="store_true", help="all tests, those too of which a sixth runs each time")
    parser.addoption("--fast", action="store_true", help="only tests that need no tool and take less than a second")
    parser.addoption("--record", metavar="FILE", type=Path, help="write what tests take of processor time")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in a shell's background job; what tests start inherits it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("EVERAFTER_KEY", str(Path(tempfile.mkdtemp(prefix="everafter-tests-")) / "key"))
    if not hasattr(config, "workerinput"):  # those of one run agree, whatever is committed meanwhile
        whole = config.getoption("--whole") or config.getoption("--record") or not is_of_all(config)
        os.environ[SEED] = "" if whole else seed()
    for kind, what in KINDS.items():
        config.addinivalue_line("markers", f"{kind}: {what}")
    config.pluginmanager.register(Guard())
    config.pluginmanager.register(Clock())
    record = config.getoption("--record")
    if record is not None and not hasattr(config, "workerinput"):  # only where all reports arrive
        config.pluginmanager.register(Recorder(record))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in set(FIXTURES) & set(getattr(item, "fixturenames", ())):
            item.add_marker(FIXTURES[fixture])
    if config.getoption("--fast"):
        left = [item for item in items if not is_fast(item)]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if is_fast(item)]
    elif turn := os.environ.get(SEED):
        config.hook.pytest_deselected(items=[item for item in items if not is_due(item.nodeid, turn)])
        items[:] = [item for item in items if is_due(item.nodeid, turn)]


def is_of_all(config: pytest.Config) -> bool:
    """Whether no tests are named, by their files or otherwise."""
    return config.args_source == pytest.Config.ArgsSource.TESTPATHS and not config.option.keyword


def is_fast(item: pytest.Item) -> bool:
    """Whether the test `item` needs no tool and is not among the slow ones of the record."""
    return not any(item.get_closest_marker(kind) for kind in KINDS) and recorded().tests.get(item.nodeid, 0.0) < FAST
