"""What is built with the package: the text of its kernels, unless it is there already and of the same files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ARCHIVE = "src/everafter/engine/kernels.archive"
NEEDED = ["llvmlite==0.50.*", "numba==0.68.*", "backports.zstd>=1.0; python_version < '3.14'"]
"""What builds kernels. A later LLVM at the user's takes their text; an earlier one would not."""


class KernelHook(BuildHookInterface[Any]):
    """Lets wheels, sdists and installations that can be edited carry the text of the kernels."""

    def dependencies(self) -> list[str]:
        """Return what has to be installed to build: nothing where the kernels are there."""
        return NEEDED if self._unfit() else []

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Build the kernels if they are not there, and add them to what is packed."""
        why = self._unfit()
        if why:
            print(f"everafter: building its kernels, for three or four minutes of processor time: {why}", flush=True)
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(Path(self.root) / "src"), *sys.path))}
            subprocess.run([sys.executable, "-S", "-m", "everafter.kernel_inventory"], check=True, env=environment)
        else:
            print("everafter: its kernels are there already", flush=True)
        build_data["artifacts"].append(f"/{ARCHIVE}")

    def _unfit(self) -> str:
        """Why kernels have to be built; empty if they need not."""
        source = str(Path(self.root) / "src")
        sys.path.insert(0, source)
        try:
            from everafter.kernel_inventory import lacking  # noqa: PLC0415 # where it is found

            return lacking(Path(self.root) / ARCHIVE)
        finally:
            sys.path.remove(source)
