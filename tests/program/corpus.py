"""The models that tests about programs run over: our examples, those of the installed SPIN, and random ones."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

EXAMPLES = tuple(sorted((Path(__file__).parents[2] / "examples").glob("*.pml")))


@cache
def installed_models() -> tuple[Path, ...]:
    """The example models of Debian's package, if it is installed. They are read there and never copied here."""
    if shutil.which("dpkg") is None:
        return ()
    listed = subprocess.run(["dpkg", "-L", "spin"], text=True, capture_output=True, check=False).stdout
    return tuple(sorted(Path(name) for name in re.findall(r"^\S+\.pml$", listed, re.MULTILINE)))
