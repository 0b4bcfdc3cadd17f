"""What the server of a session does of requests that no page sends: it refuses them, in time, and goes on."""

import json
import os
import random
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.page.models import TALKING

import everafter
from everafter.page.live.http_server import TOKEN_HEADER, SessionServer
from everafter.page.live.session import Session

PATIENCE = 0.5


@pytest.fixture
def server(capfd: pytest.CaptureFixture[str]) -> Iterator[SessionServer]:
    """A server of little patience, which says nothing on the terminal."""
    with SessionServer(Session(everafter.parse(TALKING)), "1", patience=PATIENCE) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()
    assert capfd.readouterr() == ("", "")


def sent(server: SessionServer, request: bytes, ends: bool = True) -> bytes:
    """What comes back when these bytes are sent, and no others."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as connection:
        try:
            connection.sendall(request)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            return heard(connection)
        except ConnectionError:
            return b""


def heard(connection: socket.socket) -> bytes:
    """All that is said until the end."""
    answer = b""
    while piece := connection.recv(1 << 16):
        answer += piece
    return answer


def posted(server: SessionServer, body: bytes, path: str = "/check", length: object = None) -> bytes:
    """The request that posts a body."""
    size = len(body) if length is None else length
    head = f"POST {path} HTTP/1.1\r\nHost: {server.hosts[0]}\r\n{TOKEN_HEADER}: {server.token}\r\n"
    return f"{head}Content-Length: {size}\r\n\r\n".encode() + body


def told(answer: bytes) -> tuple[int, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 60_000,
        b'{"place":' * 7_000,
        b"[]" * 30_000,
        b"1" * 60_000,
        b"\xff\xfe\x00",
        b"",
        b'{"place": 0, "formula": "\\ud800"}',
        b'{"place": 0, "formula": "[] (x \\u0000 1)"}',
        b'{"place": 0, "formula": "' + b"(" * 60_000 + b'"}',
        b'{"place": 0, "formula": "' + b"[] " * 20_000 + b'true"}',
        b'{"place": 1e400, "formula": "true"}',
        b'{"place": ' + b"9" * 4_000 + b', "formula": "true"}',
    ],
)
def test_bodies_without_meaning_are_refused(server: SessionServer, body: bytes) -> None:
    status, content = told(sent(server, posted(server, body)))
    assert status == 400
    assert set(content) == {"error"}
    assert told(sent(server, posted(server, b'{"place": 0}', "/options")))[0] == 200


@pytest.mark.parametrize("length", [-1, "9" * 6_000, "1e3", "²", "", 1 << 40, "0x10"])
def test_lengths_without_meaning_are_refused(server: SessionServer, length: object) -> None:
    assert told(sent(server, posted(server, b"{}", length=length)))[0] == 400


@pytest.mark.parametrize("path", ["//[", "/?token=%00%ff", "http://[/", "/?" + "&".join(["a=b"] * 2_000), "*"])
def test_paths_without_meaning_are_refused(server: SessionServer, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: {server.hosts[0]}\r\n\r\n"
    answer = sent(server, request.encode())
    assert answer.split()[1] in (b"403", b"404", b"400")


def test_what_is_slow_is_given_up_and_keeps_nobody_else_waiting(server: SessionServer) -> None:
    whole = posted(server, b'{"place": 0}', "/options")
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as slow:
        slow.sendall(whole[:-3])
        assert told(sent(server, whole))[0] == 200
        status, content = told(heard(slow))
    assert (status, content) == (400, {"error": "the question is cut off, or was too slow"})
    assert time.monotonic() - began >= PATIENCE


def test_bytes_that_trickle_in_are_given_up_too(server: SessionServer) -> None:
    """The socket hears something all the time; the request as a whole has its time."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=PATIENCE / 20) as slow:
        is_open = True
        while is_open:
            try:
                slow.sendall(b"P")
                is_open = slow.recv(1 << 16) != b""
            except TimeoutError:  # nothing is said yet
                continue
            except ConnectionError:
                is_open = False


def test_requests_that_went_wrong_are_survived(server: SessionServer) -> None:
    chance = random.Random(1)
    honest = [
        posted(server, b'{"place": 0}', "/options"),
        posted(server, b'{"place": 0, "number": 0}', "/take"),
        posted(server, b'{"place": 0, "steps": 3, "seed": 1}', "/walk"),
        posted(server, b'{"place": 0, "formula": "[] (got < 9)"}', "/check"),
        f"GET /?token={server.token} HTTP/1.1\r\nHost: {server.hosts[0]}\r\n\r\n".encode(),
    ]
    weights = [8, 8, 8, 1, 1]
    for _ in range(int(os.environ.get("EVERAFTER_REQUESTS", "300"))):
        request = bytearray(chance.choices(honest, weights)[0])
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(request))
            match chance.randrange(4):
                case 0:
                    request[at] = chance.randrange(256)
                case 1:
                    del request[at : at + chance.randint(1, 9)]
                case 2:
                    request[at:at] = chance.choice([b"\r\n", b"\0", b"9" * 30, b"[" * 200, b"\xff", b"null"])
                case _:
                    request[at : at + 1] = b"-1"
        answer = sent(server, bytes(request))
        assert b" 500 " not in answer[:40], request
    assert told(sent(server, honest[0]))[0] == 200
