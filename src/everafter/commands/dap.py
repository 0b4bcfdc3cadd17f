"""`everafter dap`: the debug adapter that editors step through counterexamples with."""

from __future__ import annotations

import argparse
import sys

from everafter.commands.status import HOLDS, Command


def _add_options(_parser: argparse.ArgumentParser) -> None:
    """It talks by standard input and output, which say everything else."""


def _run(_options: argparse.Namespace) -> int:
    from everafter.editor.debugger.debug_conversation import DebugConversation  # noqa: PLC0415 # takes its time to load

    DebugConversation(sys.stdin.fileno(), sys.stdout.fileno()).hold()
    return HOLDS


DAP = Command(_add_options, _run)
