"""The texts that are open in an editor: read when they change, and what is wrong with them."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import everafter
from everafter.editor.check_process import CheckAnswer, answer
from everafter.editor.name_index import NameIndex, canonical, index_of
from everafter.editor.open_text import Document, read
from everafter.editor.protocol_places import path_of, range_of
from everafter.editor.renaming import rereading
from everafter.editor.shared_names import Reading, including, model_files
from everafter.record import dataclass, field
from everafter.source import Place, Source

_PAUSE = 0.2
"""A text is read this many seconds after its last change; a long one takes longer than the time between two keys."""


@dataclass(slots=True)
class OpenText:
    """An open text, the checks that go on of it, and the answers to those that are over."""

    document: Document
    index: NameIndex | None = None
    """What its words name, once an editor has wanted it."""
    running: dict[str | None, asyncio.Task[CheckAnswer]] = field(default_factory=dict)
    answers: dict[str | None, CheckAnswer] = field(default_factory=dict)


class EditorServer(LanguageServer):
    """The texts that are open in an editor."""

    def __init__(self) -> None:
        super().__init__("everafter", everafter.__version__)
        self.texts: dict[str, OpenText] = {}
        self.defines: dict[str, str] = {}
        self.shows_pages = self.has_debugger = False
        """Whether the editor shows pages itself, and whether it has a debugger for counterexamples."""
        self._pages: tempfile.TemporaryDirectory[str] | None = None
        self.waiting: dict[str, asyncio.TimerHandle] = {}
        """The texts that have changed since they were read, each with when it will be."""

    def touch(self, address: str) -> None:
        """Stop the checks of a text that has changed, and read it when no more changes come for a while."""
        self.stop_checks(address)
        if (planned := self.waiting.get(address)) is not None:
            planned.cancel()
        self.waiting[address] = asyncio.get_running_loop().call_later(_PAUSE, self.update, address)

    def current(self, address: str) -> OpenText | None:
        """What is known of a text, which is read at once if it has changed; None if it is not open."""
        if address in self.waiting:
            self.update(address)
        return self.texts.get(address)

    def index(self, address: str) -> NameIndex | None:
        """What the words of a text name; None if it is not open."""
        opened = self.current(address)
        if opened is None:
            return None
        if opened.index is None:
            source = opened.document.source
            opened.index = index_of(source, self.defines, self.folders(source), self.unsaved(address))
        return opened.index

    def unsaved(self, address: str) -> dict[str, str]:
        """The texts of all files that are open, but for the one at `address`."""
        return {
            canonical(path_of(other)): self.workspace.get_text_document(other).source
            for other in self.texts
            if other != address
        }

    def readings(self, address: str) -> list[Reading]:
        """The model of a text as it was read, then the other models of the workspace that share files with it.

        A text with mistakes that others include is a part of them, and no model. Raises OptionError.
        """
        index = self.index(address)
        if index is None:
            return []
        own = self._reading(self.texts[address].document.source, index, self.unsaved(address))
        unsaved = {canonical(path_of(each)): self.workspace.get_text_document(each).source for each in self.texts}
        main, others = canonical(own.path), []
        for source in including([*model_files(self._workspace_folders(own.path))], unsaved):
            if canonical(source.name) != main:
                other = index_of(source, self.defines, self.folders(source), unsaved)
                others.append(self._reading(source, other, unsaved))
        shared = [each for each in others if each.files.keys() & own.files.keys()]
        is_part = index.tree is None and any(main in each.files and each.index.tree is not None for each in shared)
        return sorted(shared, key=lambda each: each.index.tree is None) if is_part else [own, *shared]

    def _reading(self, source: Source, index: NameIndex, unsaved: dict[str, str]) -> Reading:
        return Reading(source.name, index, rereading(source, self.defines, self.folders(source), unsaved))

    def _workspace_folders(self, path: str) -> list[str]:
        """The folders that are open in the editor; without any, that of the text at `path`."""
        known = [path_of(folder.uri) for folder in self.workspace.folders.values()]
        return known or [self.workspace.root_path or str(Path(path).parent)]

    def folders(self, source: Source) -> list[Path]:
        """Where the files that `source` includes are looked for."""
        return [Path(source.name).parent]

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
        self.texts[address] = OpenText(document)
        for other in self.texts.values():
            other.index = None  # it may include this text
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
        task = asyncio.ensure_future(answer(opened.document.source, asked, self.defines, self._page(address, asked)))
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

    def _page(self, address: str, asked: str | None) -> Path:
        """A file for the page that shows what a check has found."""
        if self._pages is None:
            self._pages = tempfile.TemporaryDirectory(prefix="everafter-")
        digest = hashlib.sha256(f"{address}\0{asked}".encode("utf-8", "surrogatepass")).hexdigest()
        return Path(self._pages.name) / f"{digest[:16]}.html"

    def _refresh(self) -> None:
        """Ask the editor to ask for the lenses again, if it can."""
        capabilities = self.client_capabilities.workspace
        if capabilities is not None and capabilities.code_lens is not None and capabilities.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)


def _problems(document: Document) -> list[types.Diagnostic]:
    found = []
    for problem in document.problems:
        is_error = problem.severity == "error"
        severity = types.DiagnosticSeverity.Error if is_error else types.DiagnosticSeverity.Warning
        place = document.seen(problem.place)
        elsewhere = "" if place == problem.place else f" ({problem.place})"
        advice = f"\n{problem.advice}" if problem.advice else ""
        message = f"{problem.message}{elsewhere}{advice}"
        found.append(types.Diagnostic(range_of(document.source, place), message, severity, source="everafter"))
    return found


def _violations(opened: OpenText) -> list[types.Diagnostic]:
    """Where a check has shown something to go wrong, or a formula not to hold."""
    lines = {name.name: name.place.line for name in opened.document.names if name.kind == "ltl"}
    found = []
    for asked, told in opened.answers.items():
        line = told.line if asked is None else lines.get(asked)
        if told.verdict != "violated" or line is None:
            continue
        text = opened.document.source.line(line)
        place = Place(opened.document.source, line, len(text) - len(text.lstrip()) + 1, max(len(text.strip()), 1))
        where = range_of(opened.document.source, place)
        severity = types.DiagnosticSeverity.Error
        found.append(types.Diagnostic(where, told.title, severity, source="everafter check"))
    return found
