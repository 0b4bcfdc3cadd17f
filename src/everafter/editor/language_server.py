"""The server that tells an editor: diagnostics, declarations and verdicts, by the language server protocol."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import everafter
from everafter.editor.check_process import CheckAnswer, answer
from everafter.editor.open_text import Check, Document, read
from everafter.editor.outline import NameKind
from everafter.record import dataclass, field
from everafter.source import Place, Source

CHECK = "everafter.check"
"""The command behind a code lens; its arguments are the text's address and the name of a formula, or none."""
_PAUSE = 0.2
"""A text is read this many seconds after its last change; a long one takes longer than the time between two keys."""
_SYMBOLS: dict[NameKind, types.SymbolKind] = {
    "macro": types.SymbolKind.Constant,
    "proctype": types.SymbolKind.Class,
    "init": types.SymbolKind.Class,
    "never": types.SymbolKind.Class,
    "trace": types.SymbolKind.Class,
    "inline": types.SymbolKind.Function,
    "typedef": types.SymbolKind.Struct,
    "ltl": types.SymbolKind.Boolean,
    "mtype": types.SymbolKind.EnumMember,
    "label": types.SymbolKind.Key,
}


@dataclass(slots=True)
class _Open:
    """An open text, the checks that go on of it, and the answers to those that are over."""

    document: Document
    running: dict[str | None, asyncio.Task[CheckAnswer]] = field(default_factory=dict)
    answers: dict[str | None, CheckAnswer] = field(default_factory=dict)


class EditorServer(LanguageServer):
    """The texts that are open in an editor."""

    def __init__(self) -> None:
        super().__init__("everafter", everafter.__version__)
        self.texts: dict[str, _Open] = {}
        self.defines: dict[str, str] = {}
        self.waiting: dict[str, asyncio.TimerHandle] = {}
        """The texts that have changed since they were read, each with when it will be."""

    def touch(self, address: str) -> None:
        """Stop the checks of a text that has changed, and read it when no more changes come for a while."""
        self.stop_checks(address)
        if (planned := self.waiting.get(address)) is not None:
            planned.cancel()
        self.waiting[address] = asyncio.get_running_loop().call_later(_PAUSE, self.update, address)

    def current(self, address: str) -> _Open | None:
        """What is known of a text, which is read at once if it has changed; None if it is not open."""
        if address in self.waiting:
            self.update(address)
        return self.texts.get(address)

    def stop_checks(self, address: str) -> None:
        """Stop the checks that go on of a text."""
        kept = self.texts.get(address)
        for task in kept.running.values() if kept is not None else ():
            task.cancel()

    def update(self, address: str) -> None:
        """Read the text anew, stop the checks of the old one, and tell what is wrong."""
        if (planned := self.waiting.pop(address, None)) is not None:
            planned.cancel()
        self.stop_checks(address)
        kept = self.texts.get(address)
        source = Source(path_of(address), self.workspace.get_text_document(address).source)
        document = read(source, kept.document if kept is not None else None, self.defines)
        self.texts[address] = _Open(document)
        self.publish(address)

    def publish(self, address: str) -> None:
        """Tell what is wrong with the text, and what checks have found."""
        opened = self.texts[address]
        found = [*_problems(opened.document), *_violations(opened)]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(address, found))

    async def check(self, address: str, asked: str | None) -> CheckAnswer | None:
        """Check the formula `asked`, or safety, of the text at `address`; None if the text has changed meanwhile."""
        opened = self.current(address)
        if opened is None:
            return None
        if asked in opened.running:
            opened.running[asked].cancel()
        task = asyncio.ensure_future(answer(opened.document.source, asked, self.defines))
        opened.running[asked] = task
        self._refresh()
        try:
            found = await task
        except asyncio.CancelledError:
            return None
        finally:
            opened.running.pop(asked, None)
        if self.texts.get(address) is not opened or address in self.waiting:
            return None
        opened.answers[asked] = found
        self.publish(address)
        self._refresh()
        return found

    def _refresh(self) -> None:
        """Ask the editor to ask for the lenses again, if it can."""
        capabilities = self.client_capabilities.workspace
        if capabilities is not None and capabilities.code_lens is not None and capabilities.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)


def make_server() -> EditorServer:
    """A server with all that it can do."""
    server = EditorServer()
    _add_reading(server)
    _add_meaning(server)
    _add_checking(server)
    return server


# What is wrong


