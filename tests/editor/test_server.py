"""The language server as an editor meets it: a client of its own talks to it by standard input and output."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

MODEL = """byte x;
active [2] proctype P() { x++; assert(x != 2) }
ltl small { [] (x < 3) }
ltl zero { [] (x == 0) }
"""
ENDLESS = "int x; active proctype P() { do :: x++ :: x == -1 -> x++ od }\nltl p { [] (x >= 0 || x < 0) }\n"
PATIENCE = 120
"""Seconds after which a server that says nothing is given up, also on a busy machine."""


class Editor(LanguageClient):
    """An editor that remembers what it is told."""

    def __init__(self) -> None:
        super().__init__("test-editor", "1")
        self.problems: asyncio.Queue[list[types.Diagnostic]] = asyncio.Queue()
        self.messages: list[str] = []

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator] # pygls has no type here
        def told(params: types.PublishDiagnosticsParams) -> None:
            self.problems.put_nowait(list(params.diagnostics))

        @self.feature(types.WINDOW_LOG_MESSAGE)  # type: ignore[untyped-decorator] # nor here
        def logged(params: types.LogMessageParams) -> None:
            self.messages.append(params.message)

    def open(self, address: str, text: str) -> None:
        item = types.TextDocumentItem(address, "promela", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, address: str, text: str, version: int = 2) -> None:
        changed = types.TextDocumentContentChangeWholeDocument(text)
        which = types.VersionedTextDocumentIdentifier(version, address)
        self.text_document_did_change(types.DidChangeTextDocumentParams(which, [changed]))

    async def titles(self, address: str) -> list[str]:
        lenses = await self.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(address)))
        return [lens.command.title for lens in lenses or [] if lens.command is not None]

    async def command(self, name: str, *given: object) -> object:
        return await self.workspace_execute_command_async(types.ExecuteCommandParams(name, [*given]))

    async def check(self, address: str, asked: str | None) -> object:
        return await self.command("everafter.check", address, asked)


Story = Callable[[Editor, str], Awaitable[None]]


def told(story: Story, folder: Path, options: object = None) -> None:
    """Start a server, let an editor tell a story with it, and end it."""

    async def tell() -> None:
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "everafter", "lsp", "--stdio")
        begun = types.InitializeParams(types.ClientCapabilities(), initialization_options=options)
        await editor.initialize_async(begun)
        editor.initialized(types.InitializedParams())
        try:
            await story(editor, (folder / "m.pml").as_uri())
        finally:
            await editor.shutdown_async(None)
            editor.exit(None)
            await editor.stop()  # type: ignore[no-untyped-call] # nor here

    asyncio.run(asyncio.wait_for(tell(), PATIENCE))


def test_problems_are_told_as_one_types(tmp_path: Path) -> None:
    async def story(editor: Editor, address: str) -> None:
        editor.open(address, MODEL)
        assert await editor.problems.get() == []
        editor.change(address, "/* 𝔘 */ byte x; active proctype P() { /* 𝔘 */ y = 1 }")
        (problem,) = await editor.problems.get()
        assert problem.severity == types.DiagnosticSeverity.Error
        assert "'y'" in problem.message
        assert problem.range.start == types.Position(0, 48)  # in units of UTF-16, of which 𝔘 takes two
        editor.change(address, MODEL, 3)
        assert await editor.problems.get() == []

    told(story, tmp_path)


def test_hover_definition_and_symbols(tmp_path: Path) -> None:
    async def story(editor: Editor, address: str) -> None:
        editor.open(address, MODEL)
        which, at = types.TextDocumentIdentifier(address), types.Position(1, 26)
        hover = await editor.text_document_hover_async(types.HoverParams(which, at))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert "byte x" in hover.contents.value
        place = await editor.text_document_definition_async(types.DefinitionParams(which, at))
        assert isinstance(place, types.Location)
        assert place.range.start == types.Position(0, 5)
        assert place.uri == address
        symbols = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(which))
        assert [symbol.name for symbol in symbols or []] == ["P", "small", "zero"]

    told(story, tmp_path)


NAMES = """#define LIMIT 3
byte count;
inline add(n) { count = count + n }
active proctype Worker() {
  byte mine;
again:
  add(1);mine=LIMIT;
  if
    :: goto again
    :: else
  fi
}
init { run Worker() }
ltl small { [] (count < 9) }
"""


def at(text: str, words: str, offset: int = 0) -> types.Position:
    """Where these words are written."""
    position = text.index(words) + offset
    return types.Position(text.count("\n", 0, position), position - text.rfind("\n", 0, position) - 1)


def test_names_are_found_renamed_completed_and_coloured(tmp_path: Path) -> None:
    async def story(editor: Editor, address: str) -> None:
        editor.open(address, NAMES)
        which, count = types.TextDocumentIdentifier(address), at(NAMES, "count;")
        context = types.ReferenceContext(include_declaration=False)
        places = await editor.text_document_references_async(types.ReferenceParams(context, which, count))
        assert [place.range.start.line for place in places or []] == [2, 2, 13]
        marks = await editor.text_document_document_highlight_async(types.DocumentHighlightParams(which, count))
        assert len(marks or []) == 4
        ready = await editor.text_document_prepare_rename_async(types.PrepareRenameParams(which, count))
        assert isinstance(ready, types.PrepareRenamePlaceholder)
        assert ready.placeholder == "count"
        edit = await editor.text_document_rename_async(types.RenameParams(which, count, "total"))
        assert edit is not None
        assert edit.changes is not None
        assert [change.new_text for change in edit.changes[address]] == ["total"] * 4
        with pytest.raises(JsonRpcException, match="something else already"):
            await editor.text_document_rename_async(types.RenameParams(which, count, "add"))
        with pytest.raises(JsonRpcException, match="no name stands here"):
            await editor.text_document_prepare_rename_async(
                types.PrepareRenameParams(which, at(NAMES, "{ [] (count", 1))
            )
        colours = await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(which))
        assert colours is not None
        assert [*colours.data[:3], colours.data[4]] == [0, 8, 5, 1]  # LIMIT, which is declared
        assert len(colours.data) == 5 * 17
        help_at = types.SignatureHelpParams(which, at(NAMES, "add(1", 4))
        signature = await editor.text_document_signature_help_async(help_at)
        assert signature is not None
        assert signature.signatures[0].label == "inline add(n)"
        folds = await editor.text_document_folding_range_async(types.FoldingRangeParams(which))
        assert [(fold.start_line, fold.end_line) for fold in folds or []] == [(3, 10), (7, 9)]
        options = types.FormattingOptions(4, True)
        edits = await editor.text_document_formatting_async(types.DocumentFormattingParams(which, options))
        assert [change.new_text for change in edits or []] == [
            "    byte mine;", "    add(1); mine = LIMIT;", "    if", "    fi"
        ]  # fmt: skip
        broken = NAMES.replace("mine=LIMIT", "mine = cuont; mine = ")
        editor.change(address, broken)
        while not (problems := await editor.problems.get()):
            pass
        asked = types.CodeActionContext(problems)
        actions = await editor.text_document_code_action_async(types.CodeActionParams(which, problems[0].range, asked))
        action = (actions or [])[0]
        assert isinstance(action, types.CodeAction)
        assert action.title == "write 'count'"
        assert action.edit is not None
        assert action.edit.changes is not None
        assert action.edit.changes[address][0].range.start == at(broken, "cuont")
        here = types.CompletionParams(which, at(broken, "mine = ;", 7))
        found = await editor.text_document_completion_async(here)
        assert isinstance(found, list)
        assert {"mine", "count", "add", "LIMIT", "Worker", "skip"} <= {item.label for item in found}

    told(story, tmp_path)


def test_verdicts_are_lenses(tmp_path: Path) -> None:
    async def story(editor: Editor, address: str) -> None:
        editor.open(address, MODEL)
        assert await editor.titles(address) == ["check small", "check zero", "check safety"]
        found = await editor.check(address, "small")
        assert found is not None
        await editor.check(address, "zero")
        await editor.check(address, None)
        small, zero, run, safety, other_run = await editor.titles(address)
        assert run == other_run == "show the run"
        shown = await editor.command("everafter.page", address, "zero")
        assert isinstance(shown, dict)
        assert "<html" in Path(shown["path"]).read_text()[:200]
        assert await editor.command("everafter.page", address, "small") is None
        assert small.startswith("small: holds (")
        assert zero.startswith("zero: violated in ")
        assert safety.startswith("safety: violated in ")
        assert "assert(x != 2) failed" in safety
        assert any("line    2  x++" in message for message in editor.messages)
        problems = [await editor.problems.get() for _ in range(4)][-1]
        assert [problem.range.start.line for problem in problems] == [3, 1]
        editor.change(address, MODEL + "\n")
        assert await editor.titles(address) == ["check small", "check zero", "check safety"]

    told(story, tmp_path)


def test_a_check_is_stopped_when_its_text_changes(tmp_path: Path) -> None:
    async def story(editor: Editor, address: str) -> None:
        editor.open(address, ENDLESS)
        check = asyncio.ensure_future(editor.check(address, "p"))
        while await editor.titles(address) != ["checking p …", "check safety"]:
            await asyncio.sleep(0.05)
        editor.change(address, ENDLESS + "\n")
        assert await check is None
        assert await editor.titles(address) == ["check p", "check safety"]

    told(story, tmp_path)


def test_macros_may_be_given(tmp_path: Path) -> None:
    async def story(editor: Editor, address: str) -> None:
        editor.open(address, "active proctype P() { assert(N == 3) }")
        assert await editor.problems.get() == []
        await editor.check(address, None)
        assert (await editor.titles(address))[0].startswith("safety: holds")

    told(story, tmp_path, {"defines": {"N": 3}})


def test_without_pygls_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from everafter.cli import main
    from everafter.commands import lsp

    monkeypatch.setattr(lsp, "find_spec", lambda _name: None)
    assert main(["lsp"]) == 2
    assert "everafter[lsp]" in capsys.readouterr().err
