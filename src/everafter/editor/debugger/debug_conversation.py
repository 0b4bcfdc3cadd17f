"""The conversation of a debugger and its adapter, by two streams of bytes, until one of them ends it."""

from __future__ import annotations

import json
import os
import queue
import threading
from typing import Any

from everafter.editor.debugger.debug_session import DebugSession
from everafter.editor.debugger.found_run import Checking, FoundRun, Wanted, read_run
from everafter.editor.framing import MessageError, Messages
from everafter.json_text import read_json
from everafter.source import EverafterError, InputError

_Item = bytes | FoundRun | EverafterError | None


class DebugConversation:
    """Answers what arrives at the file descriptor `incoming`, by `outgoing`."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._messages = Messages(lambda count: os.read(incoming, count))
        self._outgoing = outgoing
        self._arrived: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._session = DebugSession(self._event, self._begin_check)
        self._checking: Checking | None = None
        self._sequence = 0
        self._is_cut = False

    def hold(self) -> None:
        """Answer until the debugger goes. Raises MessageError where what arrives is no message."""
        threading.Thread(target=self._read, daemon=True, name="messages of the debugger").start()
        try:
            while not self._session.is_over and not self._is_cut:
                item = self._arrived.get()
                if item is None:
                    return
                if isinstance(item, MessageError):
                    raise item
                if isinstance(item, bytes):
                    self._handle(item)
                else:
                    self._session.found(item)
        finally:
            if self._checking is not None:
                self._checking.stop()

    def _read(self) -> None:
        """Put all messages, and last how they end."""
        item: _Item = b""
        while isinstance(item, bytes):
            try:
                item = self._messages.next()
            except MessageError as error:
                item = error
            except OSError:
                item = None
            self._arrived.put(item)

    # Requests

    def _handle(self, body: bytes) -> None:
        """Answer one request; what is none is passed over."""
        try:
            message = read_json(body)
        except ValueError:
            return
        if not isinstance(message, dict) or message.get("type") != "request":
            return
        number, command, arguments = message.get("seq"), message.get("command"), message.get("arguments")
        if not isinstance(number, int) or isinstance(number, bool) or not isinstance(command, str):
            return
        response: dict[str, Any] = {"type": "response", "request_seq": number, "command": command}
        try:
            answer = self._session.answer(command, arguments if isinstance(arguments, dict) else {})
        except EverafterError as error:
            self._send(response | {"success": False, "message": _line(error), "body": _error(error)})
            return
        self._send(response | {"success": True, "body": answer})
        self._session.after(command)

    def _begin_check(self, wanted: Wanted) -> None:
        """Look for the run in a thread, so that requests are answered meanwhile."""
        if self._checking is not None:
            self._checking.stop()
        self._checking = Checking(wanted) if wanted.trace is None else None
        threading.Thread(target=self._look, args=(wanted, self._checking), daemon=True, name="check").start()

    def _look(self, wanted: Wanted, checking: Checking | None) -> None:
        try:
            self._arrived.put(checking.result() if checking is not None else read_run(wanted, wanted.trace or ""))
        except EverafterError as error:
            self._arrived.put(error)
        except Exception as error:  # the debugger would wait for ever
            self._arrived.put(EverafterError(f"the check has failed: {error!r}"))

    # What is sent

    def _event(self, name: str, body: dict[str, Any]) -> None:
        self._send({"type": "event", "event": name, "body": body})

    def _send(self, message: dict[str, Any]) -> None:
        self._sequence += 1
        text = json.dumps({"seq": self._sequence, **message}).encode()
        left = memoryview(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        try:
            while left and not self._is_cut:
                left = left[os.write(self._outgoing, left) :]
        except OSError:
            self._is_cut = True


def _line(error: EverafterError) -> str:
    """What is wrong, in one line."""
    return str(error.diagnostics[0]) if isinstance(error, InputError) else str(error)


def _error(error: EverafterError) -> dict[str, Any]:
    """The body of a response that tells an error, in which braces would be variables."""
    text = error.render() if isinstance(error, InputError) else str(error)
    return {"error": {"id": 1, "format": text.replace("{", "(").replace("}", ")"), "showUser": True}}
