"""What a language server does of bytes that no editor should send: it answers or ends, and never breaks."""

import json
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from everafter.editor.conversation import converse
from everafter.editor.framing import MOST, MessageError, Messages
from everafter.editor.language_server import make_server

ADDRESS = "file:///nowhere/m.pml"
MODEL = "byte x;\nactive proctype P() { x++; assert(x != 2) }\nltl p { [] (x < 3) }\n"


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def said(number: int | None, method: str, params: object) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else message | {"id": number}).encode()


WHICH = {"uri": ADDRESS}
TEXT = {"uri": ADDRESS, "languageId": "promela", "version": 1, "text": MODEL}
AT = {"textDocument": WHICH, "position": {"line": 1, "character": 26}}
CONVERSATION = (
    said(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
    said(None, "initialized", {}),
    said(None, "textDocument/didOpen", {"textDocument": TEXT}),
    said(2, "textDocument/hover", AT),
    said(3, "textDocument/definition", AT),
    said(4, "textDocument/documentSymbol", {"textDocument": WHICH}),
    said(5, "textDocument/codeLens", {"textDocument": WHICH}),
    said(None, "$/cancelRequest", {"id": 2}),
    said(None, "textDocument/didClose", {"textDocument": WHICH}),
    said(6, "shutdown", None),
    said(None, "exit", None),
)


def talk(sent: bytes) -> tuple[str, bytes]:
    """How a server ends that is sent these bytes, and what it says."""
    ours, its_input = os.pipe()
    its_output, theirs = os.pipe()
    heard = bytearray()

    def send() -> None:
        try:
            with open(its_input, "wb", buffering=0) as stream:
                stream.write(sent)
        except BrokenPipeError:
            pass

    def hear() -> None:
        with open(its_output, "rb", buffering=0) as stream:
            while piece := stream.read(1 << 16):
                heard.extend(piece)

    threads = [threading.Thread(target=send), threading.Thread(target=hear)]
    for thread in threads:
        thread.start()
    try:
        converse(make_server(), ours, theirs)
        end = ""
    except MessageError as error:
        end = str(error)
    finally:
        os.close(ours)
        os.close(theirs)
        for thread in threads:
            thread.join()
    return end, bytes(heard)


def answers(heard: bytes) -> list[dict[str, object]]:
    parts = iter([heard])
    messages = Messages(lambda _count: next(parts, b""))
    found = []
    while (body := messages.next()) is not None:
        found.append(json.loads(body))
    return found


def test_an_honest_conversation_is_answered() -> None:
    end, heard = talk(b"".join(map(framed, CONVERSATION)))
    assert end == ""
    assert {answer.get("id") for answer in answers(heard)} >= {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"Content-Length: 99999999999999999999999999\r\n\r\n{}", "announced a message"),
        (b"Content-Length: 4000000000000\r\n\r\n{}", "announced a message"),
        (b"Content-Length: %d\r\n\r\n{}" % (MOST + 1), "announced a message"),
        (b"Content-Length: -5\r\n\r\n{}", "announced a message"),
        (b"Content-Length: 1e3\r\n\r\n{}", "announced a message"),
        ("Content-Length: ٣\r\n\r\n{}".encode(), "announced a message"),
        (b"Content-Length: %d\r\n\r\n{}" % MOST, "in the middle"),
        (b"Content-Le", "in the middle"),
        (b"Content-Length: 5\r\n\r", "in the middle"),
        (b'Content-Length: 100\r\n\r\n{"js', "in the middle"),
        (b"Content-Type: x\r\n\r\n{}", "without Content-Length"),
        (b"x" * 100_000, "without an end"),
        (b"", ""),
        (b"\r\n", ""),
    ],
)
def test_what_is_no_message_ends_the_conversation(sent: bytes, told: str) -> None:
    end, _ = talk(sent)
    assert told in end
    assert bool(end) == bool(told)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[" * 60_000, -32700),
        (b'{"a":' * 60_000, -32700),
        (b"\xff\xfe", -32700),
        (b"", -32700),
        (b"1" * 10_000, -32700),
        (b"[]", -32600),
        (b"null", -32600),
        (b'{"jsonrpc": "2.0", "id": [], "method": "initialize"}', -32600),
        (b'{"jsonrpc": "2.0", "method": 5}', -32600),
        (b'{"jsonrpc": "2.0"}', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "initialize"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": 5}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {"position": []}}', -32602),
    ],
)
def test_a_message_without_meaning_is_answered(body: bytes, code: int) -> None:
    end, heard = talk(framed(body) + framed(CONVERSATION[0]))
    assert end == ""
    refused, welcomed = answers(heard)
    assert isinstance(refused["error"], dict)
    assert refused["error"]["code"] == code
    assert "result" in welcomed  # the conversation goes on


def test_a_text_that_is_not_open_has_no_meaning_and_no_error() -> None:
    end, heard = talk(b"".join(map(framed, (CONVERSATION[0], *CONVERSATION[3:7]))))
    assert end == ""
    assert [answer.get("result", "?") for answer in answers(heard)[1:]] == [None, None, [], []]


def mutated(chance: random.Random) -> bytes:
    """An honest conversation with something wrong in it."""
    messages = list(CONVERSATION)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(messages))
        body = bytearray(messages[at])
        match chance.randrange(6):
            case 0:
                messages.pop(at)
            case 1:
                messages.insert(at, chance.choice(messages))
            case 2:
                chance.shuffle(messages)
            case 3:
                body[chance.randrange(len(body)) :] = b""
            case 4:
                body[chance.randrange(len(body))] = chance.randrange(256)
            case _:
                word = chance.choice([b"null", b"-1", b"[]", b"{}", b'"\\u0000"', b"1e400", b"4294967296", b"true"])
                digits = [place for place, byte in enumerate(body) if chr(byte).isdigit()]
                place = chance.choice(digits) if digits else 0
                body[place : place + 1] = word
        if messages and at < len(messages) and body:
            messages[at] = bytes(body)
        if not messages:
            messages = [b"{}"]
    whole = bytearray(b"".join(map(framed, messages)))
    if chance.random() < 0.3:
        whole[chance.randrange(len(whole)) :] = b""
    elif chance.random() < 0.3:
        whole[chance.randrange(len(whole))] = chance.randrange(256)
    return bytes(whole)


@pytest.fixture
def logged(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[], str]]:
    yield lambda: capsys.readouterr().err
    assert not logging.getLogger().handlers or all(
        type(handler).__module__.startswith("_pytest") for handler in logging.getLogger().handlers
    )


def test_conversations_that_went_wrong_end_in_peace(logged: Callable[[], str]) -> None:
    chance = random.Random(1)
    for number in range(int(os.environ.get("EVERAFTER_CONVERSATIONS", "100"))):
        sent = mutated(chance)
        talk(sent)
        told = logged()
        assert "Traceback" not in told, (number, sent, told)


def test_an_absurd_length_is_bad_input() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "everafter", "lsp"],
        input=b"Content-Length: 99999999999999999999\r\n\r\n{}",
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert told.returncode == 2
    assert told.stderr.decode().startswith("everafter: the editor has announced a message of")


def test_a_server_that_waits_can_be_interrupted() -> None:
    command = [sys.executable, "-m", "everafter", "lsp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(framed(CONVERSATION[0]))
        server.stdin.flush()
        server.stdout.read(20)  # it listens
        time.sleep(0.1)
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 3
        assert server.stderr is not None
        assert server.stderr.read() == b"everafter: interrupted\n"
