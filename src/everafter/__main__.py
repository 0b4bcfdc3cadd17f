"""`everafter` and `python -m everafter`: the command line, which can be interrupted from its first moment on."""

import signal
import sys

INCOMPLETE = 3


def main() -> int:
    """Run a command. Returns its exit status, which everafter.cli lists."""
    try:
        from everafter import cli  # noqa: PLC0415 # loading takes its time too

        status = cli.main()
    except KeyboardInterrupt:
        print("everafter: interrupted", file=sys.stderr)
        status = INCOMPLETE
    # All is said; a late interrupt would only break the end of the process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return status


if __name__ == "__main__":
    sys.exit(main())
