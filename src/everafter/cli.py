"""The command line: the list of the commands, and what happens to errors.

Exit status: 0 all hold, 1 something violated, 2 bad input or usage, 3 incomplete, 4 internal error.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress

import everafter
from everafter.commands.status import INCOMPLETE, INTERNAL_ERROR, Command, StrictParser, explanation, status_of, tell
from everafter.record import dataclass
from everafter.report.encoding import safe_output
from everafter.source import EverafterError


@dataclass(frozen=True, slots=True)
class CommandWord:
    """A word of the command line: a command's name, and what it is for."""

    name: str
    purpose: str


COMMANDS = (
    CommandWord("check", "check everything a model states"),
    CommandWord("resume", "go on with a check from its last checkpoint"),
    CommandWord("certify", "decide whether a certificate shows what it claims"),
    CommandWord("certificate", "write a certificate as plain text, for checkers of your own"),
    CommandWord("replay", "step through a counterexample, ours or SPIN's"),
    CommandWord("simulate", "run a model at random, or by hand"),
    CommandWord("explore", "take steps and ask questions in the browser"),
    CommandWord("ltl", "show the automaton of a formula"),
    CommandWord("graph", "draw the control flow, the states or the channels of a model"),
    CommandWord("spin", "take SPIN's flags, say what they mean here, and run that"),
    CommandWord("cluster", "say what a search on a cluster would take"),
    CommandWord("schema", "print the JSON Schema of `check` or `certify --format json`"),
    CommandWord("lsp", "tell an editor of mistakes, declarations and verdicts"),
    CommandWord("dap", "step through a counterexample in an editor's debugger"),
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
        words = sys.argv[1:] if arguments is None else arguments
        asked = [word for word in COMMANDS if word.name in words[:1]]
        options = parser(asked or COMMANDS, words).parse_args(words)
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
        import traceback  # it is not to be needed

        tell(traceback.format_exc().rstrip("\n"))
        tell("everafter: this is an error of everafter itself; please report it with the model")
        return INTERNAL_ERROR


def parser(offered: Collection[CommandWord], names: Collection[str]) -> argparse.ArgumentParser:
    """The parser of the command line, with the commands `offered`; those in `names` alone are imported.

    `run` of what it returns runs the command. Where the first word is a command, the others are not offered: argparse
    looks for translations of its words in many files for each.
    """
    whole = StrictParser(prog="everafter", description="An LTL model checker: Promela in, a verdict out.")
    whole.add_argument("--version", action="version", version=f"everafter {everafter.__version__}")
    commands = whole.add_subparsers(
        title="commands", dest="command", required=True, metavar="COMMAND", prog="everafter"
    )
    for word in offered:
        its = commands.add_parser(word.name, help=word.purpose)
        if word.name in names:
            command = loaded(word.name)
            command.add_options(its)
            its.set_defaults(run=command.run)
    return whole


def loaded(name: str) -> Command:
    """The command of that name, which is imported now."""
    match name:
        case "check":
            from everafter.commands.check_options import CHECK

            return CHECK
        case "resume":
            from everafter.commands.resume import RESUME

            return RESUME
        case "certify":
            from everafter.commands.certify import CERTIFY

            return CERTIFY
        case "certificate":
            from everafter.commands.export import CERTIFICATE

            return CERTIFICATE
        case "replay":
            from everafter.commands.replay import REPLAY

            return REPLAY
        case "simulate":
            from everafter.commands.simulate import SIMULATE

            return SIMULATE
        case "explore":
            from everafter.commands.explore import EXPLORE

            return EXPLORE
        case "ltl":
            from everafter.commands.ltl import LTL

            return LTL
        case "graph":
            from everafter.commands.graph import GRAPH

            return GRAPH
        case "spin":
            from everafter.commands.spin import SPIN_COMMAND

            return SPIN_COMMAND
        case "cluster":
            from everafter.commands.cluster import CLUSTER

            return CLUSTER
        case "schema":
            from everafter.commands.schema import SCHEMA

            return SCHEMA
        case "lsp":
            from everafter.commands.lsp import LSP

            return LSP
        case "dap":
            from everafter.commands.dap import DAP

            return DAP
        case _:
            raise ValueError(name)


def _drop_output() -> None:
    """Let what was not written go nowhere: Python would try once more at the end, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
