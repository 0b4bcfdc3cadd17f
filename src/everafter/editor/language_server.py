"""The server that tells an editor: diagnostics, declarations and verdicts, by the language server protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from everafter.editor.editor_server import EditorServer, OpenText
from everafter.editor.language_features import add_names, add_writing
from everafter.editor.open_text import Check
from everafter.editor.outline import NameKind
from everafter.editor.protocol_places import address_of, position_in, range_of

PAGE, DEBUG = "everafter.page", "everafter.debug"
"""The commands that show the run a check has found: on a page, and, by the editor itself, in its debugger."""
CHECK = "everafter.check"
"""The command behind a code lens; its arguments are the text's address and the name of a formula, or none."""
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


def make_server() -> EditorServer:
    """A server with all that it can do."""
    server = EditorServer()
    _add_reading(server)
    _add_meaning(server)
    _add_checking(server)
    add_names(server)
    add_writing(server)
    return server


# What is wrong


def _add_reading(server: EditorServer) -> None:
    @server.feature(types.INITIALIZE)
    def begin(params: types.InitializeParams) -> None:
        options = params.initialization_options
        server.shows_pages, server.has_debugger = (bool(_given(options, name)) for name in ("pages", "debugger"))
        given = _given(options, "defines") or {}
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


# What names mean


def _add_meaning(server: EditorServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        opened = server.current(params.text_document.uri)
        if opened is None:
            return None
        text = opened.document.hover(*position_in(opened.document.source, params.position))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text is not None else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> types.Location | None:
        address = params.text_document.uri
        opened = server.current(address)
        if opened is None:
            return None
        document = opened.document
        place = document.definition(*position_in(document.source, params.position))
        if place is None:
            return None
        is_here = place.source.name == document.source.name
        return types.Location(address if is_here else address_of(place.source.name), range_of(place.source, place))

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
                    range_of(document.source, name.place).start,
                    range_of(document.source, name.end).end,
                ),
                range_of(document.source, name.place),
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
        address = params.text_document.uri
        return [
            lens
            for check in opened.document.checks()
            for lens in (_lens(address, opened, check), *_run_lenses(server, address, opened, check))
        ]

    @server.command(CHECK)
    async def check(address: str, asked: str | None = None) -> dict[str, object] | None:
        found = await server.check(address, asked)
        if found is None:
            return None
        lines = "\n".join((f"{asked or 'safety'}: {found.title}", *found.steps))
        server.window_log_message(types.LogMessageParams(types.MessageType.Info, lines))
        return {"verdict": found.verdict, "reason": found.reason, "states": found.states, "steps": list(found.steps)}

    @server.command(PAGE)
    def page(address: str, asked: str | None = None) -> dict[str, object] | None:
        opened = server.current(address)
        found = opened.answers.get(asked) if opened is not None else None
        if found is None or found.page is None:
            return None
        window = server.client_capabilities.window
        if not server.shows_pages and window is not None and window.show_document is not None:
            server.window_show_document(types.ShowDocumentParams(address_of(found.page), external=True))
        return {"path": found.page}


def _given(options: object, name: str) -> Any:
    """What the editor says of itself at the beginning, under a name."""
    return options.get(name) if isinstance(options, dict) else getattr(options, name, None)


def _run_lenses(server: EditorServer, address: str, opened: OpenText, check: Check) -> Iterator[types.CodeLens]:
    """The lenses that show the counterexample which a check has found."""
    found = opened.answers.get(check.property)
    if found is None or found.page is None:
        return
    start = types.Position(check.line - 1, 0)
    where = types.Range(start, start)
    yield types.CodeLens(where, types.Command("show the run", PAGE, arguments=[address, check.property]))
    if server.has_debugger:
        wanted = [opened.document.source.name, check.property or "safety", server.defines]
        yield types.CodeLens(where, types.Command("step through it", DEBUG, arguments=wanted))


def _lens(address: str, opened: OpenText, check: Check) -> types.CodeLens:
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
