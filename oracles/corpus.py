"""The models that everything runs over: our examples, and those of the installed SPIN."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

EXAMPLES_FOLDER = Path(__file__).resolve().parents[1] / "examples"
EXAMPLES = tuple(sorted(EXAMPLES_FOLDER.glob("*.pml")))
PACKAGE = Path("/usr/share/doc/spin/examples")
"""Where Debian's package `spin` puts its models. They are read there and never copied here."""


@cache
def installed_models() -> tuple[Path, ...]:
    """The models of Debian's package, if it is installed."""
    if shutil.which("dpkg") is None:
        return ()
    listed = subprocess.run(["dpkg", "-L", "spin"], text=True, capture_output=True, check=False).stdout
    return tuple(sorted(Path(name) for name in re.findall(r"^\S+\.pml$", listed, re.MULTILINE)))
