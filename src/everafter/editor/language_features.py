"""What the server tells of names, and what it writes: references, renaming, completion, layout, quick fixes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from everafter.editor.completion import SuggestionKind, suggestions
from everafter.editor.editor_server import EditorServer, OpenText
from everafter.editor.folding import folds
from everafter.editor.formatting import Margins, formatted
from everafter.editor.name_index import NameIndex, Sense, WordKind, WrittenName, canonical
from everafter.editor.protocol_places import address_of, position_in, range_of
from everafter.editor.quick_fixes import quick_fixes
from everafter.editor.renaming import renamed, word_to_rename
from everafter.editor.shared_names import Reading, same_everywhere
from everafter.editor.signatures import signature_at
from everafter.source import OptionError, Place, Source, Spot

_COLOURS: dict[WordKind, str] = {
    "variable": "variable",
    "field": "property",
    "mtype": "enumMember",
    "subtype": "enum",
    "typedef": "struct",
    "proctype": "class",
    "inline": "function",
    "argument": "parameter",
    "parameter": "parameter",
    "label": "label",
    "ltl": "class",
    "macro": "macro",
}
_TYPES = sorted(set(_COLOURS.values()))
_LEGEND = types.SemanticTokensLegend(_TYPES, ["declaration"])
_KINDS: dict[SuggestionKind, types.CompletionItemKind] = {
    "variable": types.CompletionItemKind.Variable,
    "field": types.CompletionItemKind.Field,
    "label": types.CompletionItemKind.Reference,
    "proctype": types.CompletionItemKind.Class,
    "inline": types.CompletionItemKind.Function,
    "typedef": types.CompletionItemKind.Struct,
    "mtype": types.CompletionItemKind.EnumMember,
    "macro": types.CompletionItemKind.Constant,
    "keyword": types.CompletionItemKind.Keyword,
    "operator": types.CompletionItemKind.Operator,
}
_Where = types.TextDocumentPositionParams | types.ReferenceParams | types.RenameParams | types.DocumentHighlightParams


def add_names(server: EditorServer) -> None:
    """Let `server` tell where names are used, rename them, and colour them by what they are."""

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        return [
            types.Location(_address(server, each.place), range_of(each.place.source, each.place))
            for each in _same_in_workspace(server, params)
            if params.context.include_declaration or not each.is_declaration
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        index, word = _word(server, params)
        return [
            types.DocumentHighlight(range_of(each.place.source, each.place), types.DocumentHighlightKind.Text)
            for each in _same(index, word)
            if word is not None and each.place.source.name == word.place.source.name
        ]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        with _refusals():
            readings = server.readings(params.text_document.uri)
            if not readings:
                return None
            word = word_to_rename(readings[0].index, *_spot_in(readings[0], server, params))
        return types.PrepareRenamePlaceholder(range_of(word.place.source, word.place), word.text)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        with _refusals():
            readings = server.readings(params.text_document.uri)
            if not readings:
                return None
            first, *others = readings
            word = word_to_rename(first.index, *_spot_in(first, server, params))
            renaming = renamed(first.index, word, params.new_name, first.reread, others)
        changes: dict[str, list[types.TextEdit]] = {}
        for place in renaming.places:
            edit = types.TextEdit(range_of(place.source, place), renaming.new)
            changes.setdefault(_address(server, place), []).append(edit)
        return types.WorkspaceEdit(changes=changes)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _LEGEND)
    def colours(params: types.SemanticTokensParams) -> types.SemanticTokens:
        index = server.index(params.text_document.uri)
        opened = server.texts.get(params.text_document.uri)
        return types.SemanticTokens(_coloured(index, opened.document.source) if index and opened else [])


class _refusals:  # noqa: N801 # it reads as what it is: a block in which refusals are told
    """Tells the editor why a name cannot be changed."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OptionError):
            raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed.value) from error


def _spot(server: EditorServer, params: _Where | types.PrepareRenameParams) -> tuple[str, int, int]:
    """The file, the line and the column that a request is about."""
    source = server.texts[params.text_document.uri].document.source
    return source.name, *position_in(source, params.position)


def _spot_in(
    reading: Reading, server: EditorServer, params: _Where | types.PrepareRenameParams
) -> tuple[str, int, int]:
    """The same in a model that calls the file by another name."""
    file, line, column = _spot(server, params)
    return reading.files.get(canonical(file), file), line, column


def _same_in_workspace(server: EditorServer, params: _Where) -> list[WrittenName]:
    """The words that name the same in all models that share files, in the order of the texts."""
    try:
        readings = server.readings(params.text_document.uri)
    except OptionError:  # too many to look through
        return _same(*_word(server, params))
    word = readings[0].index.at(*_spot_in(readings[0], server, params)) if readings else None
    if word is None or not word.senses:
        return []
    found: dict[Spot, WrittenName] = {}
    for reading, (_, spots) in zip(readings, same_everywhere(readings, word), strict=True):
        for spot in sorted(spots):
            here = reading.word_at(spot)
            if here is not None:
                found.setdefault(spot, here)
    return list(found.values())


