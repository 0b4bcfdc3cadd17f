"""The server of a session: it answers its own page, and no one else."""

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
from tests.page.models import TALKING

import everafter
from everafter.cli import main
from everafter.commands.status import BAD_INPUT
from everafter.page.live.http_server import TOKEN_HEADER, SessionServer
from everafter.page.live.session import Session


@pytest.fixture
def server() -> Iterator[SessionServer]:
    with SessionServer(Session(everafter.parse(TALKING)), "1") as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def asked(
    server: SessionServer,
    path: str,
    content: object = None,
    headers: dict[str, str] | None = None,
    method: str = "POST",
) -> tuple[int, Any]:
    """The status and the JSON of an answer."""
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    body = content if isinstance(content, str) else json.dumps(content)
    connection.request(method, path, body, {TOKEN_HEADER: server.token, **(headers or {})})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text) if "json" in answer.headers["Content-Type"] else text


def test_the_page_needs_the_token(server: SessionServer) -> None:
    status, page = asked(server, f"/?token={server.token}", method="GET")
    assert status == 200
    assert server.token in page
    for path in ("/", "/?token=", "/?token=wrong"):
        status, told = asked(server, path, method="GET")
        assert status == 403
        assert server.token not in json.dumps(told)


def test_steps_can_be_taken(server: SessionServer) -> None:
    status, options = asked(server, "/options", {"place": 0})
    assert (status, len(options)) == (200, 1)
    status, answer = asked(server, "/take", {"place": 0, "number": 0})
    assert status == 200
    assert len(answer["run"]["moves"]) == 1
    status, answer = asked(server, "/walk", {"place": answer["places"][-1], "steps": 3, "seed": 1})
    assert len(answer["run"]["moves"]) == 4
    status, reply = asked(server, "/check", {"place": 0, "formula": "<> (got == 5)"})
    assert (status, reply["answer"]["verdict"]) == (200, "holds")


@pytest.mark.parametrize(
    "headers", [{TOKEN_HEADER: ""}, {TOKEN_HEADER: "guess"}, {"Host": "evil.example"}, {"Host": "127.0.0.1"}]
)
def test_another_site_is_refused(server: SessionServer, headers: dict[str, str]) -> None:
    status, told = asked(server, "/take", {"place": 0, "number": 0}, headers)
    assert status == 403
    assert set(told) == {"error"}


def test_the_page_is_not_given_to_another_host(server: SessionServer) -> None:
    status, _ = asked(server, f"/?token={server.token}", None, {"Host": f"evil.example:{server.server_port}"}, "GET")
    assert status == 403


def test_only_this_machine_is_served(server: SessionServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("path", "content", "status", "message"),
    [
        ("/take", {"place": 0, "number": 9}, 400, "no step"),
        ("/take", {"place": "0", "number": 0}, 400, "whole number"),
        ("/take", {"place": -1, "number": 0}, 400, "whole number"),
        ("/options", [], 400, "object"),
        ("/options", "{", 400, "no JSON"),
        ("/walk", {"place": 0, "steps": 10**9, "seed": 0}, 400, "at most"),
        ("/check", {"place": 0, "formula": "[] (nothing == 1)"}, 400, "nothing"),
        ("/check", {"place": 0, "formula": ""}, 400, "formula"),
        ("/delete", {}, 404, "no such"),
    ],
)
def test_what_has_no_meaning_is_told(
    server: SessionServer, path: str, content: object, status: int, message: str
) -> None:
    told = asked(server, path, content)
    assert told[0] == status
    assert message in told[1]["error"]


def test_a_port_that_is_taken_is_told(server: SessionServer, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text(TALKING)
    assert main(["explore", str(model), "--no-browser", "--port", str(server.server_port)]) == BAD_INPUT
    assert "cannot serve at port" in capsys.readouterr().err
    assert main(["explore", str(model), "--no-browser", "--port", "99999"]) == BAD_INPUT
