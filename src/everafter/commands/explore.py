"""`everafter explore`: a page in the browser with the model alive behind it."""

from __future__ import annotations

import argparse

import everafter
from everafter.characters import visible_line
from everafter.commands.command import load_model
from everafter.commands.model_options import add_model
from everafter.commands.quantities import whole_number
from everafter.commands.status import HOLDS, Command
from everafter.questions.limits import Limits
from everafter.source import OptionError

_SECONDS = 60.0
"""How long a question from the page may take."""


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--port", type=whole_number, default=0, metavar="N", help="serve at this port, not at a free one"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")


def _run(options: argparse.Namespace) -> int:
    import webbrowser  # noqa: PLC0415 # takes its time, which other commands should not wait for

    from everafter.page.live.http_server import SessionServer  # noqa: PLC0415 # likewise
    from everafter.page.live.session import Session  # noqa: PLC0415 # likewise

    model = load_model(options.model, options)
    session = Session(model, Limits(seconds=_SECONDS))
    try:
        server = SessionServer(session, everafter.__version__, options.port)
    except (OSError, OverflowError) as error:
        raise OptionError(
            f"cannot serve at port {options.port}: {error}", "leave out --port to take a free one"
        ) from error
    with server:
        print(f"{visible_line(model.name)} at {server.address}\nCtrl-C ends it", flush=True)
        if not options.no_browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return HOLDS


EXPLORE = Command(_add_options, _run)