def _word(server: EditorServer, params: _Where) -> tuple[NameIndex | None, WrittenName | None]:
    index = server.index(params.text_document.uri)
    return index, index.at(*_spot(server, params)) if index is not None else None


def _same(index: NameIndex | None, word: WrittenName | None) -> list[WrittenName]:
    """The words that name the same, in the order of the texts."""
    if index is None or word is None:
        return []
    known = [index.words[spot] for spot in sorted(index.same(word)[1]) if spot in index.words]
    return known if word.senses else []


def _address(server: EditorServer, place: Place) -> str:
    """The address of the text in which a place is: as the editor says it, if it is open there."""
    for address, opened in server.texts.items():
        if opened.document.source.name == place.source.name:
            return address
    return address_of(place.source.name)


def _coloured(index: NameIndex, source: Source) -> list[int]:
    """The words of a text as the protocol says them: each by its distance from the one before."""
    found: list[int] = []
    line = start = 0
    for spot, word in sorted(index.words.items()):
        sense = next(iter(sorted(word.senses)), None)
        if spot.file != source.name or sense is None:
            continue
        where = range_of(source, word.place)
        below = where.start.line - line
        start = where.start.character - (start if not below else 0)
        found += [below, start, where.end.character - where.start.character, *_colour(sense, word)]
        line, start = where.start.line, where.start.character
    return found


def _colour(sense: Sense, word: WrittenName) -> tuple[int, int]:
    return _TYPES.index(_COLOURS[sense.kind]), int(word.is_declaration)


# What is written


def add_writing(server: EditorServer) -> None:
    """Let `server` say what may be written, and write it: completion, signatures, quick fixes, layout, folds."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "@", ":", "#"]))
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        opened = server.current(params.text_document.uri)
        if opened is None:
            return []
        source = opened.document.source
        line, column = position_in(source, params.position)
        tree = opened.document.model.tree if opened.document.model is not None else None
        found = suggestions(source, line, column, _others(server, params.text_document.uri), tree)
        return [types.CompletionItem(each.word, kind=_KINDS[each.kind], detail=each.detail or None) for each in found]

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        opened = server.current(params.text_document.uri)
        if opened is None:
            return None
        source = opened.document.source
        others = _others(server, params.text_document.uri)
        found = signature_at(source, *position_in(source, params.position), others)
        if found is None:
            return None
        parameters = [types.ParameterInformation(stretch) for stretch in found.parameters]
        return types.SignatureHelp([types.SignatureInformation(found.label, parameters=parameters)], 0, found.active)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        opened = server.current(params.text_document.uri)
        return [*_fixes(server, opened, params)] if opened is not None else []

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        opened = server.current(params.text_document.uri)
        if opened is None:
            return []
        source = opened.document.source
        style = Margins(params.options.tab_size, params.options.insert_spaces)
        return [*_changes(source, formatted(source, style, server.defines, server.folders(source)))]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        opened = server.current(params.text_document.uri)
        return [
            types.FoldingRange(
                fold.first - 1, fold.last - 1, kind=types.FoldingRangeKind.Comment if fold.is_comment else None
            )
            for fold in (folds(opened.document.source) if opened is not None else ())
        ]


def _others(server: EditorServer, address: str) -> Sequence[Source]:
    """The texts that a text includes."""
    index = server.index(address)
    return [*index.sources.values()][1:] if index is not None else []


def _fixes(server: EditorServer, opened: OpenText, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    """What can be written instead of the mistakes within the lines that the editor shows."""
    document = opened.document
    first, last = params.range.start.line + 1, params.range.end.line + 1
    for fix in quick_fixes(document.problems):
        if first <= document.seen(fix.problem.place).line <= last:
            edit = types.TextEdit(range_of(fix.place.source, fix.place), fix.new)
            told = [each for each in params.context.diagnostics if each.message.startswith(fix.problem.message)]
            yield types.CodeAction(
                f"write '{fix.new}'",
                types.CodeActionKind.QuickFix,
                told,
                is_preferred=True,
                edit=types.WorkspaceEdit(changes={_address(server, fix.place): [edit]}),
            )


def _changes(source: Source, text: str) -> Iterator[types.TextEdit]:
    """What turns the text of `source` into another, which has at most an empty line more, line by line."""
    old, new = source.text.split("\n"), text.split("\n")
    for number, (before, after) in enumerate(zip(old, new, strict=False)):
        if before != after:
            whole = range_of(source, Place(source, number + 1, 1, max(len(source.line(number + 1)), 1)))
            yield types.TextEdit(types.Range(types.Position(number, 0), whole.end), after.removesuffix("\r"))
    if len(new) > len(old):
        end = range_of(source, Place(source, len(old), 1, max(len(old[-1]), 1))).end
        yield types.TextEdit(types.Range(end, end), "\n")
