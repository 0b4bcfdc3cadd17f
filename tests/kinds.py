"""The kinds of tests that need more than Python, and what each may start.

A test carries the marker of its kind; one that starts a program of a kind which it does not carry fails.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Sequence

import pytest

KINDS = {
    "provers": "needs Java, Coq or Nagini, which `python -m proofs` installs",
    "spin": "compares with SPIN, a C compiler, Graphviz, Node or a translator of formulas",
    "ray": "starts nodes of Ray",
    "browser": "starts Chromium",
    "build": "builds kernels of its own, which no cache has",
}
INSTALLED = {"spin": ("spin", "gcc", "tcc", "lbt", "dot", "node"), "browser": ("chromium", "chromedriver")}
"""By kind the programs that scripts/setup installs, from Debian's packages."""
PROGRAMS = {
    **{program: kind for kind, programs in INSTALLED.items() for program in programs},
    "java": "provers",
    "coqc": "provers",
    "verified": "provers",
    "everafter-verified": "provers",
    "cc": "spin",
    "pan": "spin",
    "gcs_server": "ray",
    "raylet": "ray",
}
"""Of which kind whoever starts a program must be."""
_STARTERS = ("nice", "env", "timeout", "sh", "bash")


def kind_of(command: Sequence[object]) -> str | None:
    """Return the kind of test that may start `command`, or None if any may."""
    words = [os.path.basename(os.fsdecode(word)) for word in command if isinstance(word, str | bytes | os.PathLike)]
    for word in words:
        if word in PROGRAMS:
            return PROGRAMS[word]
        if word not in _STARTERS and not word.startswith("-") and not word.isdigit():
            return None
    return None


def require(kinds: Collection[str]) -> None:
    """Skip the calling test where a program of its `kinds` is missing; fail it where they are promised.

    They are promised in continuous integration and by scripts/test, which set CI or EVERAFTER_ORACLES.
    """
    promised = bool(os.environ.get("CI") or os.environ.get("EVERAFTER_ORACLES"))
    absent = [name for kind in kinds for name in INSTALLED.get(kind, ()) if shutil.which(name) is None]
    if absent and promised:
        pytest.fail(f"required here, but not installed: {', '.join(absent)}", pytrace=False)
    if absent or ("provers" in kinds and not promised):
        pytest.skip(f"needs {', '.join(absent) or 'the provers'}")


class Guard:
    """Lets the test that runs start nothing of a kind whose marker it does not carry."""

    def __init__(self) -> None:
        self._item: pytest.Item | None = None
        sys.addaudithook(self._heard)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        self._item = item
        yield
        self._item = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        require([kind for kind in KINDS if item.get_closest_marker(kind) is not None])

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if event != "subprocess.Popen" or self._item is None:
            return
        command = arguments[1]
        kind = kind_of(command if isinstance(command, list | tuple) else str(command).split())
        if kind is not None and self._item.get_closest_marker(kind) is None:
            pytest.fail(f"{self._item.nodeid} starts {command}, and lacks the marker '{kind}'", pytrace=False)