def _add_reading(server: EditorServer) -> None:
    @server.feature(types.INITIALIZE)
    def begin(params: types.InitializeParams) -> None:
        options = params.initialization_options
        given = options.get("defines", {}) if isinstance(options, dict) else getattr(options, "defines", None) or {}
        items = given.items() if isinstance(given, dict) else vars(given).items()
        server.defines = {str(name): str(value) for name, value in items}

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.update(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.touch(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        address = params.text_document.uri
        server.stop_checks(address)
        server.texts.pop(address, None)
        if (planned := server.waiting.pop(address, None)) is not None:
            planned.cancel()
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(address, []))


def _problems(document: Document) -> list[types.Diagnostic]:
    found = []
    for problem in document.problems:
        is_error = problem.severity == "error"
        severity = types.DiagnosticSeverity.Error if is_error else types.DiagnosticSeverity.Warning
        place = document.seen(problem.place)
        elsewhere = "" if place == problem.place else f" ({problem.place})"
        advice = f"\n{problem.advice}" if problem.advice else ""
        message = f"{problem.message}{elsewhere}{advice}"
        found.append(types.Diagnostic(_range(document.source, place), message, severity, source="everafter"))
    return found


def _violations(opened: _Open) -> list[types.Diagnostic]:
    """Where a check has shown something to go wrong, or a formula not to hold."""
    lines = {name.name: name.place.line for name in opened.document.names if name.kind == "ltl"}
    found = []
    for asked, told in opened.answers.items():
        line = told.line if asked is None else lines.get(asked)
        if told.verdict != "violated" or line is None:
            continue
        text = opened.document.source.line(line)
        place = Place(opened.document.source, line, len(text) - len(text.lstrip()) + 1, max(len(text.strip()), 1))
        where = _range(opened.document.source, place)
        severity = types.DiagnosticSeverity.Error
        found.append(types.Diagnostic(where, told.title, severity, source="everafter check"))
    return found


# What names mean


def _add_meaning(server: EditorServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        opened = server.current(params.text_document.uri)
        text = opened.document.hover(*_place(opened.document.source, params.position)) if opened is not None else None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text is not None else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> types.Location | None:
        address = params.text_document.uri
        opened = server.current(address)
        if opened is None:
            return None
        document = opened.document
        place = document.definition(*_place(document.source, params.position))
        if place is None:
            return None
        is_here = place.source.name == document.source.name
        return types.Location(address if is_here else address_of(place.source.name), _range(place.source, place))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        opened = server.current(params.text_document.uri)
        if opened is None:
            return []
        document = opened.document
        return [
            types.DocumentSymbol(
                name.name,
                _SYMBOLS[name.kind],
                types.Range(
                    _range(document.source, name.place).start,
                    _range(document.source, name.end).end,
                ),
                _range(document.source, name.place),
                detail=name.kind if name.unit is None else f"label of {name.unit}",
            )
            for name in document.names
        ]


# What can be checked


def _add_checking(server: EditorServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        opened = server.current(params.text_document.uri)
        if opened is None:
            return []
        return [_lens(params.text_document.uri, opened, check) for check in opened.document.checks()]

    @server.command(CHECK)
    async def check(address: str, asked: str | None = None) -> dict[str, object] | None:
        found = await server.check(address, asked)
        if found is None:
            return None
        lines = "\n".join((f"{asked or 'safety'}: {found.title}", *found.steps))
        server.window_log_message(types.LogMessageParams(types.MessageType.Info, lines))
        return {"verdict": found.verdict, "reason": found.reason, "states": found.states, "steps": list(found.steps)}


def _lens(address: str, opened: _Open, check: Check) -> types.CodeLens:
    what = check.property or "safety"
    told = opened.answers.get(check.property)
    if check.property in opened.running:
        title = f"checking {what} …"
    elif told is None:
        title = f"check {what}"
    elif check.property is None and told.line is not None and told.line != check.line:
        title = f"safety is violated in line {told.line}"
    else:
        title = f"{what}: {told.title}"
    start = types.Position(check.line - 1, 0)
    return types.CodeLens(types.Range(start, start), types.Command(title, CHECK, arguments=[address, check.property]))


# Places


def path_of(address: str) -> str:
    """The path of a file by its address; the address itself of what is no file."""
    try:
        parts = urlparse(address)
    except ValueError:
        return address
    return unquote(parts.path) if parts.scheme == "file" else address


def address_of(path: str) -> str:
    """The address of a file by its path."""
    return Path(path).resolve().as_uri()


def _range(source: Source, place: Place) -> types.Range:
    """A place as the protocol says it: lines and columns from 0, in units of UTF-16."""
    line = source.line(place.line)
    start, end = place.column - 1, place.column - 1 + max(place.length, 1)
    return types.Range(
        types.Position(place.line - 1, _units(line[:start])), types.Position(place.line - 1, _units(line[:end]))
    )


def _place(source: Source, position: types.Position) -> tuple[int, int]:
    """Line and column, counted from 1, of a position."""
    line = source.line(position.line + 1).encode("utf-16-le")[: 2 * position.character]
    return position.line + 1, len(line.decode("utf-16-le", errors="ignore")) + 1


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
