"""A debugger of the tests: it speaks the debug adapter protocol by pipes, and holds every message against its rules."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from everafter.editor.debugger.debug_conversation import DebugConversation
from everafter.editor.framing import Messages

Body = dict[str, Any]
Rule = dict[str, type | tuple[type, ...]]
_FRAME: Rule = {"id": int, "name": str, "line": int, "column": int}
_VARIABLE: Rule = {"name": str, "value": str, "variablesReference": int}
#: What the protocol asks of the bodies of events, and of responses that are a success.
EVENTS: dict[str, Rule] = {
    "initialized": {},
    "stopped": {"reason": str},
    "output": {"output": str},
    "terminated": {},
    "exited": {"exitCode": int},
}
RESPONSES: dict[str, Rule] = {
    "threads": {"threads": list},
    "stackTrace": {"stackFrames": list},
    "scopes": {"scopes": list},
    "variables": {"variables": list},
    "evaluate": {"result": str, "variablesReference": int},
    "setBreakpoints": {"breakpoints": list},
    "breakpointLocations": {"breakpoints": list},
    "exceptionInfo": {"exceptionId": str, "breakMode": str},
}
ELEMENTS: dict[str, Rule] = {
    "threads": {"id": int, "name": str},
    "stackFrames": _FRAME,
    "scopes": {"name": str, "variablesReference": int, "expensive": bool},
    "variables": _VARIABLE,
}


def fits(body: Body, rule: Rule) -> None:
    for name, kind in rule.items():
        assert isinstance(body.get(name), kind), (name, body)
        assert kind is not int or not isinstance(body[name], bool), (name, body)
    for name, element in ELEMENTS.items():
        for each in body.get(name, ()):
            fits(each, element)


class Debugger:
    """A debugger with an adapter. Lines are counted from 1."""

    def __init__(self) -> None:
        ours, self._sending = os.pipe()
        self._receiving, theirs = os.pipe()
        self._messages = Messages(lambda count: os.read(self._receiving, count))
        self._thread = threading.Thread(target=self._hold, args=(ours, theirs))
        self._thread.start()
        self._number = self._heard = 0
        self.events: list[Body] = []
        self.log: list[Body] = []

    def __enter__(self) -> Debugger:
        return self

    def _hold(self, ours: int, theirs: int) -> None:
        try:
            DebugConversation(ours, theirs).hold()
        finally:
            os.close(theirs)

    def __exit__(self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        try:
            if kind is None:
                self.ask("disconnect")
        finally:
            os.close(self._sending)
            self._thread.join(60)
            os.close(self._receiving)
        assert not self._thread.is_alive()

    def send(self, command: str, arguments: Body | None = None) -> int:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        body = json.dumps(message).encode()
        os.write(self._sending, b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self._number

    def _next(self) -> Body:
        """The next message, which must be one of the protocol's."""
        body = self._messages.next()
        assert body is not None, self.log
        message: Body = json.loads(body)
        self.log.append(message)
        assert message["seq"] == self._heard + 1
        self._heard += 1
        assert message["type"] in ("response", "event")
        if message["type"] == "event":
            fits(message["body"], EVENTS[message["event"]])
            self.events.append(message)
        elif message["success"]:
            fits(message["body"], RESPONSES.get(message["command"], {}))
        else:
            assert isinstance(message["message"], str)
            assert message["body"]["error"].keys() >= {"id", "format"}
        return message

    def response(self, number: int) -> Body:
        while True:
            message = self._next()
            if message["type"] == "response" and message["request_seq"] == number:
                return message

    def ask(self, command: str, **arguments: Any) -> Body:
        """The body of the response to a request that must succeed."""
        message = self.response(self.send(command, arguments))
        assert message["command"] == command
        assert message["success"], message
        body: Body = message["body"]
        return body

    def refused(self, command: str, **arguments: Any) -> str:
        message = self.response(self.send(command, arguments))
        assert not message["success"], message
        said: str = message["message"]
        return said

    def event(self, name: str) -> Body:
        """The body of the next event of that name."""
        while True:
            for number, message in enumerate(self.events):
                if message["event"] == name:
                    body: Body = self.events.pop(number)["body"]
                    return body
            self._next()

    # What a person does

    def launch(self, program: Path, begin: Callable[[], object] = lambda: None, **arguments: Any) -> None:
        assert self.ask("initialize", adapterID="everafter", linesStartAt1=True)["supportsStepBack"]
        self.ask("launch", program=str(program), **arguments)
        self.event("initialized")
        begin()
        self.ask("configurationDone")

    def move(self, command: str) -> Body:
        self.ask(command, threadId=1)
        return self.event("stopped")

    def frames(self) -> list[Body]:
        frames: list[Body] = self.ask("stackTrace", threadId=1)["stackFrames"]
        return frames

    def where(self) -> tuple[str, int]:
        """What the frame on top is called, and its line."""
        top = self.frames()[0]
        return top["name"], top["line"]

    def unfold(self, reference: int) -> dict[str, Body]:
        return {each["name"]: each for each in self.ask("variables", variablesReference=reference)["variables"]}

    def scope(self, name: str, frame: int | None = None) -> dict[str, Body]:
        """The variables of a scope, of the process on top or of the frame with that number."""
        number = self.frames()[0]["id"] if frame is None else frame
        scopes = {each["name"]: each["variablesReference"] for each in self.ask("scopes", frameId=number)["scopes"]}
        return self.unfold(scopes[name])
