"""The conversation of a language server and its editor, by two streams of bytes, until one of them ends it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from everafter.characters import visible_line
from everafter.editor.framing import MessageError, Messages
from everafter.json_text import read_json

_PARSE_ERROR, _INVALID_REQUEST = types.ErrorCodes.ParseError, types.ErrorCodes.InvalidRequest
_LOGGER = logging.getLogger(__name__)
_Item = bytes | MessageError | None


def converse(server: LanguageServer, incoming: int, outgoing: int) -> None:
    """Let `server` answer what arrives at the file descriptor `incoming`, by `outgoing`, until one of them ends it.

    Raises MessageError where what arrives is no message, and KeyboardInterrupt at once, whatever is waited for.
    """
    writer = MessageWriter(outgoing)
    server.protocol.set_writer(writer)
    with _one_line_each(), suppress(SystemExit):  # what the server makes of `exit`
        asyncio.run(_serve(server, Messages(lambda count: os.read(incoming, count)), writer))


class MessageWriter:
    """Sends to the editor while there is one. `is_cut` tells that there is none any more."""

    def __init__(self, outgoing: int) -> None:
        self._outgoing = outgoing
        self.is_cut = False

    def write(self, data: bytes) -> None:
        """Send all of it, unless the editor has gone."""
        left = memoryview(data)
        try:
            while left and not self.is_cut:
                left = left[os.write(self._outgoing, left) :]
        except OSError:
            self.is_cut = True

    def close(self) -> None:
        """Send nothing more; the descriptor belongs to others."""
        self.is_cut = True


async def _serve(server: LanguageServer, messages: Messages, writer: MessageWriter) -> None:
    arrived: asyncio.Queue[_Item] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    turn = threading.Semaphore()

    def put(item: _Item) -> None:
        turn.acquire()
        loop.call_soon_threadsafe(arrived.put_nowait, item)

    # Nothing wakes a thread that waits for bytes, so the process must not wait for its end.
    threading.Thread(target=_read, args=(messages, put), daemon=True, name="messages of the editor").start()
    try:
        while not writer.is_cut:
            item = await arrived.get()
            if item is None:
                return
            if isinstance(item, MessageError):
                raise item
            _handle(server, item, writer)
            turn.release()
    finally:
        turn.release()


def _read(messages: Messages, put: Callable[[_Item], None]) -> None:
    """Put all messages, one when the one before was handled, and last how they end."""
    item: _Item = b""
    while isinstance(item, bytes):
        try:
            item = messages.next()
        except MessageError as error:
            item = error
        except OSError:
            item = None
        try:
            put(item)
        except RuntimeError:  # the conversation is over
            return


def _handle(server: LanguageServer, body: bytes, writer: MessageWriter) -> None:
    """Do what one message asks; one that cannot be understood is answered, and then forgotten."""
    try:
        plain = read_json(body)
    except ValueError as error:
        _refuse(writer, None, _PARSE_ERROR, f"this is no JSON: {error}")
        return
    asked = plain.get("id") if isinstance(plain, dict) else None
    number = asked if isinstance(asked, str | int) and not isinstance(asked, bool) else None
    if not isinstance(plain, dict) or plain.get("jsonrpc") != "2.0" or not _is_told_apart(plain, number):
        _refuse(writer, number, _INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
        return
    try:
        message = server.protocol.structure_message(plain)
    except JsonRpcException as error:
        _refuse(writer, number, types.ErrorCodes.InvalidParams, f"the parameters do not fit: {error}")
        return
    try:
        server.protocol.handle_message(message)
    except Exception:
        _LOGGER.exception("a message could not be answered")


def _is_told_apart(message: dict[str, object], number: str | int | None) -> bool:
    """Whether a message is a request, a notification or an answer."""
    if "id" in message and number is None:
        return False
    return isinstance(message["method"], str) if "method" in message else "id" in message


def _refuse(writer: MessageWriter, number: str | int | None, code: types.ErrorCodes, reason: str) -> None:
    """Answer that a message cannot be understood, and why."""
    error = {"code": code.value, "message": reason}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()
    writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


@contextmanager
def _one_line_each() -> Iterator[None]:
    """Let what is logged take one line each, where people see it."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _OneLine(logging.Formatter):
    """Says what happened, and not where in the program."""

    def format(self, record: logging.LogRecord) -> str:
        said = record.getMessage().split("\n", 1)[0]
        error = record.exc_info[1] if record.exc_info else None
        why = f": {type(error).__name__}: {error}" if error is not None else ""
        return visible_line(f"everafter: {said}{why}"[:500])
