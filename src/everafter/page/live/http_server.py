"""The page of a session, served to this machine only.

A browser lets any web site send requests to this machine. So a request must name this very server as its host, which
a site that points its own name at this machine does not, and must carry a token that only the address printed in
the terminal, and the page itself, have. What changes or computes anything must carry it in a header, which a browser
lets no other site set.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from everafter.json_text import read_json
from everafter.page.html import as_json, document
from everafter.page.live.session import Session
from everafter.source import EverafterError, InputError, OptionError

TOKEN_HEADER = "X-Everafter-Token"
_LONGEST = 1 << 16
"""Bytes of a request; a formula is far shorter."""
_MOST_WALKED = 100_000
_PATIENCE = 10.0
"""Seconds in which a request must have arrived: it comes from this machine, and is short."""


class SessionServer(ThreadingHTTPServer):
    """Serves one session at an address that cannot be guessed."""

    daemon_threads = True

    def __init__(self, session: Session, version: str, port: int = 0, patience: float = _PATIENCE) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.session = session
        self.version = version
        self.patience = patience
        self.token = secrets.token_urlsafe(24)
        self.turn = threading.Lock()
        """A session answers one question after the other."""

    @property
    def hosts(self) -> tuple[str, str]:
        """The names under which this server may be requested."""
        return f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}"

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    def knows(self, token: str) -> bool:
        """Whether a token is ours, decided in a time that says nothing of it."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report what went wrong with `request` of `client_address`, a mistake of ours.

        A browser that has gone before it was answered is passed over in silence.
        """
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: SessionServer
    server_version = "everafter"
    sys_version = ""

    def setup(self) -> None:
        """Wait neither for what does not arrive nor for who does not read."""
        super().setup()
        self.connection.settimeout(2 * self.server.patience)

    def handle(self) -> None:
        """Answer the request, if it arrives in time: what is too slow ends where it is."""
        late = threading.Timer(self.server.patience, self._stop_reading)
        late.daemon = True
        late.start()
        try:
            super().handle()
        finally:
            late.cancel()

    def _stop_reading(self) -> None:
        with suppress(OSError):  # it is closed already
            self.connection.shutdown(socket.SHUT_RD)

    def do_GET(self) -> None:  # the name is that of the method of HTTP
        """The page."""
        path, _, query = self.path.partition("?")
        token = parse_qs(query).get("token", [""])[0]
        if not self._is_for_us():
            return
        if path != "/":
            self._refuse(HTTPStatus.NOT_FOUND, "there is only one page here")
        elif not self.server.knows(token):
            self._refuse(HTTPStatus.FORBIDDEN, "open the address that `everafter explore` has printed, token and all")
        else:
            with self.server.turn:
                page = self.server.session.page(self.server.version, self.server.token)
            self._send(HTTPStatus.OK, "text/html", "".join(document(page)))

    def do_POST(self) -> None:  # likewise
        """A question, or a step."""
        if not self._is_for_us():
            return
        if not self.server.knows(self.headers.get(TOKEN_HEADER, "")):
            self._refuse(HTTPStatus.FORBIDDEN, "the token is missing, or not that of this server")
            return
        answer = _ANSWERS.get(self.path)
        if answer is None:
            self._refuse(HTTPStatus.NOT_FOUND, "no such question")
            return
        try:
            asked = self._body()
            with self.server.turn:
                told = as_json(answer(self.server.session, asked))
        except EverafterError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, error.render() if isinstance(error, InputError) else str(error))
        except OSError:
            raise
        except Exception:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "this is an error of everafter itself; the terminal has it")
            raise
        else:
            self._send(HTTPStatus.OK, "application/json", told)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the user."""

    def _is_for_us(self) -> bool:
        if self.headers.get("Host") in self.server.hosts:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "this server answers to its own address only")
        return False

    def _body(self) -> Mapping[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > len(str(_LONGEST)) or int(length) > _LONGEST:
            raise OptionError(f"a question has a length, of at most {_LONGEST:,} bytes")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise OptionError("the question is cut off, or was too slow")
        try:
            asked = read_json(body)
        except ValueError as error:
            raise OptionError(f"this is no JSON: {error}") from error
        if not isinstance(asked, dict):
            raise OptionError("a question is a JSON object")
        return asked

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self._send(status, "application/json", json.dumps({"error": reason}))

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(content)


# What can be asked


def _number(asked: Mapping[str, Any], name: str, most: int | None = None) -> int:
    value = asked.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0 or (most is not None and value > most):
        raise OptionError(f"{name!r} must be a whole number" + ("" if most is None else f" of at most {most:,}"))
    return value


def _options(session: Session, asked: Mapping[str, Any]) -> object:
    return session.options(_number(asked, "place"))


def _take(session: Session, asked: Mapping[str, Any]) -> object:
    return session.taken(_number(asked, "place"), _number(asked, "number"))


def _walk(session: Session, asked: Mapping[str, Any]) -> object:
    return session.walked(_number(asked, "place"), _number(asked, "steps", _MOST_WALKED), _number(asked, "seed"))


def _check(session: Session, asked: Mapping[str, Any]) -> object:
    formula = asked.get("formula")
    if not isinstance(formula, str) or not formula.strip():
        raise OptionError("'formula' must be a formula, or the name of one")
    return session.checked(_number(asked, "place"), formula)


_ANSWERS: Mapping[str, Callable[[Session, Mapping[str, Any]], object]] = {
    "/options": _options,
    "/take": _take,
    "/walk": _walk,
    "/check": _check,
}
