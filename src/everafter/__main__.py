"""`everafter` and `python -m everafter`: the command line, which can be interrupted from its first moment on.

To load a module takes its time, in which an interrupt would end in a traceback. So nothing is imported here, or by the
package itself, that Python has not loaded before it comes to us.
"""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from types import FrameType
else:
    import _signal as signal  # what is behind `signal`, which itself takes its time to load

INCOMPLETE = 3
_OBJECTS = 50_000
"""New objects after which cycles of them are looked for: loading alone makes as many, and nearly all of them stay."""
_SOON = 0.05
"""Seconds in which a callback is certainly over."""


def main() -> int:
    """Run a command. Returns its exit status, which everafter.cli lists."""
    can_be_interrupted = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not in the background
    if can_be_interrupted:
        signal.signal(signal.SIGINT, _leave)
    gc.set_threshold(_OBJECTS)
    from everafter.cli import main as run_command  # noqa: PLC0415 # loading takes its time too

    _open_streams()
    sys.unraisablehook = _repeat
    try:
        if can_be_interrupted:
            signal.signal(signal.SIGINT, _interrupt)
        status = run_command()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said; a late one would only break the end of the process
    except KeyboardInterrupt:  # before the command is begun, or a second one while the first is answered
        status = _interrupted()
    return status


def _open_streams() -> None:
    """Let what is printed go nowhere where the shell has closed an output: Python then has no stream at all."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 # until the process ends


def _interrupted() -> int:
    print("everafter: interrupted", file=sys.stderr, flush=True)
    return INCOMPLETE


def _leave(_signal: int, _frame: "FrameType | None") -> None:
    """End at once: while modules are loaded there is nothing to report, and an exception could be lost."""
    os._exit(_interrupted())


def _interrupt(number: int, frame: "FrameType | None") -> None:
    """Interrupt, and note it: a library may turn the exception into one of its own."""
    from everafter.cli import INTERRUPTED  # noqa: PLC0415 # it is loaded by now

    INTERRUPTED.set()
    signal.default_int_handler(number, frame)


def _repeat(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt again if an interrupt was lost: Python drops exceptions where it calls back to clean up."""
    import threading  # noqa: PLC0415 # loaded long since, but not when this module is
    from _thread import interrupt_main  # noqa: PLC0415 # likewise

    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(_SOON, interrupt_main).start()  # not at once, or it would be lost again
    else:
        sys.__unraisablehook__(lost)


if __name__ == "__main__":
    sys.exit(main())
