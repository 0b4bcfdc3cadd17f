"""What a debugger asks of a counterexample, by the debug adapter protocol: requests in, answers and events out."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlparse

from everafter.characters import visible
from everafter.editor.debugger.breakpoints import Breakpoints
from everafter.editor.debugger.found_run import FoundRun, Wanted
from everafter.editor.debugger.run_positions import RunPositions, Stops
from everafter.editor.debugger.state_variables import (
    ShownVariable,
    channels_of,
    evaluated,
    globals_of,
    locals_of,
)
from everafter.execution.state import State
from everafter.program.program import Program
from everafter.source import EverafterError, OptionError, Place
from everafter.user_model import Model
from everafter.verdict.changes import process_name
from everafter.verdict.run_rows import row_of

Body = dict[str, Any]
Send = Callable[[str, Body], None]
"""Sends an event and its body."""
_THREAD = 1
CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsStepBack": True,
    "supportsRestartRequest": True,
    "supportsEvaluateForHovers": True,
    "supportsConditionalBreakpoints": True,
    "supportsExceptionInfoRequest": True,
    "supportsTerminateRequest": True,
    "supportsBreakpointLocationsRequest": True,
}


class DebugSession:
    """One counterexample in one debugger. `begin_check` starts to look for a run; `found` is called with it."""

    def __init__(self, send: Send, begin_check: Callable[[Wanted], None]) -> None:
        self._send = send
        self._begin_check = begin_check
        self._model: Model | None = None
        self._positions: RunPositions | None = None
        self._found: FoundRun | None = None
        self._position = 0
        self._breakpoints = Breakpoints()
        self._is_configured = self._stops_on_entry = True
        self._first_line = self._first_column = 1
        self._by_uri = False
        self._unfolded: list[Callable[[], list[ShownVariable]]] = []
        self.is_over = False
        self._requests: dict[str, Callable[[Body], Body]] = {
            "initialize": self._initialize,
            "launch": self._launch,
            "setBreakpoints": self._set_breakpoints,
            "setFunctionBreakpoints": lambda _: {"breakpoints": []},
            "setExceptionBreakpoints": lambda _: {"breakpoints": []},
            "breakpointLocations": self._breakpoint_locations,
            "configurationDone": self._configured,
            "threads": self._threads,
            "stackTrace": self._stack,
            "scopes": self._scopes,
            "variables": self._variables,
            "evaluate": self._evaluate,
            "exceptionInfo": self._exception_info,
            "next": lambda _: self._go(forwards=True, stops=self._is_statement),
            "stepIn": lambda _: self._go(forwards=True, stops=self._is_statement),
            "stepOut": lambda _: self._go(forwards=True, stops=self._changes_hands),
            "stepBack": lambda _: self._go(forwards=False, stops=self._is_statement),
            "continue": lambda _: self._go(forwards=True, stops=self._is_stopped_at, reason="breakpoint"),
            "reverseContinue": lambda _: self._go(forwards=False, stops=self._is_stopped_at, reason="breakpoint"),
            "pause": lambda _: {},
            "restart": self._restart,
            "terminate": lambda _: {},
            "disconnect": self._end,
        }

    def answer(self, command: str, arguments: Body) -> Body:
        """Return the body of the response to a `command` with these `arguments`. Raises EverafterError."""
        handler = self._requests.get(command)
        if handler is None:
            raise OptionError(f"'{command}' is not supported")
        return handler(arguments)

    def after(self, command: str) -> None:
        """Do what comes behind the response to `command`."""
        if command == "launch":
            self._send("initialized", {})
        elif command == "configurationDone":
            self._begin()
        elif command in _MOVES and self._positions is not None:
            self._tell_stop(_MOVES[command])
        elif command == "terminate":
            self._send("terminated", {})

    # From the launch to the first stop

    def _initialize(self, arguments: Body) -> Body:
        self._first_line = 1 if arguments.get("linesStartAt1", True) else 0
        self._first_column = 1 if arguments.get("columnsStartAt1", True) else 0
        self._by_uri = arguments.get("pathFormat") == "uri"
        return dict(CAPABILITIES)

    def _launch(self, arguments: Body) -> Body:
        wanted = wanted_of(arguments)
        self._model = wanted.model()
        self._breakpoints.program = self._model.program
        self._is_configured, self._found, self._positions, self._position = False, None, None, 0
        self._stops_on_entry = arguments.get("stopOnEntry", True) is not False
        self._begin_check(wanted)
        return {}

    def _configured(self, _arguments: Body) -> Body:
        self._is_configured = True
        return {}

    def found(self, found: FoundRun | EverafterError) -> None:
        """Begin with the run that was `found`, or say why there is none."""
        if isinstance(found, EverafterError):
            self._output(f"{found}\n", "stderr")
            self._end_run(2)
            return
        self._found = found
        self._begin()

    def _begin(self) -> None:
        """Stop before the first step, once the debugger and the run are ready."""
        found = self._found
        if found is None or not self._is_configured or self._positions is not None:
            return
        self._output(f"{found.name}: {found.verdict}: {found.reason}\n", "console")
        if found.run is None:
            self._end_run({"holds": 0}.get(found.verdict, 3))
            return
        self._positions = RunPositions(found.run)
        self._breakpoints.program = found.run.program
        if self._stops_on_entry:
            self._tell_stop("entry")
        else:
            self._go(forwards=True, stops=self._is_stopped_at)
            self._tell_stop("breakpoint")

    def _end_run(self, status: int) -> None:
        self._send("exited", {"exitCode": status})
        self._send("terminated", {})

    def _end(self, _arguments: Body) -> Body:
        self.is_over = True
        return {}

    # Moving

    def _go(self, forwards: bool, stops: Stops, reason: str = "step") -> Body:
        run = self._run()
        begin = self._position
        self._position = run.forwards(begin, stops) if forwards else run.backwards(begin, stops)
        self._unfolded.clear()
        if forwards and self._position > begin:
            for step in run.run.steps[begin : self._position]:
                for text in step.output:
                    self._output(text, "stdout")
        return {"allThreadsContinued": True} if reason == "breakpoint" else {}

    def _restart(self, _arguments: Body) -> Body:
        self._run()
        self._position = 0
        self._unfolded.clear()
        return {}

    def _is_statement(self, position: int) -> bool:
        return self._run().is_statement(position)

    def _changes_hands(self, position: int) -> bool:
        return self._run().changes_hands(position)

    def _is_stopped_at(self, position: int) -> bool:
        """Whether a breakpoint is at a step that is taken there."""
        run = self._run()
        step = run.coming(position)
        if step is None:
            return False
        state = run.states[position]
        places = [(step.process, step.transition.place)]
        if step.partner is not None and step.partner_transition is not None:
            places.append((step.partner, step.partner_transition.place))
        return any(self._breakpoints.stop_at(state, number, place) for number, place in places)

    def _tell_stop(self, reason: str) -> None:
        run = self._run()
        body: Body = {"reason": reason, "threadId": _THREAD, "allThreadsStopped": True}
        if run.coming(self._position) is None:
            body |= {"reason": "exception", "description": "the end of the counterexample", "text": self._reason()}
        elif self._position == run.last and run.run.cycle:
            body["description"] = "the cycle begins anew: it is repeated for ever"
        elif reason == "breakpoint" and not self._is_stopped_at(self._position):
            body["reason"] = "entry"
        self._send("stopped", body)

    def _reason(self) -> str:
        return self._found.reason if self._found is not None else ""

    def _exception_info(self, _arguments: Body) -> Body:
        name = self._found.name if self._found is not None else ""
        return {"exceptionId": name, "description": self._reason(), "breakMode": "always"}

    # What is seen

    def _run(self) -> RunPositions:
        if self._positions is None:
            raise OptionError("there is no run yet")
        return self._positions

    def _now(self) -> tuple[Program, State]:
        run = self._run()
        return run.run.program, run.states[self._position]

    def _threads(self, _arguments: Body) -> Body:
        name = f"counterexample to {self._found.name}" if self._found is not None else "check"
        return {"threads": [{"id": _THREAD, "name": name}]}

    def _stack(self, arguments: Body) -> Body:
        program, state = self._now()
        frames = [self._frame(program, state, number, place) for number, place in self._run().places(self._position)]
        begin, count = _number(arguments, "startFrame"), _number(arguments, "levels")
        return {"stackFrames": frames[begin : begin + count if count else None], "totalFrames": len(frames)}

    def _frame(self, program: Program, state: State, number: int, place: Place) -> Body:
        seen = place.seen_at()
        name, column = process_name(program, state, number), seen.column - 1 + self._first_column
        step = self._run().coming(self._position)
        statement = step.transition.text if step is not None and step.process == number else ""
        return {
            "id": number + 1,
            "name": f"{name}: {statement}" if statement else name,
            "source": self._source(seen),
            "line": seen.line - 1 + self._first_line,
            "column": column,
            "endLine": seen.line - 1 + self._first_line,
            "endColumn": column + seen.length,
        }

    def _source(self, place: Place) -> Body:
        path = os.path.abspath(place.source.name)
        return {"name": os.path.basename(path), "path": f"file://{path}" if self._by_uri else path}

    def _scopes(self, arguments: Body) -> Body:
        program, state = self._now()
        number = self._process(arguments)
        name = process_name(program, state, number)
        scopes: list[tuple[str, Callable[[], list[ShownVariable]], Body]] = [
            (name, lambda: locals_of(program, state, number), {"presentationHint": "locals"}),
            ("Globals", lambda: globals_of(program, state), {}),
            ("Channels", lambda: channels_of(program, state), {}),
            ("Run", self._progress, {}),
        ]
        return {
            "scopes": [
                {"name": name, "variablesReference": self._reference(parts), "expensive": False, **hints}
                for name, parts, hints in scopes
            ]
        }

    def _progress(self) -> list[ShownVariable]:
        """How far the run has come, what the last step did, and what comes."""
        run, found = self._run(), []
        position = self._position
        found.append(ShownVariable("step", f"{position} of {run.last}"))
        if run.run.cycle:
            place = "in the prefix" if position < len(run.run.prefix) else "in the cycle"
            found.append(ShownVariable("where", f"{place}: {len(run.run.prefix)} steps, then {len(run.run.cycle)}"))
        step = run.gone(position)
        if step is not None:
            row = row_of(run.run.program, run.states[position - 1], step, position)
            found.append(ShownVariable("last step", f"{row.process}: {row.statement}"))
            found += [ShownVariable(f"change {number}", text) for number, text in enumerate(row.change_texts, 1)]
        coming = run.coming(position)
        if coming is not None:
            moving = process_name(run.run.program, run.states[position], coming.process)
            found.append(ShownVariable("next step", f"{moving}: {coming.transition.text}"))
        else:
            found.append(ShownVariable("violation", self._reason()))
        return found

    def _reference(self, parts: Callable[[], list[ShownVariable]] | None) -> int:
        """A number for what can be unfolded, until the run moves on; 0 for what cannot."""
        if parts is None:
            return 0
        self._unfolded.append(parts)
        return len(self._unfolded)

    def _variables(self, arguments: Body) -> Body:
        reference = _number(arguments, "variablesReference")
        if not 0 < reference <= len(self._unfolded):
            raise OptionError("these variables were of another position")
        found = self._unfolded[reference - 1]()
        begin, count = _number(arguments, "start"), _number(arguments, "count")
        chosen = found[begin : begin + count if count else None]
        return {"variables": [self._shown(each, "name", "value") for each in chosen]}

    def _shown(self, each: ShownVariable, name: str, value: str) -> Body:
        body: Body = {name: each.name, value: each.value, "variablesReference": self._reference(each.parts)}
        if each.type:
            body["type"] = each.type
        if each.parts is not None and each.count:
            body["indexedVariables"] = each.count
        return body

    def _evaluate(self, arguments: Body) -> Body:
        program, state = self._now()
        number = self._process(arguments) if arguments.get("frameId") else self._first()
        shown = self._shown(evaluated(program, state, number, str(arguments.get("expression", ""))), "name", "result")
        shown.pop("name")
        return shown

    def _first(self) -> int:
        """The process that moves."""
        for number, _ in self._run().places(self._position):
            return number
        raise OptionError("no process is alive")

    def _process(self, arguments: Body) -> int:
        number = _number(arguments, "frameId") - 1
        if not 0 <= number < len(self._now()[1].processes):
            raise OptionError("this process does not exist here")
        return number

    # Breakpoints

    def _set_breakpoints(self, arguments: Body) -> Body:
        path = self._path(arguments)
        wanted = []
        for each in arguments.get("breakpoints") or []:
            if isinstance(each, dict):
                wanted.append((_number(each, "line") + 1 - self._first_line, str(each.get("condition") or "")))
        answers = self._breakpoints.put(path, wanted)
        return {
            "breakpoints": [
                {"verified": is_met, "line": line - 1 + self._first_line, **({"message": why} if why else {})}
                for line, is_met, why in answers
            ]
        }

    def _breakpoint_locations(self, arguments: Body) -> Body:
        first = _number(arguments, "line") + 1 - self._first_line
        last = _number(arguments, "endLine") + 1 - self._first_line if "endLine" in arguments else first
        lines = self._breakpoints.lines(self._path(arguments))
        return {
            "breakpoints": [{"line": line - 1 + self._first_line} for line in sorted(lines) if first <= line <= last]
        }

    def _path(self, arguments: Body) -> str:
        source = arguments.get("source")
        path = str(source.get("path") or "") if isinstance(source, dict) else ""
        return unquote(urlparse(path).path) if self._by_uri else path

    def _output(self, text: str, category: str) -> None:
        self._send("output", {"category": category, "output": visible(text)})


_MOVES = {
    "next": "step",
    "stepIn": "step",
    "stepOut": "step",
    "stepBack": "step",
    "continue": "breakpoint",
    "reverseContinue": "breakpoint",
    "restart": "entry",
    "pause": "pause",
}


def _number(arguments: Mapping[str, object], name: str) -> int:
    """A number among the arguments; 0 if it is not given. Raises OptionError for anything else."""
    value = arguments.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise OptionError(f"'{name}' is a number from 0 on")
    return value


def wanted_of(arguments: Mapping[str, object]) -> Wanted:
    """Return what the `arguments` of a launch want. Raises OptionError."""
    program = arguments.get("program")
    if not isinstance(program, str) or not program:
        raise OptionError("'program' names the model to be debugged")
    for name in ("property", "trace"):
        if not isinstance(arguments.get(name), str | None):
            raise OptionError(f"'{name}' is a text")
    defines, include = arguments.get("defines") or {}, arguments.get("include") or []
    if not isinstance(defines, dict) or not isinstance(include, list):
        raise OptionError("'defines' has values by names, and 'include' lists folders")
    asked, trace = arguments.get("property") or None, arguments.get("trace") or None
    values = {str(name): str(value) for name, value in defines.items()}
    folders = [str(each) for each in include]
    return Wanted(program, str(asked) if asked else None, str(trace) if trace else None, values, folders)
