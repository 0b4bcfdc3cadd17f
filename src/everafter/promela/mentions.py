"""What the words of a text name, written down while it is read: what editors ask, and a check does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from everafter.promela.tokens import Token
from everafter.promela.units import Formula, ModelTree
from everafter.record import dataclass, field
from everafter.source import Place, Source

MentionKind = Literal[
    "variable", "field", "mtype", "subtype", "typedef", "proctype", "inline", "argument", "label", "ltl"
]


class Mention(NamedTuple):
    """A word that names something. Two words name the same if they have the same `name`, `kind` and `whose`."""

    name: str
    kind: MentionKind
    whose: Place | str
    """Where a variable or a field is declared; the proctype of a label, the inline of an argument; else nothing."""
    place: Place
    is_declaration: bool = False


@dataclass(slots=True)
class ReadingRecord:
    """What was read, also of a text with mistakes. `unsaved` has the texts of files that differ from the disk."""

    unsaved: Mapping[str, str] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    """The texts, the included ones too, in the order in which they were begun."""
    tokens: Sequence[Token] = ()
    """All words, as the preprocessor leaves them."""
    mentions: list[Mention] = field(default_factory=list)


def formula_mentions(tree: ModelTree, formula: Formula) -> list[Mention]:
    """Return what the words of `formula`, an `ltl` block of `tree`, name."""
    found: list[Mention] = []
    words = formula.tokens
    for position, word in enumerate(words):
        if word.kind == "name":
            found += _mention(tree, words, position, found)
    return found


def _mention(tree: ModelTree, words: Sequence[Token], position: int, earlier: list[Mention]) -> list[Mention]:
    """What the word at `position` names, after the `earlier` mentions of the formula."""
    word = words[position]
    before = words[position - 1].text if position else ""
    if before == "." and earlier:
        owner = _owner(tree, earlier)
        return [Mention(word.text, "field", field_place, word.place) for field_place in owner.get(word.text, ())]
    remote = _remote(words, position - 1) if before in ("@", ":") else None
    if remote is not None and before == "@":
        return [Mention(word.text, "label", remote, word.place)]
    proctype = tree.proctype(remote or "")
    known = proctype.variables if proctype is not None else tree.variables
    for variable in known:
        if variable.name == word.text:
            return [Mention(word.text, "variable", variable.place, word.place)]
    if any(word.text in names for names in tree.mtypes.values()):
        return [Mention(word.text, "mtype", "", word.place)]
    if tree.proctype(word.text) is not None and _is_remote(words, position + 1):
        return [Mention(word.text, "proctype", "", word.place)]
    return []


def _owner(tree: ModelTree, earlier: list[Mention]) -> dict[str, list[Place]]:
    """The fields of the structure that was named last, each with where it is declared."""
    for mention in reversed(earlier):
        if mention.kind in ("variable", "field"):
            owner = next((each for each in tree.all_variables() if each.place == mention.whose), None)
            fields = getattr(owner.type, "fields", ()) if owner is not None else ()
            if fields:
                return {item.name: [item.place] for item in fields}
    return {}


def _remote(words: Sequence[Token], position: int) -> str | None:
    """The proctype before the sign at `position`, `P@` or `P[…]@`."""
    back = position - 1
    if back >= 0 and words[back].text == "]":
        depth = 0
        while back >= 0:
            depth += (words[back].text == "]") - (words[back].text == "[")
            back -= 1
            if depth == 0:
                break
    return words[back].text if back >= 0 and words[back].kind == "name" else None


def _is_remote(words: Sequence[Token], position: int) -> bool:
    """Whether `@`, `:` or an index stands at `position`."""
    return position < len(words) and words[position].text in ("@", ":", "[")
