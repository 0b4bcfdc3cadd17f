"""The command line: the list of the commands, and what happens to errors.

Exit status: 0 all hold, 1 something violated, 2 bad input or usage, 3 incomplete, 4 internal error.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress

import everafter
from everafter.commands.certify import CERTIFY
from everafter.commands.check import CHECK
from everafter.commands.cluster import CLUSTER
from everafter.commands.command import INCOMPLETE, INTERNAL_ERROR, explanation, status_of, tell
from everafter.commands.explore import EXPLORE
from everafter.commands.graph import GRAPH
from everafter.commands.lsp import LSP
from everafter.commands.ltl import LTL
from everafter.commands.replay import REPLAY
from everafter.commands.resume import RESUME
from everafter.commands.schema import SCHEMA
from everafter.commands.simulate import SIMULATE
from everafter.commands.spin import SPIN_COMMAND
from everafter.report.encoding import safe_output
from everafter.source import EverafterError

COMMANDS = (
    CHECK,
    RESUME,
    CERTIFY,
    REPLAY,
    SIMULATE,
    EXPLORE,
    LTL,
    GRAPH,
    SPIN_COMMAND,
    CLUSTER,
    SCHEMA,
    LSP,
)
INTERRUPTED = threading.Event()
"""Whether the user has wanted the command to end."""
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""What keeps an output from being written, and is no fault of ours."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit status listed above."""
    # A deeply nested expression is a deep recursion, and Python's own limit is low.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))
    with safe_output():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    try:
        options = parser().parse_args(arguments)
        status: int = options.run(options)
        sys.stdout.flush()  # here at the latest it shows that the output cannot be written
        return status
    except EverafterError as error:
        tell(explanation(error))
        return status_of(error)
    except KeyboardInterrupt:
        tell("everafter: interrupted")
        return INCOMPLETE
    except BrokenPipeError:
        _drop_output()  # its reader has gone; there is nobody left to tell
        return INCOMPLETE
    except Exception as error:
        if INTERRUPTED.is_set():  # whatever a library has made of it
            tell("everafter: interrupted")
            return INCOMPLETE
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            _drop_output()
            tell(f"everafter: cannot write the output: {error.strerror}")
            return INCOMPLETE
        tell(traceback.format_exc().rstrip("\n"))
        tell("everafter: this is an error of everafter itself; please report it with the model")
        return INTERNAL_ERROR


def parser() -> argparse.ArgumentParser:
    """The parser of the command line; `run` of what it returns runs the command."""
    whole = argparse.ArgumentParser(prog="everafter", description="An LTL model checker: Promela in, a verdict out.")
    whole.add_argument("--version", action="version", version=f"everafter {everafter.__version__}")
    commands = whole.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        its = commands.add_parser(command.name, help=command.purpose)
        command.add_options(its)
        its.set_defaults(run=command.run)
    return whole


def _drop_output() -> None:
    """Let what was not written go nowhere: Python would try once more at the end, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
